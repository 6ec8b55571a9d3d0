"""The commands with which people decide: review, queue, decide, diff."""

from __future__ import annotations

import csv
import json
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wikibot.cli.common import (
    Share,
    db_option,
    echo_json,
    json_option,
    opened_store,
    put,
    say,
    say_error,
    say_table,
    wiki_option,
)
from wikibot.cli.deciding import (
    REASONS,
    VERDICTS,
    Wish,
    carry_out,
    carry_out_all,
    decision_record,
    read_wishes,
    say_decision,
)
from wikibot.i18n import Count
from wikibot.message import in_terminal, message

if TYPE_CHECKING:
    from wikibot.plan import PlannedEdit
    from wikibot.store import Store
    from wikibot.store.decisions import DecisionRecord, Voice
    from wikibot.store.queue import Line
    from wikibot.web.review_app import ReviewApp

SCREENFUL = 20

File = click.Path(dir_okay=False, allow_dash=True)


def reviewer_option(command: Any) -> Any:
    """`--reviewer NAME`, else the setting."""
    return click.option(
        "--reviewer",
        metavar="NAME",
        help="Your user name on the wiki (default: the setting review.reviewer).",
    )(command)


@click.command("review")
@click.option("--terminal", is_flag=True, help="Review here instead of in a browser.")
@click.option("--no-browser", is_flag=True, help="Print the address and do not open a browser.")
@click.option(
    "--port", type=click.IntRange(0, 65535), help="The port to serve on (default: any free one)."
)
@reviewer_option
@wiki_option
@db_option
def review_command(
    terminal: bool,
    no_browser: bool,
    port: int | None,
    reviewer: str | None,
    wiki: str | None,
    db: str | None,
) -> None:
    """Decide about the proposals, one at a time, on a local page or in the terminal.

    \b
    Example:
      wikibot review
      wikibot review --no-browser --port 8127
      wikibot review --terminal
    """
    with opened_store(db) as store:
        if terminal:
            from wikibot.cli.common import say_overruled
            from wikibot.terminal import review_in_terminal

            say_overruled("--terminal", "no_browser", "port")
            review_in_terminal(store, _reviewer(reviewer), wiki=wiki)
        else:
            _serve(store, _reviewer(reviewer), port, wiki, open_browser=not no_browser)


@click.command("queue")
@click.option("--state", default="pending", help="pending, approved, rejected, skipped, ..., any.")
@click.option("--page", default="", help="Part of the page's title.")
@click.option("--target", default="", help="Part of the target's title.")
@click.option("--category", default="", help="A category of the page.")
@click.option("--min-probability", type=Share(), default=0.0, show_default=True)
@click.option("--max-probability", type=Share(), default=1.0, show_default=True)
@click.option("--limit", type=click.IntRange(1), help="How many at most (default: 20 in a table).")
@click.option("--csv", "as_csv", is_flag=True, help="Print a table for spreadsheets.")
@json_option
@wiki_option
@db_option
def queue_command(
    state: str,
    page: str,
    target: str,
    category: str,
    min_probability: float,
    max_probability: float,
    limit: int | None,
    as_csv: bool,
    as_json: bool,
    wiki: str | None,
    db: str | None,
) -> None:
    """List the proposals, the most probable first.

    \b
    Example:
      wikibot queue --min-probability 0.8
      wikibot queue --state approved --json
      wikibot queue --page "Silicon" --csv > silicon.csv
    """
    from itertools import islice

    from wikibot.cli.common import say_overruled
    from wikibot.store import queue
    from wikibot.store.pages import wiki_by_name

    if state not in (*queue.STATES, queue.ANY_STATE):
        known = ", ".join(queue.STATES)
        raise click.BadParameter(in_terminal(message("cli-not-a-state", repr(state), known)))
    with opened_store(db) as store, store.reading() as session:
        found = wiki_by_name(session, wiki)
        filters = queue.Filters(
            found.id, state, page, target, category, min_probability, max_probability
        )
        lines = islice(queue.every_line(session, filters), limit)
        if as_json:
            say_overruled("--json", "as_csv")
            echo_json([_record(line) for line in lines])
        elif as_csv:
            _echo_csv(lines)
        else:
            first = queue.lines(session, filters, limit=limit or SCREENFUL)
            _echo_table(first, queue.count(session, filters))


