"""The ROC picture, like the paper's figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from crtm.experiments.evaluate import GRID

STYLES = {
    "crtm": ("tab:blue", "-"),
    "crtm_paper": ("tab:cyan", "-"),
    "rtm": ("tab:red", "--"),
    "title": ("tab:green", ":"),
    "tfidf": ("tab:olive", ":"),
    "tagme": ("tab:purple", ":"),
}
Curves = Mapping[str, Sequence[float]]


def load_pyplot() -> Any:
    """Return matplotlib's pyplot, set to draw into files; refuse with a sentence where there is none."""
    try:
        import matplotlib
    except ModuleNotFoundError:
        from crtm.errors import CRTMError

        raise CRTMError(
            "Pictures need matplotlib, which is not installed: pip install 'wikibot-links[plots]'."
        ) from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot


def draw_roc(path: str | Path, panels: Mapping[str, Curves]) -> None:
    """Write the ROC curves, one panel for each corpus, one line for each model."""
    pyplot = load_pyplot()
    figure, axes = pyplot.subplots(
        1, len(panels), figsize=(4 * len(panels), 3.6), sharey=True, squeeze=False
    )
    for panel, (corpus, curves) in zip(axes[0], panels.items(), strict=True):
        for name, curve in curves.items():
            colour, line = STYLES.get(name, (None, ":"))
            panel.plot(GRID, curve, line, color=colour, label=name)
        panel.set(xlabel="false positive rate", xlim=(0, 1), ylim=(0, 1.005), title=corpus)
        if curves:
            panel.legend(loc="lower right", frameon=False)
    axes[0][0].set_ylabel("true positive rate")
    figure.tight_layout()
    # No date and no version inside, so that equal pictures are equal files.
    figure.savefig(path, dpi=100, metadata={"Software": None})
    pyplot.close(figure)
