"""The law of hidden links on real pages, where the exports are at hand."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from tests.linker.wikis import assert_same
from tests.wikitext.exports import DATA
from wikibot.dataset import dataset_of_export
from wikibot.errors import BadWikitext
from wikibot.fetch.export import ExportReader
from wikibot.fetch.from_export import export_rules
from wikibot.linker.page import Page, read
from wikibot.linker.policy import Policy
from wikibot.linker.ranker import Ranker
from wikibot.linker.score import score_page
from wikibot.linker.training import learn_knowledge, learn_ranker
from wikibot.wikitext import SiteRules

pytestmark = [pytest.mark.slow, pytest.mark.no_cover]

EVERY_PAGE = ("ltg",)
STEP = {"it-small": 9, "en-superheroes": 40}  # one page in so many
SAMPLED_PAGES = 60  # of each other wiki
EXPORTS = [
    *(f"{name}.xml.bz2" for name in (*EVERY_PAGE, *STEP)),
    *(f"minidumps/{name}.xml.bz2" for name in ("ar", "de", "el", "fi", "fr", "he", "hu", "ja", "ko", "ru", "th", "tr", "zh")),
    *(f"wikis/{name}.xml.bz2" for name in ("en-electowiki", "en-gentoo", "fr-ekopedia", "hy", "ja-countries", "mr", "vls")),
]  # fmt: skip


def export(name: str) -> Path:
    path = DATA / name
    if not path.exists():
        if os.environ.get("CI") == "true" and DATA.exists():
            pytest.fail(f"{path} is missing, though there are exports beside it")
        pytest.skip(f"no {path.name} here")
    return path


def pages_of(name: str) -> Iterator[tuple[str, str, Page, SiteRules]]:
    """(title, wikitext, page, rules) of articles that can be read."""
    reader = ExportReader(export(name))
    rules = export_rules(reader.header())
    kind = Path(name).name.split(".")[0]
    found = (page for page in reader.pages() if not page.namespace and page.model == "wikitext")
    most = None if kind in EVERY_PAGE else SAMPLED_PAGES
    for source in islice(islice(found, 0, None, STEP.get(kind, 1)), most):
        text = source.text or ""
        try:
            page = read(source.title, text, rules)
        except BadWikitext:
            continue
        if page is not None:
            yield source.title, text, page, rules


@pytest.mark.parametrize("name", EXPORTS)
def test_hidden_links_leave_the_page_that_has_no_such_brackets(name: str) -> None:
    seen = 0
    for title, _, page, rules in pages_of(name):
        bare = read(title, page.text, rules)
        assert bare is not None, title
        assert_same(page.hide(), bare.hide(), but=["cuts"])
        assert not len(page.cuts) or not len(bare.links), title
        seen += len(page.cuts) > 0
    assert seen


@pytest.mark.parametrize("name", EXPORTS)
def test_hiding_half_of_the_links_is_reading_without_their_brackets(name: str) -> None:
    for title, text, page, rules in pages_of(name):
        if len(page.links) < 2 or not len(page.cuts):
            continue
        hidden = np.arange(len(page.links)) % 2 == 0
        some = read(title, without_brackets(text, page, hidden), rules)
        assert some is not None
        if len(some.cuts):  # where brackets that are left make no new link
            assert_same(page.hide(hidden), some, but=["cuts"])


def without_brackets(text: str, page: Page, hidden: np.ndarray) -> str:
    """The wikitext without the brackets of some links; two cuts were made for each."""
    removed = np.diff(page.cuts[:, 1], prepend=0)
    ends = page.cuts.sum(axis=1)
    pieces, at = [], 0
    for number in np.flatnonzero(np.repeat(hidden, 2)).tolist():
        pieces.append(text[at : ends[number] - removed[number]])
        at = int(ends[number])
    return "".join([*pieces, text[at:]])


@pytest.mark.parametrize("name", EXPORTS)
def test_every_character_leads_back_to_the_wikitext(name: str) -> None:
    for title, text, page, _ in pages_of(name):
        offsets = [page.offset(at) for at in range(0, len(page.text), 7)]
        assert all(page.text[7 * n] == text[at] for n, at in enumerate(offsets)), title
        for word in range(0, len(page), 5):
            start, end = page.place(word, 1)
            shown = text[start:end]
            assert shown == page.word(word) or "[[" in shown or "]]" in shown, (title, shown)


@pytest.mark.parametrize("name", EXPORTS)
def test_real_pages_are_unpacked_as_they_were(name: str) -> None:
    for _, _, page, _ in islice(pages_of(name), 100):
        assert_same(Page.unpacked(page.packed()), page)


def test_a_real_wiki_is_learned_and_links_of_a_fifth_of_its_pages_are_found_again() -> None:
    dataset = dataset_of_export(export("ltg.xml.bz2"))
    known = np.arange(len(dataset.pages)) % 5 > 0
    knowledge, parts = learn_knowledge(dataset.pages, dataset.redirects, known=known)
    ranker = learn_ranker(dataset.pages, knowledge, parts)
    assert isinstance(ranker, Ranker)
    right = wrong = 0
    for number in np.flatnonzero(~known).tolist():
        page = dataset.pages[number]
        linked = {knowledge.titles.number.get(title) for title in page.links.target}
        for one in score_page(page.hide(), knowledge, ranker, Policy(is_draft=True)):
            if knowledge.titles.number[one.target] in linked:
                right += 1
            else:
                wrong += 1
    assert right > 200
    assert right / (right + wrong) > 0.75
