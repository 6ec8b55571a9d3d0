"""`wikibot run`, `publish`, `collect`, `watch`, `undo`, `log` and `settle`."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, redirect_stdout
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from wikibot.cli.common import db_option, echo_json, json_option, opened_store, say
from wikibot.message import message

if TYPE_CHECKING:
    from wikibot.publish.publisher import Outcome, Publisher
    from wikibot.publish.publishing import Report
    from wikibot.store import Store

Command = TypeVar("Command", bound=Callable[..., Any])

SIGNS = {"done": "✓", "would": "→", "refused": "✗", "later": "…", "unknown": "?", "nothing": "·"}

COUNTED = ("done", "refused", "later", "unknown")
SEND_HINT = "Add --yes to send them."


def site_options(command: Command) -> Command:
    """`--family`, `--lang` and `--user`, as pywikibot's users know them."""
    for name, text in (
        ("--user", "The account (default: user-config.py)."),
        ("--lang", "The wiki's code in its family (default: user-config.py)."),
        ("--family", "The wiki's family (default: user-config.py)."),
    ):
        command = click.option(name, help=text)(command)
    return command


SiteOptions = dict[str, "str | None"]


@contextmanager
def opened_publisher(
    db: str | None, site: SiteOptions, *, is_dry_run: bool = False
) -> Iterator[Publisher]:
    """The database and the wiki, logged in."""
    with opened_store(db) as store, publisher_for(store, site, is_dry_run=is_dry_run) as publisher:
        yield publisher


@contextmanager
def publisher_for(
    store: Store, site: SiteOptions, *, is_dry_run: bool = False
) -> Iterator[Publisher]:
    """The wiki that an open database is about, logged in."""
    from wikibot.config import load_settings
    from wikibot.publish.publisher import Choice, open_publisher

    yield open_publisher(store, load_settings(), Choice(**site), is_dry_run=is_dry_run)


@click.command("publish")
@click.option(
    "--to",
    "destination",
    type=click.Choice(["user-page", "page", "talk"]),
    required=True,
    help="Proposals to the bot's own list, approved links to their pages, or proposals to talk pages.",
)
@click.option("--yes", is_flag=True, help="Really edit; without it you see what would be done.")
@click.option("--trial", type=click.IntRange(min=1), metavar="N", help="Stop after N edits.")
@click.option("--retry-refused", is_flag=True, help="Try again what the wiki refused before.")
@click.option("--quiet", is_flag=True, help="Say only what needs a person.")
@site_options
@db_option
@json_option
def publish_command(
    destination: str,
    yes: bool,
    trial: int | None,
    retry_refused: bool,
    quiet: bool,
    db: str | None,
    as_json: bool,
    **site: str | None,
) -> int:
    """Send approved links to the wiki, each exactly once, or show what would be sent.

    \b
    Example:
      wikibot publish --to user-page
      wikibot publish --to page
      wikibot publish --to page --trial 5 --yes
    """
    from dataclasses import replace

    from wikibot.publish.publishing import publish

    with opened_publisher(db, site, is_dry_run=not yes) as publisher:
        publisher = replace(publisher, retries_refused=retry_refused)
        tell = say_nothing if as_json or quiet else say_outcome
        report = publish(publisher, destination, trial=trial, tell=tell)
    hint = undo_hint(report) if yes else SEND_HINT
    finish_report(report, as_json=as_json, quiet=quiet, hint=hint)
    return report.exit_code


def undo_hint(report: Report) -> str:
    """How to take back what was done; an edit that was found again belongs to an earlier batch."""
    done = [outcome.batch for outcome in report.outcomes if outcome.state == "done"]
    batches = [batch for batch in dict.fromkeys(done) if batch]
    commands = " and ".join(f"wikibot undo --batch {batch}" for batch in batches)
    return f"Take it back with: {commands}" if commands else ""


def say_nothing(outcome: Outcome) -> None:
    """The report comes later, or only if a person is needed."""


def say_outcome(outcome: Outcome) -> None:
    if outcome.state == "nothing" and not outcome.message:
        return
    text = outcome_text(outcome)
    say(f"{SIGNS[outcome.state]} {text if outcome.title in text else named(outcome, text)}")
    if outcome.state == "would" and outcome.diff:
        say(outcome.diff)


def named(outcome: Outcome, text: str) -> str:
    return f"{outcome.title}: {text}"


