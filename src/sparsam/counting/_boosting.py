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
    order. Categories have none: in every leaf they are put in the order of what the people there
    tell of them, as LightGBM does, and are parted along it. People with the same codes end in the
    same leaves, so that learning from distinct records is the same as learning from people.

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
    support : float
        The fewest people (of average weight) who give a category a place in the order of a leaf.
        The others go where most of the weight goes, with those that nobody there has.
    smooth : float
        When categories are put in order: as if so many people more were in each of them in the
        leaf, with what all people tell of it; and among all people so many without a correction.
        Few people do not make a category an extreme one.
    """

    rounds: int = 100
    rate: float = 0.1
    leaves: int = 31
    fewest: float = 1.0
    ridge: float = 1.0
    patience: int = 10
    support: float = 10.0
    smooth: float = 200.0

    def shares(
        self,
        codes: Codes,
        sizes: Sequence[int],
        counts: NDArray[np.integer] | Floats,
        unordered: Sequence[int] = (),
    ) -> Floats:
        """How likely each class is for each record.

        Parameters
        ----------
        codes : ndarray of uint16 of shape (n_records, n_columns)
        sizes : sequence of int
            How many codes each column has.
        counts : ndarray of shape (n_records, n_classes)
            How many people of each class have the record; nobody, where it is only asked for.
        unordered : sequence of int
            The columns whose codes are categories.

        Returns
        -------
        ndarray of float of shape (n_records, n_classes)
        """
        nobody = np.zeros((0, *np.shape(counts)))
        return np.asarray(self.stopped_shares(codes, sizes, counts, nobody, unordered)[0])

    def stopped_shares(
        self,
        codes: Codes,
        sizes: Sequence[int],
        counts: NDArray[np.integer] | Floats,
        held_out: NDArray[np.integer] | Floats,
        unordered: Sequence[int] = (),
    ) -> Floats:
        """The same after the rounds that are best for people who are not learned from.

        Parameters
        ----------
        codes, sizes, counts, unordered
            As for `shares`.
        held_out : ndarray of shape (n_groups, n_records, n_classes)
            How many people of each group that is held out have the record, by class.

        Returns
        -------
        ndarray of float of shape (n_groups + 1, n_records, n_classes)
            What is best for each group; at last, for all of them together.
        """
        sums = np.ascontiguousarray(counts, dtype=np.float64)
        total = sums.sum(axis=0)
        two = len(total) == 2
        prior = np.log((total + 0.5) / (total.sum() + 0.5 * len(total)))
        start = prior[1:] - prior[:1] if two else prior
        told = np.ascontiguousarray(sums[:, 1:]) if two else sums
        judged = np.ascontiguousarray(held_out, dtype=np.float64)
        raw = self._raw(codes, sizes, told, sums.sum(axis=1), start, judged, False, unordered)
        if two:
            second = 1 / (1 + np.exp(-raw))
            return np.concatenate([1 - second, second], axis=2)
        raised = np.exp(raw - raw.max(axis=2, keepdims=True))
        return np.asarray(raised / raised.sum(axis=2, keepdims=True))

    def means(
        self,
        codes: Codes,
        sizes: Sequence[int],
        sums: Floats,
        people: Floats,
        unordered: Sequence[int] = (),
    ) -> Floats:
        """The mean of some numbers for each record.

        Parameters
        ----------
        codes : ndarray of uint16 of shape (n_records, n_columns)
        sizes : sequence of int
        sums : ndarray of float of shape (n_records, n_numbers)
            Each number, summed over the people who have the record.
        people : ndarray of float of shape (n_records,)
            How many they are; nobody, where the record is only asked for.
        unordered : sequence of int
            The columns whose codes are categories.

        Returns
        -------
        ndarray of float of shape (n_records, n_numbers)
        """
        nobody = np.zeros((0, len(codes), np.shape(sums)[1] + 1))
        return np.asarray(self.stopped_means(codes, sizes, sums, people, nobody, unordered)[0])

    def stopped_means(
        self,
        codes: Codes,
        sizes: Sequence[int],
        sums: Floats,
        people: Floats,
        held_out: Floats,
        unordered: Sequence[int] = (),
    ) -> Floats:
        """The same after the rounds that are best for people who are not learned from.

        Parameters
        ----------
        codes, sizes, sums, people, unordered
            As for `means`.
        held_out : ndarray of shape (n_groups, n_records, n_numbers + 1)
            Each number, summed over the people of each group that is held out; at last, how many
            they are.

        Returns
        -------
        ndarray of float of shape (n_groups + 1, n_records, n_numbers)
            What is best for each group; at last, for all of them together.
        """
        people = np.asarray(people, np.float64)
        start = sums.sum(axis=0) / max(people.sum(), 1.0)
        sums = np.ascontiguousarray(sums, np.float64)
        judged = np.ascontiguousarray(held_out, np.float64)
        return self._raw(codes, sizes, sums, people, start, judged, True, unordered)

    def _raw(
        self,
        codes: Codes,
        sizes: Sequence[int],
        sums: Floats,
        people: Floats,
        start: Floats,
        judged: Floats,
        squared: bool,
        unordered: Sequence[int],
    ) -> Floats:
        """The sums of what the trees say, for each group that is held out and for all of them."""
        raw = np.tile(start, (len(codes), 1))
        kept = np.tile(raw, (len(judged) + 1, 1, 1))
        if not codes.shape[1]:
            return kept
        listed = np.zeros(codes.shape[1], dtype=np.bool_)
        listed[list(unordered)] = True
        boost(
            np.ascontiguousarray(codes),
            np.array([0, *np.cumsum(sizes)], dtype=np.int64),
            listed,
            np.flatnonzero(people).astype(np.int32),
            np.flatnonzero(people == 0).astype(np.int32),
            sums,
            people,
            np.flatnonzero(judged.sum(axis=(0, 2))).astype(np.int32),
            judged,
            raw,
            squared,
            (self.rounds, self.leaves, self.patience),
            (
                float(self.rate),
                float(self.fewest),
                float(self.ridge),
                float(self.support),
                float(self.smooth),
            ),
            kept,
        )
        return kept


Strengths = tuple[float, float, float, float, float]


@compiled(error_model="numpy")
def boost(
    codes: Codes,
    starts: NDArray[np.int64],
    unordered: NDArray[np.bool_],
    learned: Places,
    asked: Places,
    sums: Floats,
    people: Floats,
    watched: Places,
    held_out: Floats,
    raw: Floats,
    squared: bool,
    limits: tuple[int, int, int],
    strengths: Strengths,
    kept: Floats,
) -> None:
    """Grow trees, and keep in `kept` what they say after the best rounds.

    `learned` are the records with people, `asked` the others, `watched` those with people held
    out. `raw` is what is said so far, one column for each number that is told. `squared` says what
    is fitted: means, or else logits (of the second class, where there is one column).
    """
    rounds, leaves, patience = limits
    rate, fewest, ridge, support, smooth = strengths
    n_groups = held_out.shape[0]
    slopes = np.empty((raw.shape[1], codes.shape[0], 2))
    table = np.empty((leaves, starts[-1], 2))
    order, others = np.empty(learned.shape[0], np.int32), np.empty(asked.shape[0], np.int32)
    spare = np.empty(max(learned.shape[0], asked.shape[0]), np.int32)
    least, since = np.full(n_groups + 1, np.inf), np.zeros(n_groups + 1, np.int64)
    for _ in range(rounds):
        set_slopes(learned, sums, people, raw, squared, slopes)
        for told in range(raw.shape[1]):
            for i in range(learned.shape[0]):
                order[i] = learned[i]
            for i in range(asked.shape[0]):
                others[i] = asked[i]
            # people are of less weight the surer their forecasts are
            weight = mean_weight(learned, people, slopes[told])
            add_tree(
                codes,
                starts,
                unordered,
                order,
                others,
                slopes[told],
                (rate, fewest, ridge, support * weight, smooth * weight),
                table,
                spare,
                raw,
                told,
            )
        if watched.shape[0] == 0:
            continue
        whole, waited = 0.0, patience
        for group in range(n_groups + 1):
            loss = whole
            if group < n_groups:
                loss = surprise(watched, held_out[group], raw, squared)
                whole += loss
            since[group] += 1
            if loss < least[group]:
                least[group], since[group] = loss, 0
                copy_into(raw, kept[group])
            waited = min(waited, since[group])
        if waited >= patience:
            break
    if watched.shape[0] == 0:
        for group in range(n_groups + 1):
            copy_into(raw, kept[group])


@compiled(error_model="numpy")
def add_tree(
    codes: Codes,
    starts: NDArray[np.int64],
    unordered: NDArray[np.bool_],
    order: Places,
    others: Places,
    slopes: Floats,
    strengths: Strengths,
    table: Floats,
    spare: Places,
    raw: Floats,
    told: int,
) -> None:
    """Grow a tree and add what it says to one column of `raw`.

    `order` are the records to learn from, `others` those that are only asked for: both are sorted
    by leaf. There are as many leaves as `table` has room for.
    """
    rate, ridge = strengths[0], strengths[2]
    leaves = table.shape[0]
    gains, columns, cuts = np.empty(leaves), np.empty(leaves, np.int64), np.empty(leaves, np.int64)
    widest = widest_column(starts)
    ranked, left = np.empty(widest, np.int64), np.empty(widest, np.bool_)
    told_by_all = np.zeros(starts[-1])
    # where each leaf begins and ends among either
    first, last = np.zeros(leaves, np.int64), np.empty(leaves, np.int64)
    first_asked, last_asked = np.zeros(leaves, np.int64), np.empty(leaves, np.int64)
    last[0], last_asked[0] = order.shape[0], others.shape[0]
    fill_table(codes, starts, order, first[0], last[0], slopes, table[0])
    for cell in range(starts[-1]):
        told_by_all[cell] = table[0, cell, 0] / (table[0, cell, 1] + strengths[4])
    gains[0], columns[0], cuts[0] = best_cut(
        table[0], starts, unordered, strengths, told_by_all, ranked
    )
    n_leaves = 1
    while n_leaves < leaves:
        leaf, new = 0, n_leaves
        for i in range(1, n_leaves):
            if gains[i] > gains[leaf]:
                leaf = i
        if gains[leaf] <= 1e-9:
            break
        column = columns[leaf]
        cells = table[leaf, starts[column] : starts[column + 1]]
        expected = told_by_all[starts[column] : starts[column + 1]]
        set_sides(cells, unordered[column], cuts[leaf], strengths, expected, ranked, left)
        last[new], last_asked[new] = last[leaf], last_asked[leaf]
        middle = part(order, first[leaf], last[leaf], codes, column, left, spare)
        last[leaf], first[new] = middle, middle
        middle = part(others, first_asked[leaf], last_asked[leaf], codes, column, left, spare)
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
        for i in (leaf, new):
            gains[i], columns[i], cuts[i] = best_cut(
                table[i], starts, unordered, strengths, told_by_all, ranked
            )
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


@compiled()
def widest_column(starts: NDArray[np.int64]) -> int:
    """The most codes of any column; in a loop, as numpy's functions take seconds to compile."""
    widest = 0
    for column in range(starts.shape[0] - 1):
        widest = max(widest, starts[column + 1] - starts[column])
    return widest


