"""Figures for Prometheus, in its text format.

The threat: who reads them learns how busy people are. Behind a proxy every request seems to come
from this machine, so that an address proves nothing: only the token counts, and without one that
is set nobody gets in.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from flask import Blueprint, Response, abort, request

from wikibot.store import metrics
from wikibot.store.jobs import JobRow
from wikibot.web.i18n import msg
from wikibot.web.team_app import TeamApp, team_app

blueprint = Blueprint("metrics", __name__)

TEXT_FORMAT = "text/plain; version=0.0.4; charset=utf-8"
Sample = tuple[Mapping[str, str], float]


@blueprint.before_request
def _refuse() -> None:
    """Only who has the token goes on, whatever the method."""
    wanted = team_app().metrics_token
    kind, __, given = request.headers.get("Authorization", "").partition(" ")
    is_right = hmac.compare_digest(given.strip().encode(), wanted.encode())
    if not wanted or kind.lower() != "bearer" or not is_right:
        abort(403, msg("metrics-need-a-token"))


@blueprint.get("/metrics")
def show() -> Response:
    """All figures."""
    return Response("".join(_lines(team_app())), content_type=TEXT_FORMAT)


def _lines(team: TeamApp) -> Iterator[str]:
    with team.store.reading() as session:
        found = metrics.read(session, team.wiki_id)
    counted = team.counts.answers()
    yield from family("wikibot_up", "gauge", "The service answers.", [({}, 1)])
    yield from by_label(
        "wikibot_proposals", "gauge", "Proposals by state.", "state", found.proposals
    )
    yield from by_label(
        "wikibot_edits", "gauge", "Edits in the outbox by state.", "state", found.edits
    )
    yield from by_label(
        "wikibot_decisions_total", "counter", "Decisions by verdict.", "verdict", found.decisions
    )
    yield from family("wikibot_logins", "gauge", "Browsers logged in.", [({}, found.logins)])
    yield from by_label(
        "wikibot_http_requests_total", "counter", "Requests answered.", "status", counted
    )
    yield from family(
        "wikibot_http_request_seconds_total", "counter", "Seconds they took.",
        [({}, team.counts.seconds)],
    )  # fmt: skip
    yield from _job_lines(found.jobs)


def _job_lines(jobs: Iterable[JobRow]) -> Iterator[str]:
    rows = list(jobs)
    figures = (
        ("runs_total", "counter", "Runs of each job.", lambda job: job.runs),
        ("failures_total", "counter", "Runs that failed.", lambda job: job.failures),
        ("running", "gauge", "Is it running?", lambda job: job.state == "running"),
        ("failing", "gauge", "Did the last run fail?", lambda job: job.last_error is not None),
        ("last_duration_seconds", "gauge", "The last run.", lambda job: job.duration_s),
        ("last_end_timestamp_seconds", "gauge", "Its end.", lambda job: _seconds(job.finished_at)),
        ("next_run_timestamp_seconds", "gauge", "The next.", lambda job: _seconds(job.next_run_at)),
    )
    for name, kind, text, figure in figures:
        values = [({"job": job.name}, figure(job)) for job in rows]
        known = [(labels, float(value)) for labels, value in values if value is not None]
        yield from family(f"wikibot_job_{name}", kind, text, known)


def _seconds(moment: datetime | None) -> float | None:
    return None if moment is None else moment.timestamp()


def by_label(
    name: str, kind: str, text: str, label: str, values: Mapping[str, int]
) -> Iterator[str]:
    """A figure with one label."""
    return family(name, kind, text, [({label: key}, value) for key, value in values.items()])


def family(name: str, kind: str, text: str, samples: Iterable[Sample]) -> Iterator[str]:
    """One figure with all its labels, as Prometheus reads it.

    >>> print(*family("a", "gauge", "A.", [({"b": 'say "x"'}, 2)]), sep="", end="")
    # HELP a A.
    # TYPE a gauge
    a{b="say \\\\"x\\\\""} 2
    """
    yield f"# HELP {name} {text}\n# TYPE {name} {kind}\n"
    for labels, value in samples:
        pairs = ",".join(f'{key}="{_escaped(one)}"' for key, one in labels.items())
        yield f"{name}{f'{{{pairs}}}' if pairs else ''} {value:.15g}\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
