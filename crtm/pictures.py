"""The ROC picture, like the paper's figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from crtm.evaluate import GRID, Figures

STYLES = {"crtm": ("tab:blue", "-"), "rtm": ("tab:red", "--")}


def draw_roc(path: str | Path, results: Mapping[str, Sequence[Figures]], title: str) -> None:
    """Write the mean ROC curve of each model over its seeds."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(5, 4))
    for name, figures in results.items():
        colour, line = STYLES.get(name, (None, ":"))
        curve = np.mean([one.roc for one in figures], axis=0)
        axes.plot(GRID, curve, line, color=colour, label=name)
    axes.set(
        xlabel="False positive ratio",
        ylabel="True positive ratio",
        xlim=(0, 1),
        ylim=(0, 1),
        title=title,
    )
    axes.legend(loc="lower right")
    figure.savefig(path, bbox_inches="tight")
    pyplot.close(figure)
