"""Guess with a small neural network that learns all questions at once, on distinct records."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparsam.attack._question import Beliefs, Lines, Posterior, Question
from sparsam.attack._records import GeneralizedRecords, PeopleWith
from sparsam.counting import compiled

Array = NDArray[np.float32]
Places = NDArray[np.int32]

HIDDEN = 64
STEPS = 150
BATCHES = (512, 1024)  # the larger one where there are many records
_EPOCH = 16  # batches in it, from where on they are larger
CHECKS = 3
LEARNING_RATE = 0.02
PENALTY = 1e-3
_FEW_OUTPUTS = 32
_FIRST = 0.1  # of the usual spread: what is random must be unlearned first


def network(
    records: GeneralizedRecords, questions: Sequence[Question], random_state: int
) -> list[Beliefs]:
    """What is believed of records, for each question.

    One hidden layer that all questions share and a linear path past it, trained with Adam and an
    L2 penalty on the distinct records of the training part, each weighted by the people behind it.
    Values that a record rules out are excluded from the softmax, not multiplied by zero, and a
    value that is alone in its bucket needs no output. Each question keeps the state of training
    that erred least on validation data.
    """
    if not records.columns:
        return [question.naive for question in questions]
    training = _Training(records, questions, random_state)
    states = training.run()
    best = zip(training.heads, training.best(states), strict=True)
    return [partial(training.beliefs, head, states[number]) for head, number in best]


@dataclass(frozen=True, repr=False)
class _Head:
    """The outputs that answer one question.

    Attributes
    ----------
    question : Question
    open : ndarray of int64
        The codes that share their bucket with another code, bucket by bucket; the others are known
        for certain.
    block : slice
        Where the outputs of these codes lie among all outputs.
    """

    question: Question
    open: NDArray[np.int64]
    block: slice

    @property
    def apart(self) -> bool:
        """Whether each record's own bucket is looked at alone, since there are many outputs."""
        return self.question.own_column is not None and len(self.open) > _FEW_OUTPUTS

    @property
    def own_column(self) -> int:
        """The record's column with the bucket of the attribute itself; -1 when not collected."""
        return -1 if self.question.own_column is None else self.question.own_column

    @property
    def buckets(self) -> Places:
        """The bucket of each output's code."""
        if self.question.buckets is None:
            return np.zeros(len(self.open), np.int32)
        return self.question.buckets[self.open].astype(np.int32)

    @property
    def borders(self) -> NDArray[np.int64]:
        """Where the outputs of each bucket begin, and where the last ones end."""
        buckets = self.question.buckets
        if buckets is None:
            return np.array([self.block.start, self.block.stop])
        sizes = np.bincount(buckets[self.open], minlength=int(buckets.max()) + 1)
        return np.asarray(self.block.start + np.concatenate([[0], np.cumsum(sizes)]))


class _State:
    """The weights of the network, or as many numbers that belong to them, in one array.

    Attributes
    ----------
    flat : ndarray of float32
        All of them: first those of the three matrices, which are penalised, then the biases.
    hidden, output, direct, hidden_bias, bias : ndarray of float32
        Parts of it.
    """

    def __init__(self, width: int, n_outputs: int, flat: Array | None = None) -> None:
        shapes = [(width, HIDDEN), (HIDDEN, n_outputs), (width, n_outputs), (HIDDEN,), (n_outputs,)]
        borders = np.cumsum([0, *(math.prod(shape) for shape in shapes)])
        self.flat = np.zeros(int(borders[-1]), np.float32) if flat is None else flat
        self.n_penalised = int(borders[3])
        self.hidden, self.output, self.direct, self.hidden_bias, self.bias = (
            self.flat[first:last].reshape(shape)
            for (first, last), shape in zip(pairwise(borders), shapes, strict=True)
        )

    def copy(self) -> _State:
        return _State(len(self.hidden), len(self.bias), self.flat.copy())


