"""`wikibot train`, `suggest`, `link`, `anchors`, `evaluate` and `audit`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wikibot.cli.common import (
    PicturePath,
    Share,
    db_option,
    echo_json,
    json_option,
    opened_store,
    progress,
    put,
    say,
    wiki_option,
)
from wikibot.i18n import Count, Tenths
from wikibot.message import message

if TYPE_CHECKING:
    from wikibot.evaluation import Evaluation
    from wikibot.link import LinkedDraft
    from wikibot.steps import Tell


OTHERS_NAMED = 5


@click.command("train")
@click.option("--topics", type=click.IntRange(min=2), help="Topics of CRTM (default: by size).")
@wiki_option
@db_option
@json_option
def train_command(topics: int | None, wiki: str | None, db: str | None, as_json: bool) -> None:
    """Learn from the links that are there: CRTM's topics, and which mentions are linked.

    Decisions of reviewers count too. The models are kept beside the database; the old ones stay in
    use until the new ones are complete.

    \b
    Example:
      wikibot train
    """
    from wikibot.train import acceptance_in_words, train

    with opened_store(db) as store, progress(quiet=as_json) as tell:
        report = train(store, wiki=wiki, topics=topics, tell=tell)
    if as_json:
        echo_json(report.as_json())
        return
    learned = map(Count, (report.pages, report.links, report.decisions))
    say(message("cli-learned-from", *learned, Tenths(report.seconds), report.topics))
    if report.acceptance:
        say(acceptance_in_words(report.acceptance))
    say(message("cli-confidence", report.confidence))
    say(message("cli-next", "wikibot suggest"))


@click.command("suggest")
@click.option("--page", "pages", multiple=True, metavar="TITLE", help="Only on this page.")
@click.option("--target", "one", multiple=True, metavar="TITLE", help="Only links to this page.")
@click.option(
    "--to", "to", multiple=True, metavar="TITLE", help="Pages that should link to this one."
)
@click.option("--targets", type=click.Path(path_type=Path), help="A file of targets, one per line.")
@click.option("--per-page", type=click.IntRange(min=1), help="Proposals for one page at most.")
@click.option("--min-probability", type=Share(), help="The least probable to propose.")
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

    Run twice, it proposes nothing new; what reviewers decided does not come back. A page that you name
    is looked at even if it was edited within suggest.quiet_hours; one that keeps bots away is refused.

    \b
    Example:
      wikibot suggest
      wikibot suggest --page Silicon --per-page 10
      wikibot suggest --to Dopant
    """
    from wikibot.config import load_settings
    from wikibot.fetch import never_page
    from wikibot.publish.settings_page import refresh_by_name
    from wikibot.suggest import Wanted, suggest

    named = (*one, *to, *(_lines(targets) if targets else ()))
    wanted = Wanted(pages, named, per_page, min_probability)
    with opened_store(db) as store, progress(quiet=as_json) as tell:
        settings = load_settings()
        warnings = (
            never_page.refresh(store, settings.text("never_link_page"), wiki),
            refresh_by_name(store, settings, wiki),
        )
        report = suggest(store, wiki=wiki, wanted=wanted, tell=tell)
    for warning in filter(None, warnings):
        say(warning, err=True)
    if as_json:
        echo_json(report.as_json())
        return
    new, searched, waiting = map(Count, (report.new, report.pages, report.waiting))
    say(message("cli-suggested", new, searched, Tenths(report.seconds), waiting))
    for line in report.proposals[:10]:
        say(f"  {line.probability:4.0%}  {line.page}: {line.wikitext}  {line.reasons}")
    say(message("cli-confidence", report.confidence))
    say(message("cli-next", "wikibot review"))


def _lines(path: Path) -> list[str]:
    return [line.strip() for line in read_text(path).splitlines() if line.strip()]


@click.command("evaluate")
@click.option("--export", type=click.Path(path_type=Path), help="Evaluate on this export instead.")
@click.option("--plot", type=PicturePath(), help="Write the curves to this picture.")
@click.option(
    "--in-turn",
    is_flag=True,
    help="Test each fifth of the pages in turn: more certain, but slower.",
)
@click.option("--topics", type=click.IntRange(min=2), help="Topics of CRTM (default: by size).")
@wiki_option
@db_option
@json_option
def evaluate_command(
    export: Path | None,
    plot: Path | None,
    in_turn: bool,
    topics: int | None,
    wiki: str | None,
    db: str | None,
    as_json: bool,
) -> None:
    """Measure on your own wiki: hide a fifth of the pages' links and find them again.

    Title match, TAGME, CRTM alone and the ranker without CRTM are measured on the same pages in the
    same run. On a small wiki a fifth has few links: --in-turn tests all pages, fifth by
    fifth.

    \b
    Example:
      wikibot evaluate --plot figures.png
      wikibot evaluate --export dump.xml.bz2 --json
    """
    from wikibot.evaluation import draw

    how = {"topics": topics, "in_turn": in_turn}
    with progress(quiet=as_json) as tell:
        evaluation = _evaluated(export, wiki, db, how, tell)
    if plot is not None:
        draw(evaluation, plot)
    if as_json:
        echo_json(evaluation.as_json())
    else:
        _tell_figures(evaluation.as_json())


