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
from wikibot.errors import BadInput
from wikibot.plan import ApprovedLink, Placed, PlannedEdit, Version, plan_edit
from wikibot.store import Store
from wikibot.store.pages import WikiRow, wikis
from wikibot.store.tables import Outbox, OutboxItem, Page, Suggestion
from wikibot.web.report import diff_page
from wikibot.wikitext import SiteRules

EN = SiteRules.for_language("en")
ANSI = re.compile("\x1b\\[[0-9;]*m")


def wiki(store: Store) -> WikiRow:
    with store.reading() as session:
        return wikis(session)[0]


def edits(store: Store, state: str = "pending", **more: object) -> list[PlannedEdit]:
    with store.reading() as session:
        return list(diff.edits(session, wikis(session)[0], state, **more))  # type: ignore[arg-type]


def planned(before: str, *words: str, title: str = "A page") -> PlannedEdit:
    """An edit that links these words, each to a page of its own name where it first stands."""
    places = [(word, before.index(word)) for word in words]
    links = [
        ApprovedLink(n, 1, 1, at, at + len(word), word, word, f"[[{word}]]", 0, len(before))
        for n, (word, at) in enumerate(places)
    ]
    return plan_edit(Version(title, 1, before), links, EN)


def test_every_page_with_proposals_has_one_edit_in_the_order_of_titles(store: Store) -> None:
    titles = [edit.title for edit in edits(store)]
    assert titles == ["Foghorn", "Fresnel lens", "Harbour", "Lighthouse", "Prism"]
    assert edits(store, "approved") == []


def test_page_and_probability_choose_what_is_shown(store: Store) -> None:
    [edit] = edits(store, page="Lighthouse", low=0.9)
    assert [placed.suggestion_id for placed in edit.placed] == [1, 2]
    assert "[[Fresnel lens]]" in edit.text
    assert "[[tide]]" not in edit.text


def test_a_page_is_found_as_people_write_its_title(store: Store) -> None:
    assert edits(store, page="fresnel_lens") == edits(store, page="Fresnel lens") != []


def test_an_unknown_page_is_refused_and_a_near_one_named(store: Store) -> None:
    with pytest.raises(BadInput, match=r'no page "Lighthou" .*Did you mean "Lighthouse"\?'):
        edits(store, page="Lighthou")
    with pytest.raises(BadInput, match=r'no page "Xyzzy" in the database\. Nothing was changed'):
        edits(store, page="Xyzzy")


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
    ("before", "word"),
    [
        ("no newline at the end", "newline"),
        ("one\ntwo", "two"),
        ("one\ntwo", "one"),
        ("carriage\r\nreturns here\r\n", "returns"),
        ("form\N{NEXT LINE}feed and \u2028 next line\n", "next"),
        ("-- a line that looks like a header\n++ b\n", "line"),
        ("עברית נמל\n", "נמל"),
        ("\n\n\nx\n\n", "x"),
    ],
)
def test_odd_texts_survive_the_patch_byte_for_byte(
    tmp_path: Path, tool: str, before: str, word: str
) -> None:
    edit = planned(before, word, title='odd/title: "x" נמל')
    assert f"[[{word}]]" in edit.text
    path = tmp_path / diff.file_name(edit.title)
    path.write_bytes(before.encode())
    binary = [*TOOLS[tool], "--binary"] if tool == "patch" else TOOLS[tool]
    apply_with(binary, diff.unified(edit), tmp_path)
    assert path.read_bytes() == edit.text.encode()


def test_the_colours_only_colour(store: Store) -> None:
    for edit in edits(store):
        assert ANSI.sub("", diff.coloured(edit)) == diff.unified(edit)


def test_changed_words_are_marked_inside_the_line() -> None:
    link = ApprovedLink(1, 1, 1, 4, 9, "tides", "Tide", "[[tide]]s", 0, 15)
    edit = plan_edit(Version("A page", 1, "The tides turn.\n"), [link], EN)
    assert "\x1b[1;32m[[\x1b[0mtide\x1b[1;32m]]\x1b[0ms" in diff.coloured(edit)


