"""Strangers, by what linked pages have in common; and chapters, by what is linked in others of their name."""

from __future__ import annotations

import numpy as np
from wikibot.ranking.candidates import Candidates
from wikibot.ranking.lessons import Study
from wikibot.ranking.strangers import out_of_place, strangers
from wikibot.ranking.surface import chapter_columns

from tests.ranking.small import candidates, studied

ROCKETS = {
    f"Rocket {n}": f"The rocket left the launch pad with fuel for an orbit around [[Pluto (planet)|Pluto]] and moon {n}."
    for n in range(60)
}
OPERAS = {
    f"Opera {n}": f"The choir sang an aria by [[Verdi]] on the stage, in act {n}."
    if n % 3
    else f"Written by [[Verdi]] in the year {n} for a choir."
    for n in range(60)
}
WORLDS = {
    "Pluto (planet)": "A rocket needs much fuel from the launch pad to an orbit around it. See [[Probe]].",
    "Verdi": "He wrote an aria for every choir and stage, and an act for it. See [[Rocket 5]].",
    **ROCKETS,
    **OPERAS,
    "Lander": "A rocket with fuel for an orbit left the launch pad for Pluto.",
    "Orpheus": "The choir sang an aria by Verdi on the stage, in act 9. Pluto listened.",
    "Stub": "Pluto sang.",
    "Probe": "The choir sang an aria on the stage while Pluto listened.",
}


# Two houses of gods, each linked by its own sagas; two new pages of one mention a god of each.
HOUSES = {
    **{f"{house} {n}": f"A god, {n}." for house in ("Aesir", "Vanir") for n in range(7)},
    "Vanir 2": "A god, seen by [[New Aesir]].",
    **{
        f"Saga of {house} {n}": "Here are " + ", ".join(f"[[{house} {g}]]" for g in range(7) if g != n % 9)
        for house in ("Aesir", "Vanir")
        for n in range(20)
    },
    "New Aesir": "Here are " + ", ".join(f"[[Aesir {g}]]" for g in range(6)) + ", also Aesir 6, Vanir 1 and Vanir 2.",
}  # fmt: skip


def strange_pairs(of: Study, rows: Candidates) -> set[tuple[str, str]]:
    is_strange = strangers(of.wiki, of.knowledge, rows)
    titles = of.wiki.titles
    pairs = zip(rows.page[is_strange].tolist(), rows.target[is_strange].tolist(), strict=True)
    return {(titles[page], titles[target]) for page, target in pairs}


def test_pages_less_alike_than_linked_ones_are_strangers_unless_short_or_linked_back() -> None:
    of = studied(WORLDS)
    assert strange_pairs(of, candidates(of)) == {("Orpheus", "Pluto (planet)")}


def test_few_links_do_not_tell_who_is_a_stranger() -> None:
    few = {title: text for title, text in WORLDS.items() if title not in list(ROCKETS)[9:]}
    of = studied(few)
    assert strange_pairs(of, candidates(of)) == set()


def test_no_candidates_have_no_strangers() -> None:
    of = studied(WORLDS)
    rows = candidates(of)
    assert len(strangers(of.wiki, of.knowledge, rows.chosen(np.zeros(len(rows), dtype=bool)))) == 0


def test_a_target_far_off_in_the_net_of_links_is_out_of_place_unless_it_links_back() -> None:
    of = studied(HOUSES)
    rows = candidates(of)
    found = out_of_place(of.wiki, of.knowledge, rows)
    titles = of.wiki.titles
    pairs = {(titles[p], titles[t]) for p, t in zip(rows.page[found], rows.target[found], strict=True)}  # fmt: skip
    assert pairs == {("New Aesir", "Vanir 1")}


def test_few_links_do_not_tell_who_is_out_of_place() -> None:
    few = {title: text for title, text in HOUSES.items() if not title.startswith("Saga")}
    of = studied(few)
    rows = candidates(of)
    assert len(rows) and not out_of_place(of.wiki, of.knowledge, rows).any()


def test_a_chapter_is_known_by_what_is_linked_in_those_of_its_name_on_other_pages() -> None:
    said = "== History ==\nThey met [[Thor]].\n=== Later ===\nThey met [[Thor]].\n== Plot ==\nThey met Thor.\n"
    of = studied(
        {
            "Thor": "The god Thor.",
            **{f"Saga {n}": said for n in range(9)},
            "New": "== History ==\nHe saw Thor.\n=== Early ===\nHe saw Thor.\n== Plot ==\nHe saw Thor.\n== Own ==\n"
            "He saw [[Thor]].",
        }
    )
    rows = candidates(of, hidden=True)
    rows = rows.chosen(rows.page == of.wiki.size - 1)
    share = chapter_columns(of.wiki, of.knowledge, rows)["chapter_share"]
    history, early, plot, own = share[np.argsort(rows.first)].tolist()
    assert history == early > own == 0 > plot
