"""review, queue, decide and diff on the command line."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
import signal
import socket
import subprocess
import sys
from http.cookiejar import CookieJar
from pathlib import Path
from threading import Thread
from urllib.error import HTTPError
from urllib.request import HTTPCookieProcessor, Request, build_opener

import pytest
from click.testing import CliRunner, Result

from tests.review import sample
from tests.review.test_decisions import decide, line
from tests.waiting import wait_until
from wikibot.cli import cli
from wikibot.diff import file_name
from wikibot.errors import AlreadyDecided, BadInput, StoreError
from wikibot.store import Store, decisions, open_store, queue
from wikibot.store.tables import Page, Suggestion
from wikibot.web import serve
from wikibot.web.review_app import ReviewApp
from wikibot.web.serve import get_ready, make_server, stop


def run(store: Store, *arguments: str, **more: object) -> Result:
    found = CliRunner().invoke(cli, [*arguments, "--db", str(store.path)], **more)  # type: ignore[arg-type]
    if found.exception and not isinstance(found.exception, SystemExit):
        raise found.exception
    return found


def test_the_queue_is_a_table_for_people(store: Store) -> None:
    shown = run(store, "queue", "--limit", "3").output
    assert "Fresnel lens → Fresnel lens" in shown
    assert "3 of 11 proposals." in shown


def test_the_queue_is_sorted_by_the_number_that_it_shows(store: Store) -> None:
    with store.writing() as session:  # reviewers get this one first
        session.get_one(Suggestion, 7).priority = 99.0
    table = run(store, "queue").output.splitlines()[1:-1]
    shares = [float(line.split()[1]) for line in table]
    assert len(shares) == 11 and shares == sorted(shares, reverse=True)
    rows = json.loads(run(store, "queue", "--json").stdout)
    assert [str(row["id"]) for row in rows] == [line.split()[0] for line in table]


def test_a_written_diff_is_named_with_what_it_holds(store: Store, tmp_path: Path) -> None:
    run(store, "decide", "2", "approve")
    run(store, "decide", "3", "approve")
    written = run(store, "diff", "--patch", str(tmp_path / "links.patch"))
    assert f"Wrote {tmp_path / 'links.patch'}. Links: 2; pages: 1." in written.stderr


def test_the_queue_is_json_for_programs(store: Store) -> None:
    rows = json.loads(run(store, "queue", "--json").stdout)
    assert len(rows) == 11
    assert rows[0]["page"] == "Lighthouse"
    assert rows[0]["wikitext"] == "[[Fresnel lens]]"
    assert rows[0]["probability"] == 0.97
    assert all(isinstance(reason, str) for row in rows for reason in row["reasons"])


def test_the_queue_is_csv_for_spreadsheets(store: Store) -> None:
    rows = list(csv.DictReader(io.StringIO(run(store, "queue", "--csv").stdout)))
    assert len(rows) == 11
    assert rows[1]["anchor"] == "fog horn"


def test_a_spreadsheet_gets_no_formulas(store: Store) -> None:
    with store.writing() as session:
        session.get_one(Suggestion, 1).anchor = "=HYPERLINK(1)"
    assert "'=HYPERLINK(1)" in run(store, "queue", "--csv").stdout


def test_the_queue_takes_the_filters_of_the_page(store: Store) -> None:
    rows = json.loads(
        run(
            store,
            "queue",
            "--json",
            "--page",
            "light",
            "--min-probability",
            "0.8",
            "--target",
            "tid",
        ).stdout
    )
    assert [row["anchor"] for row in rows] == ["tides"]


def test_an_unknown_state_is_a_usage_error(store: Store) -> None:
    assert run(store, "queue", "--state", "odd").exit_code == 2


def test_a_decision_by_script_carries_its_source(store: Store) -> None:
    shown = run(
        store, "decide", "2", "reject", "--reason", "span", "--note", "x", "--reviewer", "bob"
    )
    assert (
        shown.output == "Rejected: “fog horn” → Foghorn on Lighthouse (proposal 2, decision 1).\n"
    )
    with store.reading() as session:
        said = decisions.history(session, 2)[0]
    assert (said.reviewer, said.source, said.reason) == ("bob", "command", "span")


def test_a_decision_by_script_tells_programs(store: Store) -> None:
    shown = run(store, "decide", "2", "skip", "--json").stdout
    assert json.loads(shown) == {
        "proposal": 2, "verdict": "skip", "decision": 1,
        "page": "Lighthouse", "anchor": "fog horn", "target": "Foghorn",
    }  # fmt: skip


def test_deciding_twice_is_refused(store: Store) -> None:
    run(store, "decide", "2", "approve")
    with pytest.raises(AlreadyDecided):
        run(store, "decide", "2", "reject")


@pytest.mark.parametrize(
    "arguments",
    [[], ["2"], ["2", "maybe"], ["two", "approve"], ["2", "approve", "--reason", "span"],
     ["2", "reject", "--reason", "spite"]],
)  # fmt: skip
def test_what_is_no_decision_is_a_usage_error(store: Store, arguments: list[str]) -> None:
    assert run(store, "decide", *arguments).exit_code == 2
    assert line(store, 2).state == "pending"


def test_decisions_travel_as_json_lines(store: Store, tmp_path: Path, made_once: Path) -> None:
    import shutil

    from wikibot.store import open_store

    decide(store, 1, "approve")
    decide(store, 2, "reject", reason="other")
    file = tmp_path / "decisions.jsonl"
    assert run(store, "decide", "--export", str(file)).exit_code == 0
    assert len(file.read_text(encoding="utf-8").splitlines()) == 2
    with open_store(shutil.copy(made_once, tmp_path / "other.db")) as other:
        shown = run(other, "decide", "--import", str(file))
        assert shown.output == "2 records: 2 decided.\n"
        again = run(other, "decide", "--import", str(file), "--json")
        assert json.loads(again.stdout) == {"known": 2}


@pytest.mark.parametrize("text", ["{", "[]", '{"wiki": 1}', "\x00"])
def test_a_file_that_holds_no_decisions_is_refused_with_its_line(
    store: Store, tmp_path: Path, text: str
) -> None:
    file = tmp_path / "broken.jsonl"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput):
        run(store, "decide", "--import", str(file))


def test_the_diff_is_a_unified_diff(store: Store) -> None:
    shown = run(store, "diff", "--pending", "--page", "Harbour").stdout
    assert shown.startswith("--- a/Harbour.wiki\n+++ b/Harbour.wiki\n@@ ")
    assert "[[breakwater]]" in shown
    assert "\x1b" not in shown


def test_the_diff_is_coloured_on_demand(store: Store) -> None:
    assert "\x1b[" in run(store, "diff", "--pending", "--color", color=True).stdout


def test_nothing_approved_is_said_on_the_other_channel(store: Store) -> None:
    shown = run(store, "diff")
    assert shown.stdout == ""
    assert "Nothing would be changed." in shown.stderr


def test_the_diff_names_what_is_left_out(store: Store) -> None:
    from wikibot.store.tables import Page

    with store.writing() as session:
        session.get_one(Page, 4).revision_id += 1
    assert "Left out on Harbour: proposal 5" in run(store, "diff", "--pending").stderr


def test_the_diff_tells_programs_what_would_be_saved(store: Store) -> None:
    rows = json.loads(run(store, "diff", "--pending", "--json").stdout)
    assert [row["page"] for row in rows][:2] == ["Foghorn", "Fresnel lens"]
    assert rows[0]["proposals"] == [9]


def test_patch_and_pages_fit_together(store: Store, tmp_path: Path) -> None:
    patch, pages = tmp_path / "links.patch", tmp_path / "pages"
    run(store, "diff", "--pending", "--patch", str(patch), "--pages", str(pages))
    subprocess.run(["patch", "-p1", "-i", str(patch)], cwd=pages, check=True, capture_output=True)
    assert "[[breakwater]]" in (pages / "Harbour.wiki").read_text(encoding="utf-8")


def test_the_diff_as_a_page(store: Store, tmp_path: Path) -> None:
    page = tmp_path / "diff.html"
    run(store, "diff", "--pending", "--html", str(page))
    assert "Fresnel lens" in page.read_text(encoding="utf-8")


def test_a_database_with_two_wikis_asks_which(store: Store) -> None:
    with store.writing() as session:
        sample.add_wiki(session, "he", sample.HEBREW, sample.HEBREW_PROPOSALS)
    assert "נמל" in run(store, "diff", "--pending", "--wiki", "he.example.org").stdout


class Served:
    """`wikibot review` as a process of its own."""

    def __init__(self, store: Store, *more: str) -> None:
        command = [sys.executable, "-m", "wikibot", "review", "--no-browser", "--db"]
        self.process = subprocess.Popen(
            [*command, str(store.path), *more],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()

    def __enter__(self) -> Served:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def code_of(request: Request | str) -> int:
    try:
        return int(build_opener(HTTPCookieProcessor(CookieJar())).open(request, timeout=20).status)
    except HTTPError as error:
        return error.code


def test_the_server_answers_to_its_printed_address_and_to_nothing_else(store: Store) -> None:
    port = free_port()
    with Served(store, "--port", str(port)) as served:
        assert re.fullmatch(rf"http://127\.0\.0\.1:{port}/\?token=[\w-]{{40,}}", served.address)
        root = f"http://127.0.0.1:{port}/"
        assert code_of(served.address) == 200
        assert code_of(root) == 403
        assert code_of(Request(served.address, headers={"Host": "evil.example"})) == 403
        assert code_of(Request(root, data=b"", headers={"Origin": "http://evil.example"})) == 403


def test_the_server_stops_at_once_and_quietly(store: Store) -> None:
    with Served(store) as served:
        served.process.send_signal(signal.SIGINT)
        _out, err = served.process.communicate(timeout=20)
    assert "Traceback" not in err
    assert served.process.returncode == 0, "stopping is how serving ends"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_however_the_server_ends_nothing_of_it_goes_on(store: Store, number: int) -> None:
    with store.writing() as session:
        session.get_one(Page, 1).wikitext += "\nWaves break on the rocks." * 3000
    with Served(store) as served:
        opener = build_opener(HTTPCookieProcessor(CookieJar()))
        opener.open(served.address, timeout=60)
        opener.open(served.address.partition("?")[0] + "page/1", timeout=60)
        started = children_of(served.process.pid)
        assert started, "the long page's diff is made in a process of its own"
        served.process.send_signal(number)
        served.process.wait(timeout=60)
        wait_until(lambda: not any(map(is_running, started)), within_s=60, what="the processes end")


def children_of(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for file in found for child in file.read_text().split()]


def is_running(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_the_browser_is_started_with_a_key_that_opens_once(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wikibot.web import serve

    opened: list[str] = []
    monkeypatch.setattr("click.launch", opened.append)
    monkeypatch.setattr(serve, "RoomyServer", lambda *_, **__: StoppedServer())
    printed = run(store, "review").stdout.strip()
    assert len(opened) == 1
    assert opened[0] != printed


class StoppedServer:
    """A server that has nothing to do."""

    def run(self) -> None: ...

    def close(self) -> None: ...


def test_a_wiki_that_is_not_there_is_named(store: Store) -> None:
    with pytest.raises(StoreError, match=r"no wiki 'x'"):
        run(store, "review", "--no-browser", "--wiki", "x")


def test_a_port_that_is_taken_is_named(store: Store) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(BadInput, match=f"Port {port}"):
            run(store, "review", "--no-browser", "--port", str(port))


def test_the_first_page_finds_everything_ready(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages are looked at before anybody asks, by a visit that needs the cookie and changes nothing."""
    asked = []
    monkeypatch.setattr(
        ReviewApp, "cookie_name", property(lambda review_app: asked.append(1) or "key")
    )
    server, review_app = make_server(store, "alice", port=0)
    thread = Thread(target=server.run)
    thread.start()
    try:
        get_ready(review_app)
        review_app.background.begin("first pages", int).result(timeout=60)
        assert len(asked) >= 2 * 3, "three requests and three looks at their cookie"
        with store.reading() as session:
            assert queue.count_states(session, 1)["pending"] == 11
    finally:
        stop(server)
        thread.join()
        review_app.background.stop()


