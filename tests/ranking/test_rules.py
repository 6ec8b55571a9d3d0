"""Every rule by example: what it refuses, and what it lets pass."""

from __future__ import annotations

import numpy as np
import pytest
from wikibot.ranking.neighbours import in_compound
from wikibot.ranking.proposals import _whole_names, anchor_end, anchors_of
from wikibot.ranking.rules import (
    BY_NAME,
    RULES,
    Options,
    Seen,
    allowed,
    first_allowed,
    within_limits,
)
from wikibot.ranking.signs import read_signs

from tests.ranking.small import candidates, studied
from wikibot.never_list import NeverList

# Pages that show how names are written: Thor with a capital, a lance without, Saga in italics.
BACKGROUND = {
    "Thor": "'''Thunderer'''. The god Thor lives. When Thor came, the great Thor won, and old Thor left.",
    "Lance": "A lance is a weapon. The lance is long, a lance is old, one lance is new.",
    "Saga": "The ''Saga'' is a book.",
    "Kang": "The villain Kang is a man, and this Kang or that Kang is one Kang.",
    "U1": "Read ''[[Saga]]'' with [[Thor]] and a [[lance]].",
    "U2": "Read ''[[Saga]]'' with [[Thor]] and a [[lance]].",
    "U3": "Read ''[[Saga]]'' with [[Thor]] and a [[lance]].",
    "U5": "They saw [[Thor 5]] there.",
    "U4": "They use a [[Thor Beam|Thor Beam]] and a [[lance]] and more.",
    "Thor Corps": "The '''Thor Corps''' is a team.",
    "Choice": "{{Never}} [[Category:Locked]] [[File:x.png]]",
}


def seen(
    text: str,
    options: Options | None = None,
    rival: float = 0.0,
    once: str = "",
    pages: dict[str, str] = BACKGROUND,
    probability: float = 0.9,
) -> Seen:
    """What the rules see of the candidates on one more page, beside a page that says `once`."""
    of = studied({**pages, "Once": once, "Page": text})
    rows = candidates(of)
    rows = rows.chosen(rows.page == of.wiki.size - 1)
    hidden = np.zeros(len(of.wiki.links), dtype=bool)
    sure = np.full(len(rows), probability, dtype=np.float32)
    signs = read_signs(of, rows, sure, np.full(len(rows), rival, dtype=np.float32), hidden)
    return Seen(signs, of.wiki, options or Options(), anchors_of(of.wiki, rows))


def refuses(
    rule: str, text: str, options: Options | None = None, rival: float = 0.0, once: str = ""
) -> bool:
    """Does the rule refuse the first candidate of the text?"""
    looked_at = seen(text, options, rival, once)
    assert len(looked_at.signs), "no candidate"
    return bool(BY_NAME[rule].refuses(looked_at)[0])