def test_a_page_cannot_send_commands_to_the_terminal() -> None:
    shown = diff.coloured(planned("\x9b2Jwipe it\n", "wipe", title="\x1b[2JA"))
    assert "\x1b[2J" not in shown
    assert "\x9b" not in shown


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="[]|"), max_size=20)))
def test_the_sides_of_the_rows_are_the_lines_of_both_texts(pieces: list[str]) -> None:
    """Without any plan: links of every form put between any pieces of text."""
    before, after, placed = "", "", []
    for number, piece in enumerate(pieces):
        link = ("[[a word]]", "[[word]]s", "[[Some page|a word]]")[number % 3]
        anchor = ("a word", "words", "a word")[number % 3]
        before, after = before + piece, after + piece
        placed.append(Placed(number, len(before), len(before) + len(anchor), link))
        before, after = before + anchor, after + link
    edit = PlannedEdit("A page", 1, before, after, tuple(placed), (), ())
    rows = diff.rows(edit, context=1000)
    assert "\n".join(text(row.before) for row in rows) == before
    assert "\n".join(text(row.after) for row in rows) == after


def text(parts: tuple[diff.Part, ...]) -> str:
    return "".join(part.text for part in parts)


def test_side_by_side_rows_number_their_lines_and_mark_gaps() -> None:
    edit = planned("".join(f"the {n}th line\n" for n in range(20)), "2th", "15th")
    rows = diff.rows(edit)
    assert [row.kind for row in rows].count("gap") == 1
    assert [row.number for row in rows if row.kind == "changed"] == [3, 16]
    assert [row.number for row in rows if row.kind == "same"] == [1, 2, 4, 5, 14, 15, 17, 18]


def test_changes_that_lie_close_are_one_hunk_and_others_are_two() -> None:
    lines = "".join(f"the {n}th line\n" for n in range(20))
    assert diff.unified(planned(lines, "2th", "8th")).count("@@ -") == 1
    assert diff.unified(planned(lines, "2th", "10th")).count("@@ -") == 2


def test_an_edit_without_links_has_no_diff() -> None:
    assert diff.unified(planned("text\n")) == diff.coloured(planned("text\n")) == ""
    assert diff.rows(planned("text\n")) == []


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


def applied(patch: str, before: str) -> str:
    """The text after the patch, by a reader of patches that is not ours to trust: plain and slow."""
    old, new, at = before.split("\n"), list[str](), 0
    for row in patch.split("\n")[2:-1]:
        if head := re.match(r"@@ -(\d+),(\d+) \+(\d+),(\d+) @@", row):
            start = int(head[1]) - 1
            new += old[at:start]
            at = start
            assert head[1] == head[3] == str(len(new) + 1)
        elif row.startswith((" ", "-")):
            assert old[at] == row[1:]
            new += [row[1:]] if row.startswith(" ") else []
            at += 1
        elif row.startswith("+"):
            new.append(row[1:])
    return "\n".join([*new, *old[at:]])


WORDS = st.sampled_from(
    ["fog", "horn", "tide", "lamp", "glass", "rock", "wave", "[[sea]]", "", "\n", "\n\n"]
)


@given(st.lists(WORDS, max_size=40), st.sets(st.integers(0, 39), max_size=6), st.booleans())
def test_any_patch_turns_the_text_into_what_would_be_saved(
    words: list[str], chosen: set[int], is_ended: bool
) -> None:
    before, links = "", []
    for number, word in enumerate(words):
        before += word
        if number in chosen and word.isalpha():
            at = len(before) - len(word)
            target = f"Page {number}"
            links.append(
                ApprovedLink(
                    number, 1, 1, at, at + len(word), word, target, f"[[{target}|{word}]]", 0, 0
                )
            )
        before += " "
    before += "\n" if is_ended else ""
    edit = plan_edit(Version("A page", 1, before), links, EN)
    assert applied(diff.unified(edit), before) == edit.text
    assert ANSI.sub("", diff.coloured(edit)) == diff.unified(edit)