def test_a_server_that_nobody_can_reach_is_not_troubled_by_its_own_visit(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "FIRST_LOOK_S", 0.01)
    server, review_app = make_server(store, "alice", port=0)
    server.close()
    get_ready(review_app)
    review_app.background.begin("first pages", int).result(timeout=60)
    review_app.background.stop()


ODD_PAGES = {
    'Fog/Horn: "loud"?': "A horn in the fog.",
    "-rf": "The tide turns\r\nat the harbour\r\n",
    ".hidden": "\n\nBehind the harbour wall",
    "a/../../b": "Over the harbour and away.\n",
    "ערפל": "אור בתוך harbour.\n",
}
OTHER_ANCHORS = {'Fog/Horn: "loud"?': "fog", "-rf": "tide"}
TOOLS = {
    "patch": ["patch", "-p1", "--binary"],
    "git": ["git", "apply", "--whitespace=nowarn"],
}


@pytest.mark.parametrize("tool", TOOLS)
def test_the_patch_of_odd_pages_is_taken_by_both_tools(tmp_path: Path, tool: str) -> None:
    """No newline at the end, Windows line ends, right to left, names that no file may have."""
    store = open_store(tmp_path / "odd.db", create=True)
    wanted = tuple(
        sample.Wanted(title, OTHER_ANCHORS.get(title, "harbour"), "Harbour", 0.9)
        for title in ODD_PAGES
    )
    with store.writing() as session:
        sample.add_wiki(session, "en", {**ODD_PAGES, "Harbour": "A place for ships."}, wanted)
    folder, patch = tmp_path / "pages", tmp_path / "links.patch"
    run(store, "diff", "--pending", "--patch", str(patch), "--pages", str(folder))
    names = sorted(path.name for path in folder.iterdir())
    assert len(names) == len(ODD_PAGES)
    subprocess.run(TOOLS[tool], input=patch.read_bytes(), cwd=folder, check=True)
    assert sorted(path.name for path in folder.iterdir()) == names, "nothing was left beside"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["links.patch", "odd.db", "pages"]
    for edit in json.loads(run(store, "diff", "--pending", "--json").stdout):
        written = (folder / file_name(edit["page"])).read_bytes()
        assert hashlib.sha1(written, usedforsecurity=False).hexdigest() == edit["sha1"]
