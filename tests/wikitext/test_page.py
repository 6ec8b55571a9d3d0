"""What a page says about itself: links, spans, sections, templates, exclusion, redirects."""

from __future__ import annotations

from dataclasses import replace

import pytest

from wikibot.wikitext import (
    BadWikitext,
    PageText,
    SiteRules,
    existing_links,
    linkable_spans,
    read_page,
    redirect_target,
)
from wikibot.wikitext import parse as markup

ENGLISH = SiteRules.for_language("en")

ARTICLE = """\
{{Short description|City}}
'''Paris''' (or '''[[Lutetia]]''') is the [[capital city|capital]] of [[France]].<ref>[[Book]]</ref>
It has [[museum]]s and ''[[Cafe|cafés]]''.

== Life ==
Its ''night life'' and "old town" are known. {{Main|Nightlife [[x]]}}
* [[Ann]]: a '''bold''' item
: indented
{|
| [[Cell]]
|}
[[File:a.jpg|thumb|A [[caption]] here]]
=== ''Food'' ===
Bread.
== References ==
Nothing.
[[Category:Towns|Paris]]
[[category:capitals]]
[[fr:Paris]]
"""


@pytest.fixture
def page() -> PageText:
    return read_page(ARTICLE, ENGLISH, "Paris")


def test_every_link_is_found_once_and_in_order(page: PageText) -> None:
    assert [link.target for link in page.links] == [
        *("Lutetia", "Capital city", "France", "Book", "Museum", "Cafe", "X", "Ann", "Cell"),
        *("File:A.jpg", "Caption", "Category:Towns", "Category:Capitals", "fr:Paris"),
    ]


def test_each_link_says_where_it_stands(page: PageText) -> None:
    places = {link.target: link.place for link in page.links}
    assert places["Book"] == "reference"
    assert places["X"] == "template"
    assert places["Cell"] == "table"
    assert places["Caption"] == "caption"
    assert places["Ann"] == places["Cafe"] == places["Lutetia"] == "prose"


def test_anchors_are_what_a_reader_sees(page: PageText) -> None:
    anchors = {link.target: link.anchor for link in page.links}
    assert anchors["Capital city"] == "capital"
    assert anchors["Museum"] == "museums"
    assert anchors["Cafe"] == "cafés"


def test_links_that_show_nothing_are_not_in_prose(page: PageText) -> None:
    hidden = {link.target for link in page.links if not link.is_shown}
    assert hidden == {"File:A.jpg", "Category:Towns", "Category:Capitals", "fr:Paris"}
    assert not any(link.in_prose for link in page.links if not link.is_shown)


def test_a_link_in_prose_knows_its_sentence(page: PageText) -> None:
    link = next(link for link in page.links if link.target == "France")
    sentence = ARTICLE[link.sentence_start : link.sentence_end]
    assert sentence.startswith("'''Paris'''")
    assert sentence.endswith("[[France]].")
    assert all(
        (link.sentence_start >= 0) == link.in_prose for link in page.links if link.place != "prose"
    )


@pytest.mark.parametrize(
    ("text", "anchor", "target"),
    [
        ("[[a]]bc d", "abc", "A"),
        ("[[a|''b'' c]]", "b c", "A"),
        ("[[a|b &amp; c]]", "b & c", "A"),
        ("[[:Category:x]]", "Category:x", "Category:X"),
        ("[[a_b#c|d]]", "d", "A b"),
        ("[[a|<small>b</small>]]", "b", "A"),
    ],
)
def test_display_texts(text: str, anchor: str, target: str) -> None:
    link = existing_links(text, ENGLISH)[0]
    assert (link.anchor, link.target) == (anchor, target)


def test_a_link_to_a_section_keeps_its_fragment() -> None:
    link = existing_links("[[Paris#Food|x]]", ENGLISH)[0]
    assert (link.target, link.fragment, link.is_page_link) == ("Paris", "Food", True)
    here = existing_links("[[#Food]]", ENGLISH)[0]
    assert (here.target, here.is_page_link) == ("", False)


def test_spans_carry_section_block_and_style(page: PageText) -> None:
    kinds = {ARTICLE[s.start : s.end].strip(): s for s in page.spans}
    assert kinds["night life"].italic
    assert kinds["night life"].section == "Life"
    assert kinds["bold"].bold
    assert kinds["bold"].block == "list"
    assert kinds["indented"].block == "indent"
    assert kinds["Bread."].section == "Food"
    assert kinds["Bread."].block == "paragraph"