def _evaluated(
    export: Path | None,
    wiki: str | None,
    db: str | None,
    how: dict[str, Any],
    tell: Tell,
) -> Evaluation:
    """The figures of an export, or of the database's wiki, which remembers them for its review page."""
    from wikibot.dataset import dataset_of_export, load_dataset
    from wikibot.evaluation import evaluate
    from wikibot.steps import Step

    tell(Step(message("step-reading-pages")))

    if export is not None:
        return evaluate(dataset_of_export(export), **how, tell=tell)
    from wikibot.store.runs import recorded_run

    with opened_store(db) as store, recorded_run(store, "evaluate", how) as run:
        dataset = load_dataset(store, wiki)
        assert dataset.wiki is not None, "it comes from the database"
        run.belongs_to(dataset.wiki.id)
        found = evaluate(dataset, **how, tell=tell)
        run.result.update(found.as_json())
        return found


def _tell_queue(queue: dict[str, Any]) -> None:
    """What people get, on pages with most of their links and without any."""
    linked = queue["with_85_percent_of_links"]
    say(f"The queue: {queue['proposals_per_page']:.1f} proposals per page without links, {linked['proposals_per_page']:.1f} per page with 85 % of them.")  # fmt: skip
    for rule, of in queue["refused_by"].items():
        say(f"  refused by {rule}: {of['refused']}, of which {of['right']} were right")


def _tell_figures(report: dict[str, Any]) -> None:
    pages, queue = report["pages"], report["systems"]["queue"]
    say(
        f"Of what it shows, {100 * queue['precision_at_0.5']:.0f} of 100 are links that your editors "
        f"made; it finds {100 * queue['recall_at_0.5']:.0f} of 100."
    )
    say(f"{pages['gold']:,} hidden links on {pages['test']:,} pages; {report['coverage']:.1%} among the candidates.")  # fmt: skip
    say(f"{'':14}{'AP':>7}{'95 % interval':>17}{'P / R at 0.5':>15}{'R at P .90':>12}{'exact':>8}{'ECE':>7}")  # fmt: skip
    for name, of in report["systems"].items():
        low, high = of["ap_interval"]
        say(
            f"{name:14}{of['ap']:7.3f}{low:9.3f} - {high:5.3f}"
            f"{of['precision_at_0.5']:8.2f} / {of['recall_at_0.5']:4.2f}"
            f"{of['recall_at_precision']['0.9']:12.2f}{of['exact_precision_at_0.5']:8.2f}"
            f"{of['calibration_error']:7.3f}"
        )
    _tell_queue(report["systems"]["queue"])
    for group, of in report["average_precision_by_group"].items():
        say(f"{group} ({of['links']} links): AP {of['wikibot']:.3f}, without CRTM {of['without_crtm']:.3f}")  # fmt: skip
    gain, (low, high) = report["crtm_gain"]["ap"], report["crtm_gain"]["interval"]
    say(f"CRTM adds {gain:.3f} of AP ({low:.3f} to {high:.3f}).")


@click.command("link")
@click.argument("draft", type=click.Path(path_type=Path))
@click.option("--targets", metavar="A,B,...", default="", help="Only links to these pages.")
@click.option("--diff", "as_diff", is_flag=True, help="Print the change as a diff.")
@click.option("--min-probability", type=Share(), help="The least probable to set.")
@wiki_option
@db_option
@json_option
def link_command(
    draft: Path,
    targets: str,
    as_diff: bool,
    min_probability: float | None,
    wiki: str | None,
    db: str | None,
    as_json: bool,
) -> None:
    """Print a draft with its links set; the file itself is not changed. "-" reads standard input.

    \b
    Example:
      wikibot link draft.wiki > linked.wiki
      wikibot link - > linked.wiki
      wikibot link draft.wiki --targets "Transistor,Diode" --diff
    """
    from wikibot.link import linked_draft

    text = sys.stdin.read() if str(draft) == "-" else read_text(draft)
    named = tuple(part.strip() for part in targets.split(",") if part.strip())
    name = "draft" if str(draft) == "-" else draft.stem
    with opened_store(db) as store:
        linked = linked_draft(
            store, text, name=name, targets=named, wiki=wiki, min_probability=min_probability
        )
    say(_set_links(linked), err=True)
    if as_json:
        links = [{"anchor": a, "target": t, "probability": p} for a, t, p in linked.links]
        echo_json({"text": linked.after, "links": links})
    else:
        put(linked.diff() if as_diff else linked.after)