@click.command("decide")
@click.argument("proposal_id", metavar="[ID]", type=int, required=False)
@click.argument("verdict", metavar="[approve|reject|skip|undo]", required=False)
@click.option("--reason", type=click.Choice(REASONS), help="Why it is rejected.")
@click.option("--note", help="Why, in your own words.")
@click.option("--anchor", metavar="WORDS", help="Approve the link on these words instead.")
@click.option("--target", metavar="TITLE", help="Approve a link to this page instead.")
@click.option("--from", "from_file", type=File, help="Decide all that this file lists.")
@click.option("--export", "export_to", type=File, help="Write all decisions to this file.")
@click.option("--import", "import_from", type=File, help="Take over the decisions of such a file.")
@json_option
@reviewer_option
@wiki_option
@db_option
def decide_command(
    proposal_id: int | None,
    verdict: str | None,
    reason: str | None,
    note: str | None,
    anchor: str | None,
    target: str | None,
    from_file: str | None,
    export_to: str | None,
    import_from: str | None,
    as_json: bool,
    reviewer: str | None,
    wiki: str | None,
    db: str | None,
) -> None:
    """Decide about proposals, or carry decisions from one database to another.

    "undo" takes back the newest decision about a proposal.
    --anchor and --target approve a changed link, which passes the same rules as a proposal.
    --from takes a file with a decision per line, such as "17 approve" or "18 reject other".
    --export and --import take a file of JSON lines. A - stands for standard input and output.

    \b
    Example:
      wikibot decide 17 approve
      wikibot decide 18 reject --reason everyday-word
      wikibot decide 17 undo
      wikibot decide --from decisions.txt
      wikibot decide --export decisions.jsonl
      wikibot decide --import decisions.jsonl --db other.db
    """
    is_by_number = proposal_id is not None or from_file is not None
    with opened_store(db, names_wiki=not is_by_number) as store:
        if export_to is not None:
            _export(store, wiki, export_to)
        elif import_from is not None:
            _import(store, wiki, import_from, as_json=as_json)
        elif from_file is not None:
            _decide_all(store, from_file, voice_of(reviewer), as_json=as_json)
        else:
            wish = _wish(proposal_id, verdict, reason, note)
            if (anchor or target) and verdict != "approve":
                raise click.UsageError(in_terminal(message("cli-only-an-approval")))
            voice = voice_of(reviewer)
            number = _changed(store, wish.proposal_id, anchor, target, voice)
            _decide(store, replace(wish, proposal_id=number), voice, as_json=as_json)


@click.command("diff")
@click.option("--pending", "state", flag_value="pending", help="What waits for a decision.")
@click.option("--approved", "state", flag_value="approved", help="What is approved (default).")
@click.option("--page", metavar="TITLE", help="This page only.")
@click.option("--min-probability", type=Share(), default=0.0, show_default=True)
@click.option(
    "--color/--no-color", default=None, help="Mark the changed words (default: in a terminal)."
)
@click.option(
    "--patch", type=click.Path(dir_okay=False, path_type=Path), help="Write a patch file."
)
@click.option(
    "--html", type=click.Path(dir_okay=False, path_type=Path), help="Write a page, side by side."
)
@click.option(
    "--pages",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write the pages as they are now into this folder, for the patch to be applied to.",
)
@json_option
@wiki_option
@db_option
def diff_command(
    state: str | None,
    page: str | None,
    min_probability: float,
    color: bool | None,
    patch: Path | None,
    html: Path | None,
    pages: Path | None,
    as_json: bool,
    wiki: str | None,
    db: str | None,
) -> None:
    """Show exactly what would be saved; nothing is sent.

    \b
    Example:
      wikibot diff
      wikibot diff --pending --min-probability 0.8 --page "Silicon"
      wikibot diff --patch links.patch --pages wikitext && patch -p1 -d wikitext < links.patch
    """
    from wikibot import diff
    from wikibot.config import load_settings
    from wikibot.store.pages import wiki_by_name

    most = load_settings().whole("links_per_edit")
    with opened_store(db) as store, store.reading() as session:
        found = wiki_by_name(session, wiki)
        edits = list(
            diff.edits(
                session, found, state or "approved", page=page, low=min_probability, most_links=most
            )
        )
    if pages is not None:
        _write_pages(pages, edits)
    if patch is not None:
        patch.write_bytes("".join(map(diff.unified, edits)).encode())
        _say_written(patch, edits)
    if html is not None:
        from wikibot.web.report import diff_page

        html.write_text(diff_page(edits, found), encoding="utf-8")
        _say_written(html, edits)
    if as_json:
        echo_json([_edit_record(edit) for edit in edits])
    elif patch is None and html is None:
        _echo_diffs(edits, color=color)
    _echo_left_out(edits)


