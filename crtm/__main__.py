"""``python -m crtm evaluate corpus.jsonl``: the paper's tables on any corpus."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from crtm.errors import CRTMError


@click.group()
def cli() -> None:
    """The contextualised relational topic model, on its own."""


@cli.command()
@click.argument("corpus", type=click.Path(dir_okay=False))
@click.option("--models", default="rtm,crtm", show_default=True, help="Names, with commas between.")
@click.option(
    "--seeds", default=10, show_default=True, type=click.IntRange(1), help="How many splits."
)
@click.option(
    "--json", "json_file", type=click.Path(dir_okay=False), help="Write the figures here."
)
def evaluate(corpus: str, models: str, seeds: int, json_file: str | None) -> None:
    """Hide one link of each page and rank the words of the page for its target.

    Example:  python -m crtm evaluate corpus.jsonl --models rtm,crtm --seeds 2 --json figures.json
    """
    from crtm.corpus import Corpus
    from crtm.evaluate import VARIANTS, Figures, evaluate, summary

    names = models.split(",")
    unknown = [name for name in names if name not in VARIANTS]
    if unknown:
        raise click.BadParameter(f"{', '.join(unknown)}: not one of {', '.join(VARIANTS)}.")

    def tell(name: str, seed: int, figures: Figures) -> None:
        click.echo(
            f"{name:12} seed {seed}  P@1 {figures.p_at_1:.3f}  P@5 {figures.p_at_5:.3f}  {figures.fit_seconds:.1f} s",
            err=True,
        )

    read = Corpus.from_jsonl(corpus)
    report = summary(read, corpus, evaluate(read, names, seeds, tell), seeds)
    text = json.dumps(report, indent=2)
    if json_file:
        Path(json_file).write_text(text + "\n", encoding="utf-8")
    click.echo(text)


def main() -> None:
    """Run the command line; what goes wrong is one sentence and exit code 1, Ctrl-C is 130."""
    try:
        cli(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        click.echo("Stopped. Nothing was written.", err=True)
        sys.exit(130)
    except CRTMError as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
