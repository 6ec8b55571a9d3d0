"""A small wiki with proposals, written for the tests: plain, right-to-left and hostile."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from wikibot.store import Session, Store, open_store
from wikibot.store.tables import (
    Category,
    CategoryMember,
    Link,
    Page,
    Suggestion,
    Wiki,
)
from wikibot.wikitext import Insertion, SiteRules, existing_links, link_markup, read_page

NOW = datetime(2026, 3, 1, 9, 30, tzinfo=timezone.utc)

ENGLISH = {
    "Lighthouse": (
        "{{Infobox building|name=Lighthouse}}\n"
        "A '''lighthouse''' is a tower with a bright lamp at the top, built where a [[harbour]] "
        "or a dangerous coast has to be seen from the sea. Its light passes through a Fresnel lens, "
        "a ring of glass prisms that sends every ray out in one flat beam.<ref>On [[glass]].</ref>\n"
        "\n"
        "== Keepers ==\n"
        "Until the lamps were electric, lighthouse keepers trimmed the wicks, wound the clockwork "
        "and wrote down every passing ship. In thick fog they sounded a fog horn, which could be "
        "heard {{convert|5|km}} away. Most keepers lived on the rock for weeks, and the tides "
        "decided when they could leave.\n"
        "* A fog signal was as important as the light.\n"
        "\n"
        "== See also ==\n"
        "* [[Harbour]]\n"
        "[[Category:Coasts]]\n"
    ),
    "Fresnel lens": (
        "A '''Fresnel lens''' is a thin lens cut into rings. It was made for the lighthouse, where "
        "a solid lens of the same strength would have weighed tons of glass.\n[[Category:Optics]]\n"
    ),
    "Foghorn": (
        "A '''foghorn''' warns ships in fog, when a lighthouse cannot be seen. "
        "It is driven by compressed air.\n[[Category:Coasts]]\n"
    ),
    "Harbour": (
        "A '''harbour''' shelters ships from waves and tides. A breakwater keeps the swell out, and "
        "a lighthouse marks the entrance.\n[[Category:Coasts]]\n"
    ),
    "Tide": "The '''tide''' is the rise and fall of the sea, drawn by the Moon and the Sun.\n",
    "Glass": "'''Glass''' is a hard, clear solid made from molten sand.\n[[Category:Optics]]\n",
    "Fog": "'''Fog''' is a cloud that touches the ground. Ships slow down in fog.\n",
    "Ship": "A '''ship''' is a large vessel. It anchors in a harbour when the tide is low.\n",
    "Prism": "A '''prism''' is a block of glass with flat faces that bends light.\n",
    "Clockwork": "'''Clockwork''' is a train of wheels driven by a spring or a weight.\n",
    "Wick": "A '''wick''' draws oil up to the flame of a lamp.\n",
    "Breakwater": "A '''breakwater''' is a wall in the sea in front of a harbour.\n",
}

HEBREW = {
    "מגדלור": (
        "'''מגדלור''' הוא מגדל ובראשו אור חזק, הנבנה ליד נמל או חוף מסוכן. "
        "האור עובר דרך עדשה גדולה של זכוכית (Fresnel, 1822) ונראה למרחוק גם בערפל.\n"
    ),
    "נמל": "'''נמל''' הוא מקום מחסה לאוניות.\n",
    "זכוכית": "'''זכוכית''' היא חומר קשה ושקוף.\n",
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """A proposal to be: the Nth occurrence of the anchor on the page."""

    page: str
    anchor: str
    target: str
    probability: float
    nth: int = 0


ENGLISH_PROPOSALS = (
    Wanted("Lighthouse", "Fresnel lens", "Fresnel lens", 0.97),
    Wanted("Lighthouse", "fog horn", "Foghorn", 0.93),
    Wanted("Lighthouse", "tides", "Tide", 0.88),
    Wanted("Lighthouse", "prisms", "Prism", 0.81),
    Wanted("Harbour", "lighthouse", "Lighthouse", 0.79),
    Wanted("Harbour", "breakwater", "Breakwater", 0.74),
    Wanted("Lighthouse", "clockwork", "Clockwork", 0.66),
    Wanted("Fresnel lens", "lighthouse", "Lighthouse", 0.61),
    Wanted("Foghorn", "fog", "Fog", 0.55, nth=1),
    Wanted("Lighthouse", "passing ship", "Ship", 0.42),
    Wanted("Prism", "light", "Lighthouse", 0.12),
)
HEBREW_PROPOSALS = (
    Wanted("מגדלור", "נמל", "נמל", 0.9),
    Wanted("מגדלור", "זכוכית", "זכוכית", 0.7),
)


def make_store(path: Path) -> Store:
    """An English wiki with eleven proposals in a new database."""
    store = open_store(path, create=True)
    with store.writing() as session:
        add_wiki(session, "en", ENGLISH, ENGLISH_PROPOSALS)
    return store


def add_wiki(
    session: Session, language: str, texts: dict[str, str], wanted: tuple[Wanted, ...]
) -> Wiki:
    """A wiki with its pages, links, categories and proposals."""
    rules = SiteRules.for_language(language)
    wiki = Wiki(
        name=f"{language}.example.org",
        article_url=f"https://{language}.example.org/wiki/$1",
        language=language,
        capital_links=True,
        site_rules=json.loads(rules.to_json()),
        fetched_at=NOW,
    )
    session.add(wiki)
    session.flush()
    pages = add_pages(session, wiki, texts)
    for one in wanted:
        session.add(proposed(wiki, pages[one.page], pages[one.target], one))
    session.flush()
    return wiki


def add_pages(session: Session, wiki: Wiki, texts: dict[str, str]) -> dict[str, Page]:
    """The pages by title, with first sentences, links and categories as fetching finds them."""
    pages = {}
    for number, (title, text) in enumerate(texts.items(), start=1):
        pages[title] = Page(
            wiki_id=wiki.id,
            page_id=number,
            title=title,
            namespace=0,
            revision_id=100 + number,
            timestamp=NOW,
            wikitext=text,
            summary=_first_sentence(text, wiki, title),
        )
    session.add_all(pages.values())
    session.flush()
    _add_links(session, wiki, pages)
    return pages


def proposed(wiki: Wiki, page: Page, target: Page, one: Wanted) -> Suggestion:
    """The proposal as `wikibot suggest` would store it."""
    start = find_nth(page.wikitext, one.anchor, one.nth)
    end = start + len(one.anchor)
    rules = SiteRules.from_json(json.dumps(wiki.site_rules))
    sentence = read_page(page.wikitext, rules, page.title).sentence_at(start)
    assert sentence is not None, f"{one.anchor} is not in prose"
    return Suggestion(
        wiki_id=wiki.id,
        page_id=page.id,
        target_id=target.id,
        revision_id=page.revision_id,
        start=start,
        end=end,
        anchor=one.anchor,
        wikitext=link_markup(page.wikitext, Insertion(start, end, target.title), rules),
        sentence_start=sentence.start,
        sentence_end=sentence.end,
        sentence=sentence.text,
        probability=one.probability,
        reasons=[
            {"id": "is-title", "args": {"anchor": one.anchor}},
            {"id": "shared-topics", "args": {"topics": ["coast", "light"]}},
        ],
        created_at=NOW,
    )


def find_nth(text: str, anchor: str, nth: int) -> int:
    """Where the anchor stands for the Nth time in the text (0 is the first)."""
    at = -1
    for _ in range(nth + 1):
        at = text.index(anchor, at + 1)
    return at


def _first_sentence(text: str, wiki: Wiki, title: str) -> str:
    page = read_page(text, SiteRules.from_json(json.dumps(wiki.site_rules)), title)
    return page.sentences[0].text if page.sentences else ""


def _add_links(session: Session, wiki: Wiki, pages: dict[str, Page]) -> None:
    rules = SiteRules.from_json(json.dumps(wiki.site_rules))
    categories: dict[str, Category] = {}
    for page in pages.values():
        for link in existing_links(page.wikitext, rules, page.title):
            if link.namespace == 14:
                name = link.target.partition(":")[2]
                if name not in categories:
                    categories[name] = Category(wiki_id=wiki.id, title=name)
                    session.add(categories[name])
                    session.flush()
                session.add(CategoryMember(category_id=categories[name].id, page_id=page.id))
            else:
                target = pages.get(link.target)
                session.add(
                    Link(
                        page_id=page.id,
                        target_id=target.id if target else None,
                        target_title=link.target,
                        anchor=link.anchor,
                        start=link.start,
                        end=link.end,
                        anchor_start=link.anchor_start,
                        anchor_end=link.anchor_end,
                        sentence_start=link.sentence_start,
                        sentence_end=link.sentence_end,
                        in_prose=link.in_prose,
                    )
                )