def _serve(
    store: Store, reviewer: str, port: int | None, wiki: str | None, *, open_browser: bool
) -> None:
    from wikibot.config import load_settings
    from wikibot.store.pages import wiki_by_name
    from wikibot.web.serve import serve

    if wiki is not None:
        with store.reading() as session:
            wiki = wiki_by_name(session, wiki).name
    settings = load_settings(port=port)
    serve(
        store,
        reviewer,
        port=settings.whole("port"),
        wiki=wiki,
        guideline=settings.text("guideline"),
        ready=lambda review_app: _announce(review_app, open_browser=open_browser),
    )


def _announce(review_app: ReviewApp, *, open_browser: bool) -> None:
    """The address is printed at once, whatever standard output is."""
    say(review_app.address)
    sys.stdout.flush()
    say(message("cli-reviewing-as", review_app.reviewer), err=True)
    if open_browser:
        click.launch(review_app.launch_address)


def _reviewer(given: str | None) -> str:
    from wikibot.config import load_settings
    from wikibot.store.decisions import UNNAMED

    return load_settings(reviewer=given).text("reviewer") or UNNAMED


def voice_of(reviewer: str | None, source: str = "command") -> Voice:
    """Who decides, by the option, the setting or the login name."""
    from wikibot.store.decisions import Voice

    return Voice(_reviewer(reviewer), source)


def _changed(
    store: Store, proposal_id: int, anchor: str | None, target: str | None, voice: Voice
) -> int:
    """The number of the proposal with these words and this target; it passes a proposal's checks."""
    if not anchor and not target:
        return proposal_id
    from wikibot import review
    from wikibot.store import pages, queue

    if anchor:
        review.reword(store, proposal_id, anchor, voice)
    if not target:
        return proposal_id
    with store.reading() as session:
        found = queue.proposal(session, proposal_id)
        page = found and pages.page_by_title(session, found.wiki.id, target)
    return review.retarget(store, proposal_id, page.id if page else 0, voice)


def _wish(
    proposal_id: int | None, verdict: str | None, reason: str | None, note: str | None
) -> Wish:
    if proposal_id is None or verdict not in VERDICTS:
        raise click.UsageError(in_terminal(message("cli-say-which-proposal")))
    if reason and verdict != "reject":
        raise click.UsageError(in_terminal(message("cli-only-a-rejection")))
    return Wish(proposal_id, verdict, reason, note)


def _decide(store: Store, wish: Wish, voice: Voice, *, as_json: bool) -> None:
    said = carry_out(store, wish, voice)
    if as_json:
        echo_json(decision_record(said, wish.verdict))
    else:
        say_decision(said, wish.verdict)


def _decide_all(store: Store, source: str, voice: Voice, *, as_json: bool) -> None:
    """Ends with code 1 where a line was refused; the others hold."""
    with click.open_file(source, encoding="utf-8", errors="replace") as file:
        wishes = read_wishes(file, source)
    outcomes = list(zip(wishes, carry_out_all(store, wishes, voice), strict=True))
    if as_json:
        echo_json([_outcome_record(wish, said) for wish, said in outcomes])
    for wish, said in outcomes:
        if isinstance(said, str):
            say_error(said)
        elif not as_json:
            say_decision(said, wish.verdict)
    refused = sum(isinstance(said, str) for _, said in outcomes)
    say(message("cli-decided-refused", len(outcomes) - refused, refused), err=True)
    if refused:
        raise SystemExit(1)


def _outcome_record(wish: Wish, said: DecisionRecord | str) -> dict[str, object]:
    if isinstance(said, str):
        return {"proposal": wish.proposal_id, "verdict": wish.verdict, "refused": said}
    return decision_record(said, wish.verdict)