EXAMPLES = [
    ("longer-title", "He read ''Thor versus Hulk'' once.", True),
    ("longer-title", "He met Thor once.", False),
    ("italic-title", "He bought ''Thor'' once.", True),
    ("italic-title", "He bought ''Saga'' once.", False),
    ("quotation", 'She said "Thor is here" once.', True),
    ("quotation", "She saw Thor here once.", False),
    ("longer-name", "They met Thor Odinson there.", True),
    ("longer-name", "They met the Ultimate Thor there.", True),
    ("longer-name", "When Thor met them there.", False),
    ("lower-case", "It was a thor of sorts.", True),
    ("lower-case", "He had a lance with him.", False),
    ("beside-link", "The [[U1]] Thor came here.", True),
    ("beside-link", "The [[U1]], and Thor came here.", False),
    ("hyphen", "A Thor-like man came here.", True),
    ("hyphen", "The man Thor came here.", False),
    ("longer-name", "They met the Dead Thor there.", True),
    ("longer-name", "Dead Thor was met there.", False),
    ("longest-name", "They met the Thor Corps there.", True),
    ("longest-name", "They saw the Thor Beam there.", True),
    ("longest-name", "They met Thor there.", False),
    ("bearer-in-brackets", "They met Thor (Kang) there.", True),
    ("bearer-in-brackets", "They met Thor (Loki's brother) there.", False),
    ("bearer-in-brackets", "They met Thor ([[Odinson]]) there.", True),
    ("bearer-in-brackets", "They met Thor (a male [[Odinson]]) there.", True),
    ("bearer-in-brackets", "They met Thor (a man), and [[Odinson]] there.", False),
    ("linked-otherwise", "The planet [[Thor (planet)|Thor]] is where he met Thor.", True),
    ("linked-otherwise", "The planet [[Thor (planet)|of rain]] is where he met Thor.", True),
    ("linked-otherwise", "The [[planet]] is where he met Thor.", False),
    ("compound", "He had a jousting lance with him.", True),
    ("compound", "He had a lance rest with him.", True),
    ("compound", "He had a lance and a horse.", False),
    ("compound", "He had a lance O of type.", False),
    ("quotation", 'He is known as "Thor" there.', True),
    ("quotation", "He is known as 'Thor' there.", True),
    ("quotation", 'She said "I read "Thor: a tale" once" to him.', True),
    ("quotation", "The ''man'' Thor was the gods' Thor.", False),
    ("longer-name", "He was seen in Thor #65 then.", True),
    ("longer-name", "He was seen later (Thor 65).", True),
    ("longer-name", "He saw Thor, 65 men and a dog.", False),
    ("longest-name", "They met Thor 5 there.", True),
    ("longest-name", "They met the Thor there.", False),
    ("own-name", "The '''old Thor man''' is called Thor in short.", False),
    ("own-name", "The god '''Thor''' is just Thor to all.", True),
    ("possessive", "They met Thor's there.", False),
    ("linked-otherwise", "The [[Thor Bishop]] said it, and Thor left.", True),
    ("linked-otherwise", "The film ''[[Thor (film)|Thor]]'' shows how Thor left.", False),
    ("linked-otherwise", "He met the [[thunderer]], and Thor left.", True),
    ("linked-otherwise", "{{Box|ally=[[Thor (god)|him]]}}\nHe met Thor.", True),
    ("linked-otherwise", "{{Box|debut=''[[Thor (comic book)|Thor]]''}}\nHe met Thor.", False),
    ("linked-aside", "{{Box|ally=[[Thor]]}}\nHe met Thor.", True),
    ("linked-aside", "He met Thor.\n{|\n| [[Thor]]\n|}", True),
    ("linked-aside", "He met Thor.<ref>By [[Thor]]</ref>", True),
    ("linked-aside", "He met Thor.\n\n== See also ==\n* [[Thor]]", False),
    ("own-name", "The god '''Thor Odinson''' is just Thor to all.", True),
    ("capitals", "They met THOR there.", True),
    ("capitals", "They met Thor there.", False),
    ("unit", "He had 12 lances there.", True),
    ("unit", "He had lances there.", False),
    ("plain-text", "They met the ''man'' Thor here.", False),
]


@pytest.mark.parametrize(("rule", "text", "refused"), EXAMPLES)
def test_a_rule_by_example(rule: str, text: str, refused: bool) -> None:
    assert refuses(rule, text) is refused


def test_every_rule_has_a_name_and_says_what_it_forbids() -> None:
    assert len(BY_NAME) == len(RULES)
    assert all(rule.says for rule in RULES)


def test_the_never_list_knows_words_targets_and_pages() -> None:
    text = "They met Thor there."
    for options in (
        Options(never=NeverList(words=frozenset({"thor"}))),
        Options(never=NeverList(targets=frozenset({"Thor"}))),
        Options(never=NeverList(pages=frozenset({"Page"}))),
    ):
        assert refuses("never-list", text, options)
    assert not refuses("never-list", text, Options(never=NeverList(words=frozenset({"loki"}))))