@compiled(error_model="numpy")
def mean_weight(learned: Places, people: Floats, slopes: Floats) -> float:
    """The mean of the second derivative over people."""
    total, n_people = 0.0, 0.0
    for i in range(learned.shape[0]):
        total += slopes[learned[i], 1]
        n_people += people[learned[i]]
    return total / n_people


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
    table: Floats,
    starts: NDArray[np.int64],
    unordered: NDArray[np.bool_],
    strengths: Strengths,
    told_by_all: Floats,
    ranked: NDArray[np.int64],
) -> tuple[float, int, int]:
    """The cut that helps most: how much, of which column, and the last place on its left."""
    fewest, ridge = strengths[1], strengths[2]
    best, best_column, best_cut = 0.0, 0, 0
    slope, stiffness = 0.0, 0.0
    for cell in range(starts[0], starts[1]):
        slope += table[cell, 0]
        stiffness += table[cell, 1]
    whole = slope * slope / (stiffness + ridge)
    for column in range(starts.shape[0] - 1):
        left, weight = 0.0, 0.0
        if unordered[column]:
            cells = table[starts[column] : starts[column + 1]]
            n_ranked = put_in_order(
                cells, strengths, told_by_all[starts[column] : starts[column + 1]], ranked
            )
            gain, place = best_place(cells, ranked[:n_ranked], slope, stiffness, strengths)
            if gain - whole > best + 1e-12:
                best, best_column, best_cut = gain - whole, column, place
            continue
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
def best_place(
    cells: Floats,
    ranked: NDArray[np.int64],
    slope: float,
    stiffness: float,
    strengths: Strengths,
) -> tuple[float, int]:
    """The best cut of the categories in their order: its gain, and the last place on its left."""
    fewest, ridge = strengths[1], strengths[2]
    known, known_weight = 0.0, 0.0
    for place in range(ranked.shape[0]):
        known += cells[ranked[place], 0]
        known_weight += cells[ranked[place], 1]
    best, best_place, left, weight = 0.0, 0, 0.0, 0.0
    for place in range(ranked.shape[0] - 1):
        left += cells[ranked[place], 0]
        weight += cells[ranked[place], 1]
        slope_left, weight_left = left, weight
        if 2 * weight > known_weight:  # the others are with the heavier side
            slope_left += slope - known
            weight_left += stiffness - known_weight
        if weight_left < fewest or stiffness - weight_left < fewest:
            continue
        right = slope - slope_left
        gain = slope_left * slope_left / (weight_left + ridge)
        gain += right * right / (stiffness - weight_left + ridge)
        if gain > best + 1e-12:
            best, best_place = gain, place
    return best, best_place


