"""A wiki with 100,000 proposals, a page of 190 kB and a model, for the review page to be timed on."""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Iterator
from typing import Any

from sqlalchemy import insert

from crtm import CRTM, Corpus
from tests.review.sample import NOW
from wikibot.store import Store
from wikibot.store.tables import Category, CategoryMember, Decision, Model, Page, Suggestion, Wiki
from wikibot.wikitext import Insertion, SiteRules, link_markup

WORDS = (
    "river", "bridge", "tower", "stone", "harbour", "light", "fog", "keeper",
    "glass", "lens", "wheel", "spring", "wall", "ship", "tide",
)  # fmt: skip
SENTENCE = "The old {a} stands near the {b}, and every {c} that passes the {d} can see its lamp. "
SENTENCES = 40
# Made of what makes real pages slow to read: references, templates, tables, links, headings.
SECTION = (
    "== The {a} of {n} ==\n{text}<ref name=r{n}>{{{{cite book|title=The {b}|year=18{n:02}}}}}</ref>\n"
    "\n{text}See [[{c} {n}]] and ''[[{d}|the {d}s]]'' of {{{{convert|{n}|km}}}}.\n\n"
    '{{| class="wikitable"\n! {a} !! {b}\n|-\n| [[{c}]] || {n}\n|}}\n\n'
)
SECTIONS = 105
LONG_PAGE = 1
LONG_TITLE = "The long page"
TRAINED_ON = 600

RULES = SiteRules.for_language("en")
Row = dict[str, Any]


def fill(store: Store, pages: int, proposals: int, *, with_model: bool = True) -> None:
    """STORE holds a wiki with so many pages and proposals, a fifth of which are decided."""
    draw = random.Random(1)
    written = [long_page(draw), *(page_row(draw, number) for number in range(2, pages + 1))]
    rows = list(proposal_rows(draw, written, proposals))
    with store.writing() as session:
        session.add(
            Wiki(
                id=1, name="bench.example.org", language="en", capital_links=True,
                article_url="https://bench.example.org/wiki/$1",
                site_rules=json.loads(RULES.to_json()), fetched_at=NOW,
            )
        )  # fmt: skip
        session.flush()
        connection = session.connection()
        connection.execute(insert(Page), written)
        categories = [{"id": n, "wiki_id": 1, "title": f"Category {n}"} for n in range(1, 201)]
        connection.execute(insert(Category), categories)
        members = [{"category_id": n % 200 + 1, "page_id": n} for n in range(1, pages + 1)]
        connection.execute(insert(CategoryMember), members)
        connection.execute(insert(Suggestion), rows)
        connection.execute(insert(Decision), list(decision_rows(draw, rows)))
        if with_model:
            session.add(model_row(store, written[1:]))


def title(number: int) -> str:
    return f"{WORDS[number % 15].title()} {WORDS[number // 15 % 15]} {number}"


def sentences(draw: random.Random, number: int) -> str:
    drawn = (draw.sample(WORDS, 4) for _ in range(number))
    return "".join(SENTENCE.format(**dict(zip("abcd", four, strict=True))) for four in drawn)


def page_row(draw: random.Random, number: int) -> Row:
    text = "\n\n".join(sentences(draw, SENTENCES // 5) for _ in range(5))
    return as_page(number, title(number), text)


def long_page(draw: random.Random) -> Row:
    sections = (
        SECTION.format(
            n=n, text=sentences(draw, 8), **dict(zip("abcd", draw.sample(WORDS, 4), strict=True))
        )
        for n in range(SECTIONS)
    )
    return as_page(LONG_PAGE, LONG_TITLE, sentences(draw, 5) + "\n\n" + "".join(sections))


def as_page(number: int, name: str, text: str) -> Row:
    return {
        "id": number, "wiki_id": 1, "page_id": number, "title": name, "namespace": 0,
        "revision_id": number, "wikitext": text, "summary": text[:80],
        "in_set": True, "is_disambiguation": False,
    }  # fmt: skip


def proposal_rows(draw: random.Random, pages: list[Row], proposals: int) -> Iterator[Row]:
    """Each on another word of its page, with another target: all of them could be published."""
    states = draw.choices(
        ["pending", "approved", "rejected", "skipped"], weights=[80, 12, 6, 2], k=proposals
    )
    for number, state in enumerate(states):
        page, turn = pages[number % len(pages)], number // len(pages)
        target = pages[(number % len(pages) + 1 + turn * 37) % len(pages)]
        start, anchor = place(page, turn)
        line = Insertion(start, start + len(anchor), target["title"])
        sentence_start = page["wikitext"].rfind("The old", 0, start)
        sentence_end = page["wikitext"].find(".", start) + 1
        yield {
            "id": number + 1, "wiki_id": 1, "page_id": page["id"], "target_id": target["id"],
            "revision_id": page["id"], "start": line.start, "end": line.end, "anchor": anchor,
            "wikitext": link_markup(page["wikitext"], line, RULES),
            "sentence_start": sentence_start, "sentence_end": sentence_end,
            "sentence": page["wikitext"][sentence_start:sentence_end],
            "probability": round(draw.random(), 4), "reasons": [{"id": "is-title", "args": {}}],
            "state": state, "version": 1, "created_at": NOW,
        }  # fmt: skip


def place(page: Row, turn: int) -> tuple[int, str]:
    """Where the TURNth sentence of the page has its first noun, and the noun."""
    text, at = page["wikitext"], -1
    for _ in range(turn + 1):
        at = text.index("The old ", at + 1)
    found = re.compile(r"\w+").match(text, at + len("The old "))
    assert found is not None
    return found.start(), found[0]


def decision_rows(draw: random.Random, rows: list[Row]) -> Iterator[Row]:
    verdicts = {"approved": "approve", "rejected": "reject", "skipped": "skip"}
    for row in rows:
        if row["state"] in verdicts:
            yield {
                "suggestion_id": row["id"], "verdict": verdicts[row["state"]], "note": None,
                "reason": "everyday-word" if row["state"] == "rejected" else None,
                "reviewer": draw.choice(["alice", "bob"]), "source": "web", "decided_at": NOW,
                "undone": False, "before": {"state": "pending"},
            }  # fmt: skip


def model_row(store: Store, pages: list[Row]) -> Model:
    """A model of some of the pages, in the folder where training would put it."""
    records = [
        {"title": page["title"], "text": page["wikitext"], "links": [[8, 13, title(number + 3)]]}
        for number, page in enumerate(pages[:TRAINED_ON], start=2)
    ]
    corpus = Corpus.from_records(records, min_documents=1, max_share=1.0)
    store.folder.mkdir(parents=True, exist_ok=True)
    path = store.folder / "crtm.model"
    CRTM(n_topics=20, max_iter=2, seed=1).fit(corpus).save(path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return Model(
        wiki_id=1, kind="crtm", path=path.name, sha256=digest, parameters={}, figures={},
        created_at=NOW,
    )  # fmt: skip
