"""CRTM, the contextualised relational topic model, with the interface of a scikit-learn estimator.

Dupuy, Guille, Jacques: Anchor Prediction: A Topic Modeling Approach. Given a source and a target document, it tells which words
of the source should carry a link to the target, from the texts and the links that are there, and nothing else.

    learned attribute  paper     shape     meaning
    topic_word_        beta      (K, V)    rows sum to 1
    doc_topic_         theta     (D, K)    rows sum to 1
    eta_, nu_, q_      eta...    (K), (), (K, K)   the link function over topics
    weights_           -         by name   of the link function's terms
"""

from __future__ import annotations

import inspect
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from crtm import (
    adapt,
    batches,
    checks,
    io,
    linkfunction,
    pipeline,
    scoring,
    spans,
    storage,
    term_weights,
)
from crtm.corpus import Corpus, Document, Ints, Links, Record, Vocabulary, encode, is_stream
from crtm.em import State
from crtm.errors import CorpusError, ModelFileError, NotFittedError, ParameterError
from crtm.insertion import InsertionWeights, Said, learn_insertion
from crtm.learned import LearnedAttributes, RankedPlace, RankedSpan
from crtm.pairs import PairRanker, learn_pairs
from crtm.place_features import PlaceKnowledge
from crtm.place_ranker import PlaceRanker
from crtm.progress import Iteration, Progress
from crtm.sources import SourceRanker
from crtm.span_features import span_facts
from crtm.terms import TERMS
from crtm.vectors import Floats

Source = int | str | Document | Record | scoring.DocumentScorer
Targets = Sequence[int | str] | npt.NDArray[Any]