@compiled(error_model="numpy")
def put_in_order(
    cells: Floats, strengths: Strengths, expected: Floats, ranked: NDArray[np.int64]
) -> int:
    """Rank the categories with enough weight by what they tell; return how many there are.

    Equal ones keep the order of their codes.
    """
    support, smooth = strengths[3], strengths[4]
    n_ranked = 0
    for code in range(cells.shape[0]):
        if cells[code, 1] >= support and cells[code, 1] > 0.0:
            ranked[n_ranked] = code
            n_ranked += 1
    gap = 1
    while gap < n_ranked // 3:
        gap = 3 * gap + 1
    while gap > 0:  # Shell's sort: no memory is asked for, and few categories take no time
        for i in range(gap, n_ranked):
            code = ranked[i]
            told = (cells[code, 0] + smooth * expected[code]) / (cells[code, 1] + smooth)
            j = i
            while j >= gap:
                other = ranked[j - gap]
                other_told = cells[other, 0] + smooth * expected[other]
                other_told /= cells[other, 1] + smooth
                if other_told < told or (other_told == told and other < code):
                    break
                ranked[j] = other
                j -= gap
            ranked[j] = code
        gap //= 3
    return n_ranked


@compiled(error_model="numpy")
def set_sides(
    cells: Floats,
    unordered: bool,
    cut: int,
    strengths: Strengths,
    expected: Floats,
    ranked: NDArray[np.int64],
    left: NDArray[np.bool_],
) -> None:
    """Which codes of a column are on the left of a cut of `best_cut`."""
    n_codes = cells.shape[0]
    if not unordered:
        for code in range(n_codes):
            left[code] = code <= cut
        return
    n_ranked = put_in_order(cells, strengths, expected, ranked)
    weight, known_weight = 0.0, 0.0
    for place in range(n_ranked):
        known_weight += cells[ranked[place], 1]
        if place <= cut:
            weight += cells[ranked[place], 1]
    for code in range(n_codes):
        left[code] = 2 * weight > known_weight
    for place in range(n_ranked):
        left[ranked[place]] = place <= cut


@compiled(error_model="numpy")
def part(
    rows: Places,
    first: int,
    last: int,
    codes: Codes,
    column: int,
    left: NDArray[np.bool_],
    spare: Places,
) -> int:
    """Move the records on the left to the front, keeping their order; return where they end."""
    middle, n_right = first, 0
    for i in range(first, last):
        row = rows[i]
        if left[codes[row, column]]:
            rows[middle] = row
            middle += 1
        else:
            spare[n_right] = row
            n_right += 1
    for i in range(n_right):
        rows[middle + i] = spare[i]
    return middle


@compiled(error_model="numpy")
def surprise(watched: Places, held_out: Floats, raw: Floats, squared: bool) -> float:
    """Sum of the loss over people held out: the logarithmic one, or the squared one.

    The latter without the squares of their own numbers, which nothing can change.
    """
    n_told, n_classes = raw.shape[1], held_out.shape[1]
    total = 0.0
    for i in range(watched.shape[0]):
        row = watched[i]
        if squared:
            for told in range(n_told):
                here = raw[row, told]
                total += here * (held_out[row, n_told] * here - 2 * held_out[row, told])
            continue
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
