"""python -m tests.mediawiki.guard COMMAND...: runs COMMAND until standard input closes.

The tests hold the other end of that pipe.  However they end, SIGKILL included, the pipe closes and
the whole process group of COMMAND goes: no web server outlives the tests that started it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading


def main(command: list[str]) -> int:
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
    watcher = threading.Thread(target=end_with_input, args=(child.pid,), daemon=True)
    watcher.start()
    for ignored in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ignored, signal.SIG_IGN)
    return child.wait()


def end_with_input(group: int) -> None:
    sys.stdin.buffer.read()
    os.killpg(group, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
