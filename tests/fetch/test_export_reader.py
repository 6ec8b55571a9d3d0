"""Exports are read as a stream, whatever they are packed with and wherever they break."""

from __future__ import annotations

import bz2
import shutil
import subprocess
import tracemalloc
from pathlib import Path

import pytest

from tests.fetch.exports import HEAD, PAGES, TAIL, export_xml, pack, page_xml, write_export
from tests.mediawiki.fixtures import missing_component
from wikibot.errors import BadExport, BadInput
from wikibot.fetch.export import ExportHeader, ExportReader


def titles(path: Path) -> list[str]:
    return [page.title for page in ExportReader(path).pages()]


@pytest.mark.parametrize("ending", [".xml", ".xml.gz", ".xml.bz2", ".anything"])
def test_packed_and_plain_exports_give_the_same_pages(tmp_path: Path, ending: str) -> None:
    assert titles(write_export(tmp_path / f"dump{ending}")) == list(PAGES)


def test_the_first_bytes_tell_the_packing_not_the_name(tmp_path: Path) -> None:
    packed = tmp_path / "dump.gz"
    packed.write_bytes(bz2.compress(export_xml().encode()))
    assert titles(packed) == list(PAGES)


def test_a_7z_archive_is_read_through_the_tool(tmp_path: Path) -> None:
    if shutil.which("7z") is None:
        missing_component("7z is not installed.")
    plain = write_export(tmp_path / "dump.xml")
    archive = tmp_path / "dump.xml.7z"
    subprocess.run(["7z", "a", archive, plain], check=True, stdout=subprocess.DEVNULL)
    assert titles(archive) == list(PAGES)
    archive.write_bytes(archive.read_bytes()[:-40])
    with pytest.raises(BadExport, match="cannot be unpacked"):
        titles(archive)


def test_a_7z_archive_without_the_tool_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "dump.7z"
    archive.write_bytes(b"7z\xbc\xaf\x27\x1c rest")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BadInput, match="install p7zip"):
        titles(archive)


def test_a_page_carries_all_that_the_export_says(tmp_path: Path) -> None:
    page = next(ExportReader(write_export(tmp_path / "dump.xml")).pages())
    assert (page.page_id, page.title, page.namespace) == (1, "Severn", 0)
    assert (page.revision_id, page.timestamp) == (1001, "2024-05-06T07:08:09Z")
    assert (page.model, page.text) == ("wikitext", PAGES["Severn"])


def test_the_header_tells_the_wiki(tmp_path: Path) -> None:
    header = ExportReader(write_export(tmp_path / "dump.xml")).header()
    assert (header.language, header.dbname, header.case) == ("en", "testwiki", "first-letter")
    assert header.namespaces == {0: "", 14: "Category"}
    assert header.article_url == "https://wiki.example.org/wiki/$1"


def test_an_export_without_a_header_is_read_all_the_same(tmp_path: Path) -> None:
    path = pack(tmp_path / "a.xml", f"<mediawiki>{page_xml(1, 'A', 'text')}</mediawiki>".encode())
    assert ExportReader(path).header() == ExportHeader()
    assert titles(path) == ["A"]


def test_a_history_gives_its_newest_revision_wherever_it_stands(tmp_path: Path) -> None:
    revisions = "".join(
        f"<revision><id>{number}</id><timestamp>20{number}-01-01T00:00:00Z</timestamp>"
        f"<text>text {number}</text></revision>"
        for number in (21, 24, 22)
    )
    page = f"<page><title>A</title><ns>0</ns><id>1</id>{revisions}</page>"
    [found] = ExportReader(pack(tmp_path / "a.xml", f"{HEAD}{page}{TAIL}".encode())).pages()
    assert (found.revision_id, found.text) == (24, "text 24")


def test_hidden_and_empty_texts_are_told_apart(tmp_path: Path) -> None:
    page = "<page><title>{}</title><ns>0</ns><id>{}</id><revision><id>1</id><text {}/></revision></page>"
    pages = page.format("Hidden", 1, 'deleted="deleted" ') + page.format("Empty", 2, "")
    found = ExportReader(pack(tmp_path / "a.xml", f"{HEAD}{pages}{TAIL}".encode())).pages()
    assert [one.text for one in found] == [None, ""]


