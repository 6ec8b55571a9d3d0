"""CRTM, the contextualised relational topic model, with scikit-learn's habits.

Dupuy, Guille, Jacques: Anchor Prediction: A Topic Modeling Approach. Given a source and a target document, it tells which words
of the source should carry a link to the target, from the texts and the links that are there, and nothing else.
"""

from __future__ import annotations

import inspect
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from crtm import estimation, io, linkfunction, scoring, storage, vectors
from crtm.cells import Longs, make_cells, make_contexts
from crtm.corpus import Corpus, Document, Ints, Links, Record, Vocabulary, encode
from crtm.errors import ModelFileError, NotFittedError, ParameterError
from crtm.vectors import Floats

CONTEXTS = ("document", "anchor", "uniform", "positional", "attention")
TRANSFORMS = ("identity", "learned", "full")
UPDATES = ("contrast", "paper")
Source = int | str | Document | Record


@dataclass(frozen=True, slots=True)
class Iteration:
    """What ``on_iteration`` is told after each EM iteration."""

    number: int
    seconds: float
    likelihood: float
    validation: float | None


@dataclass(frozen=True, slots=True)
class RankedSpan:
    """A place in the source that could carry the link: code points ``start`` to ``end``, and its score."""

    start: int
    end: int
    score: float