def outcome_text(outcome: Outcome) -> str:
    if outcome.state == "done":
        return f"revision {outcome.revision}. {outcome.message}".strip()
    return outcome.message


def finish_report(report: Report, *, as_json: bool, quiet: bool, hint: str = "") -> None:
    """The end of a run: as JSON, or a line of figures; what needs a person goes to standard error.

    `hint` follows the figures if something was done or would be.
    """
    if as_json:
        echo_json(asdict(report))
    elif not quiet:
        say(closing_line(report, hint))
    else:
        for outcome in report.outcomes:
            if needs_a_person(outcome, report):
                say(f"wikibot: {outcome.message}", err=True)
    if report.stopped:
        say(f"wikibot: {report.stopped}", err=True)


def needs_a_person(outcome: Outcome, report: Report) -> bool:
    """Is it told even by a quiet run? A refusal is where nothing else was done."""
    is_failure = outcome.state in ("refused", "later") and report.exit_code != 0
    return is_failure or outcome.is_lost or outcome.state == "unknown"


def closing_line(report: Report, hint: str) -> str:
    states = [outcome.state for outcome in report.outcomes]
    if "would" in states:
        count = states.count("would")
        edits = "edit" if count == 1 else "edits"
        return f"{count} {edits} would be made; nothing was sent. {hint}".strip()
    counted = [f"{states.count(s)} {s}" for s in COUNTED if s in states]
    figures = ", ".join(counted) + "." if counted else "Nothing was done."
    return f"{figures} {hint}".strip() if "done" in states else figures


@click.command("run")
@click.argument("category", required=False)
@click.option("--export", type=click.Path(path_type=Path), help="Fetch from this export instead.")
@click.option(
    "--engine",
    type=click.Choice(["processes", "spark"]),
    help="Work in processes of this machine, or on a Spark cluster.",
)
@click.option("--master", metavar="URL", help="The Spark cluster, such as spark://host:7077.")
@click.option("--table", metavar="NAME|PATH", help="With Spark, read this table instead.")
@click.option("--wiki", metavar="ID", help="Of the table, only this wiki, such as simplewiki.")
@click.option("--depth", type=click.IntRange(min=0), help="Levels of subcategories.")
@click.option(
    "--publish",
    "destinations",
    type=click.Choice(["user-page", "page", "talk"]),
    multiple=True,
    help="Also publish there; may be given more than once.",
)
@click.option("--trial", type=click.IntRange(min=1), metavar="N", help="Stop after N edits.")
@click.option("--retrain", is_flag=True, help="Learn again, even if little has changed.")
@click.option("--quiet", is_flag=True, help="Say only what needs a person.")
@site_options
@db_option
@click.pass_context
def run_command(
    ctx: click.Context,
    /,
    category: str | None,
    export: Path | None,
    engine: str | None,
    master: str | None,
    table: str | None,
    wiki: str | None,
    depth: int | None,
    destinations: tuple[str, ...],
    trial: int | None,
    retrain: bool,
    quiet: bool,
    db: str | None,
    **site: str | None,
) -> int:
    """Fetch, train and suggest, and publish if asked: everything a scheduled job does.

    It learns again only when enough pages have changed (the setting suggest.retrain_share). Without a
    category or an export it works on what the database holds. Safe to repeat and to kill; one at a time.

    \b
    Example:
      wikibot run "Rivers of Europe"
      wikibot run "Rivers of Europe" --publish user-page --trial 20 --quiet
      wikibot run --export dump.xml.bz2 --engine spark --master spark://host:7077
      wikibot run --table pages.parquet --lang nds --engine spark --master spark://host:7077
    """
    from wikibot.cli.fetch import fetch_command
    from wikibot.cli.suggest import suggest_command
    from wikibot.store.lock import only_one

    with opened_store(db, create=True) as store, only_one(store, "run"):
        # What people decided goes out first: a page that is fetched anew has to be asked about anew.
        code = publish_decided(store, destinations, trial, quiet, site)
        if code == 0:
            with (
                redirect_stdout(io.StringIO()) if quiet else nullcontext(),
                chosen_engine(store, engine, master),
            ):
                if table:
                    fetch_from_table(store, table, category, wiki, site["lang"])
                elif category or export:
                    ctx.invoke(
                        fetch_command, category=category, export=export, depth=depth, db=db, **site
                    )
                learn(ctx, store, db, retrain=retrain)
                ctx.invoke(suggest_command, db=db)
            code = publish_proposals(store, destinations, trial, quiet, site)
    if not quiet and not destinations:
        say(message("cli-next", "wikibot review"))
    return code


