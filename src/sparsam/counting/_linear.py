"""Linear models over coded records: each distinct record once, weighted by the people behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from sparsam.counting._compiled import compiled

Floats = NDArray[np.float64]
Codes = NDArray[np.uint16]
Places = NDArray[np.int32]
Starts = NDArray[np.int64]
_MEMORY = 8  # steps that the next one is planned from


@dataclass(frozen=True)
class Linear:
    """A linear model in which every code of a column has a coefficient of its own.

    Logistic or ridge regression, found by L-BFGS (Nocedal and Wright, 2006, algorithm 7.5). It is
    asked for hundreds of times on a few hundred records, where a library takes longer to be
    called than to learn.

    Parameters
    ----------
    ridge : float
        How strongly coefficients are drawn to zero: half of this times their squares is added to
        the loss summed over people.
    steps : int
        The most steps; the last ones move coefficients that hardly matter.
    tolerance : float
        Learning ends when a step promises to lower the loss of a person by less.
    """

    ridge: float = 1.0
    steps: int = 100
    tolerance: float = 1e-5

    def shares(
        self,
        codes: Codes,
        sizes: Sequence[int],
        numbers: Floats,
        counts: NDArray[np.integer] | Floats,
    ) -> Floats:
        """How likely each class is for each record.

        Parameters
        ----------
        codes : ndarray of uint16 of shape (n_records, n_columns)
        sizes : sequence of int
            How many codes each column has.
        numbers : ndarray of float of shape (n_records, n_numbers)
            Further columns with one coefficient each, best with a variance of about one.
        counts : ndarray of shape (n_records, n_classes)
            How many people of each class have the record; nobody, where it is only asked for.

        Returns
        -------
        ndarray of float of shape (n_records, n_classes)
        """
        sums = np.asarray(counts, dtype=np.float64)
        total = sums.sum(axis=0)
        two = len(total) == 2
        prior = np.log((total + 0.5) / (total.sum() + 0.5 * len(total)))
        start = prior[1:] - prior[:1] if two else prior
        told = np.ascontiguousarray(sums[:, 1:] if two else sums)
        raw = self._raw(codes, sizes, numbers, told, sums.sum(axis=1), start, False)
        if two:
            second = np.asarray(expit(raw))
            return np.concatenate([1 - second, second], axis=1)
        raised = np.exp(raw - raw.max(axis=1, keepdims=True))
        return np.asarray(raised / raised.sum(axis=1, keepdims=True))

    def means(
        self, codes: Codes, sizes: Sequence[int], numbers: Floats, sums: Floats, people: Floats
    ) -> Floats:
        """The mean of a number for each record.

        Parameters
        ----------
        codes, sizes, numbers
            As for `shares`.
        sums : ndarray of float of shape (n_records, 1)
            The number, summed over the people who have the record.
        people : ndarray of float of shape (n_records,)
            How many they are; nobody, where the record is only asked for.

        Returns
        -------
        ndarray of float of shape (n_records, 1)
        """
        people = np.asarray(people, np.float64)
        n_people = max(people.sum(), 1.0)
        mean = sums.sum(axis=0) / n_people
        # in units of their own spread, so that the tolerance means the same for all numbers
        seen = np.maximum(people, 1.0)[:, None]
        spread = float(np.sqrt((people[:, None] * (sums / seen - mean) ** 2).sum() / n_people))
        unit = spread if spread > 0 else 1.0
        centred = np.ascontiguousarray((sums - people[:, None] * mean) / unit)
        raw = self._raw(codes, sizes, numbers, centred, people, np.zeros(sums.shape[1]), True)
        return np.asarray(raw * unit + mean)

    def _raw(
        self,
        codes: Codes,
        sizes: Sequence[int],
        numbers: Floats,
        sums: Floats,
        people: Floats,
        start: Floats,
        squared: bool,
    ) -> Floats:
        codes, numbers = np.ascontiguousarray(codes), np.ascontiguousarray(numbers, np.float64)
        starts = np.array([1, *(1 + np.cumsum(sizes))], dtype=np.int64)  # the constant is first
        learned = np.flatnonzero(people).astype(np.int32)
        coefficients = np.zeros((sums.shape[1], int(starts[-1]) + numbers.shape[1]))
        coefficients[:, 0] = start
        limits = (float(self.ridge), float(self.tolerance), self.steps)
        fit(codes, starts, numbers, learned, sums, people, squared, limits, coefficients)
        raw = np.tile(coefficients[:, 0], (len(codes), 1))
        for column, first in enumerate(starts[:-1]):
            raw += coefficients.T[first + codes[:, column].astype(np.int64)]
        return np.asarray(raw + numbers @ coefficients[:, starts[-1] :].T)


@compiled(error_model="numpy")
def fit(
    codes: Codes,
    starts: Starts,
    numbers: Floats,
    learned: Places,
    sums: Floats,
    people: Floats,
    squared: bool,
    limits: tuple[float, float, int],
    coefficients: Floats,
) -> None:
    """Set the coefficients that fit best, one line for each number that is told."""
    ridge, tolerance, steps = limits
    n_told, width = coefficients.shape
    size = n_told * width
    here = coefficients.reshape(size)
    stiffness = np.empty(size)
    set_stiffness(codes, starts, numbers, learned, people, squared, ridge, n_told, stiffness)
    slope, new_slope, there, way = np.empty(size), np.empty(size), np.empty(size), np.empty(size)
    moves, changes = np.empty((_MEMORY, size)), np.empty((_MEMORY, size))
    curvature, weights = np.empty(_MEMORY), np.empty(_MEMORY)
    n_people = 0.0
    for i in range(learned.shape[0]):
        n_people += people[learned[i]]
    loss = judge(codes, starts, numbers, learned, sums, people, squared, ridge, n_told, here, slope)
    n_kept = 0
    for _ in range(steps):
        plan(slope, stiffness, moves, changes, curvature, n_kept, weights, way)
        promise = 0.0
        for j in range(size):
            promise -= slope[j] * way[j]
        if promise <= tolerance * n_people:
            break
        share, new_loss = 1.0, np.inf
        for _ in range(20):
            for j in range(size):
                there[j] = here[j] + share * way[j]
            new_loss = judge(
                codes,
                starts,
                numbers,
                learned,
                sums,
                people,
                squared,
                ridge,
                n_told,
                there,
                new_slope,
            )
            if new_loss <= loss - 1e-4 * share * promise:
                break
            share /= 2
        if not new_loss < loss:
            break
        place, bent = n_kept % _MEMORY, 0.0
        for j in range(size):
            moves[place, j] = there[j] - here[j]
            changes[place, j] = new_slope[j] - slope[j]
            bent += moves[place, j] * changes[place, j]
            here[j], slope[j] = there[j], new_slope[j]
        loss = new_loss
        if bent > 0.0:
            curvature[place] = bent
            n_kept += 1


@compiled(error_model="numpy")
def plan(
    slope: Floats,
    stiffness: Floats,
    moves: Floats,
    changes: Floats,
    curvature: Floats,
    n_kept: int,
    weights: Floats,
    way: Floats,
) -> None:
    """Set the way to go, from the last steps and how the slope changed along them."""
    memory, size = moves.shape
    for j in range(size):
        way[j] = -slope[j]
    first = max(0, n_kept - memory)
    for k in range(n_kept - 1, first - 1, -1):
        place = k % memory
        weight = 0.0
        for j in range(size):
            weight += moves[place, j] * way[j]
        weights[place] = weight / curvature[place]
        for j in range(size):
            way[j] -= weights[place] * changes[place, j]
    for j in range(size):
        way[j] /= stiffness[j]
    for k in range(first, n_kept):
        place = k % memory
        weight = 0.0
        for j in range(size):
            weight += changes[place, j] * way[j]
        weight /= curvature[place]
        for j in range(size):
            way[j] += (weights[place] - weight) * moves[place, j]


@compiled(error_model="numpy")
def set_stiffness(
    codes: Codes,
    starts: Starts,
    numbers: Floats,
    learned: Places,
    people: Floats,
    squared: bool,
    ridge: float,
    n_told: int,
    stiffness: Floats,
) -> None:
    """How fast the slope of each coefficient grows at most, were it the only one."""
    width = stiffness.shape[0] // n_told
    most = 1.0 if squared else 0.25
    for j in range(width):
        stiffness[j] = ridge if j > 0 else 1e-9
    for i in range(learned.shape[0]):
        row = learned[i]
        weight = most * people[row]
        stiffness[0] += weight
        for column in range(codes.shape[1]):
            stiffness[starts[column] + codes[row, column]] += weight
        for k in range(numbers.shape[1]):
            stiffness[starts[-1] + k] += weight * numbers[row, k] ** 2
    for told in range(1, n_told):
        for j in range(width):
            stiffness[told * width + j] = stiffness[j]


@compiled(error_model="numpy")
def judge(
    codes: Codes,
    starts: Starts,
    numbers: Floats,
    learned: Places,
    sums: Floats,
    people: Floats,
    squared: bool,
    ridge: float,
    n_told: int,
    coefficients: Floats,
    slope: Floats,
) -> float:
    """The loss summed over people, with its slope by every coefficient."""
    width = coefficients.shape[0] // n_told
    n_columns, n_numbers = codes.shape[1], numbers.shape[1]
    raw = np.empty(n_told)
    loss = 0.0
    for told in range(n_told):
        slope[told * width] = 0.0
        for j in range(told * width + 1, (told + 1) * width):
            slope[j] = ridge * coefficients[j]
            loss += 0.5 * ridge * coefficients[j] ** 2
    for i in range(learned.shape[0]):
        row = learned[i]
        for told in range(n_told):
            first = told * width
            value = coefficients[first]
            for column in range(n_columns):
                value += coefficients[first + starts[column] + codes[row, column]]
            for k in range(n_numbers):
                value += coefficients[first + starts[-1] + k] * numbers[row, k]
            raw[told] = value
        if squared:
            for told in range(n_told):
                loss += raw[told] * (0.5 * people[row] * raw[told] - sums[row, told])
                raw[told] = people[row] * raw[told] - sums[row, told]
        else:
            loss += surprise(people[row], sums[row], raw)
        for told in range(n_told):
            step = raw[told]
            first = told * width
            slope[first] += step
            for column in range(n_columns):
                slope[first + starts[column] + codes[row, column]] += step
            for k in range(n_numbers):
                slope[first + starts[-1] + k] += step * numbers[row, k]
    return float(loss)


@compiled(error_model="numpy")
def surprise(people: float, sums: Floats, raw: Floats) -> float:
    """The logarithmic loss of the people of a record; `raw` becomes its slope."""
    n_told, highest, base, loss = raw.shape[0], raw[0], 0.0, 0.0
    for told in range(1, n_told):
        highest = max(highest, raw[told])
    if n_told == 1:  # the first class is told by nothing
        highest = max(highest, 0.0)
        base = np.exp(-highest)
    for told in range(n_told):
        loss -= sums[told] * raw[told]
        raw[told] = np.exp(raw[told] - highest)
        base += raw[told]
    for told in range(n_told):
        raw[told] = people * raw[told] / base - sums[told]
    loss += people * (highest + np.log(base))
    return float(loss)