class _Training:
    """The network, and what it learns from.

    The outputs of most questions are looked at together, those that a record rules out as well:
    matrix products are fast. Where a collected attribute has many values, only those in the
    record's own bucket are looked at; the outputs of these questions come last.
    """

    def __init__(
        self, records: GeneralizedRecords, questions: Sequence[Question], random_state: int
    ) -> None:
        self.records = records
        self.heads = _heads(questions)
        self.n_outputs = sum(len(head.open) for head in self.heads)
        self.rng = np.random.default_rng(random_state)
        starts = np.cumsum([0, *records.sizes])
        self.width = int(starts[-1])
        self.cells = np.ascontiguousarray(records.records + starts[:-1], dtype=np.int32)
        self.people = records.counts("train")
        self.seen = np.flatnonzero(self.people)
        self.truth = self._soft_labels()
        self.together = _Together.of([head for head in self.heads if not head.apart])
        self.apart = _apart([head for head in self.heads if head.apart])
        self.state = self._initial()
        # How the weights change: the slopes of one step, and Adam's moments.
        self.slopes, self.mean, self.square = (_State(self.width, self.n_outputs) for _ in range(3))

    def _soft_labels(self) -> PeopleWith:
        """Counts of each output's code among the people behind each record."""
        lines, outputs = [], []
        for head in self.heads:
            place = np.full(head.question.size, -1)
            place[head.open] = np.arange(head.block.start, head.block.stop)
            output = place[head.question.codes["train"]]
            lines.append(self.records.index["train"][output >= 0])
            outputs.append(output[output >= 0])
        where = (np.concatenate(lines), np.concatenate(outputs))
        return PeopleWith.of(*where, len(self.records), max(1, self.n_outputs))

    def _initial(self) -> _State:
        n_outputs = self.n_outputs
        spread = np.sqrt(2.0 / len(self.records.columns))
        state = _State(self.width, n_outputs)
        state.hidden[:] = self.rng.normal(0.0, spread, state.hidden.shape)
        state.output[:] = self.rng.normal(0.0, _FIRST * np.sqrt(1.0 / HIDDEN), state.output.shape)
        people = np.bincount(self.truth.codes, self.truth.counts, minlength=n_outputs)
        state.bias[:] = np.log((people[:n_outputs] + 0.5) / self.people.sum())
        return state

    def run(self) -> list[_State]:
        """Train, and return the states at the checks."""
        states = []
        order = np.empty(0, dtype=np.int64)
        size = int(np.clip(len(self.seen) // _EPOCH, *BATCHES))
        for step in range(STEPS):
            if order.size == 0:
                order = self.rng.permutation(self.seen)
            self._find_slopes(order[:size])
            self._update(step)
            order = order[size:]
            if (step + 1) % (STEPS // CHECKS) == 0:
                states.append(self.state.copy())
        return states

    def best(self, states: Sequence[_State]) -> list[int]:
        """For each question the state of training that did best on validation data."""
        people, lines, index = self.records.some_of("validation")
        questions = [head.question.of_people("validation", people) for head in self.heads]
        losses = np.empty((len(states), len(self.heads), 2))
        for number, state in enumerate(states):
            hidden = self.hidden(state, lines)
            for place, head in enumerate(self.heads):
                beliefs = self.beliefs(head, state, lines, hidden)
                losses[number, place] = questions[place].loss(beliefs, index, "validation")
        return [
            min(range(len(states)), key=lambda number: tuple(losses[number, place]))
            for place in range(len(self.heads))
        ]

    def beliefs(
        self, head: _Head, state: _State, lines: Lines, hidden: Array | None = None
    ) -> Posterior:
        """Shares of a question's values for some records, whose hidden units may be known."""
        hidden = self.hidden(state, lines) if hidden is None else hidden
        if not head.apart:
            shares = self._shares(head, state, lines, hidden)
            if head.question.buckets is None:
                return shares  # every value has an output, and these are in its order
        beliefs = np.zeros((len(lines), head.question.size), dtype=np.float32)
        if head.apart:
            own = np.ascontiguousarray(self.records.records[lines, head.own_column])
            weights = (state.output, state.direct, state.bias)
            believe_in_bucket(
                self.cells, lines, own, hidden, weights, head.borders, head.open, beliefs
            )
        else:
            beliefs[:, head.open] = shares
        alone = np.flatnonzero(beliefs.sum(axis=1) == 0)  # the only value in its bucket
        if alone.size:
            possible = head.question.possible(self.records, lines[alone])
            assert possible is not None
            beliefs[alone] = possible / np.maximum(possible.sum(axis=1, keepdims=True), 1)
        return beliefs

    def _shares(self, head: _Head, state: _State, lines: Lines, hidden: Array) -> Posterior:
        """Shares of a question's outputs for some records; zero where a record leaves none open."""
        shares = hidden @ state.output[:, head.block]
        direct = np.ascontiguousarray(state.direct[:, head.block])
        together, bias = _Together.of([head]), state.bias[head.block]
        add_direct(self.cells, self.records.records, lines, direct, bias, *together, shares)
        np.exp(shares, out=shares)
        total = shares.sum(axis=1, keepdims=True)
        shares /= np.where(total > 0, total, np.float32(1))
        return shares

    def hidden(self, state: _State, lines: Lines) -> Array:
        """The hidden units of some records."""
        hidden = np.empty((len(lines), len(state.hidden_bias)), state.hidden.dtype)
        add_inputs(self.cells, lines, state.hidden, state.hidden_bias, hidden)
        return hidden

    def _find_slopes(self, lines: Lines) -> None:
        """Gradient of the mean cross-entropy over the people behind some records."""
        state, slopes, truth, borders = self.state, self.slopes, self.truth, self.together.borders
        n_wide, records = int(borders[-1]), self.records.records
        share = 1 / self.people[lines].sum()
        hidden = self.hidden(state, lines)
        slopes.flat.fill(0)
        error = hidden @ state.output[:, :n_wide]
        add_direct(self.cells, records, lines, state.direct, state.bias, *self.together, error)
        np.exp(error, out=error)
        to_errors(error, lines, borders, truth.starts, truth.codes, truth.counts, share)
        back = np.matmul(error, state.output[:, :n_wide].T, dtype=state.output.dtype)
        slopes.output[:, :n_wide] = hidden.T @ error
        slopes.bias[:n_wide] = error.sum(axis=0)
        if len(self.apart[0]):
            learn_in_buckets(
                self.cells,
                records,
                lines,
                hidden,
                (state.output, state.direct, state.bias),
                self.apart,
                (truth.starts, truth.codes, truth.counts),
                share,
                back,
                (slopes.output, slopes.direct, slopes.bias),
            )
        add_back(self.cells, lines, hidden, back, error, slopes.hidden, slopes.direct)
        slopes.hidden_bias[:] = back.sum(axis=0)

    def _update(self, step: int) -> None:
        """One step of Adam with an L2 penalty on the weights and a cosine schedule."""
        rate = LEARNING_RATE * 0.5 * (1 + np.cos(np.pi * step / STEPS))
        rate *= np.sqrt(1 - 0.999 ** (step + 1)) / (1 - 0.9 ** (step + 1))
        n_penalised = self.state.n_penalised
        for penalty, part in ((PENALTY, slice(n_penalised)), (0.0, slice(n_penalised, None))):
            move(
                self.state.flat[part],
                self.slopes.flat[part],
                self.mean.flat[part],
                self.square.flat[part],
                np.float32(penalty),
                np.float32(rate),
            )


def _heads(questions: Sequence[Question]) -> list[_Head]:
    """One for each question; the outputs of those that are looked at apart come last."""
    heads = []
    for question in questions:
        buckets = question.buckets
        if buckets is None:
            open_codes = np.arange(question.size)
        else:
            shared = np.flatnonzero(np.bincount(buckets)[buckets] > 1)
            open_codes = shared[np.argsort(buckets[shared], kind="stable")]
        heads.append(_Head(question, open_codes, slice(0, 0)))
    start = 0
    for place in sorted(range(len(heads)), key=lambda place: heads[place].apart):
        block = slice(start, start + len(heads[place].open))
        heads[place] = replace(heads[place], block=block)
        start = block.stop
    return heads


class _Together(NamedTuple):
    """The questions whose outputs are looked at together.

    Attributes
    ----------
    own : ndarray of int64
        For each, the column with the attribute's own bucket; -1 when not collected.
    borders : ndarray of int64
        Where the outputs of each begin, and where the last ones end.
    buckets : ndarray of int32
        The bucket of each output's value.
    """

    own: Lines
    borders: Lines
    buckets: Places

    @classmethod
    def of(cls, heads: Sequence[_Head]) -> _Together:
        buckets = [head.buckets for head in heads]
        return cls(
            np.array([head.own_column for head in heads], np.int64),
            np.cumsum([0, *map(len, buckets)]),
            np.concatenate([*buckets, np.zeros(0, np.int32)]),
        )


def _apart(heads: Sequence[_Head]) -> tuple[Lines, Lines, Lines]:
    """Of questions that are looked at apart: columns, and the borders of all buckets side by side.

    They are in the order of their outputs. The second array says where the borders of each begin.
    """
    borders = [head.borders for head in heads]
    return (
        np.array([head.own_column for head in heads], np.int64),
        np.cumsum([0, *map(len, borders)])[:-1],
        np.concatenate([*borders, np.zeros(0, np.int64)]),
    )


@compiled(error_model="numpy")
def add_inputs(cells: Places, lines: Lines, weights: Array, bias: Array, hidden: Array) -> None:
    """Set the hidden units of some records: the sum of what their buckets add, if positive."""
    n_units = hidden.shape[1]
    for i in range(lines.shape[0]):
        for unit in range(n_units):
            hidden[i, unit] = bias[unit]
        for column in range(cells.shape[1]):
            cell = cells[lines[i], column]
            for unit in range(n_units):
                hidden[i, unit] += weights[cell, unit]
        for unit in range(n_units):
            hidden[i, unit] = max(hidden[i, unit], hidden.dtype.type(0))


# Rows of arrays are named before the loops over them, which then run several steps at once. No
# number here is NaN, and the largest of some is the same in whatever order they are compared.
@compiled(error_model="numpy", fastmath={"nnan", "nsz"})
def add_direct(
    cells: Places,
    records: NDArray[np.uint16],
    lines: Lines,
    direct: Array,
    bias: Array,
    own: Lines,
    borders: Lines,
    buckets: Places,
    logits: Array,
) -> None:
    """Add what buckets say directly, rule out what cannot be, and bring the largest to zero.

    `own`, `borders` and `buckets` as in `_Together`.
    """
    n_outputs = borders[-1]
    biases = bias[:n_outputs]
    for i in range(lines.shape[0]):
        line, sums = lines[i], logits[i]
        for output in range(n_outputs):
            sums[output] += biases[output]
        for column in range(cells.shape[1]):
            told = direct[cells[line, column]]
            for output in range(n_outputs):
                sums[output] += told[output]
        for head in range(own.shape[0]):
            first, last = borders[head], borders[head + 1]
            answers = sums[first:last]
            if own[head] >= 0:
                here, bucket_of = records[line, own[head]], buckets[first:last]
                for answer in range(last - first):
                    if bucket_of[answer] != here:
                        answers[answer] = -np.inf
            highest = np.float32(-np.inf)
            for answer in range(last - first):
                highest = max(highest, answers[answer])
            if highest > -np.inf:
                for answer in range(last - first):
                    answers[answer] -= highest


@compiled(error_model="numpy", fastmath={"reassoc", "contract"})
def raise_in_bucket(
    cells: Places,
    line: int,
    hidden: Array,
    output: Array,
    direct: Array,
    bias: Array,
    first: int,
    last: int,
    raised: Array,
) -> float:
    """Set some outputs of a record to their raised logits, and return the sum of them."""
    # Parts of arrays are counted from 0, so that the loops over them run several steps at once.
    logits, n_outputs = raised[first:last], last - first
    biases = bias[first:last]
    for o in range(n_outputs):
        logits[o] = biases[o]
    for column in range(cells.shape[1]):
        told = direct[cells[line, column], first:last]
        for o in range(n_outputs):
            logits[o] += told[o]
    for unit in range(hidden.shape[0]):
        if hidden[unit] > 0:
            told = output[unit, first:last]
            for o in range(n_outputs):
                logits[o] += hidden[unit] * told[o]
    highest = logits[0]
    for o in range(1, n_outputs):
        highest = max(highest, logits[o])
    total = 0.0
    for o in range(n_outputs):
        logits[o] = np.exp(logits[o] - highest)
        total += logits[o]
    return total


@compiled(error_model="numpy")
def believe_in_bucket(
    cells: Places,
    lines: Lines,
    buckets: NDArray[np.uint16],
    hidden: Array,
    weights: tuple[Array, Array, Array],
    borders: Lines,
    codes: Lines,
    beliefs: Posterior,
) -> None:
    """Set the shares of the values in each record's own bucket, where there are several.

    `borders` says where the outputs of each bucket begin, `codes` which value each output is.
    """
    output, direct, bias = weights
    raised = np.empty_like(bias)
    for i in range(lines.shape[0]):
        first, last = borders[buckets[i]], borders[buckets[i] + 1]
        if first < last:
            total = raise_in_bucket(
                cells, lines[i], hidden[i], output, direct, bias, first, last, raised
            )
            for o in range(first, last):
                beliefs[i, codes[o - borders[0]]] = raised[o] / total


@compiled(error_model="numpy", fastmath={"reassoc", "contract"})
def learn_in_buckets(
    cells: Places,
    records: NDArray[np.uint16],
    lines: Lines,
    hidden: Array,
    weights: tuple[Array, Array, Array],
    questions: tuple[Lines, Lines, Lines],
    people: tuple[Lines, Lines, NDArray[np.float64]],
    share: float,
    back: Array,
    gradients: tuple[Array, Array, Array],
) -> None:
    """Add to the gradients the errors of the outputs in each record's own buckets."""
    output, direct, bias = weights
    of_output, of_direct, of_bias = gradients
    own, firsts, borders = questions
    starts, codes, counts = people
    error = np.empty_like(bias)
    labels = starts[lines]  # where the people of each record go on
    # Question by question, so that the weights of one stay near the processor.
    for head in range(own.shape[0]):
        for i in range(lines.shape[0]):
            line, label = lines[i], labels[i]
            end = starts[line + 1]
            bucket = firsts[head] + records[line, own[head]]
            first, last = borders[bucket], borders[bucket + 1]
            while label < end and codes[label] < first:
                label += 1
            begin, n_people = label, 0.0
            while label < end and codes[label] < last:
                n_people += counts[label]
                label += 1
            labels[i] = label
            if first == last:
                continue
            total = raise_in_bucket(
                cells, line, hidden[i], output, direct, bias, first, last, error
            )
            for o in range(first, last):
                error[o] *= n_people * share / total
            for known in range(begin, label):
                error[codes[known]] -= counts[known] * share
            wrong = error[first:last]
            for column in range(cells.shape[1]):
                slopes = of_direct[cells[line, column], first:last]
                for o in range(last - first):
                    slopes[o] += wrong[o]
            add_outwards(hidden[i], output, wrong, first, back[i], of_output, of_bias)


@compiled(error_model="numpy", fastmath={"reassoc", "contract"})
def add_outwards(
    hidden: Array,
    output: Array,
    error: Array,
    first: int,
    back: Array,
    of_output: Array,
    of_bias: Array,
) -> None:
    """Add the errors of some outputs, from the first on, to the gradients of what leads to them."""
    n_outputs = error.shape[0]
    slopes = of_bias[first : first + n_outputs]
    for o in range(n_outputs):
        slopes[o] += error[o]
    for unit in range(hidden.shape[0]):
        if hidden[unit] > 0:
            slopes = of_output[unit, first : first + n_outputs]
            told = output[unit, first : first + n_outputs]
            total = error.dtype.type(0)
            for o in range(n_outputs):
                slopes[o] += hidden[unit] * error[o]
                total += error[o] * told[o]
            back[unit] += total


@compiled(error_model="numpy")
def to_errors(
    raised: Array,
    lines: Lines,
    borders: NDArray[np.int64],
    starts: Lines,
    outputs: Lines,
    counts: NDArray[np.float64],
    share: float,
) -> None:
    """Turn raised logits into the errors of all people behind some records, in place.

    The values of the people of record r are `outputs[starts[r] : starts[r + 1]]`, so many of each
    as `counts` say, in ascending order.
    """
    for i in range(lines.shape[0]):
        label, last_label = starts[lines[i]], starts[lines[i] + 1]
        row = raised[i]
        for head in range(borders.shape[0] - 1):
            first, last = borders[head], borders[head + 1]
            answers = row[first:last]
            total, people, first_label = total_of(answers), 0.0, label
            while label < last_label and outputs[label] < last:
                people += counts[label]
                label += 1
            scale = people * share / total if total > 0 else 0.0
            for answer in range(last - first):
                answers[answer] *= scale
            for known in range(first_label, label):
                row[outputs[known]] -= counts[known] * share


@compiled(error_model="numpy", fastmath={"reassoc"})
def total_of(raised: Array) -> float:
    """The sum of some numbers."""
    total = 0.0
    for place in range(raised.shape[0]):
        total += raised[place]
    return total


@compiled(error_model="numpy")
def add_back(
    cells: Places,
    lines: Lines,
    hidden: Array,
    back: Array,
    errors: Array,
    of_hidden: Array,
    of_direct: Array,
) -> None:
    """Add the errors of some records to the gradients of what their buckets add."""
    for i in range(lines.shape[0]):
        for unit in range(hidden.shape[1]):
            if hidden[i, unit] <= 0:
                back[i, unit] = 0
        for column in range(cells.shape[1]):
            cell = cells[lines[i], column]
            for unit in range(hidden.shape[1]):
                of_hidden[cell, unit] += back[i, unit]
            for output in range(errors.shape[1]):
                of_direct[cell, output] += errors[i, output]


@compiled(error_model="numpy")
def move(
    values: Array,
    slopes: Array,
    means: Array,
    squares: Array,
    penalty: np.float32,
    rate: np.float32,
) -> None:
    """One step of Adam for some weights."""
    for i in range(values.shape[0]):
        slope = slopes[i] + penalty * values[i]
        means[i] += np.float32(0.1) * (slope - means[i])
        squares[i] += np.float32(0.001) * (slope * slope - squares[i])
        values[i] -= rate * means[i] / (np.sqrt(squares[i]) + np.float32(1e-8))
