"""Check what a caller passes in; every refusal says what was given and what to write instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from crtm.corpus import Corpus
from crtm.errors import ParameterError
from crtm.terms import TERMS

CHOICES: Mapping[str, tuple[str, ...]] = {
    "context": ("document", "anchor", "uniform", "positional", "attention"),
    "projection": ("identity", "learned", "full"),
    "update": ("contrast", "paper"),
    "vectors": ("pmi", "skipgram"),
}
WHOLE = ("n_topics", "vector_size", "max_iter", "inner_steps", "active_topics", "n_jobs")
POSITIVE = ("alpha", "rho", "sharpness", "sigma")


def check_parameters(parameters: Mapping[str, Any]) -> None:
    """Refuse a parameter with an impossible value."""
    for name, allowed in CHOICES.items():
        if parameters[name] not in allowed:
            raise ParameterError(f"{name}={parameters[name]!r} is not one of {', '.join(allowed)}.")
    for name in (*WHOLE, "seed"):
        if not isinstance(parameters[name], Integral) or isinstance(parameters[name], bool):
            raise ParameterError(f"{name}={parameters[name]!r} must be a whole number.")
    for name in (*WHOLE, *POSITIVE):
        if not isinstance(parameters[name], Real) or not parameters[name] > 0:
            raise ParameterError(f"{name}={parameters[name]!r} must be a number of more than 0.")
    _check_terms(parameters["terms"])


def _check_terms(terms: Any) -> None:
    if isinstance(terms, str):
        raise ParameterError(f'terms={terms!r} is one string; write terms=("{terms}",).')
    unknown = sorted(set(terms) - set(TERMS))
    if unknown:
        raise ParameterError(f"terms has {', '.join(unknown)}; there are only {', '.join(TERMS)}.")


def check_corpus(corpus: Any) -> None:
    """Refuse anything but a corpus with documents."""
    if isinstance(corpus, str | Path):
        raise ParameterError(
            f"fit needs a Corpus, not a path; write fit(Corpus.from_jsonl({str(corpus)!r}))."
        )
    if not isinstance(corpus, Corpus):
        raise ParameterError(
            f"fit needs a Corpus, not {_kind(corpus)}; write fit(Corpus.from_records(...)) for a list of "
            '{"title", "text", "links"}.'
        )
    if not len(corpus):
        raise ParameterError("The corpus has no documents; nothing can be learned.")


def check_batches(
    batch_size: Any, keep_documents: Any, update: str, checkpoint: str | Path | None
) -> None:
    """Refuse sizes that are no whole number of 1 or more, and what mini-batches cannot do."""
    for name, value in (("batch_size", batch_size), ("keep_documents", keep_documents)):
        if value is not None and (not _is_whole(value) or value < 1):
            raise ParameterError(f"{name}={value!r} must be a whole number of 1 or more.")
    if batch_size is None and keep_documents is not None:
        raise ParameterError("keep_documents works with mini-batches; give a batch_size as well.")
    if batch_size is not None and update == "paper":
        raise ParameterError(
            'update="paper" needs all links at once; leave batch_size out, or write update="contrast".'
        )
    if batch_size is not None and checkpoint is not None:
        raise ParameterError("checkpoint works without mini-batches only; leave batch_size out.")


def check_step(step: Any, update: str) -> None:
    """Refuse a step that is not more than 0 and at most 1, and an update that needs all links."""
    if update == "paper":
        raise ParameterError(
            'partial_fit needs update="contrast"; "paper" needs all links at once.'
        )
    if step is not None and (not isinstance(step, Real) or not 0 < float(step) <= 1):
        raise ParameterError(f"step={step!r} must be more than 0 and at most 1.")


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def check_targets(targets: Any) -> None:
    """Refuse one title where a list is meant."""
    if isinstance(targets, str):
        raise ParameterError(f"targets is one string; write [{targets!r}] for one target.")


def check_document(document: Any) -> None:
    """Refuse a corpus or a list where one document is meant."""
    if isinstance(document, Corpus):
        raise ParameterError(
            "transform takes one document, not a Corpus; fit_transform(corpus) gives the topics of all its documents."
        )
    if isinstance(document, Sequence) and not isinstance(document, str):
        raise ParameterError(
            f"transform takes one document, not {_kind(document)}; write [model.transform(one) for one in documents]."
        )


def unknown_document(asked: Any, titles: Sequence[str]) -> ParameterError:
    """Return the error for a document that the model does not know, with the nearest title."""
    if not isinstance(asked, str):
        return ParameterError(
            f"The model has no document {asked!r}; its documents are numbered 0 to {len(titles) - 1}."
        )
    folded = {title.casefold(): title for title in titles}
    near = get_close_matches(asked.casefold(), folded, n=1, cutoff=0.7)
    hint = f' Did you mean "{folded[near[0]]}"?' if near else ""
    return ParameterError(f'The model has no document "{asked}".{hint}')


def _kind(value: Any) -> str:
    return f"a {type(value).__name__}"
