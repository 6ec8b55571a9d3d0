"""The dry run: exactly what would be saved, in every form."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.review.test_decisions import decide, line
from wikibot import diff
from wikibot.publish.plan import PlannedEdit
from wikibot.store import Store
from wikibot.store.pages import WikiRow, wikis
from wikibot.store.tables import Outbox, OutboxItem, Page, Suggestion
from wikibot.web.report import diff_page

ANSI = re.compile("\x1b\\[[0-9;]*m")


def wiki(store: Store) -> WikiRow:
    with store.reading() as session:
        return wikis(session)[0]


def edits(store: Store, state: str = "pending", **more: object) -> list[PlannedEdit]:
    with store.reading() as session:
        return list(diff.edits(session, wikis(session)[0], state, **more))  # type: ignore[arg-type]


def planned(before: str, after: str, title: str = "A page") -> PlannedEdit:
    return PlannedEdit(title, 1, before, after, (), (), ())


def test_every_page_with_proposals_has_one_edit_in_the_order_of_titles(store: Store) -> None:
    titles = [edit.title for edit in edits(store)]
    assert titles == ["Foghorn", "Fresnel lens", "Harbour", "Lighthouse", "Prism"]
    assert edits(store, "approved") == []


def test_page_and_probability_choose_what_is_shown(store: Store) -> None:
    [edit] = edits(store, page="Lighthouse", low=0.9)
    assert [placed.suggestion_id for placed in edit.placed] == [1, 2]
    assert "[[Fresnel lens]]" in edit.text
    assert "[[tide]]" not in edit.text


def test_no_more_links_than_an_edit_may_have(store: Store) -> None:
    [edit] = edits(store, page="Lighthouse", most_links=2)
    assert len(edit.placed) == 2


def test_a_stale_proposal_is_left_out_and_named(store: Store) -> None:
    with store.writing() as session:
        session.get_one(Page, 1).revision_id += 1
    [edit] = edits(store, page="Lighthouse")
    assert edit.text == edit.base_text
    assert len(edit.left_out) == 6


def test_after_our_own_edit_the_diff_starts_from_its_text(store: Store) -> None:
    [first] = edits(store, page="Lighthouse", low=0.95)
    row = line(store, 1)
    with store.writing() as session:
        session.get_one(Suggestion, 1).state = "published"
        edit = Outbox(
            wiki_id=1, batch="b", kind="page", title="Lighthouse", page_id=1, base_revision=101,
            text=first.text, sha1="", summary="", marker="m", state="done", new_revision=200,
            created_at=row.created_at,
        )  # fmt: skip
        session.add(edit)
        session.flush()
        session.add(
            OutboxItem(
                outbox_id=edit.id, suggestion_id=1, start=row.start, end=row.end,
                wikitext=row.wikitext,
            )
        )  # fmt: skip
    [second] = edits(store, page="Lighthouse")
    assert second.base_revision == 200
    assert second.base_text == first.text
    assert "[[Fresnel lens]]" in second.base_text
    assert "+A '''lighthouse'''" in diff.unified(second)


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Fog", "Fog.wiki"),
        ("Fresnel lens", "Fresnel_lens.wiki"),
        ("AC/DC", "AC%2FDC.wiki"),
        ("../../etc/passwd", "%2E.%2F..%2Fetc%2Fpasswd.wiki"),
        (".git", "%2Egit.wiki"),
        ("100%", "100%25.wiki"),
        ('a"b:c|d', "a%22b%3Ac%7Cd.wiki"),
        ("Zażółć", "Zażółć.wiki"),
    ],
)
def test_a_title_becomes_a_file_name_that_stays_in_its_folder(title: str, name: str) -> None:
    assert diff.file_name(title) == name
    assert Path(name).name == name


def apply_with(tool: list[str], patch: str, folder: Path) -> None:
    subprocess.run(tool, input=patch.encode(), cwd=folder, check=True, capture_output=True)


TOOLS = {"patch": ["patch", "-p1"], "git": ["git", "apply", "--whitespace=nowarn"]}


@pytest.mark.parametrize("tool", TOOLS)
def test_the_patch_of_the_whole_wiki_is_taken_and_gives_the_planned_text(
    store: Store, tmp_path: Path, tool: str
) -> None:
    found = edits(store)
    for edit in found:
        (tmp_path / diff.file_name(edit.title)).write_bytes(edit.base_text.encode())
    apply_with(TOOLS[tool], "".join(map(diff.unified, found)), tmp_path)
    for edit in found:
        assert (tmp_path / diff.file_name(edit.title)).read_bytes() == edit.text.encode()


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("no newline at the end", "no [[newline]] at the end"),
        ("one\ntwo", "one\n[[two]]"),
        ("carriage\r\nreturns\r\n", "carriage\r\n[[return]]s\r\n"),
        ("form\ffeed and \x85 next line\n", "[[form]]\ffeed and \x85 next line\n"),
        ("-- a line that looks like a header\n", "-- a [[line]] that looks like a header\n"),
        ("עברית נמל\n", "עברית [[נמל]]\n"),
        ("\n\n\nx\n\n", "\n\n\n[[x]]\n\n"),
    ],
)
def test_odd_texts_survive_the_patch_byte_for_byte(
    tmp_path: Path, tool: str, before: str, after: str
) -> None:
    edit = planned(before, after)
    path = tmp_path / diff.file_name(edit.title)
    path.write_bytes(before.encode())
    binary = [*TOOLS[tool], "--binary"] if tool == "patch" else TOOLS[tool]
    apply_with(binary, diff.unified(edit), tmp_path)
    assert path.read_bytes() == after.encode()


def test_the_colours_only_colour(store: Store) -> None:
    for edit in edits(store):
        assert ANSI.sub("", diff.coloured(edit)) == diff.unified(edit)


def test_changed_words_are_marked_inside_the_line() -> None:
    shown = diff.coloured(planned("The tides turn.\n", "The [[tide]]s turn.\n"))
    assert "\x1b[1;32m[[\x1b[0mtide\x1b[1;32m]]\x1b[0ms" in shown


def test_a_page_cannot_send_commands_to_the_terminal() -> None:
    shown = diff.coloured(planned("\x1b[2Jwipe\n", "\x1b[2J[[wipe]]\n"))
    assert "\x1b[2J" not in shown


@given(st.text(max_size=60), st.text(max_size=60))
def test_the_parts_of_a_change_are_both_lines(before: str, after: str) -> None:
    parts = list(diff.changes(before, after))
    assert "".join(part.text for part in parts if part.kind != "added") == before
    assert "".join(part.text for part in parts if part.kind != "removed") == after


def test_side_by_side_rows_number_their_lines_and_mark_gaps() -> None:
    before = "".join(f"line {n}\n" for n in range(20))
    after = before.replace("line 2\n", "[[line]] 2\n").replace("line 15\n", "[[line]] 15\n")
    rows = diff.rows(planned(before, after))
    assert [row.kind for row in rows].count("gap") == 1
    changed = [row for row in rows if row.kind == "changed"]
    assert [row.number_before for row in changed] == [3, 16]
    assert [row.number_after for row in changed] == [3, 16]


def test_lines_that_only_one_side_has_are_shown_on_that_side() -> None:
    rows = diff.rows(planned("a\n", "a\nb\n"))
    assert rows[-1].before is None
    assert rows[-1].number_after == 2


def test_the_page_of_a_diff_needs_nothing_but_itself(store: Store) -> None:
    page = diff_page(edits(store), wiki(store))
    assert "<ins>[[</ins>" in page
    assert "default-src 'none'" in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert ".card > * + *" in page, "the style is not escaped"


def test_the_approved_diff_follows_decisions(store: Store) -> None:
    decide(store, 3, "approve")
    [edit] = edits(store, "approved")
    assert [placed.suggestion_id for placed in edit.placed] == [3]
