"""The harness itself: what the other tests rely on is true of the wiki it makes."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.mediawiki import BOT_PASSWORD, HUMAN, Person, Wiki
from tests.mediawiki.faults import FaultyProxy
from tests.mediawiki.people import ApiError
from tests.mediawiki.wiki import REPOSITORY, free_port
from tests.waiting import wait_until

pytestmark = pytest.mark.wiki

EXPORT = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">
<page><title>Severn</title><ns>0</ns><id>1</id><revision><id>1</id>
<timestamp>2020-01-01T00:00:00Z</timestamp><contributor><username>Ann</username><id>9</id></contributor>
<model>wikitext</model><format>text/x-wiki</format>
<text xml:space="preserve">A [[river]]. [[Category:Rivers]]</text></revision></page></mediawiki>"""


def test_a_fresh_wiki_has_the_extensions_that_bots_meet(wiki: Wiki) -> None:
    names = Person.anonymous(wiki.api).query(meta="siteinfo", siprop="general|extensions")
    assert {"ParserFunctions", "Abuse Filter", "SpamBlacklist", "TitleBlacklist", "Cite"} <= {
        extension["name"] for extension in names["extensions"]
    }
    assert names["general"]["generator"].startswith("MediaWiki 1.43")


def test_people_write_and_their_history_is_read_back(wiki: Wiki, human: Person) -> None:
    first = human.write("Severn", "A river.", summary="new")
    second = human.write("Severn", "A long river.")
    history = human.history("Severn")
    assert [row["revid"] for row in history] == [second, first]
    assert history[1]["comment"] == "new" and history[0]["parentid"] == first
    assert human.text("Severn") == "A long river." and human.text_of(first) == "A river."
    assert human.text("Nowhere") is None


def test_an_edit_with_the_bot_password_carries_the_bot_flag(wiki: Wiki, human: Person) -> None:
    human.write("Severn", "A river.")
    wiki.person(BOT_PASSWORD).write("Severn", "A long river.", bot=True, minor=True)
    change = human.recent_changes(rctitle="Severn")[0]
    assert change["user"] == "LinkBot" and change["bot"] and change["minor"]


def test_each_test_gets_a_wiki_of_its_own(wiki: Wiki, wiki_template: Wiki, tmp_path: Path) -> None:
    wiki.person(HUMAN).write("Severn", "A river.")
    with wiki_template.copy_to(tmp_path / "second") as second:
        assert second.person(HUMAN).text("Severn") is None
        assert second.port != wiki.port


def test_a_copy_touches_no_file_of_its_template(wiki: Wiki, wiki_template: Wiki) -> None:
    before = {path: path.stat().st_mtime_ns for path in wiki_template.folder.rglob("*")}
    wiki.person(HUMAN).write("Severn", "A river.")
    wiki.maintenance("runJobs")
    after = {path: path.stat().st_mtime_ns for path in wiki_template.folder.rglob("*")}
    assert after == before


def test_an_import_brings_links_and_categories(wiki_template: Wiki, tmp_path: Path) -> None:
    export = tmp_path / "export.xml"
    export.write_text(EXPORT)
    wiki = wiki_template.copy_to(tmp_path / "imported")
    wiki.import_export(export)
    with wiki.start():
        reader = Person.anonymous(wiki.api)
        members = reader.query(list="categorymembers", cmtitle="Category:Rivers")
        assert [page["title"] for page in members["categorymembers"]] == ["Severn"]


def test_extra_settings_act_from_the_next_request_on(wiki: Wiki, human: Person) -> None:
    wiki.extra("$wgSitename = 'Renamed';")
    assert human.query(meta="siteinfo")["general"]["sitename"] == "Renamed"
    wiki.extra("")
    assert human.query(meta="siteinfo")["general"]["sitename"] == "Test wiki"


def test_a_read_only_wiki_refuses_until_it_is_opened(wiki: Wiki, human: Person) -> None:
    wiki.read_only("maintenance")
    with pytest.raises(ApiError, match="readonly"):
        human.write("Severn", "A river.")
    wiki.read_only("")
    assert human.write("Severn", "A river.") > 0


def test_stopping_leaves_no_process_and_frees_the_port(wiki_template: Wiki, tmp_path: Path) -> None:
    wiki = wiki_template.copy_to(tmp_path / "short").start()
    port = wiki.port
    wiki.stop()
    assert not processes_with(f"127.0.0.1:{port}")
    with wiki.start(port):
        assert wiki.answers()


def test_a_wiki_goes_with_the_developer_command_that_started_it(
    wiki_template: Wiki, tmp_path: Path
) -> None:
    port = free_port()
    copy = wiki_template.copy_to(tmp_path / "dev")
    command = [sys.executable, "-m", "tests.mediawiki", "up", str(copy.folder), str(port)]
    environment = {**os.environ, "WIKIBOT_MEDIAWIKI": str(copy.tree)}
    with subprocess.Popen(
        command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True, env=environment
    ) as up:
        assert up.stdout is not None
        api = up.stdout.readline().strip()
        with urllib.request.urlopen(f"{api}?action=query&meta=siteinfo&format=json") as answer:
            assert "query" in json.load(answer)
        up.send_signal(signal.SIGKILL)
    wait_until(lambda: not processes_with(f"127.0.0.1:{port}"), within_s=20, what="no process left")


def processes_with(word: str) -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = path.read_text().split("\0")
        except (FileNotFoundError, ProcessLookupError):
            continue
        if word in command:
            found.append(" ".join(command))
    return found


def test_a_client_that_dies_amid_its_request_leaves_nothing_on_the_way(wiki: Wiki) -> None:
    with FaultyProxy(wiki.port) as proxy:
        address = ("127.0.0.1", int(proxy.api.rpartition(":")[2].partition("/")[0]))
        with socket.create_connection(address, timeout=30) as client:
            client.sendall(
                b"POST /api.php HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\naction="
            )
            client.shutdown(socket.SHUT_WR)
            assert client.recv(1) == b"", "the proxy hangs up at once"
        assert proxy.asking == set() and proxy.edits == []
