"""python -m tests.mediawiki up DIR PORT [EXPORT]: a wiki for developers, until Ctrl-C.

DIR is made and installed if it is not there; EXPORT is imported once, when DIR is made.
python -m tests.mediawiki get: fetches MediaWiki's code and prints its folder.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.mediawiki.code_tree import MissingComponentError, code_tree
from tests.mediawiki.wiki import ADMIN, BOT, BOT_PASSWORD, HUMAN, Wiki


def main(arguments: list[str]) -> int:
    try:
        match arguments:
            case ["get"]:
                print(code_tree())
            case ["up", folder, port, *export] if len(export) < 2:
                up(Path(folder), int(port), [Path(path) for path in export])
            case _:
                print(__doc__, file=sys.stderr)
                return 2
    except MissingComponentError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def up(folder: Path, port: int, exports: list[Path]) -> None:
    """A wiki ran at PORT until Ctrl-C; FOLDER keeps its state."""
    wiki = Wiki(folder.resolve(), code_tree())
    if not folder.exists():
        wiki.install()
        for export in exports:
            wiki.import_export(export)
    with wiki.start(port):
        print(wiki.api)
        for account in (ADMIN, BOT, BOT_PASSWORD, HUMAN):
            print(f"{account.name}\t{account.password}")
        sys.stdout.flush()
        try:
            assert wiki.server is not None
            wiki.server.wait()
        except KeyboardInterrupt:
            print("Stopped.")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
