"""Answers of the wiki with something wrong in them: no traceback, each edit made once.

Straight after the run the database agrees with the wiki, or its row says that it does not know.
"""

from __future__ import annotations

import random

import pytest

from tests.crash.scene import Scene, check_pages
from tests.mediawiki import BOT
from tests.mediawiki.faults import Answer
from tests.mediawiki.fixtures import UsePywikibot
from tests.publish.odd import any_odd_body
from wikibot.errors import WikibotError
from wikibot.publish.publishing import publish

pytestmark = [pytest.mark.crash, pytest.mark.wiki]

SEEDS = range(60)


def publish_in_a_sentence(scene: Scene) -> int:
    """One run; its exit code, and never anything but a sentence of ours."""
    try:
        report = publish(scene.world.publisher(later_tries=2), "page")
        sentence, code = report.stopped, report.exit_code
    except WikibotError as error:
        sentence, code = str(error), error.exit_code
    assert "\n" not in sentence and "Traceback" not in sentence
    return code


def odd_answers(seed: int, chance: random.Random, edits: list[str]) -> object:
    """Some of the answers have something wrong with them: those to the edit, or any others."""
    is_about_edits = seed % 2 == 0
    share = 1.0 if is_about_edits else chance.choice((0.05, 0.2))

    def rewrite(form: dict[str, str], answer: Answer) -> Answer:
        is_edit = form.get("action") == "edit"
        if is_edit:
            edits.append(form["title"])
        is_meant = is_edit if is_about_edits else form.get("action") == "query"
        if not is_meant or chance.random() > share:
            return answer
        return (answer[0], answer[1], any_odd_body(answer[2], chance))

    return rewrite


@pytest.mark.parametrize("seed", SEEDS)
def test_odd_answers_neither_lose_nor_double_an_edit(
    scene: Scene, use_pywikibot: UsePywikibot, seed: int
) -> None:
    chance = random.Random(seed)
    title = f"Odd {seed}"
    scene.add_page(title, chance.randint(1, 3), state="approved")
    use_pywikibot(scene.proxy.api)
    edits: list[str] = []
    scene.proxy.rewrite = odd_answers(seed, chance, edits)  # type: ignore[assignment]
    assert publish_in_a_sentence(scene) in (0, 1, 3, 4)
    assert_agreement(scene, title)
    scene.proxy.reset()
    use_pywikibot(scene.proxy.api)
    for _ in range(2):
        publish_in_a_sentence(scene)
    assert not scene.unsettled()
    check_pages(scene)


def assert_agreement(scene: Scene, title: str) -> None:
    ours = {r["revid"] for r in scene.world.person.history(title) if r["user"] == BOT.name}
    rows = scene.world.edits()
    if any(row.state in ("sent", "unknown") for row in rows):
        return
    assert {row.new_revision for row in rows if row.state == "done"} == ours, rows
