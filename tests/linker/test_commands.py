"""train, suggest, link, anchors and audit on the demo wiki, as a user runs them."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.demo.fixtures import clean_environment, run_line
from wikibot.dataset import load_dataset
from wikibot.store import open_store, queue
from wikibot.store.decisions import Voice, decide
from wikibot.store.pages import wikis
from wikibot.suggest import suggest
from wikibot.train import train

pytestmark = pytest.mark.slow
MOST_LINKS = "with_85_percent_of_links"


def refusal(line: str, folder: Path) -> tuple[int, str]:
    done = subprocess.run(
        ["sh", "-c", line], cwd=folder, env=clean_environment(), capture_output=True, text=True
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr


def database(folder: Path) -> Path:
    return next(folder.glob("*.db"))


def waiting(folder: Path) -> list[queue.Line]:
    with open_store(database(folder)) as store, store.reading() as session:
        wiki = wikis(session)[0]
        return list(queue.every_line(session, queue.Filters(wiki.id)))


def test_running_twice_proposes_nothing_new(demo_folder: Path) -> None:
    before = waiting(demo_folder)
    report = json.loads(
        run_line(f"wikibot suggest --json --db {database(demo_folder)}", demo_folder)
    )
    assert report["new"] == 0
    assert [line.id for line in waiting(demo_folder)] == [line.id for line in before]


def test_what_was_rejected_does_not_come_back(demo_folder: Path) -> None:
    with open_store(database(demo_folder)) as store:
        line = waiting(demo_folder)[0]
        with store.writing() as session:
            decide(session, line.id, "reject", Voice("Ann", "command"))
        assert train(store).decisions == 1
        suggest(store)
        pairs = {(other.page, other.target) for other in waiting(demo_folder)}
    assert (line.page, line.target) not in pairs


def test_every_proposal_fits_its_page_and_has_reasons(demo_folder: Path) -> None:
    with open_store(database(demo_folder)) as store, store.reading() as session:
        for line in waiting(demo_folder):
            found = queue.proposal(session, line.id)
            assert found is not None
            assert found.page.wikitext[line.start : line.end] == line.anchor
            assert line.reasons
            assert 0 < line.probability <= 1


def test_anchors_puts_transistor_first(demo_folder: Path) -> None:
    line = f"wikibot anchors Semiconductor Transistor --json --db {database(demo_folder)}"
    models = json.loads(run_line(line, demo_folder))["models"]
    assert set(models) == {"linker", "crtm"}
    assert models["crtm"][0][0] == "transistor" and len(models["crtm"]) == 5
    words, scores = zip(*models["linker"], strict=True)
    assert words[0].startswith("transistor") and len(words) <= 5
    assert list(scores) == sorted(scores, reverse=True) and 0 < scores[0] <= 1


def test_a_draft_keeps_its_text_but_for_the_links(demo_folder: Path) -> None:
    text = "The amplifier uses a [[diode]] and a light-emitting diode on a printed circuit board.\n"
    (demo_folder / "draft.wiki").write_text(text, encoding="utf-8")
    command = f"wikibot link draft.wiki --min-probability 0.1 --db {database(demo_folder)}"
    linked = run_line(command, demo_folder)
    assert linked.replace("[[", "").replace("]]", "").count("diode") >= 2
    assert (demo_folder / "draft.wiki").read_text(encoding="utf-8") == text


def test_link_reads_standard_input_and_counts_its_links_on_standard_error(
    demo_folder: Path,
) -> None:
    text = "The amplifier uses a light-emitting diode and a transistor."
    line = f"wikibot link - --min-probability 0.1 --db {database(demo_folder)}"
    done = subprocess.run(
        ["sh", "-c", line], input=text, cwd=demo_folder, env=clean_environment(),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    count = done.stdout.count("[[")
    assert count > 0
    assert re.match(rf"Set {count} (of \d+ )?links?[.;]", done.stderr)
    assert re.sub(r"\[\[(?:[^]|]*\|)?([^]]*)\]\]", r"\1", done.stdout).rstrip("\n") == text


def test_an_unknown_title_is_refused_in_one_sentence(demo_folder: Path) -> None:
    code, said = refusal(
        f"wikibot suggest --page Nowhere --db {database(demo_folder)}", demo_folder
    )
    assert code == 1
    assert 'no page "Nowhere"' in said


def test_a_damaged_model_is_refused_and_nothing_is_proposed(demo_folder: Path) -> None:
    folder = database(demo_folder).with_name(database(demo_folder).name + ".models")
    path = next(folder.glob("ranker-*.arrays"))
    path.write_bytes(path.read_bytes()[:-10])
    before = waiting(demo_folder)
    code, said = refusal(f"wikibot suggest --db {database(demo_folder)}", demo_folder)
    assert code == 1
    assert "Run `wikibot train` again" in said
    assert waiting(demo_folder) == before


def test_an_audit_reads_a_draw_and_decides_nothing(demo_folder: Path) -> None:
    before = waiting(demo_folder)
    answers = "g\\n" * 2 + "b\\nq\\n"
    line = f"printf '{answers}' | wikibot audit --n 4 --json --db {database(demo_folder)}"
    report = json.loads(run_line(line, demo_folder))
    assert report["read"] == 3
    assert report["accepted"]["good"] == 2
    assert waiting(demo_folder) == before


def test_evaluate_tells_every_system_in_the_promised_shape(demo_folder: Path) -> None:
    line = f"wikibot evaluate --json --plot curves.png --db {database(demo_folder)}"
    report = json.loads(run_line(line, demo_folder))
    assert report["pages"]["gold"] > 0
    for name in ("wikibot", "without_crtm", "crtm", "title_match", "tagme"):
        figures = report["systems"][name]
        assert 0 <= figures["ap"] <= 1
        assert set(figures["recall_at_precision"]) >= {"0.8", "0.9", "0.95"}
        assert {
            "precision_at_0.5", "recall_at_0.5", "exact_precision_at_0.5", "top3_precision",
            "calibration_error", "seconds_per_page",
        } <= set(figures)  # fmt: skip
    assert report["systems"]["wikibot"]["ap"] > report["systems"]["title_match"]["ap"]
    assert (demo_folder / "curves.png").stat().st_size > 1000
    assert_queue_is_told_like_the_ranker(report["systems"])
    low, high = report["crtm_gain"]["interval"]
    assert low <= report["crtm_gain"]["ap"] <= high


def assert_queue_is_told_like_the_ranker(systems: dict[str, Any]) -> None:
    ours, queue_ = systems["wikibot"], systems["queue"]
    for ranker, people in ((ours, queue_), (ours[MOST_LINKS], queue_[MOST_LINKS])):
        assert set(people) == set(ranker) | {"refused_by", "proposals_per_page"}
        assert people["proposals_per_page"] > 0
        for rule in people["refused_by"].values():
            assert set(rule) == {"refused", "right"} and rule["right"] <= rule["refused"]
    assert queue_["recall_at_0.5"] <= ours["recall_at_0.5"]


def test_evaluating_each_fifth_in_turn_tests_every_page_once(demo_folder: Path) -> None:
    line = f"wikibot evaluate --in-turn --json --db {database(demo_folder)}"
    report = json.loads(run_line(line, demo_folder))
    with open_store(database(demo_folder)) as store:
        pages = load_dataset(store).pages
    assert report["pages"]["test"] == len(pages)
    assert 0 < report["pages"]["gold"] <= sum(len(set(page.links.target)) for page in pages)
    parts = report["average_precision_by_group"]
    lower = parts.pop("small letters")
    assert sum(part["links"] for part in parts.values()) <= report["pages"]["gold"]
    assert 0 < lower["links"] <= report["pages"]["gold"]
    assert report["systems"]["wikibot"]["ap"] > report["systems"]["tagme"]["ap"]
