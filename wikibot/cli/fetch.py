"""`wikibot fetch`, `corpus`, `status` and `doctor`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from wikibot.cli.common import db_option, echo_json, json_option, opened_store

if TYPE_CHECKING:
    from wikibot.fetch import FetchReport


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
@click.option("--processes", type=click.IntRange(min=0), help="Reading processes; 0: one a core.")
@db_option
@json_option
def fetch_command(
    category: str | None,
    export: Path | None,
    of_export: str | None,
    depth: int | None,
    targets: str | None,
    processes: int | None,
    db: str | None,
    as_json: bool,
) -> None:
    """Fetch a category from a wiki, or an export's pages, into the database.

    Run again it goes on where it was stopped, and reads only what has changed.

    \b
    Example:
      wikibot fetch "Marvel Comics supervillains" --depth 1
      wikibot fetch --export dump.xml.bz2 --category "Rivers of Europe"
    """
    from wikibot.config import load_settings
    from wikibot.fetch import ExportOptions, fetch_export

    if export is None:
        raise click.UsageError("Name a category, or a file with --export.")
    settings = load_settings(depth=depth, targets=targets, processes=processes)
    options = ExportOptions(
        export,
        category=of_export or category,
        depth=settings.whole("depth"),
        targets=settings.text("targets"),
        processes=settings.whole("processes"),
    )
    with opened_store(db, create=True) as store:
        report = fetch_export(store, options)
    if as_json:
        echo_json(report.as_json())
    else:
        _tell(report)


def _tell(report: FetchReport) -> None:
    click.echo(
        f"{report.wiki}: {report.pages} pages, {report.redirects} redirects, "
        f"{report.links} links, {report.links_within_set} of them within the set."
    )
    click.echo(
        f"Read {report.read} pages, {report.unchanged} unchanged, "
        f"{len(report.skipped)} skipped, in {report.seconds:.1f} s."
    )
    for page in report.skipped[:10]:
        click.echo(f"  skipped {page['title']}: {page['reason']}")
    click.echo("Next: wikibot train")


@click.command("corpus")
@click.option(
    "--export", type=click.Path(path_type=Path), required=True, help="The XML export to read."
)
@click.option("--lead", is_flag=True, help="Only what stands before the first heading.")
@click.option("--processes", type=click.IntRange(min=0), help="Reading processes; 0: one a core.")
def corpus_command(export: Path, lead: bool, processes: int | None) -> None:
    """Print an export's articles as JSON lines: title, text, links [start, end, target].

    \b
    Example:
      wikibot corpus --export dump.xml.bz2 --lead > corpus.jsonl
      python -m crtm evaluate corpus.jsonl
    """
    from wikibot.config import load_settings
    from wikibot.fetch.corpus import corpus_lines

    count = load_settings(processes=processes).whole("processes")
    for line in corpus_lines(export, lead=lead, processes=count):
        click.echo(line)
