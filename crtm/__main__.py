"""``python -m crtm``: the paper's tables on any corpus, and its case study."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from crtm.errors import CRTMError


@click.group()
def cli() -> None:
    """The contextualised relational topic model, on its own."""


@cli.command()
@click.argument("corpus", type=click.Path(dir_okay=False))
@click.option(
    "--task",
    type=click.Choice(["words", "insertion", "orphans"]),
    default="words",
    show_default=True,
    help="Find the anchor's words, the sentence or paragraph, or the pages that should link.",
)
@click.option(
    "--models", default="rtm,crtm", show_default=True, help='Names with commas between, or "all".'
)
@click.option(
    "--seeds", default=10, show_default=True, type=click.IntRange(1), help="How many splits."
)
@click.option(
    "--link-prediction",
    is_flag=True,
    help="Measure the paper's second task too (rtm, crtm, tf-idf).",
)
@click.option(
    "--embeddings",
    is_flag=True,
    help="Add RLE, GELD, TADW and GVNR-t to --link-prediction.",
)
@click.option(
    "--json", "json_file", type=click.Path(dir_okay=False), help="Write the figures here."
)
@click.option(
    "--plot", "plot_file", type=click.Path(dir_okay=False), help="Draw the ROC curves here."
)
def evaluate(
    corpus: str,
    task: str,
    models: str,
    seeds: int,
    link_prediction: bool,
    embeddings: bool,
    json_file: str | None,
    plot_file: str | None,
) -> None:
    """Hide one link of each page and rank the words of the page for its target.

    With --task insertion, rank its sentences and paragraphs instead, with the target's names masked. With --task orphans, hide all
    links to some pages and rank the pages that should link to them.

    Example:  python -m crtm evaluate corpus.jsonl --models rtm,crtm --seeds 2 --json figures.json
    """
    from crtm.corpus import Corpus
    from crtm.experiments.evaluate import evaluate, mean_and_std, summary
    from crtm.experiments.linkprediction import predict_links

    if task != "words":
        _write(_other_task(task, corpus, seeds), json_file)
        return
    names = _chosen(models)
    read = Corpus.from_jsonl(corpus)
    results = evaluate(read, names, seeds, _tell)
    report = summary(read, Path(corpus).name, results, seeds)
    if link_prediction:
        report["link_prediction"] = {
            name: {"auc": mean_and_std(values), "seeds": seeds}
            for name, values in predict_links(read, range(seeds), embeddings=embeddings).items()
        }
    if plot_file:
        from crtm.experiments.pictures import draw_roc

        curves = {name: figures["roc"] for name, figures in report["models"].items()}
        draw_roc(plot_file, {Path(corpus).stem: curves})
    _write(report, json_file)


def _other_task(task: str, corpus: str, seeds: int) -> dict[str, Any]:
    """Return the report of a task other than words."""
    from threadpoolctl import threadpool_limits

    from crtm.corpus import Corpus
    from crtm.experiments.insertion import evaluate_insertion
    from crtm.experiments.orphans import evaluate_orphans

    read = Corpus.from_jsonl(corpus)
    with threadpool_limits(1, user_api="blas"):
        if task == "orphans":
            return evaluate_orphans(read, seeds)
        return evaluate_insertion(read, seeds, _tell_places)


def _tell_places(seed: int, systems: Any) -> None:
    """Print the share of hits at the first place of each system, mention absent."""
    told = [f"{name} {of['mention_absent']['hits_at_1']:.3f}" for name, of in systems.items()]
    click.echo(f"seed {seed}  mention absent: {'  '.join(told)}", err=True)


def _write(report: dict[str, Any], json_file: str | None) -> None:
    """Print a report, and write it to a file if one is named."""
    text = json.dumps(report, indent=2)
    if json_file:
        Path(json_file).write_text(text + "\n", encoding="utf-8")
    click.echo(text)


def _chosen(models: str) -> Sequence[str]:
    from crtm.experiments.evaluate import MODELS

    names = MODELS if models == "all" else tuple(name.strip() for name in models.split(","))
    unknown = [name for name in names if name not in MODELS]
    if unknown:
        raise click.BadParameter(
            f"{', '.join(unknown)}: not among {', '.join(MODELS)}.", param_hint="--models"
        )
    return names


def _tell(name: str, seed: int, figures: Any) -> None:
    told = f"P@1 {figures.p_at_1:.3f}  P@5 {figures.p_at_5:.3f}  span {figures.span_p_at_1:.3f}"
    click.echo(f"{name:20} seed {seed}  {told}  {figures.fit_seconds:.1f} s", err=True)


@cli.command()
@click.argument("corpus", type=click.Path(dir_okay=False))
@click.argument("source")
@click.argument("target")
@click.option("-n", default=5, show_default=True, help="How many anchors.")
def anchors(corpus: str, source: str, target: str, n: int) -> None:
    """Show the best anchors in SOURCE for TARGET, CRTM beside RTM, learned without any link of SOURCE.

    Example:  python -m crtm anchors corpus.jsonl "Semiconductor" "Transistor"
    """
    from crtm.corpus import Corpus
    from crtm.experiments.casestudy import best_anchors

    rows = best_anchors(Corpus.from_jsonl(corpus), source, target, n)
    click.echo(f"{'CRTM':24}RTM")
    for row in rows:
        click.echo(f"{row[0]:24}{row[1]}")


@cli.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--into", type=click.Path(dir_okay=False), help="Replace the section of this document."
)
@click.option(
    "--plot", "plot_file", type=click.Path(dir_okay=False), help="Draw the ROC curves here."
)
def report(files: tuple[str, ...], into: str | None, plot_file: str | None) -> None:
    """Turn figures of ``evaluate`` into the tables of docs/results.md; files of one corpus share a table.

    Example:  python -m crtm report leads.json whole.json --into docs/results.md
    """
    from crtm.experiments.report import by_corpus, curves, markdown, write_into

    reports = by_corpus(files)
    section = markdown(reports)
    if plot_file:
        from crtm.experiments.pictures import draw_roc

        draw_roc(plot_file, curves(reports))
    if into:
        write_into(into, section)
    else:
        click.echo(section, nl=False)


def main() -> None:
    """Run the command line; print an error as one sentence and exit with 1, or with 130 after Ctrl-C."""
    try:
        cli(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C must not cut the way out
        click.echo("Stopped. Nothing was written.", err=True)
        sys.exit(130)
    except CRTMError as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
