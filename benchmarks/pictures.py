"""Draws the pictures of docs/model-in-pictures.md from the demo wiki; `make pictures` runs it.

Prints what was drawn and the figures behind it as JSON.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from crtm import CRTM, Corpus
from crtm.experiments.evaluate import GRID, VARIANTS, Figures, Fitted, measure
from crtm.experiments.protocol import hide_links
from wikibot.dataset import dataset_of_export
from wikibot.demo import build_export
from wikibot.evaluation import draw, evaluate
from wikibot.fetch.corpus import corpus_lines

BLUE, GREY, GREEN, YELLOW = "#3366cc", "#a2a9b1", "#14866d", "#ac6600"
SOURCE, ANCHOR = "Semiconductor", "transistor"
TOPICS = 24
SEEDS = 3
NAMES = {"crtm": "CRTM", "crtm_paper": "CRTM as in the paper", "rtm": "RTM"}

plt.rcParams.update({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False})


def demo_corpus(export: Path) -> Corpus:
    """The demo wiki's prose and links."""
    return Corpus.from_records([json.loads(line) for line in corpus_lines(export)])


def draw_topics(model: CRTM, path: Path) -> dict[str, Any]:
    """The eight topics that most of the text is about, each with its words."""
    weight = np.asarray(model.fitted_.topics.prior)
    heaviest = np.argsort(-weight)[:8]
    figure, axes = plt.subplots(2, 4, figsize=(8, 3.6))
    told = {}
    for axis, topic in zip(axes.flat, heaviest, strict=True):
        words = model.top_words(int(topic), 7)
        share = [float(model.topic_word_[topic, model.vocabulary_.index[w]]) for w in words]
        axis.barh(words[::-1], share[::-1], color=BLUE)
        axis.set_title(f"{weight[topic]:.1%} of the text", fontsize=9)
        axis.set_xticks([])
        told[f"topic {topic}"] = words
    save(figure, path)
    return told


def draw_attention(model: CRTM, path: Path) -> dict[str, float]:
    """How much each word of a sentence counts for a link at the anchor, the anchor left out."""
    document = model.read(SOURCE)
    words = [model.vocabulary_.words[word] for word in document.words]
    at = words.index(ANCHOR)
    inside = np.flatnonzero(document.sentences == document.sentences[at])
    inside = inside[inside != at]
    vectors = model.fitted_.topics.vectors[document.words[inside]]
    likeness = vectors @ model.fitted_.topics.vectors[document.words[at]]
    weight = np.exp(model.sharpness * (likeness - 1))
    weight /= weight.sum()
    shown = [words[i] for i in inside]
    figure, axis = plt.subplots(figsize=(8, 2.4))
    axis.bar(range(len(shown)), weight, color=GREEN)
    axis.set_xticks(range(len(shown)), shown, rotation=40, ha="right")
    axis.set_ylabel(f"attention of “{ANCHOR}”")
    save(figure, path)
    return dict(zip(shown, (round(float(w), 4) for w in weight), strict=True))


def draw_roc(corpus: Corpus, path: Path) -> dict[str, dict[str, float]]:
    """How soon the right word is found: hidden links, mean over seeds."""
    results = {name: [hidden_links_found(corpus, name, s) for s in range(SEEDS)] for name in NAMES}
    figure, axis = plt.subplots(figsize=(4.2, 3.6))
    told = {}
    for (name, runs), colour in zip(results.items(), (BLUE, YELLOW, GREY), strict=True):
        area = float(np.mean([run.auc for run in runs]))
        curve = np.mean([run.roc for run in runs], axis=0)
        axis.plot(GRID, curve, color=colour, label=f"{NAMES[name]} ({area:.3f})")
        told[name] = {"auc": area, "p_at_1": float(np.mean([run.p_at_1 for run in runs]))}
    axis.plot([0, 1], [0, 1], ":", color=GREY, linewidth=1)
    axis.set_xlabel("share of the wrong words taken")
    axis.set_ylabel("share of the right words found")
    axis.legend(frameon=False, title="area under the curve", loc="lower right")
    save(figure, path)
    return told


def hidden_links_found(corpus: Corpus, name: str, seed: int) -> Figures:
    """What a model makes of one draw of hidden links, with the topics and steps of `wikibot train`."""
    split = hide_links(corpus, seed)
    settings = {**VARIANTS[name], "n_topics": 30, "max_iter": 12, "seed": seed}
    return measure(corpus, split, Fitted(CRTM(**settings).fit(split.training), 0.0, 0.0, 12))


def draw_precision(export: Path, path: Path) -> dict[str, Any]:
    """Precision and recall of the proposals on held-out pages, beside the baselines."""
    evaluation = evaluate(dataset_of_export(export))
    draw(evaluation, path)
    return evaluation.as_json()


def save(figure: Any, path: Path) -> None:
    figure.tight_layout()
    # No date and no version inside, so that equal pictures are equal files.
    figure.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(figure)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("docs/pictures")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        export = build_export(Path(scratch) / "demo.xml")
        corpus = demo_corpus(export)
        model = CRTM(n_topics=TOPICS).fit(corpus)
        told = {
            "topics": draw_topics(model, folder / "topics.png"),
            "attention": draw_attention(model, folder / "attention.png"),
            "roc": draw_roc(corpus, folder / "roc.png"),
            "precision": draw_precision(export, folder / "precision-recall.png"),
        }
    print(json.dumps(told, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
