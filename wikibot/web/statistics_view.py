"""What has been done, whether the probabilities are true, and what the model has learned."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from flask import Blueprint, render_template

from wikibot.errors import ModelError
from wikibot.reading import load_model
from wikibot.store import decisions, queue, review_statistics, runs
from wikibot.store.runs import RunRow
from wikibot.store.suggestions import ModelRow, models_of
from wikibot.web import pictures
from wikibot.web.filters import as_arguments, current_wiki, filters_of
from wikibot.web.i18n import msg
from wikibot.web.labels import error_message, reason_name, system_name
from wikibot.web.progress import achieved
from wikibot.web.review_app import review_app

blueprint = Blueprint("statistics", __name__)

NEWEST = 8
TOPICS = 24
WORDS_OF_TOPIC = 7


@blueprint.get("/statistics")
def show() -> str:
    """Counters, today's work, acceptance by probability, reasons, the models' figures."""
    today = review_statistics.midnight(datetime.now(timezone.utc))
    with review_app().store.reading() as session:
        wiki = current_wiki(session)
        reasons = review_statistics.rejections(session, wiki.id)
        bands = review_statistics.acceptance(session, wiki.id)
        latest = decisions.latest(session, wiki.id, limit=NEWEST)
        return render_template(
            "statistics.html",
            wiki=wiki,
            keep=as_arguments(wiki, filters_of(wiki)),
            counts=queue.count_states(session, wiki.id),
            today=review_statistics.work_since(session, wiki.id, today),
            fate=achieved(session, wiki.id).fate,
            latest=latest,
            standing=decisions.standing(session, [decision.suggestion_id for decision in latest]),
            bands=bands,
            marks=pictures.calibration(bands),
            at=pictures.at,
            up=pictures.up,
            size=pictures.SIZE,
            reasons=pictures.bars({reason_name(name): n for name, n in reasons.items()}),
            evaluated=_evaluated(runs.last_done(session, "evaluate", wiki.id)),
            models=[
                (model, _flat(model.figures)) for model in models_of(session, wiki.id).values()
            ],
        )


@blueprint.get("/topics")
def topics() -> str:
    """What the topic model has found: each topic's words and its share of the wiki."""
    with review_app().store.reading() as session:
        wiki = current_wiki(session)
        model = models_of(session, wiki.id).get("crtm")
    bars, notice = _topics(model)
    return render_template(
        "topics.html",
        wiki=wiki,
        keep=as_arguments(wiki, filters_of(wiki)),
        bars=bars,
        shown=TOPICS,
        notice=notice,
    )


def _topics(facts: ModelRow | None) -> tuple[list[pictures.Bar] | None, str]:
    """The topics, or None while the model is being loaded; and what there is to say."""
    if facts is None:
        return [], msg("no-model-is-trained-yet-run")
    folder = review_app().store.folder
    try:
        return review_app().background.ask(
            ("topics", facts.sha256), lambda: _bars(folder, facts)
        ), ""
    except ModelError as error:
        return [], error_message(error)


def _bars(folder: Path, facts: ModelRow) -> list[pictures.Bar]:
    model = load_model(folder, facts.path, facts.sha256)
    shares = model.doc_topic_.mean(axis=0)
    words = [", ".join(model.top_words(k, WORDS_OF_TOPIC)) for k in range(len(shares))]
    return pictures.bars({f"{k + 1}. {words[k]}": float(shares[k]) for k in range(len(shares))})


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What `wikibot evaluate` found: how well each system finds hidden links again."""

    at: datetime
    hidden: int
    precision: float
    recall: float
    systems: list[pictures.Bar]


def _evaluated(run: RunRow | None) -> Evaluated | None:
    """The figures of the last evaluation; None where there was none, or of another shape."""
    if run is None or run.result is None or run.finished_at is None:
        return None
    try:
        systems = run.result["systems"]
        ours = systems["wikibot"]
        return Evaluated(
            run.finished_at,
            int(run.result["pages"]["gold"]),
            float(ours["precision_at_0.5"]),
            float(ours["recall_at_0.5"]),
            pictures.bars({system_name(name): float(of["ap"]) for name, of in systems.items()}),
        )
    except (KeyError, TypeError, ValueError):
        return None


def _flat(values: dict[str, Any], before: str = "") -> list[tuple[str, str]]:
    """Figures in figures as one list of names and numbers; long lists are left out."""
    found: list[tuple[str, str]] = []
    for name, value in values.items():
        path = f"{before}{name}".replace("_", " ")
        if isinstance(value, dict):
            found += _flat(value, f"{path} / ")
        elif isinstance(value, bool | int | str):
            found.append((path, str(value)))
        elif isinstance(value, float):
            found.append((path, f"{value:.4g}"))
    return found
