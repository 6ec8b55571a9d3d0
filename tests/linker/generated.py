"""Small wikis made by chance: every page mentions some of the others, linked or not."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import strategies as st

TITLES = ("Thor", "Loki", "Green Lantern", "Sea", "Red River", "Öl", "Asgard (comics)", "Sea salt")
SHOWN = {"Asgard (comics)": "Asgard"}
FILLERS = ("near", "the old", "a", "with", "and so", "Once", "it flows", "great", "where")


@dataclass(frozen=True)
class Mention:
    """A title that is named on a page, and whether it is linked there."""

    title: str
    is_linked: bool
    is_lower: bool = False

    def text(self, *, is_linked: bool) -> str:
        shown = SHOWN.get(self.title, self.title)
        shown = shown.lower() if self.is_lower else shown
        if not is_linked:
            return shown
        return f"[[{shown}]]" if shown == self.title else f"[[{self.title}|{shown}]]"


Block = tuple[str | Mention, ...]


@dataclass(frozen=True)
class Draft:
    """A page of paragraphs and list items."""

    blocks: tuple[Block, ...] = field(default=())

    def text(self, flipped: frozenset[int] = frozenset()) -> str:
        """The wikitext; mentions with these numbers are linked if they are not, and the reverse."""
        number, blocks = 0, []
        for at, block in enumerate(self.blocks):
            parts = []
            for part in block:
                if isinstance(part, Mention):
                    parts.append(part.text(is_linked=part.is_linked != (number in flipped)))
                    number += 1
                else:
                    parts.append(part)
            blocks.append(("* " if at % 3 == 2 else "") + " ".join(parts) + ".")
        return "\n\n".join(blocks)

    @property
    def mentions(self) -> int:
        return sum(isinstance(part, Mention) for block in self.blocks for part in block)


MENTIONS = st.builds(Mention, st.sampled_from(TITLES), st.booleans(), st.booleans())
BLOCKS = st.lists(st.sampled_from(FILLERS) | MENTIONS, min_size=2, max_size=7).map(tuple)
DRAFTS = st.lists(BLOCKS, min_size=1, max_size=4).map(lambda blocks: Draft(tuple(blocks)))


@st.composite
def wikis(draw: st.DrawFn, least: int = 4) -> dict[str, Draft]:
    """A draft for each of some titles, in some order."""
    count = draw(st.integers(least, len(TITLES)))
    titles = draw(st.permutations(TITLES))[:count]
    return {title: draw(DRAFTS) for title in titles}


def texts_of(wiki: dict[str, Draft]) -> dict[str, str]:
    return {title: draft.text() for title, draft in wiki.items()}