def test_pages_with_an_excluded_template_or_category_are_left_alone() -> None:
    text = "{{Never}}\nThey met Thor there. [[Category:Locked]]"
    assert refuses("excluded", text, Options(excluded_templates=frozenset({"Never"})))
    assert refuses("excluded", text, Options(excluded_categories=frozenset({"Locked"})))
    assert not refuses("excluded", text)


def test_a_name_with_another_likely_bearer_is_left_to_people() -> None:
    assert refuses("several-bearers", "They met Thor there.", rival=0.5)
    assert not refuses("several-bearers", "They met Thor there.", rival=0.1)


@pytest.mark.parametrize(
    ("anchor", "refused"),
    [("Thor Industries", True), ("Thor the Thunderer", False), ("Odinson", True), ("Thors", False)],
)
def test_an_anchor_that_one_page_used_must_be_like_a_name_in_every_word_with_a_capital(
    anchor: str, refused: bool
) -> None:
    once = f"They saw [[Thor|{anchor}]] once, with [[Kang|Kanga]]."  # where names have forms
    looked_at = seen(f"He saw {anchor} there.", once=once)
    whole = looked_at.anchors.index(anchor)
    assert bool(BY_NAME["hearsay"].refuses(looked_at)[whole]) is refused


def test_where_names_have_one_form_a_name_that_few_links_used_is_hearsay() -> None:
    once = "They saw [[Thor|Thor the Thunderer]] once."
    looked_at = seen("He saw Thor the Thunderer.", once=once, pages=TELLING)
    refused = dict(zip(looked_at.anchors, BY_NAME["hearsay"].refuses(looked_at), strict=True))
    assert refused["Thor the Thunderer"] and not refused["Thor"]


def test_another_page_that_bears_the_name_and_is_linked_here_is_meant() -> None:
    once = "The [[Kang|Thor]] came."
    assert refuses("linked-otherwise", "He met [[Kang|him]], and Thor left.", once=once)
    assert not refuses("linked-otherwise", "He met [[Kang|him]], and Thor left.")
    assert not refuses("linked-otherwise", "He met [[lance|him]], and Thor left.", once=once)


def test_a_link_to_a_missing_page_by_words_that_mostly_lead_to_the_target_is_one_to_the_target() -> (
    None
):
    text, once = "He met the [[Old Odinson]], and Thor left.", "They saw [[Thor|Old Odinson]] once."
    assert refuses("linked-otherwise", text, once=once)
    assert not refuses("linked-otherwise", text)
    assert not refuses("linked-otherwise", "He met the [[Old Odinson]], and Kang left.", once=once)


def test_where_each_section_may_link_a_target_a_box_does_not_count() -> None:
    text = "{{Box|ally=[[Thor]]}}\nHe met Thor."
    assert not refuses("linked-aside", text, Options(scope="section"))


@pytest.mark.parametrize(("others", "probability", "refused"), [(0, 0.4, False), (9, 0.4, False), (15, 0.4, True), (15, 0.8, False)])  # fmt: skip
def test_a_name_by_which_others_are_linked_too_must_be_more_probable(
    others: int, probability: float, refused: bool
) -> None:
    planets = {f"V{n}": "They saw [[Thor (planet)|Thor]]." for n in range(others)}
    looked_at = seen("Once Thor came.", pages={**TELLING, **planets}, probability=probability)
    assert BY_NAME["shared-name"].refuses(looked_at)[0] == refused


# "as" stands between a link and another name of its page; "and" does not.
GUISES = {
    **BACKGROUND,
    "Odin": "The god '''Odin''' or '''Wotan'''. When Odin came, one Odin won.",
    **{f"G{n}": "They met [[Odin]] as Wotan, and [[Kang]] and Odin." for n in range(3)},
}


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("They met [[Kang]] as Thor.", True),
        ("They met [[Nobody here]] as Thor.", True),
        ("They met [[Kang]] and Thor.", False),
        ("They met [[Kang]], as Thor came.", False),
        ("They met Kang as Thor.", False),
    ],
)
def test_a_word_that_makes_a_name_the_linked_pages_own_is_learned(text: str, refused: bool) -> None:
    looked_at = seen(text, pages=GUISES)
    found = dict(zip(looked_at.anchors, BY_NAME["alias-of-link"].refuses(looked_at), strict=True))
    assert found["Thor"] == refused