class CRTM:
    """Topics, and a link function over them, learned from documents with anchored links.

    ``context`` and ``transform`` choose the model of the paper: RTM is (document, identity), CRTM_1 (anchor, learned), CRTM_U
    (uniform, learned), CRTM_P (positional, learned), CRTM_I (attention, identity), CRTM (attention, learned), gRTM (document,
    full). ``terms`` are what the link function knows beside topics; with ``()`` it is the paper's own form.
    """

    def __init__(
        self,
        n_topics: int = 400,
        *,
        context: str = "attention",
        transform: str = "learned",
        terms: Sequence[str] = scoring.TERMS,
        update: str = "contrast",
        alpha: float = 0.1,
        rho: float = 2000.0,
        learning_rate: float = 0.01,
        vectors: str = "pmi",
        vector_size: int = 100,
        sharpness: float = 5.0,
        sigma: float = 3.0,
        temper: float = 0.3,
        max_iter: int = 20,
        inner_steps: int = 5,
        active_topics: int = 64,
        tied: bool = True,
        n_jobs: int = 2,
        seed: int = 0,
    ) -> None:
        self.n_topics = n_topics
        self.context = context
        self.transform_kind = transform
        self.terms = terms
        self.update = update
        self.alpha = alpha
        self.rho = rho
        self.learning_rate = learning_rate
        self.vectors = vectors
        self.vector_size = vector_size
        self.sharpness = sharpness
        self.sigma = sigma
        self.temper = temper
        self.max_iter = max_iter
        self.inner_steps = inner_steps
        self.active_topics = active_topics
        self.tied = tied
        self.n_jobs = n_jobs
        self.seed = seed

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters as they were given."""
        names = [name for name in inspect.signature(CRTM.__init__).parameters if name != "self"]
        return {
            name: self.transform_kind if name == "transform" else getattr(self, name)
            for name in names
        }

    def __repr__(self) -> str:
        return (
            f"CRTM({', '.join(f'{name}={value!r}' for name, value in self.get_params().items())})"
        )

    # -- learning ---------------------------------------------------------------------------------------------------

    def fit(
        self,
        corpus: Corpus,
        validation: Links | None = None,
        on_iteration: Callable[[Iteration], None] | None = None,
    ) -> CRTM:
        """Learn topics, vectors and link function from the corpus and its links.

        ``validation`` links must not be among the corpus's own; the state that ranks their anchors best is kept. Ctrl-C ends
        learning early: the model keeps its last whole iteration and is usable, and KeyboardInterrupt goes on to the caller.
        """
        self._check(corpus)
        self._begin(corpus)
        setting = self._setting(corpus)
        n_words = len(corpus.vocabulary)
        function = linkfunction.initial(self.n_topics, self.transform_kind)
        state = estimation.start(
            setting, n_words, self.n_topics, corpus.titles, self.seed, function
        )
        self._learn(state, setting)
        for number in range(1, self.max_iter + 1):
            begun = time.perf_counter()
            state, likelihood = self._iterate(setting, state)
            self._learn(state, setting)
            told = Iteration(number, time.perf_counter() - begun, likelihood, None)
            self.history_.append(told)
            if on_iteration:
                on_iteration(told)
        return self

    def _check(self, corpus: Corpus) -> None:
        for name, value, allowed in (
            ("context", self.context, CONTEXTS),
            ("transform", self.transform_kind, TRANSFORMS),
            ("update", self.update, UPDATES),
            ("vectors", self.vectors, ("pmi", "skipgram")),
        ):
            if value not in allowed:
                raise ParameterError(f"{name}={value!r} is not one of {', '.join(allowed)}.")
        unknown = set(self.terms) - set(scoring.TERMS)
        if unknown:
            raise ParameterError(
                f"terms has {sorted(unknown)}, which are none of {', '.join(scoring.TERMS)}."
            )
        if not len(corpus):
            raise ParameterError("The corpus has no documents; nothing can be learned.")
        if not len(corpus.links):
            warnings.warn(
                "The corpus has no links inside it: topics are learned as in LDA.", stacklevel=3
            )

    def _begin(self, corpus: Corpus) -> None:
        make = vectors.pmi_vectors if self.vectors == "pmi" else vectors.skipgram_vectors
        attentive = self.context == "attention"
        self.corpus_, self.vocabulary_, self.titles_ = corpus, corpus.vocabulary, corpus.titles
        self.index_, self.corpus_sha256_ = corpus.index, corpus.sha256
        self._vectors = (
            make(corpus, self.vector_size, self.seed)
            if attentive
            else np.zeros((len(corpus.vocabulary), 1), dtype=np.float32)
        )
        self.history_: list[Iteration] = []
        self._own, self._aptness = own_word_weights(corpus), word_aptness(corpus)

    def _setting(self, corpus: Corpus) -> estimation.Setting:
        cells = make_cells(corpus, tied=self.tied)
        contexts = make_contexts(
            corpus, cells, self.context, self._vectors, sharpness=self.sharpness, sigma=self.sigma
        )
        return estimation.Setting(
            cells, contexts, self.alpha, self.inner_steps, self.active_topics, self.n_jobs
        )

    def _iterate(
        self, setting: estimation.Setting, state: estimation.State
    ) -> tuple[estimation.State, float]:
        gamma, context, counts, norms = estimation.e_step(setting, state)
        means = estimation.mean_topics(gamma, self.alpha, setting.lengths)
        function = state.function
        if len(setting.contexts.target):
            sources = means[setting.contexts.source] if setting.contexts.whole else context
            targets = means[setting.contexts.target]
            if self.update == "paper":
                function = linkfunction.paper_update(
                    function, sources, targets, rho=self.rho, rate=self.learning_rate
                )
            else:
                function = linkfunction.contrast_update(
                    function, sources, targets, rate=self.learning_rate
                )
        topic_word = estimation.normalised(counts)
        likelihood = float(
            (np.log(norms) * setting.cells.count).sum() / max(1, setting.cells.count.sum())
        )
        return estimation.State(
            topic_word, gamma, context, function, state.iteration + 1
        ), likelihood

    def _learn(self, state: estimation.State, setting: estimation.Setting) -> None:
        prior = (state.gamma - self.alpha).sum(axis=0) + 1.0
        self.learned_ = scoring.Learned(
            topic_word=state.topic_word,
            gamma=state.gamma,
            mean_topics=estimation.mean_topics(state.gamma, self.alpha, setting.lengths),
            topic_prior=(prior / prior.sum()).astype(np.float32),
            vectors=self._vectors,
            function=state.function,
            own_ptr=self._own[0],
            own_word=self._own[1],
            own_weight=self._own[2],
            aptness=self._aptness,
            weights=np.array([0.2, 1.0, 0.3], dtype=np.float32),
        )

    # -- what was learned -------------------------------------------------------------------------------------------

    @property
    def topic_word_(self) -> Floats:
        """beta (K, V): the words of each topic."""
        return self._known().topic_word.T

    @property
    def doc_topic_(self) -> Floats:
        """theta (D, K): the mean topics of each document."""
        return self._known().mean_topics

    @property
    def eta_(self) -> Floats:
        """The link function's weight of each topic (K)."""
        return self._known().function.eta

    @property
    def nu_(self) -> float:
        """The link function's constant."""
        return self._known().function.nu

    @property
    def n_iter_(self) -> int:
        """How many EM iterations were run."""
        return len(self.history_)

    # -- files ------------------------------------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write the model to a file; a file that was there is replaced in one step."""
        learned = self._known()
        header = {
            "parameters": {**self.get_params(), "terms": list(self.terms)},
            "corpus_sha256": self.corpus_sha256_,
            "vocabulary_sha256": self.vocabulary_.sha256,
            "nu": learned.function.nu,
            "history": storage.history_rows(self.history_),
        }
        arrays = storage.learned_arrays(learned)
        arrays["vocabulary"] = io.strings_to_array(self.vocabulary_.words)
        arrays["titles"] = io.strings_to_array(self.titles_)
        io.write_file(path, "model", header, arrays)

    @classmethod
    def load(cls, path: str | Path, corpus: Corpus | None = None) -> CRTM:
        """Return the model of a file; with its ``corpus`` it also knows its own documents by number and title."""
        header, arrays = io.read_file(path, "model")
        parameters = header["parameters"]
        model = cls(**{**parameters, "terms": tuple(parameters["terms"])})
        model.vocabulary_ = Vocabulary(io.array_to_strings(arrays["vocabulary"]))
        model.titles_ = io.array_to_strings(arrays["titles"])
        model.index_ = {title: number for number, title in enumerate(model.titles_)}
        model.learned_ = storage.learned_from(arrays, header["nu"])
        model.history_ = [Iteration(**row) for row in header["history"]]
        model.corpus_sha256_ = header["corpus_sha256"]
        if corpus is not None and corpus.sha256 != model.corpus_sha256_:
            raise ModelFileError(f"{path} was learned from another corpus; nothing was loaded.")
        model.corpus_ = corpus
        return model

    def _known(self) -> scoring.Learned:
        if not hasattr(self, "learned_"):
            raise NotFittedError("This model has learned nothing yet; call fit or load first.")
        return self.learned_

    def top_words(self, topic: int, n: int = 10) -> list[str]:
        """Return the topic's words that stand out most: probable in it, and more than elsewhere."""
        learned = self._known()
        beta = learned.topic_word[:, topic]
        overall = learned.topic_word @ learned.topic_prior
        salience = beta * np.log(beta / np.maximum(overall, 1e-30))
        return [self.vocabulary_.words[word] for word in np.argsort(-salience, kind="stable")[:n]]

    # -- use --------------------------------------------------------------------------------------------------------

    def read(self, source: Source) -> Document:
        """Return a document as the model sees it: by number or title (of the corpus), record, or plain document."""
        self._known()
        if isinstance(source, Document):
            return source
        if isinstance(source, Mapping):
            return encode(source, self.vocabulary_, self.index_)
        number = self.number(source)
        if self.corpus_ is None:
            raise NotFittedError(
                "A loaded model has no texts; give the document itself, or load with the corpus."
            )
        return self.corpus_[number]

    def number(self, target: int | str) -> int:
        """Return the number of a document of the corpus."""
        if isinstance(target, str):
            if target not in self.index_:
                raise ParameterError(f'The model knows no document "{target}".')
            return self.index_[target]
        return int(target)

    def transform(self, document: Source) -> Floats:
        """Return theta (K) of a document, folded in without learning from it."""
        gamma = scoring.fold_in(self._known(), self.read(document), self._manner())
        return gamma / gamma.sum()

    def score_tokens(
        self, document: Source, targets: Sequence[int | str] | npt.NDArray[Any]
    ) -> Floats:
        """Return (tokens, targets): the higher, the sooner the token carries a link to the target.

        The tokens are those of ``read(document)``, which has their offsets.
        """
        learned, read = self._known(), self.read(document)
        numbers = np.array([self.number(target) for target in targets], dtype=np.int32)
        return scoring.score_tokens(
            learned, read, self._gamma(document, read), numbers, self._manner()
        )

    def rank_words(self, source: Source, target: int | str) -> list[tuple[str, float]]:
        """Return the distinct words of the source with their scores, the best anchor for the target first."""
        read = self.read(source)
        words, scores = scoring.best_of_words(read, self.score_tokens(source, [target]))
        order = np.argsort(-scores[:, 0], kind="stable")
        return [(self.vocabulary_.words[words[i]], float(scores[i, 0])) for i in order]

    def rank_spans(
        self, source: Source, target: int | str, *, longest: int = 5
    ) -> list[RankedSpan]:
        """Return the places that could carry the link, of one to ``longest`` words, the best first."""
        read = self.read(source)
        scores = self.score_tokens(source, [target])[:, 0]
        spans = scoring.best_spans(read, scores, longest=longest)
        return [
            RankedSpan(int(read.starts[a]), int(read.ends[b - 1]), score) for a, b, score in spans
        ]

    def link_score(self, source: Source, targets: Sequence[int | str] | npt.NDArray[Any]) -> Floats:
        """Return (targets): the higher, the sooner the document links to the target anywhere (RTM's link function)."""
        learned = self._known()
        numbers = np.array([self.number(target) for target in targets], dtype=np.int32)
        own = self._gamma(source, self.read(source)) - self.alpha
        own = own / max(float(own.sum()), 1e-30)
        lift = learned.mean_topics[numbers] / learned.topic_prior
        return np.log(lift @ own + scoring.FLOOR)

    def _gamma(self, source: Source, read: Document) -> Floats:
        if isinstance(source, int | str) or (
            self.corpus_ is not None and read.number >= 0 and source is read
        ):
            return self._known().gamma[read.number]
        return scoring.fold_in(self._known(), read, self._manner())

    def _manner(self) -> scoring.Manner:
        return scoring.Manner(
            self.context,
            tuple(self.terms),
            self.alpha,
            self.sharpness,
            self.sigma,
            self.temper,
            self.active_topics,
        )


