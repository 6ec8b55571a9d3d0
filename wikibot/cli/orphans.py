"""`wikibot orphans`, `adopt` and `ideas`: pages that nobody links to, and where a link to them would fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from wikibot.cli.common import (
    db_option,
    echo_json,
    json_option,
    opened_store,
    progress,
    say,
    wiki_option,
)
from wikibot.cli.review import reviewer_option, voice_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wikibot.ideas import ShownIdea
    from wikibot.store import Store
    from wikibot.suggest import Shown

SHOWN_ORPHANS = 10
SHOWN_IDEAS = 20
VERDICTS = ("accept", "decline", "undo")
DONE = {"accepted": "Accepted", "declined": "Declined", "pending": "Taken back"}


@click.command("orphans")
@click.option("--category", metavar="C", help="Only pages of this category.")
@wiki_option
@db_option
@json_option
def orphans_command(category: str | None, wiki: str | None, db: str | None, as_json: bool) -> None:
    """Find pages that no other page links to, and where a link to them would fit.

    Where a name of the page occurs, that is a proposal in the queue. Elsewhere it is an idea: a
    sentence after which you could write a few words about the page. Ideas are never published by
    themselves. The first use learns from your links where links fit, which takes a while.

    \b
    Example:
      wikibot orphans
      wikibot orphans --category "Rivers of Europe"
    """
    from wikibot.ideas import orphans

    with opened_store(db) as store, progress(quiet=as_json) as tell:
        report = orphans(store, wiki=wiki, category=category, tell=tell)
    if as_json:
        echo_json(report.as_json())
        return
    if not report.orphans:
        say("Every page is linked from another one. There is nothing to do.")
        return
    say(
        f"{len(report.orphans):,} pages are linked from no other page. For them there are "
        f"{report.new_proposals:,} new proposals and {report.new_ideas:,} new ideas "
        f"({report.seconds:.1f} s)."
    )
    for orphan in report.orphans[:SHOWN_ORPHANS]:
        say(f"\n{orphan.title}")
        _say_found(orphan.proposals, orphan.ideas)
    if len(report.orphans) > SHOWN_ORPHANS:
        say(f"\nand {len(report.orphans) - SHOWN_ORPHANS:,} more pages: `wikibot orphans --json`.")
    say("\nNext: wikibot review (proposals, and ideas under “Ideas”), or wikibot ideas")


@click.command("adopt")
@click.argument("page")
@wiki_option
@db_option
@json_option
def adopt_command(page: str, wiki: str | None, db: str | None, as_json: bool) -> None:
    """Find links on a page and links to it in one step, for a page that is new.

    \b
    Example:
      wikibot adopt Dopant
    """
    from wikibot.ideas import adopt

    with opened_store(db) as store, progress(quiet=as_json) as tell:
        report = adopt(store, page, wiki=wiki, tell=tell)
    if as_json:
        echo_json(report.as_json())
        return
    say(f"Links on {report.title}: {len(report.links_from)}")
    _say_found(report.links_from, ())
    say(f"Links to {report.title}: {len(report.links_to)}")
    _say_found(report.links_to, ())
    say(f"Ideas for more links to {report.title}: {len(report.ideas)}")
    _say_found((), report.ideas)
    say("Next: wikibot review (proposals, and ideas under “Ideas”)")


@click.command("ideas")
@click.argument("number", metavar="[ID]", type=int, required=False)
@click.argument("verdict", metavar="[accept|decline|undo]", required=False)
@click.option("--note", help="Why, in your own words.")
@click.option("--state", default="pending", help="pending, accepted, declined, written or stale.")
@click.option("--terminal", is_flag=True, help="Decide here, one after the other.")
@click.option("--limit", type=click.IntRange(1), help=f"How many at most (default: {SHOWN_IDEAS}).")
@json_option
@reviewer_option
@wiki_option
@db_option
def ideas_command(
    number: int | None,
    verdict: str | None,
    note: str | None,
    state: str,
    terminal: bool,
    limit: int | None,
    as_json: bool,
    reviewer: str | None,
    wiki: str | None,
    db: str | None,
) -> None:
    """List ideas of `wikibot orphans`, or decide about them: write a few words here, or say no.

    Accepted ideas are a list of what you want to write; nothing is written for you. When a page
    links the target, its idea counts as written. Declined ideas never come back.

    \b
    Example:
      wikibot ideas
      wikibot ideas 17 accept
      wikibot ideas 18 decline --note "too far from the subject"
      wikibot ideas --state accepted
      wikibot ideas --terminal
    """
    from wikibot.store import ideas

    if state not in ideas.STATES:
        raise click.BadParameter(f"{state!r} is not a state: {', '.join(ideas.STATES)}.")
    if number is not None and verdict not in VERDICTS:
        raise click.UsageError(f"Say what becomes of idea {number}: {', '.join(VERDICTS)}.")
    with opened_store(db, names_wiki=number is None) as store:
        if number is not None and verdict is not None:
            _decide(store, number, verdict, reviewer, note, as_json=as_json)
        elif terminal:
            from wikibot.terminal_ideas import decide_in_terminal

            decide_in_terminal(store, voice_of(reviewer, "terminal"), wiki=wiki)
        else:
            _list(store, wiki, state, limit, as_json=as_json)


def _decide(
    store: Store,
    number: int,
    verdict: str,
    reviewer: str | None,
    note: str | None,
    *,
    as_json: bool,
) -> None:
    from wikibot.store import ideas

    voice = voice_of(reviewer, "command")
    with store.writing() as session:
        row = (
            ideas.undo(session, number)
            if verdict == "undo"
            else ideas.decide(session, number, verdict, voice, note=note)
        )
    if as_json:
        echo_json(row._asdict())
    else:
        say(f"{DONE[row.state]}: words about {row.target} on {row.page} (idea {row.id}).")


def _list(store: Store, wiki: str | None, state: str, limit: int | None, *, as_json: bool) -> None:
    from wikibot.store import ideas
    from wikibot.store.pages import wiki_by_name

    with store.reading() as session:
        found = wiki_by_name(session, wiki)
        rows = ideas.ideas(
            session, found.id, states=(state,), limit=limit or (None if as_json else SHOWN_IDEAS)
        )
        counts = ideas.count_states(session, found.id)
    if as_json:
        echo_json([row._asdict() for row in rows])
        return
    for row in rows:
        say(f"{row.id:5}  {row.page}: words about {row.target}")
        say(f"       after: {row.sentence}")
    told = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
    say(f"Ideas: {told or 'none yet; `wikibot orphans` looks for them'}.")


def _say_found(proposals: Sequence[Shown], found: Sequence[ShownIdea]) -> None:
    for one in proposals:
        say(f"  {one.probability:4.0%}  {one.page}: {one.wikitext}  {one.reasons}")
    for idea in found:
        say(f"  idea {idea.id} on {idea.page}, after: {idea.sentence}")
        say(f"        {idea.reasons}")
