"""Guess with a small neural network that learns all questions at once, on distinct records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sparsam.attack._question import Posterior, Question
from sparsam.attack._records import GeneralizedRecords

Array = NDArray[np.float32]
Lines = NDArray[np.int64]

HIDDEN = 64
STEPS = 200
BATCH = 2048
CHECKS = 8
LEARNING_RATE = 0.02
PENALTY = 1e-3
_NEVER = -1e9


def network(
    records: GeneralizedRecords, questions: Sequence[Question], random_state: int
) -> Iterator[Posterior]:
    """Posterior of each record, for one question after the other.

    One hidden layer that all questions share and a linear path past it, trained with Adam and an
    L2 penalty on the distinct records of the training part, each weighted by the people behind it.
    Values that a record rules out are excluded from the softmax, not multiplied by zero, and a
    value that is alone in its bucket needs no output. Each question keeps the state of training
    that erred least on validation data.
    """
    if not records.columns:
        for question in questions:
            yield np.repeat(question.prior(), len(records), axis=0)
        return
    training = _Training(records, questions, random_state)
    states = training.run()
    for head in training.heads:
        yield training.best(head, states)


@dataclass(frozen=True, repr=False)
class _Head:
    """The outputs that answer one question.

    Attributes
    ----------
    question : Question
    open : ndarray of int64
        The codes that share their bucket with another code; the others are known for certain.
    block : slice
        Where the outputs of these codes lie among all outputs.
    """

    question: Question
    open: NDArray[np.int64]
    block: slice

    def exclude(self, logits: Array, records: GeneralizedRecords, lines: Lines) -> None:
        """Make sure that what a record rules out is never believed."""
        if self.question.buckets is not None:
            own = self.question.own_buckets(records, lines)
            ruled_out = own[:, None] != self.question.buckets[self.open][None, :]
            np.copyto(logits, np.float32(_NEVER), where=ruled_out)


@dataclass
class _State:
    """The weights of the network."""

    hidden: Array
    hidden_bias: Array
    output: Array
    direct: Array
    bias: Array

    def all(self) -> tuple[Array, ...]:
        return (self.hidden, self.hidden_bias, self.output, self.direct, self.bias)

    def copy(self) -> _State:
        return _State(*(values.copy() for values in self.all()))


class _Training:
    def __init__(
        self, records: GeneralizedRecords, questions: Sequence[Question], random_state: int
    ) -> None:
        self.records = records
        self.heads = _heads(questions)
        self.rng = np.random.default_rng(random_state)
        self.inputs = _one_hot(records)
        self.people = records.counts("train")
        self.seen = np.flatnonzero(self.people)
        self.truth = self._soft_labels()
        self.state = self._initial()
        self.moments = [(np.zeros_like(v), np.zeros_like(v)) for v in self.state.all()]

    def _soft_labels(self) -> csr_array:
        """Counts of each output's code among the people behind each record."""
        lines, outputs = [], []
        for head in self.heads:
            place = np.full(head.question.size, -1)
            place[head.open] = np.arange(head.block.start, head.block.stop)
            output = place[head.question.codes["train"]]
            lines.append(self.records.index["train"][output >= 0])
            outputs.append(output[output >= 0])
        where = (np.concatenate(lines), np.concatenate(outputs))
        shape = (len(self.records), self.heads[-1].block.stop)
        return csr_array((np.ones(len(where[0]), np.float32), where), shape=shape)

    def _initial(self) -> _State:
        width, n_outputs = self.inputs.shape[1], self.truth.shape[1]
        spread = np.sqrt(2.0 / len(self.records.columns))
        hidden = self.rng.normal(0.0, spread, (width, HIDDEN))
        output = self.rng.normal(0.0, np.sqrt(1.0 / HIDDEN), (HIDDEN, n_outputs))
        prior = np.log((self.truth.sum(axis=0) + 0.5) / self.people.sum())
        direct = np.zeros((width, n_outputs))
        values = (hidden, np.zeros(HIDDEN), output, direct, prior)
        return _State(*(value.astype(np.float32) for value in values))

    def run(self) -> list[_State]:
        """Train, and return the states at the checks."""
        states = []
        order = np.empty(0, dtype=np.int64)
        for step in range(STEPS):
            if order.size == 0:
                order = self.rng.permutation(self.seen)
            self._update(step, self._gradients(order[:BATCH]))
            order = order[BATCH:]
            if (step + 1) % (STEPS // CHECKS) == 0:
                states.append(self.state.copy())
        return states

    def best(self, head: _Head, states: list[_State]) -> Posterior:
        """The posterior after the state of training that did best on validation data."""
        lines, index = self.records.seen_in("validation")
        losses = [
            head.question.loss(self.posterior(head, state, lines), index, "validation")
            for state in states
        ]
        best = min(range(len(states)), key=lambda number: losses[number])
        return self.posterior(head, states[best], np.arange(len(self.records)))

    def posterior(self, head: _Head, state: _State, lines: Lines) -> Posterior:
        """What the network believes of some records."""
        posterior = np.zeros((len(lines), head.question.size), dtype=np.float32)
        for start in range(0, len(lines), BATCH):
            block = lines[start : start + BATCH]
            beliefs = posterior[start : start + BATCH]
            beliefs[:, head.open] = self._logits(state, block, head.block)[1]
            possible = head.question.possible(self.records, block)
            if possible is not None:
                beliefs[~possible] = _NEVER
            _softmax(beliefs)
        return posterior

    def _logits(self, state: _State, lines: Lines, block: slice) -> tuple[Array, Array]:
        """Hidden units and some of the outputs for some records."""
        inputs = self.inputs[lines]
        hidden = np.maximum(inputs @ state.hidden + state.hidden_bias, 0)
        logits = hidden @ state.output[:, block] + inputs @ state.direct[:, block]
        return hidden, logits + state.bias[block]

    def _gradients(self, lines: Lines) -> tuple[Array, ...]:
        """Gradient of the mean cross-entropy over the people behind some records."""
        hidden, error = self._logits(self.state, lines, slice(None))
        truth = self.truth[lines].toarray()
        for head in self.heads:
            logits, labels = error[:, head.block], truth[:, head.block]
            if labels.size:
                head.exclude(logits, self.records, lines)
                _softmax(logits)
                logits *= labels.sum(axis=1, keepdims=True)
                logits -= labels
        error /= np.float32(self.people[lines].sum())
        inputs, back = self.inputs[lines], (error @ self.state.output.T) * (hidden > 0)
        from_inputs = inputs.T
        return (
            from_inputs @ back,
            back.sum(axis=0),
            hidden.T @ error,
            from_inputs @ error,
            error.sum(axis=0),
        )

    def _update(self, step: int, gradients: tuple[Array, ...]) -> None:
        """One step of Adam with an L2 penalty on the weights and a cosine schedule."""
        rate = LEARNING_RATE * 0.5 * (1 + np.cos(np.pi * step / STEPS))
        rate *= np.sqrt(1 - 0.999 ** (step + 1)) / (1 - 0.9 ** (step + 1))
        for value, slope, (mean, square) in zip(
            self.state.all(), gradients, self.moments, strict=True
        ):
            gradient = slope + np.float32(PENALTY) * value if value.ndim == 2 else slope
            np.add(mean, np.float32(0.1) * (gradient - mean), out=mean)
            np.add(square, np.float32(0.001) * (gradient * gradient - square), out=square)
            step_size = np.float32(rate) * mean / (np.sqrt(square) + np.float32(1e-8))
            np.subtract(value, step_size, out=value)


def _heads(questions: Sequence[Question]) -> list[_Head]:
    heads, start = [], 0
    for question in questions:
        buckets = question.buckets
        if buckets is None:
            open_codes = np.arange(question.size)
        else:
            open_codes = np.flatnonzero(np.bincount(buckets)[buckets] > 1)
        heads.append(_Head(question, open_codes, slice(start, start + len(open_codes))))
        start += len(open_codes)
    return heads


def _one_hot(records: GeneralizedRecords) -> csr_array:
    n_records, n_columns = records.records.shape
    starts = np.cumsum([0, *records.sizes])
    ones = np.ones(n_records * n_columns, dtype=np.float32)
    cells = (records.records + starts[:-1]).ravel()
    borders = np.arange(0, len(ones) + 1, n_columns)
    return csr_array((ones, cells, borders), shape=(n_records, int(starts[-1])))


def _softmax(logits: Array) -> None:
    """Turn logits into shares, in place."""
    logits -= logits.max(axis=1, keepdims=True)
    np.exp(logits, out=logits)
    logits /= logits.sum(axis=1, keepdims=True)