def test_a_contributor_with_an_id_does_not_change_the_page_id(tmp_path: Path) -> None:
    page = page_xml(7, "A", "text").replace(
        "<timestamp>", "<contributor><username>U</username><id>99</id></contributor><timestamp>"
    )
    [found] = ExportReader(pack(tmp_path / "a.xml", f"{HEAD}{page}{TAIL}".encode())).pages()
    assert (found.page_id, found.revision_id) == (7, 1007)


@pytest.mark.parametrize("ending", [".xml", ".xml.gz", ".xml.bz2"])
def test_a_cut_export_gives_its_pages_and_then_a_clear_error(tmp_path: Path, ending: str) -> None:
    many = {f"Page {number}": f"text {number} " * 50 for number in range(3000)}
    path = write_export(tmp_path / f"dump{ending}", many)
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])
    reader, found = ExportReader(path), []
    with pytest.raises(BadExport, match="ends too early") as error:
        found.extend(page.title for page in reader.pages())
    assert found == list(many)[: len(found)]
    assert len(found) > 1 or ending == ".xml.bz2"  # bzip2 has blocks of 900 kB
    assert f"after {len(found)} pages" in str(error.value)
    assert "run the same command to go on" in str(error.value)


@pytest.mark.parametrize("cut", [5, 13, 16, 40, 200])
def test_a_plain_export_cut_anywhere_ends_too_early(tmp_path: Path, cut: int) -> None:
    whole = (HEAD + page_xml(1, "Élan", "a") + page_xml(2, "日本", "b") + TAIL).encode()
    with pytest.raises(BadExport, match="ends too early"):
        titles(pack(tmp_path / "dump.xml", whole[:-cut]))


def test_a_cut_bzip2_export_gives_the_blocks_before_the_cut(tmp_path: Path) -> None:
    first = bz2.compress((HEAD + page_xml(1, "A", "a")).encode())
    second = bz2.compress((page_xml(2, "B", "b") + TAIL).encode())
    path = tmp_path / "dump.bz2"
    path.write_bytes(first + second[: len(second) // 2])
    found = []
    with pytest.raises(BadExport, match="ends too early"):
        found.extend(page.title for page in ExportReader(path).pages())
    assert found == ["A"]


BAD = {
    "not XML": (b"just some words", "not a MediaWiki export: it is not XML"),
    "an HTML page": (b"<!DOCTYPE html><html><body>x</body></html>", "its first element is <html>"),
    "JSON": (b'{"query": {}}', "it is not XML"),
    "empty": (b"", "is empty"),
    "another XML": (b"<rss><channel/></rss>", "its first element is <rss>"),
    "a broken tag": ((HEAD + "<page><title>A</tilte></page>").encode(), "damaged at line 3"),
    "no ids": ((HEAD + "<page><title>A</title></page>" + TAIL).encode(), "'A' has no usable ids"),
    "damaged gzip": (b"\x1f\x8b\x08\x00" + b"rubbish" * 9, "damaged"),
    "damaged bzip2": (b"BZh9" + b"rubbish" * 9, "damaged"),
    "bytes that are no UTF-8": (HEAD.encode() + b"<page><title>\xff\xfe", "damaged at line 3"),
    "entities": (
        b'<!DOCTYPE m [<!ENTITY a "aaaa">]><mediawiki>&a;</mediawiki>',
        "declares XML entities",
    ),
}


@pytest.mark.parametrize("kind", BAD)
def test_what_is_no_export_is_refused_in_one_sentence(tmp_path: Path, kind: str) -> None:
    content, reason = BAD[kind]
    path = tmp_path / "dump.xml"
    path.write_bytes(content)
    with pytest.raises(BadExport) as error:
        titles(path)
    assert reason in str(error.value)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="There is no file"):
        ExportReader(tmp_path / "none.xml")
    with pytest.raises(BadInput, match="is a folder"):
        ExportReader(tmp_path)


def test_memory_stays_flat_however_long_the_export_is(tmp_path: Path) -> None:
    def peak(pages: int) -> int:
        path = write_export(
            tmp_path / f"{pages}.xml", {f"P{n}": "word " * 400 for n in range(pages)}
        )
        tracemalloc.start()
        assert sum(1 for _ in ExportReader(path).pages()) == pages
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    assert peak(8000) < 1.3 * peak(2000)
