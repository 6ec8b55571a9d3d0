"""Real pages, where the data are present: the figures that the library promises."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from crtm import Corpus
from crtm.evaluate import evaluate

DATA = Path(os.environ.get("WIKIBOT_DATA", Path(__file__).parents[3] / "shared" / "data"))


@pytest.mark.slow
@pytest.mark.skipif(not (DATA / "en-superheroes.xml.bz2").exists(), reason="no exports here")
def test_crtm_finds_nine_of_ten_anchors_in_lead_sections_and_more_than_rtm(tmp_path):
    path = tmp_path / "lead.jsonl"
    command = [
        sys.executable,
        "-m",
        "wikibot",
        "corpus",
        "--export",
        str(DATA / "en-superheroes.xml.bz2"),
        "--lead",
    ]
    with path.open("wb") as out:
        subprocess.run(command, stdout=out, check=True)
    results = evaluate(Corpus.from_jsonl(path), ["rtm", "crtm"], 2)
    first = {name: np.mean([one.p_at_1 for one in figures]) for name, figures in results.items()}
    assert first["crtm"] >= 0.90 and first["crtm"] > first["rtm"]
    assert np.mean([one.p_at_5 for one in results["crtm"]]) >= 0.97
