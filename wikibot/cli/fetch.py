"""`wikibot fetch`, `corpus`, `status` and `doctor`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wikibot.cli.common import (
    db_option,
    echo_json,
    json_option,
    opened_store,
    progress,
    put,
    say,
    say_error,
    say_table,
    wiki_option,
)
from wikibot.i18n import Count, Tenths
from wikibot.message import Message, in_terminal, message, said, word

if TYPE_CHECKING:
    from wikibot.config import Settings
    from wikibot.fetch.report import FetchReport
    from wikibot.store.pages import WikiRow
    from wikibot.store.runs import RunRow
    from wikibot.store.status import Status, WikiStatus


@click.command("fetch")
@click.argument("category", required=False)
@click.option("--export", type=click.Path(path_type=Path), help="Read this XML export instead.")
@click.option("--category", "of_export", help="Of the export, only this category.")
@click.option("--depth", type=click.IntRange(min=0), help="Levels of subcategories.")
@click.option(
    "--targets",
    type=click.Choice(["none", "linked"]),
    help="Also fetch the pages outside the category that its pages link to.",
)
@click.option("--url", help="The wiki: any page's address, or that of its api.php.")
@click.option("--family", help="The wiki's family (default: user-config.py).")
@click.option("--lang", help="The wiki's code in its family (default: user-config.py).")
@click.option("--user", help="Log in as this account: faster, and it may read more.")
@click.option("--processes", type=click.IntRange(min=0), help="Reading processes; 0: one per core.")
@db_option
@json_option
def fetch_command(
    category: str | None, export: Path | None, of_export: str | None, db: str | None, **given: Any
) -> None:
    """Fetch a category from a wiki, or an export's pages, into the database.

    Reading needs no account. If it is run again, it goes on where it stopped and reads only what
    has changed.

    \b
    Example:
      wikibot fetch "Rivers of Wales" --url https://en.wikipedia.org --depth 1
      wikibot fetch --export dump.xml.bz2 --category "Rivers of Europe"
    """
    from wikibot.cli.common import say_overruled
    from wikibot.config import load_settings

    if category and of_export:
        raise click.UsageError(in_terminal(message("cli-category-once")))
    category = category or of_export
    names = ("depth", "targets", "processes")
    settings = load_settings(**{name: given[name] for name in names})
    if export is not None:
        say_overruled("--export", "url", "family", "lang", "user")
        report = _from_export(export, category, settings, db)
    elif category is not None:
        report = _from_wiki(category, settings, db, given)
    else:
        raise click.UsageError(in_terminal(message("cli-name-a-category")))
    if given["as_json"]:
        echo_json(report.as_json())
    else:
        _tell(report)


def _from_export(
    export: Path, category: str | None, settings: Settings, db: str | None
) -> FetchReport:
    from wikibot.fetch.from_export import ExportOptions, fetch_export

    options = ExportOptions(
        export,
        category=category,
        depth=settings.whole("depth"),
        targets=settings.text("targets"),
        processes=settings.whole("processes"),
        never_link_page=settings.text("never_link_page"),
    )
    with progress() as tell, opened_store(db, create=True) as store:
        return fetch_export(store, options, tell=tell)


def _from_wiki(
    category: str, settings: Settings, db: str | None, given: dict[str, Any]
) -> FetchReport:
    from wikibot.fetch.from_wiki import WikiOptions, fetch_wiki
    from wikibot.site.connect import connect
    from wikibot.site.reading import WikiReader

    site = connect(user=given["user"], **_which_wiki(given))
    log_in_politely(site, asked_for=bool(given["user"]))
    reader = WikiReader(site, group_size=settings.whole("group_size"))
    options = WikiOptions(
        category,
        depth=settings.whole("depth"),
        targets=settings.text("targets"),
        processes=settings.whole("processes"),
        never_link_page=settings.text("never_link_page"),
        user=given["user"] or "",
    )
    with progress() as tell, opened_store(db, create=True) as store:
        return fetch_wiki(
            store, reader, options, tell=tell, announce=lambda text: say(text, err=True)
        )


def log_in_politely(site: Any, *, asked_for: bool = False) -> None:
    """Log in where an account is set: wikis grant more requests to those whom they know.

    If that fails, the wiki is read without an account, unless one was ASKED_FOR.
    """
    from wikibot.errors import AccountRefused
    from wikibot.site.connect import log_in, log_in_if_set

    if asked_for:
        log_in(site)
        return
    try:
        log_in_if_set(site)
    except AccountRefused as error:
        say_error(message("two-sentences", said(error), message("cli-read-without-account")))


def _which_wiki(given: dict[str, Any]) -> dict[str, str | None]:
    """How to reach the wiki that the options name: by its family, or by its api.php."""
    from wikibot.cli.common import say_overruled
    from wikibot.publish.accounts import family_of
    from wikibot.site.connect import find_api

    if not given["url"]:
        return {"family": given["family"], "lang": given["lang"]}
    say_overruled("--url", "family", "lang")
    family, lang, is_known = family_of(given["url"])
    return {"family": family, "lang": lang} if is_known else {"url": find_api(given["url"])}


def _tell(report: FetchReport) -> None:
    held = (report.pages, report.redirects, report.links, report.links_within_set)
    did = (report.read, report.unchanged, len(report.skipped))
    say(message("cli-fetch-holds", report.wiki, *map(Count, held)))
    say(message("cli-fetch-did", *map(Count, did), Tenths(report.seconds)))
    for page in report.skipped[:10]:
        say("  " + in_terminal(message("cli-fetch-skipped", page["title"], page["reason"])))
    say(message("cli-next", "wikibot train"))


@click.command("corpus")
@click.option("--export", type=click.Path(path_type=Path), help="Read this XML export instead.")
@click.option("--lead", is_flag=True, help="Only what stands before the first heading.")
@click.option("--processes", type=click.IntRange(min=0), help="Reading processes; 0: one per core.")
@wiki_option
@db_option
def corpus_command(
    export: Path | None, lead: bool, processes: int | None, wiki: str | None, db: str | None
) -> None:
    """Print articles as JSON lines: title, text, links [start, end, target].

    They come from the database, or with --export from an export.

    \b
    Example:
      wikibot corpus > corpus.jsonl
      wikibot corpus --export dump.xml.bz2 --lead > corpus.jsonl
      python -m crtm evaluate corpus.jsonl
    """
    from wikibot.cli.common import say_overruled
    from wikibot.config import load_settings
    from wikibot.fetch.corpus import corpus_lines, stored_lines

    count = load_settings(processes=processes).whole("processes")
    if export is not None:
        say_overruled("--export", "db", "wiki")
        for line in corpus_lines(export, lead=lead, processes=count):
            put(f"{line}\n")
        return
    with opened_store(db) as store:
        for line in stored_lines(store, wiki, lead=lead, processes=count):
            put(f"{line}\n")


@click.command("status")
@db_option
@json_option
def status_command(db: str | None, as_json: bool) -> None:
    """Show what is in the database and what to do next.

    Pages, links, models, proposals and edits are counted by wiki; the last runs are listed.

    \b
    Example:
      wikibot status
      wikibot status --db other.db --json
    """
    from wikibot.store.status import read_status

    with opened_store(db) as store, store.reading() as session:
        found = read_status(session)
    if as_json:
        echo_json(found.as_json())
    else:
        _show_status(found)


def _show_status(found: Status) -> None:
    for one in found.wikis:
        say(_heading(one.wiki))
        rows = [("", in_terminal(name), value) for name, value in _numbers(one) if value]
        if rows:
            say_table(rows, longest=200)
        say(message("cli-next", _next_step(one)))
    if not found.wikis:
        say(message("cli-no-wiki-yet"))
    if found.runs:
        say(message("cli-last-runs"))
    for run in found.runs:
        state = in_terminal(word("run-state", run.state))
        say(f"  {run.started_at:%Y-%m-%d %H:%M}  {run.command}  {state}{_why(run)}")


def _heading(wiki: WikiRow) -> str:
    if not wiki.fetched_at:
        return f"{wiki.name} ({wiki.language})"
    return message(
        "cli-wiki-fetched", wiki.name, wiki.language, f"{wiki.fetched_at:%Y-%m-%d %H:%M}"
    )


def _numbers(found: WikiStatus) -> Iterator[tuple[str, str]]:
    """What there is of a wiki, in words; an empty text where there is none."""
    has = found.counts
    for name, count in (
        (message("cli-pages"), has.pages),
        (message("cli-redirects"), has.redirects),
        (message("cli-targets"), has.targets),
        (message("cli-disambiguations"), has.disambiguations),
        (message("cli-excluded"), has.excluded),
        (message("cli-unreadable"), has.unreadable),
        (message("cli-categories"), has.categories),
    ):
        yield name, in_terminal(message("cli-count", Count(count))) if count else ""
    links = message("cli-links-within", Count(has.links), Count(has.links_within_set))
    yield message("cli-links"), in_terminal(links) if has.links else ""
    yield message("cli-proposals"), _by_state(found.suggestions, "state")
    yield message("cli-edits"), _by_state(found.outbox, "edit-state")
    learned = found.models[0].created_at[:16].replace("T", " ") if found.models else ""
    yield message("cli-learned"), f"{learned} UTC" if learned else ""


def _by_state(counts: dict[str, int], kind: str) -> str:
    told = (
        message("cli-count-of-state", Count(count), word(kind, state))
        for state, count in counts.items()
    )
    return ", ".join(map(in_terminal, told))


def _next_step(found: WikiStatus) -> Message:
    """What a person does next with this wiki."""
    states = found.suggestions
    unknown = found.outbox.get("sent", 0) + found.outbox.get("unknown", 0)
    if unknown:
        return message("cli-next-look-up", Count(unknown))
    if not found.counts.pages:
        return message("cli-next-fetch")
    if not found.models:
        return message("cli-next-train")
    if not states:
        return message("cli-next-suggest")
    if states.get("pending"):
        return message("cli-next-review", Count(states["pending"]))
    if states.get("approved"):
        return message("cli-next-publish", Count(states["approved"]))
    return message("cli-next-fetch-again")


def _why(run: RunRow) -> str:
    error = (run.result or {}).get("error")
    return f": {error}" if error else ""


@click.command("doctor")
@db_option
@json_option
def doctor_command(db: str | None, as_json: bool) -> None:
    """Check database, schema, components, disk space and configuration; say what to do.

    Ends with code 1 where something is not well. Nothing is changed.

    \b
    Example:
      wikibot doctor
    """
    from wikibot.doctor import examine_all

    found = examine_all(db)
    if as_json:
        echo_json([asdict(finding) for finding in found])
    else:
        for finding in found:
            sign = "✓" if finding.is_well else "✗"
            say(f"{sign} {finding.name}: {finding.said} {finding.advice}".rstrip())
    if not all(finding.is_well for finding in found):
        raise SystemExit(1)
