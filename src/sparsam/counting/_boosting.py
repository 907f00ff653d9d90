"""Boosted trees over coded records: each distinct record once, weighted by the people behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsam.counting._compiled import compiled

Floats = NDArray[np.float64]
Codes = NDArray[np.uint16]
Places = NDArray[np.int32]


@dataclass(frozen=True)
class Boosting:
    """Boosted regression trees that tell something of a record from its codes.

    Every tree is grown best cut first. A cut parts the codes of one column at a place in their
    order, so categories should be numbered by what they tell. People with the same codes end in
    the same leaves, so that learning from distinct records is the same as learning from people.

    Parameters
    ----------
    rounds : int
        The most rounds; in each, one tree is grown for each number that is told.
    rate : float
        The share of what a tree says that is believed.
    leaves : int
        The most leaves of a tree.
    fewest : float
        The least weight (the people, times how unsure their forecasts are) in a leaf.
    ridge : float
        As if so much weight more, without a correction, were in each leaf.
    patience : int
        Where people are held out: after so many rounds that do not help them, growing ends.
    """

    rounds: int = 100
    rate: float = 0.1
    leaves: int = 31
    fewest: float = 1.0
    ridge: float = 1.0
    patience: int = 10

    def shares(
        self,
        codes: Codes,
        sizes: Sequence[int],
        counts: NDArray[np.integer] | Floats,
        held_out: NDArray[np.integer] | Floats | None = None,
    ) -> Floats:
        """How likely each class is for each record.

        Parameters
        ----------
        codes : ndarray of uint16 of shape (n_records, n_columns)
        sizes : sequence of int
            How many codes each column has.
        counts : ndarray of shape (n_records, n_classes)
            How many people of each class have the record; nobody, where it is only asked for.
        held_out : ndarray of shape (n_records, n_classes), optional
            The same of people who are not learned from: the rounds that are best for them are
            kept.

        Returns
        -------
        ndarray of float of shape (n_records, n_classes)
        """
        sums = np.ascontiguousarray(counts, dtype=np.float64)
        total = sums.sum(axis=0)
        two = len(total) == 2
        prior = np.log((total + 0.5) / (total.sum() + 0.5 * len(total)))
        start = prior[1:] - prior[:1] if two else prior
        told = np.ascontiguousarray(sums[:, 1:]) if two else sums
        judged = np.zeros((0, 0)) if held_out is None else np.asarray(held_out, np.float64)
        raw = self._raw(codes, sizes, told, sums.sum(axis=1), start, judged)
        if two:
            second = 1 / (1 + np.exp(-raw))
            return np.concatenate([1 - second, second], axis=1)
        raised = np.exp(raw - raw.max(axis=1, keepdims=True))
        return np.asarray(raised / raised.sum(axis=1, keepdims=True))

    def means(self, codes: Codes, sizes: Sequence[int], sums: Floats, people: Floats) -> Floats:
        """The mean of some numbers for each record.

        Parameters
        ----------
        codes : ndarray of uint16 of shape (n_records, n_columns)
        sizes : sequence of int
        sums : ndarray of float of shape (n_records, n_numbers)
            Each number, summed over the people who have the record.
        people : ndarray of float of shape (n_records,)
            How many they are; nobody, where the record is only asked for.

        Returns
        -------
        ndarray of float of shape (n_records, n_numbers)
        """
        people = np.asarray(people, np.float64)
        start = sums.sum(axis=0) / max(people.sum(), 1.0)
        sums = np.ascontiguousarray(sums, np.float64)
        return self._raw(codes, sizes, sums, people, start, None)

    def _raw(
        self,
        codes: Codes,
        sizes: Sequence[int],
        sums: Floats,
        people: Floats,
        start: Floats,
        judged: Floats | None,
    ) -> Floats:
        """The sums of what the trees say; `judged` is None for means."""
        raw = np.tile(start, (len(codes), 1))
        if not codes.shape[1]:
            return raw
        watched = np.zeros((0, 0)) if judged is None else judged
        boost(
            np.ascontiguousarray(codes),
            np.array([0, *np.cumsum(sizes)], dtype=np.int64),
            np.flatnonzero(people).astype(np.int32),
            np.flatnonzero(people == 0).astype(np.int32),
            sums,
            people,
            np.flatnonzero(watched.sum(axis=1)).astype(np.int32),
            np.ascontiguousarray(watched),
            raw,
            judged is None,
            (self.rounds, self.leaves, self.patience),
            (self.rate, self.fewest, self.ridge),
            raw.copy(),
        )
        return raw


@compiled(error_model="numpy")
def boost(
    codes: Codes,
    starts: NDArray[np.int64],
    learned: Places,
    asked: Places,
    sums: Floats,
    people: Floats,
    watched: Places,
    held_out: Floats,
    raw: Floats,
    squared: bool,
    limits: tuple[int, int, int],
    strengths: tuple[float, float, float],
    kept: Floats,
) -> None:
    """Add what boosted trees say to `raw`, one column for each number that is told.

    `learned` are the records with people, `asked` the others, `watched` those with people held
    out; `kept` is a copy of `raw`. `squared` says what is fitted: means, or else logits (of the
    second class, where there is one column).
    """
    rounds, leaves, patience = limits
    slopes = np.empty((raw.shape[1], codes.shape[0], 2))
    table = np.empty((leaves, starts[-1], 2))
    order, others = np.empty(learned.shape[0], np.int32), np.empty(asked.shape[0], np.int32)
    spare = np.empty(max(learned.shape[0], asked.shape[0]), np.int32)
    least, since = np.inf, 0
    for _ in range(rounds):
        set_slopes(learned, sums, people, raw, squared, slopes)
        for told in range(raw.shape[1]):
            for i in range(learned.shape[0]):
                order[i] = learned[i]
            for i in range(asked.shape[0]):
                others[i] = asked[i]
            add_tree(codes, starts, order, others, slopes[told], strengths, table, spare, raw, told)
        if watched.shape[0] > 0:
            loss = surprise(watched, held_out, raw)
            since += 1
            if loss < least:
                least, since = loss, 0
                copy_into(raw, kept)
            if since >= patience:
                break
    if watched.shape[0] > 0:
        copy_into(kept, raw)


@compiled(error_model="numpy")
def add_tree(
    codes: Codes,
    starts: NDArray[np.int64],
    order: Places,
    others: Places,
    slopes: Floats,
    strengths: tuple[float, float, float],
    table: Floats,
    spare: Places,
    raw: Floats,
    told: int,
) -> None:
    """Grow a tree and add what it says to one column of `raw`.

    `order` are the records to learn from, `others` those that are only asked for: both are sorted
    by leaf. There are as many leaves as `table` has room for.
    """
    rate, fewest, ridge = strengths
    leaves = table.shape[0]
    gains, columns, cuts = np.empty(leaves), np.empty(leaves, np.int64), np.empty(leaves, np.int64)
    # where each leaf begins and ends among either
    first, last = np.zeros(leaves, np.int64), np.empty(leaves, np.int64)
    first_asked, last_asked = np.zeros(leaves, np.int64), np.empty(leaves, np.int64)
    last[0], last_asked[0] = order.shape[0], others.shape[0]
    fill_table(codes, starts, order, first[0], last[0], slopes, table[0])
    gains[0], columns[0], cuts[0] = best_cut(table[0], starts, fewest, ridge)
    n_leaves = 1
    while n_leaves < leaves:
        leaf, new = 0, n_leaves
        for i in range(1, n_leaves):
            if gains[i] > gains[leaf]:
                leaf = i
        if gains[leaf] <= 1e-9:
            break
        column, cut = columns[leaf], cuts[leaf]
        last[new], last_asked[new] = last[leaf], last_asked[leaf]
        middle = part(order, first[leaf], last[leaf], codes, column, cut, spare)
        last[leaf], first[new] = middle, middle
        middle = part(others, first_asked[leaf], last_asked[leaf], codes, column, cut, spare)
        last_asked[leaf], first_asked[new] = middle, middle
        # the larger part is what the smaller one leaves
        smaller, larger = new, leaf
        if last[leaf] - first[leaf] <= last[new] - first[new]:
            smaller, larger = leaf, new
            copy_into(table[leaf], table[new])
        fill_table(codes, starts, order, first[smaller], last[smaller], slopes, table[smaller])
        for cell in range(starts[-1]):
            table[larger, cell, 0] -= table[smaller, cell, 0]
            table[larger, cell, 1] -= table[smaller, cell, 1]
        gains[leaf], columns[leaf], cuts[leaf] = best_cut(table[leaf], starts, fewest, ridge)
        gains[new], columns[new], cuts[new] = best_cut(table[new], starts, fewest, ridge)
        n_leaves += 1
    for leaf in range(n_leaves):
        slope, stiffness = 0.0, ridge
        for i in range(first[leaf], last[leaf]):
            slope += slopes[order[i], 0]
            stiffness += slopes[order[i], 1]
        step = -rate * slope / stiffness
        for i in range(first[leaf], last[leaf]):
            raw[order[i], told] += step
        for i in range(first_asked[leaf], last_asked[leaf]):
            raw[others[i], told] += step


@compiled(error_model="numpy")
def copy_into(values: Floats, place: Floats) -> None:
    """Copy one array over another."""
    for row in range(values.shape[0]):
        for told in range(values.shape[1]):
            place[row, told] = values[row, told]


@compiled(error_model="numpy")
def set_slopes(
    learned: Places, sums: Floats, people: Floats, raw: Floats, squared: bool, slopes: Floats
) -> None:
    """First and second derivative of the loss by each number that is told of each record."""
    n_told = raw.shape[1]
    for i in range(learned.shape[0]):
        row = learned[i]
        if squared:
            for told in range(n_told):
                slopes[told, row, 0] = people[row] * raw[row, told] - sums[row, told]
                slopes[told, row, 1] = people[row]
            continue
        highest = raw[row, 0]
        for told in range(1, n_told):
            highest = max(highest, raw[row, told])
        total = 0.0
        if n_told == 1:  # the first class is told by nothing
            highest = max(highest, 0.0)
            total = np.exp(-highest)
        for told in range(n_told):
            slopes[told, row, 0] = np.exp(raw[row, told] - highest)
            total += slopes[told, row, 0]
        for told in range(n_told):
            share = slopes[told, row, 0] / total
            slopes[told, row, 0] = people[row] * share - sums[row, told]
            slopes[told, row, 1] = people[row] * max(share * (1 - share), 1e-16)


@compiled(error_model="numpy")
def fill_table(
    codes: Codes,
    starts: NDArray[np.int64],
    rows: Places,
    first: int,
    last: int,
    slopes: Floats,
    table: Floats,
) -> None:
    """Sum the derivatives over the records of each code of each column."""
    for cell in range(table.shape[0]):
        table[cell, 0] = 0.0
        table[cell, 1] = 0.0
    for i in range(first, last):
        row = rows[i]
        slope, stiffness = slopes[row, 0], slopes[row, 1]
        for column in range(codes.shape[1]):
            cell = starts[column] + codes[row, column]
            table[cell, 0] += slope
            table[cell, 1] += stiffness


@compiled(error_model="numpy")
def best_cut(
    table: Floats, starts: NDArray[np.int64], fewest: float, ridge: float
) -> tuple[float, int, int]:
    """The cut that helps most: how much, of which column, and the last code on its left."""
    best, best_column, best_cut = 0.0, 0, 0
    slope, stiffness = 0.0, 0.0
    for cell in range(starts[0], starts[1]):
        slope += table[cell, 0]
        stiffness += table[cell, 1]
    whole = slope * slope / (stiffness + ridge)
    for column in range(starts.shape[0] - 1):
        left, weight = 0.0, 0.0
        for cell in range(starts[column], starts[column + 1] - 1):
            left += table[cell, 0]
            weight += table[cell, 1]
            if weight < fewest or table[cell, 1] == 0.0:
                continue
            if stiffness - weight < fewest:
                break
            right = slope - left
            gain = left * left / (weight + ridge) + right * right / (stiffness - weight + ridge)
            if gain - whole > best + 1e-12:
                best, best_column, best_cut = gain - whole, column, cell - starts[column]
    return best, best_column, best_cut


@compiled(error_model="numpy")
def part(
    rows: Places, first: int, last: int, codes: Codes, column: int, cut: int, spare: Places
) -> int:
    """Move the records up to the cut to the front, keeping their order; return where they end."""
    middle, n_right = first, 0
    for i in range(first, last):
        row = rows[i]
        if codes[row, column] <= cut:
            rows[middle] = row
            middle += 1
        else:
            spare[n_right] = row
            n_right += 1
    for i in range(n_right):
        rows[middle + i] = spare[i]
    return middle


@compiled(error_model="numpy")
def surprise(watched: Places, held_out: Floats, raw: Floats) -> float:
    """Sum of the logarithmic loss over the people held out."""
    n_told, n_classes = raw.shape[1], held_out.shape[1]
    total = 0.0
    for i in range(watched.shape[0]):
        row = watched[i]
        highest = raw[row, 0] if n_told > 1 else max(raw[row, 0], 0.0)
        for told in range(1, n_told):
            highest = max(highest, raw[row, told])
        base = 0.0 if n_told > 1 else np.exp(-highest)
        for told in range(n_told):
            base += np.exp(raw[row, told] - highest)
        base = highest + np.log(base)
        for k in range(n_classes):
            logit = raw[row, k + n_told - n_classes] if k + n_told >= n_classes else 0.0
            total += held_out[row, k] * (base - logit)
    return total
