"""Real pages, where the data are present: the figures that the library promises."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from crtm import Corpus
from crtm.experiments.evaluate import evaluate

DATA = Path(os.environ.get("WIKIBOT_DATA", Path(__file__).parents[3] / "shared" / "data"))


@pytest.mark.slow
@pytest.mark.no_cover
@pytest.mark.parametrize(
    ("export", "options", "least_first", "least_five"),
    [
        ("en-superheroes", ["--lead"], 0.90, 0.97),
        ("ltg", [], 0.70, 0.95),
    ],
)
def test_crtm_finds_the_anchors_of_real_pages_and_more_than_rtm(
    tmp_path, export, options, least_first, least_five
):
    source, path = DATA / f"{export}.xml.bz2", tmp_path / "corpus.jsonl"
    if not source.exists():
        pytest.skip(f"no {source.name} here")
    with path.open("wb") as out:
        command = [sys.executable, "-m", "wikibot", "corpus", "--export", str(source), *options]
        subprocess.run(command, stdout=out, check=True)
    results = evaluate(Corpus.from_jsonl(path), ["rtm", "crtm"], 1)
    first = {name: np.mean([one.p_at_1 for one in figures]) for name, figures in results.items()}
    assert first["crtm"] >= least_first and first["crtm"] > first["rtm"]
    assert np.mean([one.p_at_5 for one in results["crtm"]]) >= least_five