def _set_links(linked: LinkedDraft) -> str:
    count, likely = len(linked.links), len(linked.links) + len(linked.not_set)
    links = "link" if likely == 1 else "links"
    if count == likely:
        return f"Set {count} {links}."
    others = ", ".join(linked.not_set[:OTHERS_NAMED])
    more = ", ..." if len(linked.not_set) > OTHERS_NAMED else ""
    return f"Set {count} of {likely} {links}; `wikibot why --file` explains the others: {others}{more}."


@click.command("anchors")
@click.argument("source")
@click.argument("target")
@wiki_option
@db_option
@json_option
def anchors_command(
    source: str, target: str, wiki: str | None, db: str | None, as_json: bool
) -> None:
    """Show the five best words in SOURCE for a link to TARGET, by the linker and by CRTM.

    Where no word of SOURCE names TARGET, it shows the sentences after which a few words about it
    would fit. The first such question takes a while, since that is learned from your links.

    \b
    Example:
      wikibot anchors Semiconductor Transistor
    """
    from wikibot.anchors import best_anchors

    with opened_store(db) as store, progress(quiet=as_json) as tell:
        found = best_anchors(store, source, target, wiki=wiki, tell=tell)
    if as_json:
        echo_json(found.as_json())
        return
    say(f"{found.source} -> {found.target}")
    for name, words in found.models.items():
        shown = ", ".join(f"{word} {score:.3g}" for word, score in words) or "no word fits"
        say(f"{name:8}{shown}")
    if found.places:
        say(
            f"No words of {found.source} name {found.target}. A few words about it would fit after:"
        )
    for place in found.places:
        say(f"  {place}")


@click.command("audit")
@click.option("--n", type=click.IntRange(min=1), default=50, help="How many to read (default: 50).")
@click.option("--seed", type=int, default=0, help="Another seed draws others.")
@click.option("--report", type=click.Path(path_type=Path), help="Write the report to this file.")
@click.option("--to", "to", type=click.Path(path_type=Path), help="Only write the draw to a file.")
@click.option(
    "--from", "back", type=click.Path(path_type=Path), help="Count and keep a file's verdicts."
)
@wiki_option
@db_option
@json_option
def audit_command(
    n: int,
    seed: int,
    report: Path | None,
    to: Path | None,
    back: Path | None,
    wiki: str | None,
    db: str | None,
    as_json: bool,
) -> None:
    """Read a random draw of the waiting proposals and learn how precise they are.

    It is read here, or written to a file (`--to`) for others to fill in their verdicts, which `--from`
    then counts. Nothing is decided by it; the next `wikibot train` learns from the verdicts.

    \b
    Example:
      wikibot audit --n 50 --report audit.txt
      wikibot audit --n 150 --to draw.jsonl
      wikibot audit --from draw.jsonl
    """
    from wikibot.audit import as_text, audit, audit_lines, draw, record

    if back is not None:
        found = audit_lines(read_text(back))
    else:
        with opened_store(db) as store:
            drawn = draw(store, n=n, seed=seed, wiki=wiki)
        if to is not None:
            _write_text(to, drawn.as_lines())
            say(f"{len(drawn.proposals)} of {drawn.waiting:,} proposals are in {to}.")
            return
        found = audit(drawn, _ask)
    with opened_store(db, names_wiki=False) as store:
        say(record(store, found), err=True)
    if report is not None:
        _write_text(report, as_text(found) + "\n")
    if as_json:
        echo_json(found.as_json())
    else:
        say(as_text(found))


def _ask(drawn: Any, number: int, total: int) -> str | None:
    """One proposal on the screen, and what the reader says of it."""
    from wikibot.audit import VERDICTS
    from wikibot.linker.explain import sentence

    say(f"\n{number}/{total}  {drawn.page} -> {drawn.target}", err=True)
    say(f"  {drawn.sentence}", err=True)
    say(f"  {drawn.wikitext}   {sentence(drawn.reasons)}", err=True)
    if drawn.target_summary:
        say(f"  {drawn.target}: {drawn.target_summary}", err=True)
    answers = {verdict[0]: verdict for verdict in VERDICTS}
    prompt = "good, small change, bad, or quit"
    said = click.prompt(prompt, type=click.Choice([*answers, "q"]), err=True)
    return answers.get(said)


def read_text(path: Path) -> str:
    """The text of a file; refuses what cannot be read."""
    from wikibot.errors import BadInput

    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read: {error}") from error


def _write_text(path: Path, text: str) -> None:
    from wikibot.errors import BadInput

    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror}.") from error