def test_nothing_in_an_excluded_section_may_be_linked(page: PageText) -> None:
    assert all("Nothing" not in ARTICLE[s.start : s.end] for s in page.spans)
    assert page.is_excluded(ARTICLE.index("Nothing"))
    assert not page.is_excluded(ARTICLE.index("Bread"))


def test_a_short_quotation_is_known_as_one(page: PageText) -> None:
    start = ARTICLE.index("old town")
    assert page.is_quoted(start, start + 8)
    assert page.allows(start, start + 8)
    assert not page.is_quoted(start - 10, start + 8)


def test_allows_asks_for_whole_words_inside_one_span(page: PageText) -> None:
    start = ARTICLE.index("night life")
    assert page.allows(start, start + 5)
    assert page.allows(start, start + 10)
    assert not page.allows(start, start + 4)
    assert not page.allows(start, start + 13)
    assert not page.allows(start, start)
    assert not page.allows(start + 5, start)


def test_sections_are_listed_without_their_quotes(page: PageText) -> None:
    assert [(h.level, h.title) for h in page.sections] == [
        (2, "Life"),
        (3, "Food"),
        (2, "References"),
    ]
    assert page.lead_end == ARTICLE.index("== Life")


def test_categories_are_those_the_page_is_put_in(page: PageText) -> None:
    assert page.categories == ["Category:Towns", "Category:Capitals"]
    assert read_page("[[:Category:x]] <!-- [[Category:y]] -->", ENGLISH).categories == []


def test_templates_are_listed_with_their_arguments(page: PageText) -> None:
    assert [(t.name, t.arguments) for t in page.templates] == [
        ("Short description", "City"),
        ("Main", "Nightlife [[x]]"),
    ]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("{{infobox_person}}", "Infobox person"),
        ("{{ Template:Cite web |a}}", "Cite web"),
        ("{{Infobox<!-- c -->|a}}", "Infobox"),
        ("{{#if:a|b}}", "#if"),
    ],
)
def test_names_of_templates(text: str, name: str) -> None:
    assert read_page(text, ENGLISH).templates[0].name == name


def test_the_lead_gives_names_and_first_sentence(page: PageText) -> None:
    assert page.bold_names == ["Paris", "Lutetia"]
    assert page.first_sentence == "Paris (or Lutetia) is the capital of France."


def test_the_first_sentence_is_the_one_with_the_name() -> None:
    text = "''This is about the town.''\n\n'''Paris''' is a town. It is old."
    assert read_page(text, ENGLISH).first_sentence == "Paris is a town."
    assert read_page("No bold. Here.", ENGLISH).first_sentence == "No bold."
    assert read_page("{{x}}", ENGLISH).first_sentence == ""


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("#REDIRECT [[Paris]]", "Paris"),
        ("#redirect[[paris]]", "Paris"),
        (" \n#REDIRECT: [[Paris#Food|x]]", "Paris"),
        ("#REDIRECT [[Talk:Paris]]", "Talk:Paris"),
    ],
)
def test_redirects(text: str, target: str) -> None:
    found = redirect_target(text, ENGLISH)
    assert found is not None
    assert found.text == target
    assert read_page(text, ENGLISH).redirect_target == found
    assert linkable_spans(text + "\nParis is here", ENGLISH) == []


@pytest.mark.parametrize(
    "text", ["Paris", "# [[Paris]]", "#REDIRECT", "#REDIRECT Paris", "x #REDIRECT [[a]]"]
)
def test_what_is_no_redirect(text: str) -> None:
    assert redirect_target(text, ENGLISH) is None


@pytest.mark.parametrize(
    ("code", "text", "target"),
    [
        ("it", "#RINVIA [[Roma]]", "Roma"),
        ("ja", "#転送 [[東京]]", "東京"),
        ("ru", "#перенаправление [[Москва]]", "Москва"),
    ],
)
def test_redirects_in_other_languages(code: str, text: str, target: str) -> None:
    found = redirect_target(text, SiteRules.for_language(code))
    assert found is not None
    assert found.text == target


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{disambiguation}}", True),
        ("{{Disambig|geo}}", True),
        ("__DISAMBIG__", True),
        ("{{Infobox}}", False),
        ("<nowiki>{{disambig}}</nowiki>", False),
    ],
)
def test_disambiguation(text: str, expected: bool) -> None:
    assert read_page(text, ENGLISH).is_disambiguation is expected