@pytest.mark.parametrize(
    ("title", "text", "refused"),
    [
        ("Anni 1960", "Negli [[anni 1960]] e negli [[anni 1960]].", True),
        ("5 maggio", "Era il [[5 maggio]], e il [[5 maggio]].", True),
        ("1960s", "In the [[1960s]].", True),
        ("Apollo 11", "They met [[Apollo 11]], and [[Apollo 11]], and [[Apollo 11]].", False),
        ("Carbon-14", "They found [[carbon-14]], and [[carbon-14]], and [[carbon-14]].", False),
        ("IPhone 4", "They had [[iPhone 4]], and [[iPhone 4]], and [[iPhone 4]].", False),
    ],
)
def test_dates_and_decades_are_not_linked(title: str, text: str, refused: bool) -> None:
    pages = {**BACKGROUND, title: "That.", "D": text, "E": text}
    anchor = text.partition("[[")[2].partition("]]")[0]
    looked_at = seen(f"So it was with {anchor} there.", pages=pages)
    assert BY_NAME["date"].refuses(looked_at)[looked_at.anchors.index(anchor)] == refused


def test_a_name_does_not_go_on_in_the_next_sentence() -> None:
    for text, refused in (
        ("They met Thor. Corps of men came.", True),
        ("They met Thor Corps.", False),
    ):
        looked_at = seen(text)
        whole = [len(words.split()) == 2 for words in looked_at.anchors].index(True)
        assert bool(BY_NAME["plain-text"].refuses(looked_at)[whole]) is refused


# A wiki with links enough to tell: Thor is linked wherever he is met, Loki hardly ever, a lance always.
PLAIN = {f"Plain {n}": "Nothing much." for n in range(250)}
TELLING = {
    "Thor": "The god Thor lives. When Thor came, the great Thor won, and old Thor left.",
    "Loki": "The god Loki lives. When Loki came, the great Loki won, and old Loki left.",
    **{title: f"A {title.lower()} is a weapon, one {title.lower()}." for title in ("Lance", "Sword")},
    **{f"U{n}": "They met [[Thor]] with a [[lance]], two [[sword]]s, [[lance]]s and Loki." for n in range(50)},
    "U": "They met [[Loki]].",
    **PLAIN,
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "probability", "refused"),
    [
        ("Once Thor came.", 0.25, False),
        ("Once Loki came.", 0.25, True),
        ("Once Loki came.", 0.6, False),
        ("Once a lance broke.", 0.25, True),
        ("Once a lance broke.", 0.6, False),
    ],
)
def test_what_is_no_established_proper_name_must_be_more_probable(
    text: str, probability: float, refused: bool
) -> None:
    rule = BY_NAME["unestablished"]
    assert rule.refuses(seen(text, pages=TELLING, probability=probability))[0] == refused


def test_a_name_that_a_fifth_of_all_pages_mention_must_be_more_probable() -> None:
    known_to_all = {title: text for title, text in TELLING.items() if title not in PLAIN}
    for pages, probability, refused in (
        (TELLING, 0.25, False),
        (known_to_all, 0.25, True),
        (known_to_all, 0.6, False),
    ):
        looked_at = seen("Once Thor came.", pages=pages, probability=probability)
        assert BY_NAME["unestablished"].refuses(looked_at)[0] == refused


def test_few_links_tell_nothing_of_established_names() -> None:
    few = {title: text for title, text in TELLING.items() if not title.startswith("U")}
    looked_at = seen("Once Loki came.", pages=few, probability=0.25)
    assert not BY_NAME["unestablished"].refuses(looked_at).any()


@pytest.mark.parametrize(("pages", "refused"), [({}, True), ({"V": "[[Thor|Thori]] " * 9}, False)])
def test_a_new_form_of_a_proper_name_is_another_thing_where_names_have_one(
    pages: dict[str, str], refused: bool
) -> None:
    looked_at = seen("Once the Thors came.", pages={**TELLING, **pages})
    assert "Thors" in looked_at.anchors
    form = looked_at.anchors.index("Thors")
    assert BY_NAME["new-form"].refuses(looked_at)[form] == refused