def fetch_from_table(
    store: Store, table: str, category: str | None, wiki: str | None, language: str | None
) -> None:
    """The pages of a table of the cluster are in the database."""
    from wikibot.cli.common import progress
    from wikibot.config import load_settings
    from wikibot.engine import cluster
    from wikibot.errors import BadInput
    from wikibot.fetch.from_export import ExportOptions, fetch_table
    from wikibot.fetch.table import TableReader

    machines = cluster()
    if machines is None:
        raise BadInput("Only Spark reads tables. Nothing was read; add --engine spark.")
    settings = load_settings()
    options = ExportOptions(
        Path(table), category=category, depth=settings.whole("depth"),
        targets=settings.text("targets"), never_link_page=settings.text("never_link_page"),
    )  # fmt: skip
    reader = TableReader(machines, table, wiki=wiki, language=language)
    with progress() as tell:
        report = fetch_table(store, options, reader, tell=tell)
    say(f"{report.wiki}: {report.pages} pages from the table {table}.")


def chosen_engine(
    store: Store, engine: str | None, master: str | None
) -> AbstractContextManager[None]:
    """Where pages are worked on, by the options or the settings."""
    from wikibot.config import load_settings

    settings = load_settings(engine=engine, master=master)
    if settings.text("engine") != "spark":
        return nullcontext()
    from wikibot.engine.spark import spark_engine

    return spark_engine(settings.text("master"), store.folder.absolute())


def publish_decided(
    store: Store, destinations: tuple[str, ...], trial: int | None, quiet: bool, site: SiteOptions
) -> int:
    """Answers are collected and, with `--publish page`, what was approved is on its pages."""
    from wikibot.publish.collect import collect
    from wikibot.publish.publishing import knows_a_wiki

    if not destinations or not knows_a_wiki(store):
        return 0
    with publisher_for(store, site) as publisher:
        if set(destinations) & {"talk", "user-page"}:
            collect(publisher)
        return run_publish(publisher, "page", trial, quiet) if "page" in destinations else 0


def publish_proposals(
    store: Store, destinations: tuple[str, ...], trial: int | None, quiet: bool, site: SiteOptions
) -> int:
    """The new proposals are where people can answer them."""
    for destination in destinations:
        if destination != "page":
            with publisher_for(store, site) as publisher:
                if (code := run_publish(publisher, destination, trial, quiet)) != 0:
                    return code
    return 0


def run_publish(publisher: Publisher, destination: str, trial: int | None, quiet: bool) -> int:
    from wikibot.publish.publishing import publish

    report = publish(
        publisher, destination, trial=trial, tell=say_nothing if quiet else say_outcome
    )
    finish_report(report, as_json=False, quiet=quiet)
    return report.exit_code


def learn(ctx: click.Context, store: Store, db: str | None, *, retrain: bool) -> None:
    """Models are there that were learned from most of the pages as they are, as by `wikibot train`."""
    from wikibot.cli.suggest import train_command
    from wikibot.config import load_settings
    from wikibot.train import learned_when

    share = load_settings().number("retrain_share")
    when = None if retrain else learned_when(store, share=share)
    if when is None:
        ctx.invoke(train_command, db=db)
    else:
        say(message("cli-used-what-was-learned", f"{when:%Y-%m-%d}"))


@click.command("collect")
@site_options
@db_option
@json_option
def collect_command(db: str | None, as_json: bool, **site: str | None) -> None:
    """Read the answers on talk pages and the work list, as decisions of those who gave them.

    \b
    Example:
      wikibot collect
    """
    from wikibot.publish.collect import collect

    with opened_publisher(db, site) as publisher:
        collected = collect(publisher)
    if as_json:
        echo_json(asdict(collected))
        return
    for answer in collected.answers:
        problem = f" (not taken: {answer.problem})" if answer.problem else ""
        say(f"{answer.page} → {answer.target}: {answer.verdict} by {answer.user}{problem}")
    taken = sum(not answer.problem for answer in collected.answers)
    say(f"{taken} answers taken, {len(collected.sections)} sections looked at.")


