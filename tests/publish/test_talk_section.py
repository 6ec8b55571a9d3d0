"""The section on a talk page, as text: what people write around our lines is never lost."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikibot.publish.messages import TABLE, Messages, messages
from wikibot.publish.signature import SIGNED, signature_in, signed
from wikibot.publish.talk import (
    END,
    Closed,
    Item,
    find_section,
    is_answer,
    is_heading,
    is_untouched,
    item_number,
    item_text,
    marked,
    open_line,
    plain,
    read_mark,
    read_marks,
    shortened,
    template_names,
    without_section,
    write_section,
)
from wikibot.publish.wording import addressed

ITEMS = (
    Item(1, "river", "River", "The Severn is a river."),
    Item(2, "Wales", "Wales", "It rises in [Wales] & flows."),
    Item(3, "bridges", "Bridge", "It has <b>bridges</b>."),
)
KNOWN = {item.id: item for item in ITEMS}
EN = messages("en")
GAPS = (
    "{targets}", "{users}", "{user}", "{page}", "{anchor}", "{sentence}",
    "{bot}", "{task}", "{yes}", "{no}",
)  # fmt: skip


def section(text: str = "", *, words: Messages = EN, items: tuple[Item, ...] = ITEMS) -> str:
    return write(text, items=items, words=words)


def write(
    text: str, *, items: tuple[Item, ...], closed: object = None, words: Messages = EN
) -> str:
    return write_section(
        text,
        items=items,
        closed=closed or {},  # type: ignore[arg-type]
        marker="wikibot-1",
        words=words,
        shutoff="User:LinkBot/Shutoff",
        known=KNOWN,
    )


def answered(line: int, mark: str, *, words: Messages = EN) -> str:
    return section(words=words).replace(
        open_line(ITEMS[line], words), open_line(ITEMS[line], words).replace("[ ]", mark, 1)
    )


def says(text: str, number: int, words: Messages = EN) -> tuple[str, str]:
    found = find_section(text)
    assert found is not None
    mark = read_marks(found, KNOWN, words)[number]
    return mark.says, mark.note


def test_an_empty_page_gets_the_section_alone() -> None:
    text = section()
    assert text.startswith("== Link suggestions ==\n<!-- wikibot:section wikibot-1 open -->")
    assert text.count("* [ ]") == 3 and text == text.rstrip()


def test_a_page_with_discussions_keeps_them_above() -> None:
    theirs = "== Sources ==\nWhere from? [[User:Ann|Ann]]"
    assert section(theirs) == f"{theirs}\n\n{section()}"


def test_nothing_to_propose_leaves_the_page_as_it_was() -> None:
    assert section("Hello.", items=()) == "Hello."


def test_the_section_says_how_to_switch_it_off() -> None:
    assert "{{bots|optout=all}}" in section() and "[[User:LinkBot/Shutoff]]" in section()


def test_writing_it_again_changes_nothing() -> None:
    assert section(section("Hello.")) == section("Hello.")


def test_a_new_proposal_joins_the_open_section() -> None:
    two = section("Hello.", items=ITEMS[:2])
    assert section(two) == section("Hello.")
    assert section(two).count("wikibot:section") == 1


@pytest.mark.parametrize(
    ("mark", "verdict"),
    [
        ("[yes]", ("yes", "")),
        ("[ Yes ]", ("yes", "")),
        ("[✓]", ("yes", "")),
        ("[no]", ("no", "")),
        ("[no: too common]", ("no", "too common")),
        ("[-]", ("no", "")),
        ("[ ]", ("", "")),
        ("[]", ("", "")),
        ("[maybe]", ("unclear", "")),
        ("[x]", ("unclear", "")),
        ("[ ] {{yes}}", ("yes", "")),
        ("[ ] {{No|because}}", ("no", "")),
        ("[ ] {{not done}}", ("no", "")),
        ("[yes] {{no}}", ("unclear", "")),
        ("[ ] <nowiki>{{yes}}</nowiki>", ("", "")),
        ("[ ] <!-- {{yes}} -->", ("", "")),
        ("[ ] {{unknown}}", ("", "")),
    ],
)
def test_a_mark_is_read(mark: str, verdict: tuple[str, str]) -> None:
    assert says(answered(0, mark), 1) == verdict
    assert says(answered(0, mark), 2) == ("", "")


def test_an_answer_below_the_line_counts_for_that_line() -> None:
    text = section().replace("wikibot:1 -->", "wikibot:1 -->\n*: {{done}} --[[User:Ann|Ann]]")
    assert says(text, 1) == ("yes", "") and says(text, 2) == ("", "")


@pytest.mark.parametrize("language", sorted(TABLE))
def test_every_language_asks_for_words_that_it_understands(language: str) -> None:
    words = addressed(messages(language), "LinkBot", "")
    for ours, sign, verdict in ((words.yes[0], "+", "yes"), (words.no[0], "-", "no")):
        assert f"[{ours}]" in words.intro and f"[{sign}]" in words.intro
        assert says(answered(0, f"[{ours}]", words=words), 1, words) == (verdict, "")
        assert says(answered(0, f"[{sign}]", words=words), 1, words) == (verdict, "")
        assert says(answered(0, f"[ ] {{{{{ours}}}}}", words=words), 1, words) == (verdict, "")
    assert not set(words.yes) & set(words.no)


@pytest.mark.parametrize("language", sorted(TABLE))
def test_no_language_asks_for_templates_and_every_one_says_who_proposes_and_why(
    language: str,
) -> None:
    words = addressed(messages(language), "LinkBot", "Project:Links")
    assert "{{" not in words.intro and "{" not in words.intro
    assert "[[User:LinkBot|LinkBot]]" in words.intro and "[[Project:Links|" in words.intro
    assert "[[User:LinkBot|" in addressed(messages(language), "LinkBot", "").intro


@pytest.mark.parametrize("language", sorted(TABLE))
def test_every_language_has_all_sentences_with_their_gaps(language: str) -> None:
    words, english = messages(language), messages("en")
    for name in (name for name in Messages.__slots__ if name != "task_link"):
        ours, model = getattr(words, name), getattr(english, name)
        assert ours
        for gap in GAPS:
            assert (gap in ours) == (gap in model), (language, name)


def test_a_language_without_translation_speaks_english() -> None:
    assert messages("tlh") is messages("en") and messages("de-ch") is messages("de")


def test_a_line_that_says_something_else_now_is_not_counted() -> None:
    text = answered(0, "[yes]").replace("[[:River]]", "[[:Spam]]")
    found = find_section(text)
    assert found is not None and 1 not in read_marks(found, KNOWN, EN)


def test_a_line_whose_sentence_changed_is_asked_anew() -> None:
    changed = Item(1, "river", "River", "The Severn is a long river.")
    text = write(answered(0, "[yes]"), items=(changed, *ITEMS[1:]))
    assert open_line(changed, EN) in text and "[yes] “river”" not in text


def test_a_number_that_is_not_ours_is_not_counted() -> None:
    text = section().replace("wikibot:3 -->", "wikibot:99 -->")
    found = find_section(text)
    assert found is not None and set(read_marks(found, KNOWN, EN)) == {1, 2}


def test_decided_lines_name_who_decided() -> None:
    closed = {
        1: Closed("approved", "Ann", True),
        2: Closed("rejected", "bob [x]"),
        3: Closed("withdrawn"),
    }
    text = write(section(), items=(), closed=closed)
    assert "✓ “river” → [[:River]] – approved by [[User:Ann|Ann]]" in text
    assert "rejected by <nowiki>bob [x]</nowiki>" in text
    assert "no longer fits" in text
    found = find_section(text)
    assert found is not None and not found.is_open and EN.closed in text


def test_a_closed_section_is_opened_again_in_its_place() -> None:
    closed = write(
        section("Above."), items=(), closed={n: Closed("approved", "Ann") for n in KNOWN}
    )
    again = write(f"{closed}\n\n== Below ==\nText", items=(Item(9, "sea", "Sea", "To the sea."),))
    assert again.count("wikibot:section") == 1 and again.startswith("Above.")
    assert again.endswith("== Below ==\nText") and "wikibot:9" in again
    found = find_section(again)
    assert found is not None and found.is_open


def test_replies_and_notes_inside_the_section_survive_every_update() -> None:
    text = section("Above.").replace(
        "wikibot:2 -->", "wikibot:2 -->\n*: Not sure. [[User:Ann|Ann]]\nA note by Bob."
    )
    updated = write(text, items=ITEMS[:1], closed={2: Closed("rejected", "Ann", True)})
    assert "*: Not sure. [[User:Ann|Ann]]\nA note by Bob." in updated


def test_a_removed_last_line_ends_the_section_at_the_next_heading() -> None:
    text = "\n".join(section().split("\n")[:-1]) + "\n== Next ==\nTheirs"
    found = find_section(text)
    assert found is not None and found.after == ("== Next ==", "Theirs")
    assert section(text).endswith("== Next ==\nTheirs")


@pytest.mark.parametrize("above", ["", "Above.", "== A ==\nText"])
@pytest.mark.parametrize("below", ["", "== B ==\nText"])
def test_a_section_without_answers_can_be_taken_away_without_a_trace(
    above: str, below: str
) -> None:
    page = section(above) + (f"\n\n{below}" if below else "")
    both = f"{above}\n\n{below}" if above and below else above or below
    assert without_section(page) == both


@pytest.mark.parametrize("answer", ["[yes]", "[ ] {{no}}"])
def test_a_section_with_an_answer_stays(answer: str) -> None:
    assert without_section(answered(0, answer)) is None
    assert without_section(section().replace("wikibot:1 -->", "wikibot:1 -->\n*: Hm.")) is None


def test_markup_in_a_sentence_is_shown_not_run() -> None:
    shown = item_text(ITEMS[2], EN)
    assert "<nowiki>It has &lt;b&gt;</nowiki>'''bridges'''<nowiki>&lt;/b&gt;.</nowiki>" in shown
    assert plain("a}}{{b") == "<nowiki>a}}{{b</nowiki>"
    assert plain("</nowiki>") == "<nowiki>&lt;/nowiki&gt;</nowiki>"


@pytest.mark.parametrize(
    ("sentence", "anchor", "shown"),
    [
        ("A river runs.", "river", "A '''river''' runs."),
        ("river", "river", "'''river'''"),
        ("Rivers and a river.", "river", "Rivers and a '''river'''."),
        ("By Moore's law.", "Moore's law", "By '''<nowiki>Moore's law</nowiki>'''."),
        ("It says (a+b).", "(a+b)", "It says '''<nowiki>(a+b)</nowiki>'''."),
        ("The text has moved.", "river", "The text has moved."),
    ],
)
def test_the_words_are_marked_in_their_sentence(sentence: str, anchor: str, shown: str) -> None:
    assert marked(sentence, anchor) == shown


def test_a_signature_stays_until_something_new_is_proposed() -> None:
    first = write("", items=ITEMS[:1], words=signed(EN, "Bot 12:00"))
    assert signature_in(first) == "Bot 12:00" and first.endswith(f"{SIGNED}Bot 12:00{END}")
    noted = write(
        first,
        items=(),
        closed={1: Closed("approved", "Ann")},
        words=signed(EN, signature_in(first)),
    )
    assert signature_in(noted) == "Bot 12:00"
    more = write(noted, items=ITEMS[1:], words=signed(EN, "Bot 13:00"))
    assert signature_in(more) == "Bot 13:00" and "12:00" not in more


def test_a_page_without_our_section_has_no_signature_of_ours() -> None:
    assert signature_in("Hello. Ann 12:00") == signature_in(section()) == ""


def test_a_long_sentence_is_cut_around_the_anchor() -> None:
    sentence = "x " * 300 + "river" + " y" * 300
    cut = shortened(sentence, "river")
    assert "river" in cut and cut.startswith("…") and cut.endswith("…") and len(cut) < 310


def test_the_work_list_names_the_article() -> None:
    item = Item(1, "river", "River", "A river.", article="Severn")
    assert item_text(item, EN).startswith("[[:Severn]]: “river”")


lines = st.lists(st.text(alphabet="ab=*:[] \n{}<>!-", max_size=20), max_size=6)


@given(above=lines, below=lines)
def test_nothing_around_the_section_is_ever_changed(above: list[str], below: list[str]) -> None:
    head, foot = "\n".join(above), "\n".join(below)
    page = f"{section(head)}\n{foot}"
    updated = write(page, items=ITEMS[:1], closed={2: Closed("approved", "Ann")})
    assert updated.startswith(head) and updated.endswith(f"\n{foot}")


# Lines that strangers write to keep us busy

ATOMS = (
    *" \t[]{}|<>*:=#~&'-a1é",
    "{{",
    "}}",
    "{{ ",
    "{{a|",
    "[[",
    "<nowiki>",
    "</nowiki>",
    "<!--",
    "-->",
    "<!-- -->",
    "<nowiki></nowiki>",
    "<!-- wikibot:",
    "<!-- wikibot:1 -->",
    "* [",
    "== ",
)
SHORT, LONG = 10_000, 100_000
QUICK_S = 0.25


@pytest.mark.parametrize("atom", ATOMS)
@pytest.mark.parametrize("start", ["", "*: {{", "* [ ] <nowiki>", "= a", "<!-- wikibot:section "])
def test_no_line_of_a_stranger_takes_more_than_linear_time(start: str, atom: str) -> None:
    def seconds(length: int) -> float:
        line = start + atom * (length // len(atom))
        text = section().replace(open_line(ITEMS[0], EN), f"{open_line(ITEMS[0], EN)}\n{line}")
        began = time.thread_time()
        for function in (template_names, item_number, is_answer, is_heading, is_untouched):
            function(line)
        read_mark([line], EN)
        found = find_section(text)
        assert found is not None
        read_marks(found, KNOWN, EN)
        write(text, items=ITEMS)
        without_section(text)
        return time.thread_time() - began

    long = seconds(LONG)
    assert long < QUICK_S or long < 3 * LONG / SHORT * seconds(SHORT)


@pytest.mark.parametrize("number", ["9" * 19, "9" * 30, "9" * 5000, "٣", "-1", ""])
def test_a_number_that_cannot_be_an_id_is_not_taken_for_one(number: str) -> None:
    forged = section().replace("<!-- wikibot:1 -->", f"<!-- wikibot:{number} -->")
    found = find_section(forged)
    assert found is not None and set(found.items()) == {2, 3}
    assert write(forged, items=ITEMS[1:]) == forged


def test_an_answer_beside_a_very_long_line_is_still_read() -> None:
    longer = answered(1, "[yes]").replace(
        "<!-- wikibot:2 -->", "<!-- wikibot:2 -->\n*: " + "{{no}} " * 10_000
    )
    assert says(longer, 2) == ("yes", "")