class CRTM(LearnedAttributes):
    """Topics, and a link function over them, learned from documents with anchored links.

    ``context`` and ``projection`` choose the model of the paper: RTM is (document, identity), CRTM_1 (anchor, learned), CRTM_U
    (uniform, learned), CRTM_P (positional, learned), CRTM_I (attention, identity), CRTM (attention, learned), gRTM (document,
    full).

    - ``n_topics``: the number of topics, K.
    - ``context``: which words around an anchor count: its whole document, itself, or its sentence with uniform, positional or
      attention weights.
    - ``projection``: Q of the link function: ``identity``, ``learned``, or ``full`` for the full matrix of gRTM.
    - ``terms``: what the link function knows, see ``crtm.terms``; with ``()`` it is the paper's own form, topics only.
    - ``update``: ``contrast`` learns eta and Q against the targets of other links; ``paper`` as printed.
    - ``alpha``: the Dirichlet prior of a document's topics.
    - ``rho``: the number of imagined negative links of ``update="paper"``.
    - ``learning_rate``: the step of the gradient updates of eta and Q.
    - ``vectors``: word vectors for attention, factorised ``pmi`` or the paper's ``skipgram``.
    - ``vector_size``: their dimensions.
    - ``sharpness``: the scale of the attention scores; the larger, the fewer words count.
    - ``sigma``: the standard deviation of positional weights, in words.
    - ``temper``: how much a sentence adjusts the topics of its words, from 0 (not at all) to 1.
    - ``max_iter``: the most EM iterations; validation links end them sooner.
    - ``inner_steps``: coordinate steps per document and iteration.
    - ``active_topics``: the most topics inferred in one document.
    - ``tied``: all tokens of a word in a document share one topic distribution.
    - ``n_jobs``: threads.
    - ``seed``: of the first topics and the vectors; the same seed gives the same bytes.
    """

    insertion_: InsertionWeights | None = None
    _place_knowledge: PlaceKnowledge | None = None
    _pairs: PairRanker | None = None
    _stream: batches.Stream | None = None

    def __init__(
        self,
        n_topics: int = 400,
        *,
        context: str = "attention",
        projection: str = "learned",
        terms: Sequence[str] = TERMS,
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
        inner_steps: int = 3,
        active_topics: int = 64,
        tied: bool = True,
        n_jobs: int = 2,
        seed: int = 0,
    ) -> None:
        self.n_topics = n_topics
        self.context = context
        self.projection = projection
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
        return {name: getattr(self, name) for name in names}

    def set_params(self, **parameters: Any) -> CRTM:
        """Set parameters by name and return the model; what was learned stays as it is until the next ``fit``."""
        known = self.get_params()
        unknown = [name for name in parameters if name not in known]
        if unknown:
            raise ParameterError(
                f"CRTM has no parameter {', '.join(unknown)}; it has {', '.join(known)}."
            )
        for name, value in parameters.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        default = CRTM().get_params()
        own = self.get_params().items()
        changed = [f"{name}={value!r}" for name, value in own if value != default[name]]
        return f"CRTM({', '.join(changed)})"

    # -- learning ---------------------------------------------------------------------------------------------------

    def fit(
        self,
        corpus: Corpus | Iterable[Record],
        validation: Links | None = None,
        on_iteration: Callable[[Iteration], None] | None = None,
        *,
        checkpoint: str | Path | None = None,
        batch_size: int | None = None,
        keep_documents: int | None = None,
        on_batch: Callable[[int], None] | None = None,
    ) -> CRTM:
        """Learn vectors, topics and link function from the corpus and its links.

        ``validation`` links must not be among the corpus's own; learning stops when their anchors no longer rank better, and the
        best state is kept. With ``checkpoint`` the state is written there now and then, and taken up from there. Ctrl-C ends
        learning: the model keeps its best whole iteration and is usable, and KeyboardInterrupt goes on to the caller.

        With ``batch_size``, topics are learned from so many documents at a time, and ``corpus`` may be an iterator of records, which
        are taken one by one and put into files: memory then grows with the vocabulary, the topics of the documents and the tables of
        the documents that the model keeps. ``keep_documents`` bounds the latter: the weights of the terms are learned from so many
        documents, drawn by title, and the model knows only these; all others shape topics and vectors. ``on_batch`` is told after each
        batch how many documents of all passes are done.
        """
        checks.check_batches(batch_size, keep_documents, self.update, checkpoint)
        if batch_size is not None and is_stream(corpus):
            corpus = Corpus.from_stream(corpus)
        checks.check_corpus(corpus)
        assert isinstance(corpus, Corpus), "anything else was refused"
        checks.check_parameters(self.get_params())
        if not len(corpus.links):
            warnings.warn(
                "The corpus has no links inside it: topics are learned as in LDA.", stacklevel=2
            )
        self._remember(corpus)
        self._stream = None
        # The kernels use the cores themselves. For matrices of this size BLAS's own threads mostly wait for each other, and their
        # number would change the rounding.
        with threadpool_limits(1, user_api="blas"):
            if batch_size is None:
                self._learn(corpus, validation, on_iteration, checkpoint)
            else:
                self._learn_in_batches(
                    corpus, validation, on_iteration, batch_size, keep_documents, on_batch
                )
        return self

    def partial_fit(self, corpus: Corpus | Iterable[Record], *, step: float | None = None) -> CRTM:
        """Learn a little from some more documents, with their links among each other.

        The first call decides about vocabulary and word vectors; later ones know no other words. ``step`` (more than 0, at most 1)
        says how far topics move towards what these documents show; by default, each step is smaller than the one before. The model's
        own documents are those of the last call; ``with_corpus`` gives it others. A model that was fitted or loaded starts anew.
        """
        checks.check_parameters(self.get_params())
        checks.check_step(step, self.update)
        known = None if self._stream is None else self._stream.vocabulary
        if is_stream(corpus):
            corpus = Corpus.from_records(corpus, vocabulary=known)
        checks.check_corpus(corpus)
        assert isinstance(corpus, Corpus), "anything else was refused"
        if known is not None and corpus.vocabulary.sha256 != known.sha256:
            raise CorpusError(
                "The corpus has another vocabulary than the first one; make it with vocabulary=model.vocabulary_."
            )
        with threadpool_limits(1, user_api="blas"):
            self._step(corpus, step)
        return self

    def _step(self, corpus: Corpus, step: float | None) -> None:
        begun = time.perf_counter()
        parameters = self._fitting_parameters()
        if self._stream is None:
            vectors = pipeline.word_vectors(corpus, parameters)
            self._stream = batches.Stream(corpus.vocabulary, vectors)
            self._told: tuple[Iteration, ...] = ()
        state = self._stream.take(corpus, parameters, step)
        assert self._stream.running is not None, "it has taken a step"
        likelihood = self._stream.running.likelihood / max(1, len(corpus.words))
        seconds = time.perf_counter() - begun
        self._told += (Iteration(state.iteration, seconds, likelihood, None),)
        nothing = batches.no_inputs(corpus, parameters)
        prepared = pipeline.with_tables(corpus, self._stream.vectors, nothing)
        self._remember(corpus)
        self._settle(prepared, Progress(state, state, None, 0, self._told), learn=True)

    def _learn_in_batches(
        self,
        corpus: Corpus,
        validation: Links | None,
        on_iteration: Callable[[Iteration], None] | None,
        batch_size: int,
        keep_documents: int | None,
        on_batch: Callable[[int], None] | None,
    ) -> None:
        """Run all stages on batches of documents; after Ctrl-C, keep what was learned so far."""
        parameters = self._fitting_parameters()
        vectors = pipeline.word_vectors(corpus, parameters)
        parts = batches.make_batches(corpus, batch_size, parameters, vectors)
        running = batches.begin(
            corpus, parameters, linkfunction.initial(self.n_topics, self.projection)
        )
        progress = Progress.begin(batches.state_of(running))
        kept = batches.drawn(corpus, keep_documents, self.seed)
        own = corpus if kept is None else corpus.chosen(kept)
        prepared = pipeline.with_tables(own, vectors, batches.no_inputs(own, parameters))
        self._remember(own)
        try:
            while not progress.is_done(self.max_iter):
                begun = time.perf_counter()
                likelihood = batches.run_pass(parts, running, parameters, on_batch)
                seconds = time.perf_counter() - begun
                state = batches.state_of(running, kept)
                score = self._validated(prepared, state, progress, validation)
                progress = progress.after(
                    state, Iteration(state.iteration, seconds, likelihood, score)
                )
                self._report(progress, on_iteration, None)
            self._settle(prepared, progress, learn=True)
        except KeyboardInterrupt:
            self._settle(prepared, progress, learn=False)
            raise

    def _validated(
        self,
        prepared: pipeline.Prepared,
        state: State,
        progress: Progress,
        validation: Links | None,
    ) -> float | None:
        """Return how well the validation links' anchors rank, if it is time to look."""
        if validation is None or not len(validation) or not progress.is_check_due:
            return None
        topics = pipeline.topics_of(prepared, state, self.alpha)
        return pipeline.validation_score(prepared, topics, validation, self.scoring_params())

    def _learn(
        self,
        corpus: Corpus,
        validation: Links | None,
        on_iteration: Callable[[Iteration], None] | None,
        checkpoint: str | Path | None,
    ) -> None:
        """Run all stages; after Ctrl-C, keep what was learned so far."""
        prepared = pipeline.prepare(corpus, self._fitting_parameters())
        progress = Progress.begin(pipeline.first_state(prepared, self._fitting_parameters()))
        if checkpoint is not None and Path(checkpoint).exists():
            progress = storage.read_checkpoint(checkpoint, self.get_params(), corpus.sha256)
        try:
            while not progress.is_done(self.max_iter):
                progress = self._next(prepared, progress, validation)
                self._report(progress, on_iteration, checkpoint)
            self._settle(prepared, progress, learn=True)
        except KeyboardInterrupt:
            self._settle(prepared, progress, learn=False)
            raise
        if checkpoint is not None:
            Path(checkpoint).unlink(missing_ok=True)

    def _next(
        self, prepared: pipeline.Prepared, progress: Progress, validation: Links | None
    ) -> Progress:
        """Return the progress after one more EM iteration."""
        begun = time.perf_counter()
        state, likelihood = pipeline.iterate(prepared, progress.state, self._fitting_parameters())
        seconds = time.perf_counter() - begun
        score = self._validated(prepared, state, progress, validation)
        return progress.after(state, Iteration(state.iteration, seconds, likelihood, score))

    def _report(
        self,
        progress: Progress,
        on_iteration: Callable[[Iteration], None] | None,
        checkpoint: str | Path | None,
    ) -> None:
        if on_iteration:
            on_iteration(progress.history[-1])
        if checkpoint is not None and progress.is_checkpoint_due:
            storage.write_checkpoint(checkpoint, progress, self.get_params(), self.corpus_sha256_)

    def _settle(self, prepared: pipeline.Prepared, progress: Progress, *, learn: bool) -> None:
        """Set the fitted attributes from the best state; without ``learn`` the terms keep their initial weights."""
        topics = pipeline.topics_of(prepared, progress.best, self.alpha)
        fitted = pipeline.assemble(prepared, topics, term_weights.prior_weights())
        self.history_ = list(progress.history)
        self.fitted_ = fitted
        if not learn:
            self.spans_ = spans.unlearned(span_facts(prepared.corpus))
            return
        links = pipeline.drawn_links(prepared.corpus)
        if self.terms:
            self.fitted_ = pipeline.weigh(prepared, fitted, links, self.scoring_params())
        self.spans_ = spans.learn_spans(prepared.corpus, links, self.document_scorer)

    def fit_transform(self, corpus: Corpus, validation: Links | None = None) -> Floats:
        """Fit the model and return theta (D, K), the topics of the corpus's documents."""
        return self.fit(corpus, validation).doc_topic_

    def _remember(self, corpus: Corpus) -> None:
        self.corpus_: Corpus | None = corpus
        self.vocabulary_, self.titles_ = corpus.vocabulary, corpus.titles
        self.index_, self.corpus_sha256_ = corpus.index, corpus.sha256
        self._forget_places()

    def _fitting_parameters(self) -> pipeline.Parameters:
        return self  # type: ignore[return-value]  # terms may be any sequence here

    # -- use --------------------------------------------------------------------------------------------------------

    def read(self, source: Source) -> Document:
        """Return a document as the model sees it: by number or title (of the corpus), record, or plain document."""
        self._fitted()
        if isinstance(source, scoring.DocumentScorer):
            return source.document
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
        self._fitted()
        number = self.index_.get(target, -1) if isinstance(target, str) else int(target)
        if not 0 <= number < len(self.titles_):
            raise checks.unknown_document(target, self.titles_)
        return number

    def transform(self, document: Source) -> Floats:
        """Return theta (K) of a document, folded in without changing the model; uniform for one without known words."""
        checks.check_document(document)
        gamma = scoring.fold_in(
            self._fitted().topics, self.read(document).words, self.scoring_params()
        )
        theta: Floats = gamma / gamma.sum()
        return theta

    def score_tokens(self, document: Source, targets: Targets) -> Floats:
        """Return (tokens, targets): a higher score means a more likely anchor of a link to the target.

        The tokens are those of ``read(document)``, which has their offsets; the document's own links count as they stand in it.
        """
        return self.document_scorer(document).scores(self._numbers(targets))

    def rank_words(self, source: Source, target: int | str) -> list[tuple[str, float]]:
        """Return the distinct words of the source with their scores, the best anchor for the target first."""
        scorer = self.document_scorer(source)
        words, scores = scoring.best_of_words(
            scorer.document, scorer.scores(self._numbers([target]))
        )
        order = np.argsort(-scores[:, 0], kind="stable")
        return [(self.vocabulary_.words[words[i]], float(scores[i, 0])) for i in order]

    def rank_spans(
        self, source: Source, target: int | str, *, longest: int = spans.LONGEST_WORDS
    ) -> list[RankedSpan]:
        """Return the places that could carry the link, of one to ``longest`` words, the best first; none overlaps another.

        A place may hold words that are not in the vocabulary. On a long page, only the surroundings of its best words are looked at.
        """
        scorer, number = self.document_scorer(source), self.number(target)
        found = spans.best_spans(scorer, number, self.spans_, longest=longest)
        return [RankedSpan(*span) for span in found]

    def link_score(self, source: Source, targets: Targets) -> Floats:
        """Return (targets): a higher score means that the document is more likely to link to the target."""
        scorer, numbers = self.document_scorer(source), self._numbers(targets)
        if self.terms:
            return scoring.evidence(scorer.scores(numbers))
        topics = self._fitted().topics
        own = np.maximum(scorer.gamma - np.float32(self.alpha), 0)
        own = own / max(float(own.sum()), 1e-30)
        related: Floats = topics.function.score(own[None, :], topics.mean[numbers])[0]
        return related

    def pair_score(self, source: int | str, targets: Targets) -> Floats:
        """Return the same for a document of the corpus, from ``link_score``, likeness, and who else links to both.

        The first call learns from the corpus's links how much each of these counts.
        """
        if self._pairs is None:
            self._pairs = learn_pairs(self._knowledge(), self.link_score, self.seed)
        return self._pairs.scores(self.number(source), self._numbers(targets))

    def shared_topics(
        self, document: Source, target: int | str, *, start: int, end: int, n: int = 3
    ) -> list[tuple[int, float]]:
        """Return the topics that the sentence around code points start to end shares with the target, with their weights."""
        scorer = self.document_scorer(document)
        read, topics = scorer.document, self._fitted().topics
        inside = np.flatnonzero((read.starts < end) & (read.ends > start))
        if not len(inside):
            return []
        common = (
            scorer.contexts[inside].mean(axis=0) * topics.mean[self.number(target)] / topics.prior
        )
        weight = common / max(float(common.sum()), 1e-30)
        best = np.argsort(-weight, kind="stable")[:n]
        return [(int(topic), float(weight[topic])) for topic in best if weight[topic] > 0.01]

    def rank_places(
        self, source: Source, target: int | str, *, kind: str = "sentence"
    ) -> list[RankedPlace]:
        """Return the sentences (or ``kind="paragraph"``) of the source by how well a link to the target would fit, the best first.

        None of the target's names need occur there. The first call learns from the corpus's links, masked: that takes a while.
        """
        if kind not in ("sentence", "paragraph"):
            raise ParameterError(f"kind={kind!r} is not one of sentence, paragraph.")
        document, number = self.read(source), self.number(target)
        if not len(document):
            return []
        ranker = self.place_ranker()
        reader = ranker.reader(document, kind)
        scores = ranker.scores(reader, np.array([number], dtype=np.int32))[0]
        parts = reader.parts
        return [
            RankedPlace(
                int(document.starts[parts.first[i]]),
                int(document.ends[parts.last[i] - 1]),
                float(scores[i]),
            )
            for i in np.argsort(-scores, kind="stable").tolist()
        ]

    def rank_sources(self, target: int | str, *, n: int = 10) -> list[tuple[str, float]]:
        """Return the titles of the ``n`` documents that should soonest link to the target, with their scores."""
        scores = self.source_ranker().scores(self.number(target))
        best = np.argsort(-scores, kind="stable")[:n]
        return [(self.titles_[i], float(scores[i])) for i in best if np.isfinite(scores[i])]

    def learn_insertion(self, said: Sequence[Said] = ()) -> InsertionWeights:
        """Learn what ``rank_places`` and ``rank_sources`` need, from the corpus's links and people's decisions, and return it.

        They call it themselves where nothing was learned yet. What it returns can be saved, and set as ``insertion_`` later.
        """
        self.insertion_ = learn_insertion(self._knowledge(), self.scoring_params(), self.seed, said)
        return self.insertion_

    def place_ranker(self) -> PlaceRanker:
        """Return the ranker of places; the first call learns it."""
        learned = self.insertion_ or self.learn_insertion()
        return learned.place_ranker(self._knowledge(), self.scoring_params())

    def source_ranker(self) -> SourceRanker:
        """Return the ranker of sources; the first call learns it."""
        learned = self.insertion_ or self.learn_insertion()
        return learned.source_ranker(self._knowledge())

    def _knowledge(self) -> PlaceKnowledge:
        fitted = self._fitted()
        if self.corpus_ is None:
            raise NotFittedError("A loaded model has no texts; load it with its corpus.")
        if self._place_knowledge is None:
            self._place_knowledge = PlaceKnowledge(fitted, self.corpus_)
        return self._place_knowledge

    def _forget_places(self) -> None:
        self._place_knowledge = self._pairs = self.insertion_ = None

    def _numbers(self, targets: Targets) -> Ints:
        checks.check_targets(targets)
        return np.array([self.number(target) for target in targets], dtype=np.int32)

    def document_scorer(self, source: Source) -> scoring.DocumentScorer:
        """Return the scorer of a document; pass it as the source of several calls to compute its topics once."""
        if isinstance(source, scoring.DocumentScorer):
            return source
        fitted, read = self._fitted(), self.read(source)
        known = isinstance(source, int | np.integer | str)
        gamma = (
            fitted.topics.gamma[read.number]
            if known
            else scoring.fold_in(fitted.topics, read.words, self.scoring_params())
        )
        return scoring.DocumentScorer(fitted, read, gamma, self.scoring_params())

    def scoring_params(self) -> scoring.ScoringParams:
        return scoring.ScoringParams(
            self.context,
            tuple(self.terms),
            self.alpha,
            self.sharpness,
            self.sigma,
            self.temper,
            self.active_topics,
        )

    # -- files ------------------------------------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write the model to a file; an existing file is replaced atomically."""
        fitted = self._fitted()
        span_weights, span_arrays = self.spans_.to_file()
        header = {
            "parameters": storage.plain_parameters(self.get_params()),
            "corpus_sha256": self.corpus_sha256_,
            "vocabulary_sha256": self.vocabulary_.sha256,
            "history": storage.history_rows(self.history_),
            "span_weights": span_weights,
            **storage.fitted_numbers(fitted),
        }
        arrays = {**storage.fitted_arrays(fitted), **span_arrays}
        arrays["vocabulary"] = io.strings_to_array(self.vocabulary_.words)
        arrays["titles"] = io.strings_to_array(self.titles_)
        io.write_file(path, "model", header, arrays)

    def with_corpus(self, corpus: Corpus) -> CRTM:
        """Return a model with these documents in place of its own; topics and weights stay as they were learned.

        The corpus must have the model's vocabulary: ``Corpus.from_records(records, vocabulary=model.vocabulary_)``.
        """
        if corpus.vocabulary.sha256 != self.vocabulary_.sha256:
            why = "The corpus has another vocabulary than the model"
            raise CorpusError(f"{why}; make it with vocabulary=model.vocabulary_.")
        other = CRTM(**self.get_params())
        other.fitted_ = adapt.adapted(self._fitted(), self.index_, corpus, self.scoring_params())
        other.history_, other.spans_ = self.history_, self.spans_.with_leads_of(corpus)
        other._remember(corpus)
        return other

    @classmethod
    def load(cls, path: str | Path, corpus: Corpus | None = None) -> CRTM:
        """Return the model of a file; with its ``corpus`` it also knows its own documents by number and title."""
        header, arrays = io.read_file(path, "model")
        if corpus is not None and corpus.sha256 != header["corpus_sha256"]:
            raise ModelFileError(f"{path} was learned from another corpus; nothing was loaded.")
        model = cls(**storage.parameters_from(header["parameters"]))
        model.vocabulary_ = Vocabulary(io.array_to_strings(arrays["vocabulary"]))
        model.titles_ = io.array_to_strings(arrays["titles"])
        model.index_ = {title: number for number, title in enumerate(model.titles_)}
        model.fitted_ = storage.fitted_from(arrays, header)
        model.history_ = [Iteration(**row) for row in header["history"]]
        model.spans_ = spans.SpanModel.from_file(
            header.get("span_weights"), arrays, len(model.titles_)
        )
        model.corpus_sha256_, model.corpus_ = header["corpus_sha256"], corpus
        model._forget_places()
        return model