@click.command("watch")
@click.option("--seen", is_flag=True, help="You have read the reverts; publishing may go on.")
@site_options
@db_option
@json_option
def watch_command(seen: bool, db: str | None, as_json: bool, **site: str | None) -> None:
    """See which of our edits were kept, changed or reverted by others.

    \b
    Example:
      wikibot watch
    """
    from wikibot.publish.watch import mark_seen, watch

    with opened_publisher(db, site) as publisher:
        fates = watch(publisher)
        if seen:
            mark_seen(publisher, fates)
    if as_json:
        echo_json([asdict(fate) for fate in fates])
        return
    for fate in fates:
        if fate.fate != "kept":
            who = f" by {fate.by}" if fate.by else ""
            say(f"{fate.title}: {fate.fate}{who} (gone: {', '.join(fate.gone)})")
    counts = {kind: sum(f.fate == kind for f in fates) for kind in ("kept", "changed", "reverted")}
    say(", ".join(f"{count} {kind}" for kind, count in counts.items()) + ".")


@click.command("undo")
@click.argument("proposal", type=int, required=False, metavar="ID")
@click.option("--batch", help="All links of one run of `wikibot publish`.")
@click.option("--dry-run", is_flag=True, help="Show the edits without making them.")
@site_options
@db_option
@json_option
def undo_command(
    proposal: int | None,
    batch: str | None,
    dry_run: bool,
    db: str | None,
    as_json: bool,
    **site: str | None,
) -> int:
    """Take back a published link, or all links of a batch; later edits of others stay.

    \b
    Example:
      wikibot undo 17
      wikibot undo --batch b1f2e3d4
    """
    from wikibot.publish.undo import undo

    if (proposal is None) == (batch is None):
        raise click.UsageError("Name one proposal, or a batch with --batch.")
    with opened_publisher(db, site, is_dry_run=dry_run) as publisher:
        report = undo(publisher, proposal, batch, tell=say_nothing if as_json else say_outcome)
    finish_report(report, as_json=as_json, quiet=False)
    return report.exit_code


@click.command("log")
@click.option("--batch", help="Only this batch.")
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True)
@db_option
@json_option
def log_command(batch: str | None, limit: int, db: str | None, as_json: bool) -> None:
    """List what was sent to the wiki, newest first, with links to the diffs.

    \b
    Example:
      wikibot log
      wikibot log --batch b1f2e3d4 --json
    """
    from wikibot.publish.log import read_log

    with opened_store(db) as store:
        entries = read_log(store, batch=batch, limit=limit)
    if as_json:
        echo_json([asdict(entry) for entry in entries])
        return
    for entry in entries:
        when = f"{entry.sent_at:%Y-%m-%d %H:%M}" if entry.sent_at else "not sent"
        fate = f", {entry.fate}" if entry.fate else ""
        say(f"{entry.id}  {when}  {entry.batch}  {entry.kind}  {entry.title}")
        say(f"    {entry.state}{fate}: {entry.diff_url or entry.message or ''}")
        for link in entry.links:
            say(f"    {link.proposal}: {link.wikitext} → {link.target} ({link.state})")
    if not entries:
        say("Nothing was sent yet.")


@click.command("settle")
@click.argument("edit", type=click.IntRange(1, 2**63 - 1), metavar="EDIT")
@click.option("--made", "is_made", flag_value="yes", help="The edit was made.")
@click.option("--not-made", "is_made", flag_value="no", help="It was not; it may be tried again.")
@db_option
def settle_command(edit: int, is_made: str | None, db: str | None) -> None:
    """Say whether an edit was made whose outcome is unknown for good.

    The wiki's history says it of every edit, unless an administrator has hidden a revision that
    may be ours. Until somebody says so, the page is left alone. `wikibot log` has the number.

    \b
    Example:
      wikibot settle 12 --made
      wikibot settle 12 --not-made
    """
    from wikibot.publish.reconcile import settle_by_hand

    if is_made is None:
        raise click.UsageError("Say --made or --not-made.")
    with opened_store(db) as store:
        row = settle_by_hand(store, edit, is_made=is_made == "yes")
    then = (
        "counts as made" if is_made == "yes" else "counts as not made; the next run plans it again"
    )
    say(f"The edit of “{row.title}” {then}.")