@pytest.mark.parametrize(
    ("text", "forbidden"),
    [
        ("Paris", False),
        ("{{nobots}}", True),
        ("{{NoBots}}", True),
        ("Text.\n\n{{x|{{nobots}}}}", True),
        ("{{bots}}", False),
        ("{{bots|allow=all}}", False),
        ("{{bots|allow=none}}", True),
        ("{{bots|allow=LinkBot}}", False),
        ("{{bots|allow=OtherBot, linkbot }}", False),
        ("{{bots|allow=OtherBot}}", True),
        ("{{bots|deny=all}}", True),
        ("{{bots|deny=none}}", False),
        ("{{bots|deny=LinkBot}}", True),
        ("{{bots|deny=OtherBot,LinkBot}}", True),
        ("{{bots|deny=OtherBot}}", False),
        ("{{bots|optout=all}}", True),
        ("{{bots|allow=all|deny=LinkBot}}", True),
        ("{{in use}}", True),
        ("<nowiki>{{nobots}}</nowiki>", False),
        ("<!-- {{nobots}} -->", False),
    ],
)
def test_bots_are_kept_away_where_the_page_says_so(text: str, forbidden: bool) -> None:
    assert read_page(text, ENGLISH).forbids_bots("LinkBot") is forbidden


def test_the_words_that_keep_a_bot_away_are_given() -> None:
    page = read_page("{{x}} {{bots|deny=LinkBot}} {{nobots}}", ENGLISH)
    assert page.exclusion("LinkBot") == "{{bots|deny=LinkBot}}"
    assert page.exclusion("OtherBot") == "{{nobots}}"
    assert read_page("{{In use|now}}", ENGLISH).exclusion() == "{{In use|now}}"
    assert read_page("Paris", ENGLISH).exclusion() is None


def test_an_unnamed_bot_is_kept_away_by_any_list_of_allowed_ones() -> None:
    assert read_page("{{bots|allow=LinkBot}}", ENGLISH).forbids_bots()


def test_disagreements_are_reported_and_never_linked() -> None:
    text = "Ann {{Infobox|a=Paris in\nspring"
    page = read_page(text, ENGLISH)
    assert [d.text_for for d in page.disagreements] == ["parser"]
    assert [text[s.start : s.end] for s in page.spans] == ["Ann "]
    assert read_page(ARTICLE, ENGLISH).disagreements == []


def test_cells_and_captions_are_spans_only_where_asked_for() -> None:
    text = "{|\n| one cell\n|}\n[[File:a.jpg|thumb|one caption]]"
    assert linkable_spans(text, ENGLISH) == []
    open_site = replace(ENGLISH, link_table_cells=True, link_captions=True)
    found = [text[s.start : s.end].strip() for s in linkable_spans(text, open_site)]
    assert found == ["one cell", "one caption"]


def test_the_parser_must_give_the_text_back(monkeypatch: pytest.MonkeyPatch) -> None:
    real = markup.tokenize

    def forgetful(text: str) -> list[object]:
        return real(text)[:-1]

    monkeypatch.setattr(markup, "tokenize", forgetful)
    with pytest.raises(BadWikitext, match="does not give the text back"):
        read_page("One [[link]] and more", ENGLISH)


def test_a_changed_character_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    real = markup.tokenize
    monkeypatch.setattr(markup, "tokenize", lambda text: real(text.replace("é", "e")))
    with pytest.raises(BadWikitext, match="from character 0 on"):
        read_page("é", ENGLISH)


@pytest.mark.parametrize(
    ("scope", "at", "is_linked"),
    [
        ("page", "lamps", True),
        ("page", "Lamps", True),
        ("section", "lamps", True),
        ("section", "Lamps", False),
    ],
)
def test_one_link_is_enough_for_a_page_or_for_a_section(
    scope: str, at: str, is_linked: bool
) -> None:
    text = "A [[tower]] with lamps.\n\n== Lamps ==\nBright.\n\n== See also ==\n* [[Oil]]\n"
    site = replace(SiteRules.for_language("en"), link_scope=scope)
    page = read_page(text, site, "Lighthouse")
    assert page.is_linked("Tower", text.index(at)) is is_linked
    assert not page.is_linked("Oil", text.index("lamps"))
