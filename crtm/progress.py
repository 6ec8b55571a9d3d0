"""The progress of EM: its current state, the best state so far, and a record of each iteration."""

from __future__ import annotations

from dataclasses import dataclass

from crtm.em import State

CHECK_EVERY_ITERATIONS = 5  # iterations between two looks at the validation links
PATIENCE_CHECKS = 2  # looks without improvement that end learning
CHECKPOINT_EVERY_ITERATIONS = 5


@dataclass(frozen=True, slots=True)
class Iteration:
    """The record of one EM iteration; ``validation`` is the mean reciprocal rank where it was measured."""

    number: int
    seconds: float
    likelihood: float
    validation: float | None


@dataclass(frozen=True, slots=True)
class Progress:
    """``best`` is the state that ranked validation anchors best; without validation it is the last one."""

    state: State
    best: State
    best_score: float | None
    stale: int
    history: tuple[Iteration, ...]

    @classmethod
    def begin(cls, state: State) -> Progress:
        """Return the progress before the first iteration."""
        return cls(state, state, None, 0, ())

    @property
    def is_check_due(self) -> bool:
        """Whether the coming iteration ends with a look at the validation links."""
        return (self.state.iteration + 1) % CHECK_EVERY_ITERATIONS == 0

    @property
    def is_checkpoint_due(self) -> bool:
        """Whether the state is to be written now."""
        return self.state.iteration % CHECKPOINT_EVERY_ITERATIONS == 0

    def is_done(self, max_iter: int) -> bool:
        """Tell whether EM is finished."""
        return self.state.iteration >= max_iter or self.stale >= PATIENCE_CHECKS

    def after(self, state: State, told: Iteration) -> Progress:
        """Return the progress after one more iteration."""
        history = (*self.history, told)
        if told.validation is None:
            best = state if self.best_score is None else self.best
            return Progress(state, best, self.best_score, self.stale, history)
        if self.best_score is None or told.validation > self.best_score:
            return Progress(state, state, told.validation, 0, history)
        return Progress(state, self.best, self.best_score, self.stale + 1, history)