def own_word_weights(corpus: Corpus) -> tuple[Longs, Ints, Floats]:
    """Return the documents' tf-idf weights as a sparse matrix (ptr, word, weight), rows at length one."""
    cells = make_cells(corpus, tied=True)
    documents = np.bincount(cells.word, minlength=len(corpus.vocabulary))
    weight = (1 + np.log(cells.count)) * np.log(len(corpus) / documents[cells.word])
    owner = np.repeat(np.arange(len(corpus)), np.diff(cells.doc_ptr))
    length = np.sqrt(np.bincount(owner, weights=weight**2, minlength=len(corpus)))
    return cells.doc_ptr, cells.word, (weight / np.maximum(length[owner], 1e-9)).astype(np.float32)


def word_aptness(corpus: Corpus, *, pseudo: float = 20.0) -> Floats:
    """Return log P(link | w) / P(link) for every word, from the corpus's links, shrunk towards zero by pseudo-counts."""
    in_link = np.zeros(len(corpus.words), dtype=bool)
    for first, last in zip(corpus.links.first, corpus.links.last, strict=True):
        in_link[first:last] = True
    seen = np.bincount(corpus.words, minlength=len(corpus.vocabulary))
    linked = np.bincount(corpus.words[in_link], minlength=len(corpus.vocabulary))
    share = max(in_link.mean(), 1e-9) if len(in_link) else 1.0
    return np.log((linked + pseudo * share) / ((seen + pseudo) * share)).astype(np.float32)
