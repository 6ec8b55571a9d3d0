"""Made-up wikis for the linker, read and learned by the real parts."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass

import numpy as np
import scipy.sparse as sparse

from wikibot.linker.candidates import Candidates, find_candidates
from wikibot.linker.counts import PageCounts, count
from wikibot.linker.features import Features, describe
from wikibot.linker.knowledge import Knowledge
from wikibot.linker.names import find_mentions
from wikibot.linker.page import Page, read, word_key
from wikibot.linker.topics import TopicTables
from wikibot.linker.training import learn_knowledge
from wikibot.wikitext import SiteRules

ENGLISH = SiteRules.for_language("en")


def page_of(text: str, title: str = "Page", rules: SiteRules = ENGLISH) -> Page:
    """One page."""
    page = read(title, text, rules)
    assert page is not None
    return page


def words(page: Page) -> list[str]:
    """The words of a page as they are written."""
    return page.spelled(0, len(page))


def links(page: Page) -> list[tuple[str, str]]:
    """(words, target) of each link in prose."""
    ranges = zip(page.links.first.tolist(), page.links.last.tolist(), strict=True)
    shown = [" ".join(page.spelled(first, last - first)) for first, last in ranges]
    return list(zip(shown, page.links.target, strict=True))


@dataclass(frozen=True)
class Wiki:
    """Pages and what was learned from them."""

    pages: list[Page]
    knowledge: Knowledge
    parts: list[PageCounts | None]

    def page(self, title: str) -> Page:
        return self.pages[self.number(title)]

    def number(self, title: str) -> int:
        return self.knowledge.number_of(title)

    def own(self, page: Page) -> PageCounts | None:
        """What the page itself taught."""
        number = self.number(page.title)
        if not self.knowledge.is_counted(number):
            return None
        return count(page, number, self.knowledge.names, self.knowledge.titles)

    def rows(self, page: Page | str, scope: str = "page") -> Candidates:
        """The candidates of a page of the wiki, or of a draft."""
        page = self.page(page) if isinstance(page, str) else page
        mentions = find_mentions(page, self.knowledge.names)
        number = self.number(page.title)
        return find_candidates(page, number, self.knowledge, mentions, self.own(page), scope)

    def found(self, page: Page | str, scope: str = "page") -> list[tuple[str, str]]:
        """(words, target) of the candidates of a page."""
        page = self.page(page) if isinstance(page, str) else page
        return shown(page, self.rows(page, scope), self.knowledge)

    def features(self, page: Page | str) -> tuple[Candidates, Features]:
        page = self.page(page) if isinstance(page, str) else page
        mentions = find_mentions(page, self.knowledge.names)
        topics = self.knowledge.topics.read(page) if self.knowledge.topics else None
        number = self.number(page.title)
        return describe(page, number, self.knowledge, mentions, self.own(page), topics)

    def feature(self, page: Page | str, name: str, anchor: str, target: str) -> float:
        """One value of the candidate that these words give for this target, its first place."""
        page = self.page(page) if isinstance(page, str) else page
        rows, features = self.features(page)
        at = shown(page, rows, self.knowledge).index((anchor, target))
        return float(features[name][at])


def shown(page: Page, rows: Candidates, knowledge: Knowledge) -> list[tuple[str, str]]:
    """(words, target) of candidates."""
    places = zip(rows.first.tolist(), rows.length.tolist(), rows.target.tolist(), strict=True)
    titles = knowledge.titles.titles
    return [(" ".join(page.spelled(first, n)), titles[target]) for first, n, target in places]


def learned(
    texts: Mapping[str, str],
    redirects: Mapping[str, str] | None = None,
    *,
    known: Sequence[bool] | None = None,
    topics: TopicTables | None = None,
) -> Wiki:
    """A wiki of these pages with what the links of the known ones teach (all, by default)."""
    pages = [page_of(text, title) for title, text in texts.items()]
    mask = None if known is None else np.array(known, dtype=bool)
    knowledge, parts = learn_knowledge(pages, redirects or {}, known=mask, topics=topics)
    return Wiki(pages, knowledge, parts)


_KINDS = {
    "Village": ("lake", "church", "farmer", "harvest", "meadow", "bridge", "well"),
    "Engine": ("wheel", "piston", "steam", "boiler", "gear", "valve", "axle"),
    "Singer": ("song", "choir", "stage", "record", "voice", "tune", "tour"),
}


def towns(size: int = 60, seed: int = 0, linked: float = 0.6) -> dict[str, str]:
    """Pages of three kinds that mention pages of their own kind; a share of the mentions is linked."""
    rng = random.Random(seed)
    names = [f"{kind} {_name(n)}" for n in range(size) for kind in (list(_KINDS)[n % 3],)]
    return {name: _text(name, names, rng, linked) for name in names}


def _name(number: int) -> str:
    """A made-up word that is no form of another one."""
    starts, ends = ("Bal", "Cor", "Dur", "Fen", "Gil", "Hox", "Jum", "Kep", "Lor", "Mav"), (
        "dan", "mik", "sot", "rup", "vel", "zek", "gor", "lin", "pax", "tub",
    )  # fmt: skip
    return starts[number % 10] + ends[number // 10 % 10]


def _text(name: str, names: list[str], rng: random.Random, linked: float) -> str:
    kind = name.split()[0]
    alike = [other for other in names if other.startswith(kind) and other != name]
    strange = [other for other in names if not other.startswith(kind)]
    said = [f"'''{name}''' has a {rng.choice(_KINDS[kind])} and a {rng.choice(_KINDS[kind])}."]
    for other in rng.sample(alike, min(5, len(alike))):
        said.append(
            f"The {rng.choice(_KINDS[kind])} of {_mention(other, rng, linked)} is known for its "
            f"{rng.choice(_KINDS[kind])}, which is {rng.choice(('old', 'new', 'small', 'great'))}."
        )
    if strange:
        said.append(f"Nobody there heard of {_mention(rng.choice(strange), rng, linked / 5)} yet.")
    items = "\n".join(f"* {_mention(other, rng, linked)}" for other in rng.sample(alike, 2))
    return f"{{{{Box|kind={kind}}}}}\n{' '.join(said)}\n\n== Others ==\n{items}\n\n[[Category:{kind}s]]"


def _mention(title: str, rng: random.Random, linked: float) -> str:
    return f"[[{title}]]" if rng.random() < linked else title


DIMENSIONS = 16


def made_topics(texts: Mapping[str, str], seed: int = 0) -> TopicTables:
    """Tables as CRTM would leave them: one topic for each kind of page, vectors near its own axis."""
    rng = np.random.default_rng(seed)
    pages = [page_of(text, title) for title, text in texts.items()]
    spelled = sorted({word.lower() for page in pages for word in words(page)})
    keys = np.array([word_key(word) for word in spelled], dtype=np.uint64)
    topics = rng.uniform(0.01, 0.1, (len(spelled), len(_KINDS)))
    vectors = rng.normal(0, 0.1, (len(spelled), DIMENSIONS))
    for at, word in enumerate(spelled):
        for topic, (kind, own) in enumerate(_KINDS.items()):
            if word in own or word == kind.lower():
                topics[at, topic] += 5
                vectors[at, topic] += 1
    order = np.argsort(keys)
    return TopicTables(
        keys[order],
        (topics / topics.sum(axis=0))[order].astype(np.float32),
        vectors[order].astype(np.float32),
        np.zeros(DIMENSIONS, dtype=np.float32),
    )


def arrays_of(value: object, prefix: str = "") -> dict[str, np.ndarray | object]:
    """Every array and plain value below a dataclass, by its path; matrices in one fixed form."""
    found: dict[str, np.ndarray | object] = {}
    for field in fields(value):
        part, name = getattr(value, field.name), f"{prefix}{field.name}"
        if sparse.issparse(part):
            plain = part.tocoo()
            held = plain.data != 0
            order = np.lexsort((plain.col[held], plain.row[held]))
            found[name] = np.stack([x[held][order] for x in (plain.row, plain.col, plain.data)])
        elif is_dataclass(part):
            found |= arrays_of(part, f"{name}.")
        else:
            found[name] = part
    return found


def assert_same(ours: object, theirs: object, *, but: Sequence[str] = ()) -> None:
    """All arrays and values of two dataclasses are equal, in kind and content."""
    left, right = arrays_of(ours), arrays_of(theirs)
    assert left.keys() == right.keys()
    for name in left.keys() - set(but):
        one, other = left[name], right[name]
        if isinstance(one, np.ndarray):
            assert one.dtype == other.dtype, name
            assert np.array_equal(one, other), name
        else:
            assert one == other, name
