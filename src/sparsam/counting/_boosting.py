"""Boosted trees over coded records: each distinct record once, weighted by the people behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsam.counting._boosted_tree import (
    Codes,
    Floats,
    Places,
    Strengths,
    add_tree,
    copy_into,
    together,
)
from sparsam.counting._compiled import compiled


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
            np.exp(np.negative(raw, out=raw), out=raw)  # in place, as records may be millions
            raw += 1
            shares = np.empty((*raw.shape[:2], 2))
            np.divide(1, raw, out=shares[:, :, 1:])
            np.subtract(1, shares[:, :, 1:], out=shares[:, :, :1])
            return shares
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
        begin = np.tile(start, (len(codes), 1))
        kept = np.tile(begin, (len(judged) + 1, 1, 1))
        if not codes.shape[1]:
            return kept
        listed = np.zeros(codes.shape[1], dtype=np.bool_)
        listed[list(unordered)] = True
        codes = np.ascontiguousarray(codes)
        boost(
            codes,
            np.ascontiguousarray(codes.T),
            np.array([0, *np.cumsum(sizes)], dtype=np.int64),
            *together(codes, sizes),
            listed,
            np.flatnonzero(people).astype(np.int32),
            np.flatnonzero(people == 0).astype(np.int32),
            sums,
            people,
            np.flatnonzero(judged.sum(axis=(0, 2))).astype(np.int32),
            judged,
            begin,
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


@compiled(error_model="numpy")
def boost(
    codes: Codes,
    columns_of: Codes,
    starts: NDArray[np.int64],
    joint: Codes,
    joint_starts: NDArray[np.int64],
    members: NDArray[np.int64],
    unordered: NDArray[np.bool_],
    learned: Places,
    asked: Places,
    sums: Floats,
    people: Floats,
    watched: Places,
    held_out: Floats,
    begin: Floats,
    squared: bool,
    limits: tuple[int, int, int],
    strengths: Strengths,
    kept: Floats,
) -> None:
    """Grow trees, and keep in `kept` what they say after the best rounds.

    `learned` are the records with people, `asked` the others, `watched` those with people held
    out. `begin` is what is said before, one column for each number that is told. `squared` says
    what is fitted: means, or else logits (of the second class, where there is one column).
    """
    rounds, leaves, patience = limits
    rate, fewest, ridge, support, smooth = strengths
    n_groups, n_told = held_out.shape[0], begin.shape[1]
    slopes = np.empty((n_told, codes.shape[0], 2))
    table = np.empty((leaves, starts[-1], 2))
    order, others = np.empty(learned.shape[0], np.int32), np.empty(asked.shape[0], np.int32)
    spare = np.empty(max(learned.shape[0], asked.shape[0]), np.int32)
    losses = np.zeros(n_groups + 1)
    least, since = np.full(n_groups + 1, np.inf), np.zeros(n_groups + 1, np.int64)
    said = np.empty((2, codes.shape[0], n_told))  # in turn, before and after a round
    copy_into(begin, said[0])
    last = 0
    for _ in range(rounds):
        before, after = said[last], said[1 - last]
        last = 1 - last
        set_slopes(learned, sums, people, before, squared, slopes)
        for told in range(n_told):
            for i in range(learned.shape[0]):
                order[i] = learned[i]
            for i in range(asked.shape[0]):
                others[i] = asked[i]
            # people are of less weight the surer their forecasts are
            weight = mean_weight(learned, people, slopes[told])
            add_tree(
                codes,
                columns_of,
                starts,
                joint,
                joint_starts,
                members,
                unordered,
                order,
                others,
                slopes[told],
                (rate, fewest, ridge, support * weight, smooth * weight),
                table,
                spare,
                before,
                after,
                told,
            )
        if watched.shape[0] == 0:
            continue
        set_surprises(watched, held_out, after, squared, losses)
        waited = patience
        for group in range(n_groups + 1):
            since[group] += 1
            if losses[group] < least[group]:
                least[group], since[group] = losses[group], 0
            elif since[group] == 1:  # the round before was the best so far
                copy_into(before, kept[group])
            waited = min(waited, since[group])
        if waited >= patience:
            break
    for group in range(n_groups + 1):
        if since[group] == 0:
            copy_into(said[last], kept[group])


@compiled(error_model="numpy")
def mean_weight(learned: Places, people: Floats, slopes: Floats) -> float:
    """The mean of the second derivative over people."""
    total, n_people = 0.0, 0.0
    for i in range(learned.shape[0]):
        total += slopes[learned[i], 1]
        n_people += people[learned[i]]
    return total / n_people


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
        if n_told == 1:  # the first class is told by nothing
            share = 1.0 / (1.0 + np.exp(-raw[row, 0]))
            slopes[0, row, 0] = people[row] * share - sums[row, 0]
            slopes[0, row, 1] = people[row] * max(share * (1 - share), 1e-16)
            continue
        highest, total = raw[row, 0], 0.0
        for told in range(1, n_told):
            highest = max(highest, raw[row, told])
        for told in range(n_told):
            slopes[told, row, 0] = np.exp(raw[row, told] - highest)
            total += slopes[told, row, 0]
        for told in range(n_told):
            share = slopes[told, row, 0] / total
            slopes[told, row, 0] = people[row] * share - sums[row, told]
            slopes[told, row, 1] = people[row] * max(share * (1 - share), 1e-16)


@compiled(error_model="numpy")
def set_surprises(
    watched: Places, held_out: Floats, raw: Floats, squared: bool, losses: Floats
) -> None:
    """Sum of the loss over each group of people held out, and over all: logarithmic, or squared.

    The latter without the squares of their own numbers, which nothing can change.
    """
    n_groups, n_told, n_classes = held_out.shape[0], raw.shape[1], held_out.shape[2]
    losses[:] = 0.0
    for i in range(watched.shape[0]):
        row = watched[i]
        if squared:
            for group in range(n_groups):
                for told in range(n_told):
                    here = raw[row, told]
                    sums = held_out[group, row]
                    losses[group] += here * (sums[n_told] * here - 2 * sums[told])
            continue
        highest = raw[row, 0] if n_told > 1 else max(raw[row, 0], 0.0)
        for told in range(1, n_told):
            highest = max(highest, raw[row, told])
        base = np.exp(-abs(raw[row, 0])) if n_told == 1 else -1.0
        for told in range(n_told if n_told > 1 else 0):
            base += np.exp(raw[row, told] - highest)
        base = highest + np.log1p(base)
        for group in range(n_groups):
            for k in range(n_classes):
                logit = raw[row, k + n_told - n_classes] if k + n_told >= n_classes else 0.0
                losses[group] += held_out[group, row, k] * (base - logit)
    for group in range(n_groups):
        losses[n_groups] += losses[group]
