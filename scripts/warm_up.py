"""Compiles the numeric kernels once, so that the first real run finds them in the cache."""

from __future__ import annotations

import warnings

from crtm import CRTM, Corpus

TEXTS = {
    "Transistor": "A transistor is a device made of silicon. A diode is a device too.",
    "Diode": "A diode is a device made of silicon. A transistor is a device too.",
    "Silicon": "Of silicon a diode is made. Of silicon a transistor is made.",
}
PAPER = {"context": "document", "projection": "identity", "terms": ()}


def main() -> None:
    records = [
        {"title": title, "text": text, "links": _links(title, text)}
        for title, text in TEXTS.items()
    ]
    corpus = Corpus.from_records(records, max_share=1.0)
    warnings.simplefilter("ignore")  # three pages teach nothing; they need not
    for variant in ({}, PAPER):
        model = CRTM(2, max_iter=2, **variant).fit(corpus)
        model.score_tokens(records[0], ["Diode", "Silicon"])


def _links(own: str, text: str) -> list[tuple[int, int, str]]:
    places = {title: text.find(title.lower()) for title in TEXTS if title != own}
    return [(at, at + len(title), title) for title, at in places.items() if at >= 0]


if __name__ == "__main__":
    main()