def _export(store: Store, wiki: str | None, target: str) -> None:
    from wikibot.store.decision_io import export_decisions
    from wikibot.store.pages import wiki_by_name

    with store.reading() as session, click.open_file(target, "w", encoding="utf-8") as file:
        for record in export_decisions(session, wiki_by_name(session, wiki)):
            file.write(json.dumps(record, ensure_ascii=False) + "\n")


def _import(store: Store, wiki: str | None, source: str, *, as_json: bool) -> None:
    from wikibot.store.decision_io import import_decisions
    from wikibot.store.pages import wiki_by_name

    with click.open_file(source, encoding="utf-8") as file:
        records = list(_records(file, source))
    with store.writing() as session:
        counts = import_decisions(session, wiki_by_name(session, wiki), records)
    if as_json:
        echo_json(dict(counts))
    else:
        told = ", ".join(f"{number} {name}" for name, number in sorted(counts.items()))
        say(message("cli-imported", len(records), told or message("cli-nothing-to-do")))


def _records(lines: Iterable[str], source: str) -> Iterator[dict[str, Any]]:
    from wikibot.errors import BadInput

    for number, line in enumerate(lines, start=1):
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            raise BadInput(message("cli-bad-json-line", source, number, error)) from None
        if not isinstance(record, dict):
            raise BadInput(message("cli-not-a-record", source, number))
        yield record


def _record(line: Line) -> dict[str, Any]:
    from dataclasses import asdict

    from wikibot.web.labels import reasons_in_words

    record = asdict(line) | {"reasons": reasons_in_words(line.reasons)}
    return record | {"created_at": line.created_at.isoformat()}


COLUMNS = ("id", "state", "probability", "page", "anchor", "target", "wikitext", "sentence")


def _echo_csv(lines: Iterable[Line]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(COLUMNS)
    for line in lines:
        writer.writerow([_cell(getattr(line, name)) for name in COLUMNS])


def _cell(value: object) -> object:
    from wikibot.terminal_text import printable

    if not isinstance(value, str):
        return value
    # A cell that starts like a formula would be run as one by a spreadsheet.
    return f"'{printable(value)}" if value[:1] in tuple("=+-@\t\r") else printable(value)


def _echo_table(lines: list[Line], found: int) -> None:
    rows = [
        (
            f"{line.id}",
            f"{line.probability:.2f}",
            line.state,
            f"{line.anchor} → {line.target}",
            line.page,
        )
        for line in lines
    ]
    if rows:
        state, link, page = (
            message("cli-column-state"), message("cli-column-link"), message("cli-column-page")
        )  # fmt: skip
        say_table([("id", "p", *map(in_terminal, (state, link, page))), *rows])
    say(message("cli-shown-of-proposals", len(lines), found))


def _say_written(path: Path, edits: list[PlannedEdit]) -> None:
    links = sum(len(edit.placed) for edit in edits)
    say(message("cli-wrote-links", path, Count(links), Count(len(edits))), err=True)


def _write_pages(folder: Path, edits: list[PlannedEdit]) -> None:
    from wikibot import diff

    folder.mkdir(parents=True, exist_ok=True)
    for edit in edits:
        (folder / diff.file_name(edit.title)).write_bytes(edit.base_text.encode())


def _edit_record(edit: PlannedEdit) -> dict[str, Any]:
    from wikibot import diff

    return {
        "page": edit.title,
        "base_revision": edit.base_revision,
        "proposals": [placed.suggestion_id for placed in edit.placed],
        "left_out": {str(left.suggestion_id): left.reason for left in edit.left_out},
        "sha1": edit.sha1,
        "diff": diff.unified(edit),
    }


def _echo_diffs(edits: list[PlannedEdit], *, color: bool | None) -> None:
    from wikibot import diff

    fits = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    in_colour = fits if color is None else color
    for edit in edits:
        if in_colour:
            click.echo(diff.coloured(edit), nl=False, color=True)
        else:
            put(diff.unified(edit))
    if not edits:
        say(message("cli-nothing-would-change"), err=True)


def _echo_left_out(edits: list[PlannedEdit]) -> None:
    for edit in edits:
        for left in edit.left_out:
            say(message("cli-left-out", edit.title, left.suggestion_id, left.reason), err=True)
