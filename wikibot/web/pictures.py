"""Pictures as numbers: where the marks of a drawing stand. The templates write the SVG."""

from __future__ import annotations

from dataclasses import dataclass

from wikibot.store.review_statistics import Band

SIZE = 300
MARGIN = 40


@dataclass(frozen=True, slots=True)
class Mark:
    """A band of the calibration picture: a dot with its interval, sized by its number."""

    x: float
    y: float
    top: float
    bottom: float
    radius: float
    band: Band


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar with its label; `share` is its length between 0 and 1."""

    label: str
    share: float
    value: float


def at(share: float) -> float:
    """The place of a share on an axis, from the start."""
    return round(MARGIN + share * (SIZE - 2 * MARGIN), 1)


def up(share: float) -> float:
    """The place of a share on the upright axis, which SVG counts downwards."""
    return round(SIZE - at(share), 1)


def calibration(bands: list[Band]) -> list[Mark]:
    """What was accepted against what was expected, one mark for each tenth."""
    most = max((band.decided for band in bands), default=1)
    return [
        Mark(
            at(band.expected),
            up(band.share),
            up(band.interval[1]),
            up(band.interval[0]),
            round(3 + 5 * (band.decided / most) ** 0.5, 1),
            band,
        )
        for band in bands
    ]


def bars(values: dict[str, float]) -> list[Bar]:
    """The values as bars, the longest first."""
    most = max(values.values(), default=0.0) or 1.0
    ordered = sorted(values.items(), key=lambda item: -item[1])
    return [Bar(label, round(value / most, 4), value) for label, value in ordered]
