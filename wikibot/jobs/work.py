"""The jobs themselves: what the commands `follow`, `publish`, `collect` and `watch` do, in turns."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta

from wikibot.config import Settings
from wikibot.errors import AccountRefused, BadInput, ConfigError, WikibotError
from wikibot.jobs.scheduler import Planned
from wikibot.live.run import Following
from wikibot.message import in_one, message, said
from wikibot.publish.collect import collect
from wikibot.publish.publisher import Choice, Outcome, Publisher, open_publisher
from wikibot.publish.publishing import DESTINATIONS, publish
from wikibot.publish.settings_page import problems_in_one, refresh
from wikibot.publish.settings_report import is_due, report_settings
from wikibot.publish.watch import watch
from wikibot.site.connect import connect, log_in_if_set
from wikibot.site.reading import WikiReader
from wikibot.store import Store
from wikibot.store.pages import WikiRow, wiki_by_name
from wikibot.store.wiki_settings import KeptSettings

log = logging.getLogger(__name__)
# What became of an edit that is not tried again by itself.
FOR_GOOD = ("nothing", "refused")


def planned_jobs(store: Store, settings: Settings) -> dict[str, Planned]:
    """The jobs that the settings ask for; refuses settings that cannot be used."""
    with store.reading() as session:
        wiki = wiki_by_name(session)
    work = Work(store, wiki, settings)
    places = destinations(settings)
    is_set = bool(wiki.api_url and settings.text("settings_page"))
    wanted: tuple[tuple[str, Callable[[], str], float, bool], ...] = (
        ("follow", work.follow, settings.number("follow_minutes"), bool(wiki.api_url)),
        ("publish", work.publish, settings.number("publish_minutes"), bool(places)),
        ("collect", work.collect, settings.number("collect_minutes"), True),
        ("watch", work.watch, settings.number("watch_minutes"), True),
        ("settings", work.read_settings, settings.number("settings_minutes"), is_set),
    )
    return {
        name: Planned(run, timedelta(minutes=minutes))
        for name, run, minutes, is_possible in wanted
        if is_possible and minutes > 0
    }


def destinations(settings: Settings) -> list[str]:
    """Where the service publishes by itself; refuses a place that there is not."""
    named = [one.strip() for one in settings.text("publish_to").split(",") if one.strip()]
    for one in named:
        if one not in DESTINATIONS:
            raise ConfigError(
                f"jobs.publish_to names {one!r}; it may name {', '.join(DESTINATIONS)}. Nothing was "
                "started."
            )
    return named


class Work:
    """What the jobs share; what is slow to open stays open from run to run."""

    def __init__(self, store: Store, wiki: WikiRow, settings: Settings) -> None:
        self._store, self._wiki, self._settings = store, wiki, settings
        self._following: Following | None = None
        # What this process has told on the wiki of the settings page, and why it could not.
        self._told: dict[tuple[int, bool], str] = {}

    def follow(self) -> str:
        """The queue has caught up with the wiki."""
        if self._following is None:
            self._following = Following(self._store, self._wiki, self._reader(), self._settings)
        found = self._following.catch_up()
        counts = (found.changed, found.new, found.withdrawn, found.waiting)
        return message("job-followed", *counts)

    def _reader(self) -> WikiReader:
        site = connect(url=self._wiki.api_url)
        try:
            log_in_if_set(site)
        except AccountRefused as error:
            log.warning("The wiki is read without an account: %s", error)
        return WikiReader(site, group_size=self._settings.whole("group_size"))

    def read_settings(self) -> str:
        """What the wiki's administrators have set is in force; problems are an error of the job."""
        now = refresh(self._store, self._wiki, self._reader(), self._settings)
        assert now is not None, "the job is planned only where a page is named"
        untold = self._tell_on_the_wiki(now)
        problem = problems_in_one(now)
        if problem:
            raise BadInput(message("settings-not-reported", problem, untold) if untold else problem)
        return message("settings-in-force")

    def _tell_on_the_wiki(self, now: KeptSettings) -> str:
        """The page's talk page tells what is wrong with it; else a sentence says why it does not."""
        state = (now.revision_id, bool(now.problems))
        if state in self._told or not is_due(self._store, self._wiki, now):
            return self._told.get(state, "")
        try:
            report = report_settings(self._publisher())
        except WikibotError as error:
            return said(error)
        untold = (report.stopped or _why(report.outcomes)) if report.exit_code else ""
        if not report.stopped and {one.state for one in report.outcomes} <= {"done", *FOR_GOOD}:
            self._told = {state: untold}
        return untold

    def publish(self) -> str:
        """What may be published is, wherever the settings say; an article gets approved links only."""
        done, problems = 0, list[str]()
        for place in destinations(self._settings):
            report = publish(self._publisher(), place)
            done += sum(one.state == "done" for one in report.outcomes)
            if report.exit_code:
                problems += [report.stopped or _why(report.outcomes)]
        if problems:
            raise WikibotError(in_one(problems))
        return message("job-published", done)

    def collect(self) -> str:
        """The answers on talk pages and the work list are decisions."""
        found = collect(self._publisher())
        taken = sum(not answer.problem for answer in found.answers)
        return message("job-collected", taken, len(found.sections))

    def watch(self) -> str:
        """It is known which of our edits were kept."""
        fates = watch(self._publisher())
        kept = sum(one.fate == "kept" for one in fates)
        return message("job-watched", kept, len(fates))

    def _publisher(self) -> Publisher:
        return open_publisher(self._store, self._settings, Choice())


def _why(outcomes: tuple[Outcome, ...]) -> str:
    said = (one.message for one in reversed(outcomes))
    return next(filter(None, said), message("job-nothing"))
