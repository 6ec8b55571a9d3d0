"""`wikibot train`, `suggest`, `link`, `anchors`, `evaluate` and `audit`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from wikibot.cli.common import db_option, echo_json, json_option, opened_store, progress


def wiki_option(command: Any) -> Any:
    """`--wiki NAME`, where the database holds several."""
    return click.option("--wiki", metavar="NAME", help="The wiki, where there are several.")(
        command
    )


@click.command("train")
@click.option("--topics", type=click.IntRange(min=2), help="Topics of CRTM (default: by size).")
@wiki_option
@db_option
@json_option
def train_command(topics: int | None, wiki: str | None, db: str | None, as_json: bool) -> None:
    """Learn from the links that are there: CRTM's topics, and which mentions are linked.

    Decisions of reviewers count too. The models lie beside the database; the old ones stay in force
    until the new ones are complete.

    \b
    Example:
      wikibot train
    """
    from wikibot.train import train

    with opened_store(db) as store, progress("Learning", 3, quiet=as_json) as advance:
        report = train(store, wiki=wiki, topics=topics, tell=lambda _: advance(1))
        advance(1)
    if as_json:
        echo_json(report.as_json())
        return
    click.echo(
        f"Learned from {report.pages:,} pages, {report.links:,} links and {report.decisions:,} "
        f"decisions in {report.seconds:.1f} s ({report.topics} topics)."
    )
    click.echo(f"Confidence: {report.confidence}")
    click.echo("Next: wikibot suggest")


@click.command("suggest")
@click.option("--page", "pages", multiple=True, metavar="TITLE", help="Only on this page.")
@click.option("--target", "one", multiple=True, metavar="TITLE", help="Only links to this page.")
@click.option(
    "--to", "to", multiple=True, metavar="TITLE", help="Pages that should link to this one."
)
@click.option("--targets", type=click.Path(path_type=Path), help="A file of targets, one a line.")
@click.option("--per-page", type=click.IntRange(min=1), help="Proposals for one page at most.")
@click.option(
    "--min-probability", type=click.FloatRange(0, 1), help="The least probable to propose."
)
@wiki_option
@db_option
@json_option
def suggest_command(
    pages: tuple[str, ...],
    one: tuple[str, ...],
    to: tuple[str, ...],
    targets: Path | None,
    per_page: int | None,
    min_probability: float | None,
    wiki: str | None,
    db: str | None,
    as_json: bool,
) -> None:
    """Propose missing links, with reasons, and put them in the queue.

    Run twice, it proposes nothing new; what reviewers decided does not come back.

    \b
    Example:
      wikibot suggest
      wikibot suggest --page "Thor (Marvel Comics)" --per-page 10
      wikibot suggest --to Uatu
    """
    from wikibot.suggest import Wanted, suggest

    named = (*one, *to, *(_lines(targets) if targets else ()))
    wanted = Wanted(pages, named, per_page, min_probability)
    with opened_store(db) as store, progress("Suggesting", 3, quiet=as_json) as advance:
        report = suggest(store, wiki=wiki, wanted=wanted, tell=lambda _: advance(1))
        advance(1)
    if as_json:
        echo_json(report.as_json())
        return
    click.echo(
        f"{report.new:,} new proposals on {report.pages:,} pages in {report.seconds:.1f} s; "
        f"{report.waiting:,} wait for review."
    )
    for line in report.proposals[:10]:
        click.echo(f"  {line.probability:4.0%}  {line.page}: {line.wikitext}  {line.reasons}")
    click.echo(f"Confidence: {report.confidence}")
    click.echo("Next: wikibot review")


def _lines(path: Path) -> list[str]:
    from wikibot.errors import BadInput

    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"The list of targets {path} cannot be read: {error}") from error
    return [line.strip() for line in text.splitlines() if line.strip()]


@click.command("evaluate")
@click.option("--export", type=click.Path(path_type=Path), help="Evaluate on this export instead.")
@click.option("--plot", type=click.Path(path_type=Path), help="Write the curves to this picture.")
@click.option("--topics", type=click.IntRange(min=2), help="Topics of CRTM (default: by size).")
@wiki_option
@db_option
@json_option
def evaluate_command(
    export: Path | None,
    plot: Path | None,
    topics: int | None,
    wiki: str | None,
    db: str | None,
    as_json: bool,
) -> None:
    """Measure on your own wiki: hide a fifth of the pages' links and find them again.

    Beside the ranker stand title match, TAGME, CRTM alone, and the ranker without CRTM, on the same
    pages in the same run.

    \b
    Example:
      wikibot evaluate --plot figures.png
      wikibot evaluate --export dump.xml.bz2 --json
    """
    from wikibot.evaluate import draw, evaluate

    with progress("Evaluating", 5, quiet=as_json) as advance:
        pages = _pages_to_evaluate(export, wiki, db)
        advance(1)
        evaluation = evaluate(pages, topics=topics, tell=lambda _: advance(1))
        advance(1)
    if plot is not None:
        draw(evaluation, plot)
    if as_json:
        echo_json(evaluation.as_json())
    else:
        _tell_figures(evaluation.as_json())


def _pages_to_evaluate(export: Path | None, wiki: str | None, db: str | None) -> Any:
    if export is not None:
        from wikibot.ranking.source import wiki_of_export

        return wiki_of_export(export)
    from wikibot.train import load_wiki

    with opened_store(db) as store:
        return load_wiki(store, wiki).wiki


def _tell_figures(report: dict[str, Any]) -> None:
    pages = report["pages"]
    click.echo(f"{pages['gold']:,} hidden links on {pages['test']:,} pages; {report['coverage']:.1%} among the candidates.")  # fmt: skip
    click.echo(f"{'':14}{'AP':>7}{'95 % interval':>17}{'P / R at 0.5':>15}{'R at P .90':>12}{'exact':>8}{'ECE':>7}")  # fmt: skip
    for name, of in report["systems"].items():
        low, high = of["ap_interval"]
        click.echo(
            f"{name:14}{of['ap']:7.3f}{low:10.3f} -{high:5.3f}"
            f"{of['precision_at_0.5']:9.2f} /{of['recall_at_0.5']:4.2f}"
            f"{of['recall_at_precision']['0.9']:12.2f}{of['exact_precision_at_0.5']:8.2f}"
            f"{of['calibration_error']:7.3f}"
        )
    for group, of in report["average_precision_by_group"].items():
        click.echo(f"{group} ({of['links']} links): AP {of['wikibot']:.3f}, without CRTM {of['without_crtm']:.3f}")  # fmt: skip
