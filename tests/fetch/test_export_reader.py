"""Exports are read as a stream, whatever they are packed with and wherever they break."""

from __future__ import annotations

import bz2
import shutil
import subprocess
import time
import tracemalloc
from pathlib import Path

import pytest

from tests.fetch.exports import HEAD, PAGES, TAIL, export_xml, pack, page_xml, write_export
from tests.mediawiki.fixtures import missing_component
from wikibot.errors import BadExport, BadInput, BadWikitext
from wikibot.fetch.export import ExportHeader, ExportReader
from wikibot.wikitext.admit import admit


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


def with_header(tmp_path: Path, header: str) -> Path:
    content = f"<mediawiki>{header}{page_xml(1, 'A', 'text')}</mediawiki>"
    return pack(tmp_path / "dump.xml", content.encode())


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, "9" * 5000, "1e3", ""])
def test_an_id_that_no_database_can_hold_is_told_in_one_sentence(
    tmp_path: Path, number: object
) -> None:
    for old in ("<id>1</id>", "<id>1001</id>", "<ns>0</ns>"):
        name = old[1:3].rstrip(">")
        xml = export_xml({"A": "text"}).replace(old, f"<{name}>{number}</{name}>")
        with pytest.raises(BadExport, match="page 'A' has no usable ids"):
            titles(pack(tmp_path / "dump.xml", xml.encode()))


def test_a_namespace_key_that_is_not_a_number_is_told_in_one_sentence(tmp_path: Path) -> None:
    namespaces = '<siteinfo><namespaces><namespace key="x">Y</namespace></namespaces></siteinfo>'
    with pytest.raises(BadExport, match="the namespace key 'x' is not a number"):
        ExportReader(with_header(tmp_path, namespaces)).header()


def test_an_address_that_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    path = with_header(tmp_path, "<siteinfo><base>http://[broken</base></siteinfo>")
    assert ExportReader(path).header().article_url is None


@pytest.mark.parametrize("encoding", ["klingon", "utf-7", "utf-32", "hex"])
def test_an_encoding_that_cannot_be_read_is_told_in_one_sentence(
    tmp_path: Path, encoding: str
) -> None:
    xml = f'<?xml version="1.0" encoding="{encoding}"?>{export_xml()}'
    with pytest.raises(BadExport, match=r"dump\.xml (cannot be read as text|is not a MediaWiki)"):
        titles(pack(tmp_path / "dump.xml", xml.encode()))


def peak_megabytes(path: Path) -> float:
    tracemalloc.start()
    try:
        for _ in ExportReader(path).pages():
            pass
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("element", ["title", "text", "id"])
def test_a_bomb_of_characters_takes_little_memory(tmp_path: Path, element: str) -> None:
    """50 MB of one character in 60 bytes of bz2."""
    inside = f"<{element}>{'a' * 50_000_000}</{element}>"
    revision = f"<revision>{inside if element == 'text' else ''}<id>1</id></revision>"
    page = f"<page>{inside if element != 'text' else ''}<title>A</title>{revision}<id>1</id></page>"
    path = pack(tmp_path / "dump.xml.bz2", f"<mediawiki>{page}</mediawiki>".encode())
    assert path.stat().st_size < 1000
    assert peak_megabytes(path) < 25


def test_a_tag_that_never_ends_is_refused_before_it_fills_the_memory(tmp_path: Path) -> None:
    bomb = f'<mediawiki><page><text bytes="{"a" * 50_000_000}'
    with pytest.raises(BadExport, match="a tag that never ends"):
        titles(pack(tmp_path / "dump.xml.bz2", bomb.encode()))


def test_a_text_longer_than_any_page_is_cut_where_reading_refuses_it(tmp_path: Path) -> None:
    path = write_export(tmp_path / "dump.xml", {"Long": "a" * 3_000_000})
    text = next(ExportReader(path).pages()).text
    assert text is not None
    with pytest.raises(BadWikitext, match="more than 2,097,152 characters"):
        admit(text)


def test_elements_nested_very_deeply_take_linear_time(tmp_path: Path) -> None:
    """200,000 of them took more than a minute when each kept its whole path."""

    def seconds(depth: int) -> float:
        nested = "<a>" * depth + "</a>" * depth
        path = pack(
            tmp_path / "dump.xml", export_xml().replace("<page>", nested + "<page>").encode()
        )
        start = time.process_time()
        assert titles(path) == list(PAGES)
        return time.process_time() - start

    assert seconds(20_000) < max(0.5, 20 * seconds(2_000))