def test_a_bold_name_that_mostly_leads_elsewhere_is_hearsay() -> None:
    once = "The [[Kang|Thunderer]] came."
    assert refuses("hearsay", "He saw the Thunderer there.", once=once)
    assert not refuses("hearsay", "He saw the Thunderer there.")


def test_a_rule_can_be_switched_off() -> None:
    text = "They met Thor Odinson there."
    assert not allowed(seen(text)).any()
    assert allowed(seen(text, Options(off=frozenset({"longer-name"})))).all()


def test_nothing_below_the_least_probability_is_allowed() -> None:
    assert not allowed(seen("They met Thor there.", Options(min_probability=0.95))).any()


def test_the_first_mention_of_the_page_is_linked() -> None:
    looked_at = seen("Seen Thor here. Later Thor left.\n\n== More ==\nThen Thor came.")
    everything = np.ones(len(looked_at.signs), dtype=bool)
    assert first_allowed(looked_at.signs, everything, "page").tolist() == [True, False, False]
    assert first_allowed(looked_at.signs, everything, "section").tolist() == [True, False, False]
    later = np.array([False, False, True])
    assert first_allowed(looked_at.signs, later, "section").tolist() == [False, False, True]


def test_where_the_first_mention_is_forbidden_the_next_is_taken() -> None:
    looked_at = seen("Thor Odinson ran. Later the god Thor left.")
    taken = first_allowed(looked_at.signs, allowed(looked_at), "page")
    assert taken.tolist() == [False, True]


def test_a_paragraph_and_a_page_take_only_so_many() -> None:
    looked_at = seen("Both Thor and Kang with a lance.\n\nThe ''Saga'' too.")
    lengths = np.full(looked_at.wiki.size, 10_000)
    few = Options(per_paragraph=2, per_page=5)
    assert within_limits(looked_at.signs, lengths, few).sum() == 3
    one = Options(per_paragraph=5, per_page=1)
    assert within_limits(looked_at.signs, lengths, one).sum() == 1


def test_a_short_page_gets_fewer_proposals() -> None:
    looked_at = seen("Both Thor and Kang with a lance.")
    options = Options(per_paragraph=9, per_page=9, words_per_link=100)
    short, longer = np.full(looked_at.wiki.size, 50), np.full(looked_at.wiki.size, 300)
    assert within_limits(looked_at.signs, short, options).sum() == 1
    assert within_limits(looked_at.signs, longer, options).sum() == 3


def test_the_whole_name_is_linked_without_its_article() -> None:
    of = studied(
        {"Drax the Destroyer": "'''Drax''' is he.", "Page": "They saw the Drax the Destroyer."}
    )
    rows = candidates(of)
    kept = rows.chosen(_whole_names(of.wiki, rows))
    assert anchors_of(of.wiki, kept) == ("Drax the Destroyer",)


@pytest.mark.parametrize(
    ("text", "end", "title", "whole"),
    [
        ("Saw H.E.R.B.I.E. there", 15, "H.E.R.B.I.E.", 16),
        ("Saw Thor. There", 8, "Thor", 8),
        ("Saw Jr", 6, "Jr.", 6),
        ("Saw Fury Jr. there", 11, "Fury Jr. (comics)", 12),
    ],
)
def test_a_full_stop_of_the_name_is_part_of_the_anchor(
    text: str, end: int, title: str, whole: int
) -> None:
    assert anchor_end(text, end, title) == whole


def test_without_links_nothing_is_known_of_compounds() -> None:
    of = studied({"Lance": "A '''lance''' is a weapon.", "Page": "A jousting lance broke."})
    rows = candidates(of)
    nothing = np.zeros(0, dtype=bool)
    assert len(rows) and not in_compound(of.wiki, rows, nothing).any()
