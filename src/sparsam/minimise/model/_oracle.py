"""What a model answers, and how many of its answers a generalization keeps."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError, ParameterError
from sparsam.data import Attribute
from sparsam.data.model import Replacement

Answers = NDArray[np.int64] | NDArray[np.float64]
Scorer = Callable[[NDArray[Any], NDArray[Any]], float]

_BLOCKS = 20
FEWEST_IN_CELL, FEWEST_OF_ANSWER = 50, 30
_LARGEST_KEY = 2**62
_AT_ONCE = 20_000  # records that go through the model in one piece, which bounds its memory
_MOST_REMEMBERED = 2**20  # records whose answers are kept


class Oracle:
    """A model that is asked about codes, each distinct record once while it is remembered.

    The answers to about a million records are remembered. Where there would be more, all are
    forgotten, and asked for again if they are needed.

    Parameters
    ----------
    predict : callable
        From codes, one row a record, to the model's answers: labels or numbers, one or several a
        record. Where `with_numbers` is used, it takes numbers instead of some codes too.
    sizes : sequence of int
        The number of codes of each attribute.
    regression : bool, default=False
        Whether the answers are numbers.
    own : mapping of str to sequence, optional
        For an attribute whose codes stand for several numbers: the one that each code is asked
        with.

    Attributes
    ----------
    n_asked : int
        How many records the model was asked about so far.
    """

    def __init__(
        self,
        predict: Callable[..., NDArray[Any]],
        sizes: Sequence[int],
        regression: bool = False,
        own: Mapping[str, Sequence[Any]] | None = None,
    ) -> None:
        self.regression = regression
        self._own = own or {}
        self.n_asked = 0
        self._predict = predict
        self._labels: dict[Any, int] = {}
        self._keys = RecordKeys(sizes)
        self._places = Places()  # of the answer to a record that was asked about
        self._known: Answers | None = None
        self._heard: tuple[Places, NDArray[Any]] | None = None  # answers that none has used yet

    def hear(self, codes: NDArray[np.uint16]) -> None:
        """Ask in one go about records that are certain to be asked about later.

        Nothing else changes by it: labels are numbered as if they were heard when they are used.

        Parameters
        ----------
        codes : ndarray of uint16
        """
        keys = self._keys(codes)
        new = np.flatnonzero(self._places.find(keys) < 0)
        distinct, first = np.unique(keys[new], return_index=True)
        if len(new):
            raw, places = self._ask(codes[new[first]]), Places()
            places.add(distinct)
            self._heard = places, raw

    def __call__(self, codes: NDArray[np.uint16]) -> Answers:
        """Answer each record: the number of a label, or one line of numbers."""
        if len(self._places) > _MOST_REMEMBERED:
            self._places, self._known = Places(), None
        distinct, first, index = np.unique(
            self._keys(codes), return_index=True, return_inverse=True
        )
        places = self._places.find(distinct)
        new = np.flatnonzero(places < 0)
        if len(new) or self._known is None:
            raw = self._raw(distinct[new], codes[first[new]])
            places[new] = self._places.add(distinct[new])
            self._remember(self._lines(raw) if self.regression else self._numbers(raw))
        assert self._known is not None
        answers: Answers = self._known[places[index]]
        return answers

    def _remember(self, answers: Answers) -> None:
        """Keep answers after those known; there is room for twice as many, to copy them seldom."""
        known, n = self._known, len(self._places)
        if known is None or len(known) < n:
            longer = np.empty((2 * n, *answers.shape[1:]), answers.dtype)
            if known is not None:
                longer[: len(known)] = known
            self._known = known = longer
        known[n - len(answers) : n] = answers

    def _raw(self, keys: NDArray[np.int64], records: NDArray[np.uint16]) -> NDArray[Any]:
        """The model's answers to new records, of which some may have been heard already."""
        if self._heard is None:
            return self._ask(records)
        places, heard = self._heard[0].find(keys), self._heard[1]
        unheard = np.flatnonzero(places < 0)
        if not len(unheard):
            return heard[places]
        if len(unheard) == len(places):
            return self._ask(records)
        places[unheard] = len(heard) + np.arange(len(unheard))
        both: NDArray[Any] = np.concatenate([heard, self._ask(records[unheard])])[places]
        return both

    def with_numbers(
        self, codes: NDArray[np.uint16], numbers: Mapping[int, Replacement]
    ) -> Answers:
        """Answer records with numbers in them that no person may have.

        Parameters
        ----------
        codes : ndarray of uint16
        numbers : mapping of int to Replacement
            For some attributes, by their places: what stands instead of the codes.
        """
        raw = self._ask(codes, numbers)
        return self._lines(raw) if self.regression else self._numbers(raw)

    def _ask(
        self, records: NDArray[np.uint16], *numbers: Mapping[int, Replacement]
    ) -> NDArray[Any]:
        parts = []
        for start in range(0, max(len(records), 1), _AT_ONCE):
            piece = slice(start, start + _AT_ONCE)
            of_piece = [
                {a: replace(new, index=new.index[piece]) for a, new in part.items()}
                for part in numbers
            ]
            asked = records[piece]
            parts.append(np.asarray(self._predict(asked, *of_piece)))
            self.n_asked += len(asked)
            if len(parts[-1]) != len(asked):
                raise DataError(
                    f"The model must give one answer for each of {len(asked):,} records. "
                    f"Got {len(parts[-1]):,} instead."
                )
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _lines(self, raw: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray(raw, np.float64).reshape(len(raw), -1)

    def _numbers(self, raw: NDArray[Any]) -> NDArray[np.int64]:
        if raw.ndim == 1 and raw.dtype != object:
            distinct = np.unique(raw)
            place = np.searchsorted(distinct, raw)
            known = [self._labels.setdefault(v, len(self._labels)) for v in distinct.tolist()]
            return np.asarray(known, np.int64)[place]
        rows = [tuple(row) if raw.ndim > 1 else row for row in raw.tolist()]
        return np.array([self._labels.setdefault(r, len(self._labels)) for r in rows], np.int64)

    def labels(self, answers: Answers) -> NDArray[Any]:
        """The answers in the model's own words."""
        if self.regression:
            return answers[:, 0] if answers.shape[1] == 1 else answers
        known = list(self._labels)
        if known and isinstance(known[0], tuple):
            return np.array([known[a] for a in answers], dtype=object)
        words = np.empty(len(known), dtype=object)
        words[:] = known
        words = np.array(known) if len({type(word) for word in known}) == 1 else words
        named: NDArray[Any] = words[answers]
        return named

    def values(self, attribute: Attribute, codes: NDArray[Any]) -> list[Any]:
        """The plain values that the model is asked with for codes; None is missing."""
        gone = np.asarray(codes) >= attribute.n_values
        places = np.where(gone, 0, codes)
        if attribute.name in self._own:
            decoded = [self._own[attribute.name][place] for place in places]
        else:
            decoded = attribute.decode(places).tolist()
        return [None if g else v for v, g in zip(decoded, gone.tolist(), strict=True)]

    def classes(self, answers: Answers, most: int = 16) -> NDArray[np.int64]:
        """The answers as a few classes; numbers are cut at their quantiles."""
        if not self.regression:
            return np.asarray(answers, np.int64)
        binned = np.zeros(len(answers), np.int64)
        for column in np.asarray(answers).T:
            cuts = np.unique(np.quantile(column, np.linspace(0, 1, most + 1)[1:-1]))
            binned = binned * (len(cuts) + 1) + np.searchsorted(cuts, column, side="right")
        return np.unique(binned, return_inverse=True)[1].astype(np.int64)


@dataclass(frozen=True)
class Kept:
    """How much of a model's answers is kept on some records.

    Attributes
    ----------
    score : float
        The share of answers that are kept; R² between the answers for numbers; what the scorer says
        where there is one. Where every cell counts, that of the worst cell.
    error : float
        Its standard error; where every cell counts, so large that score - error is at most that of
        any cell.
    n_records : int
    """

    score: float
    error: float
    n_records: int

    def holds(self, target: float, caution: float = 1.0) -> bool:
        """Whether the target is met, by more than chance when `caution` standard errors are."""
        lowest = max(self.score - caution * self.error, min(self.score, 0.0))
        return lowest >= target - 1e-12


class Agreement:
    """Compares a model's answers on generalized records with those on the records themselves.

    Parameters
    ----------
    oracle : Oracle
    answers : array
        On the records themselves.
    scorer : callable, optional
        From the answers before and after, in the model's words, to a number; higher is better.
    cells : ndarray of int, optional
        A group for each record: the target must then hold in each group that is large enough.
    fewest : int, default=50
        The records of a group that is large enough.
    over_all : bool, default=False
        Whether the target must hold over all records too, where there are groups.
    slack : float, default=1.0
        How many times as much may be lost of a group as of all records: what a group loses counts
        so much less in `score` and `share`.
    shares : mapping of int to float, optional
        The share of each group among all people, where these are not a fair sample of them.
    """

    def __init__(
        self,
        oracle: Oracle,
        answers: Answers,
        scorer: Scorer | None = None,
        cells: NDArray[np.int64] | None = None,
        fewest: int = FEWEST_IN_CELL,
        over_all: bool = False,
        slack: float = 1.0,
        shares: Mapping[int, float] | None = None,
    ) -> None:
        self._oracle, self._answers, self._scorer, self._cells = oracle, answers, scorer, cells
        self._fewest, self._over_all, self._slack, self._shares = fewest, over_all, slack, shares
        if not len(answers):
            raise ParameterError("Answers can be compared on at least one record. Got none.")
        self._groups: list[NDArray[np.int64]] = []
        self._small: list[int] = []
        self._large: list[int] = []
        for cell in [] if cells is None else np.unique(cells).tolist():
            group = np.flatnonzero(cells == cell)
            large = len(group) >= fewest
            self._groups += [group] if large else []
            (self._large if large else self._small).append(cell)
        self._member = np.full(len(answers), len(self._groups), np.int64)
        for number, group in enumerate(self._groups):
            self._member[group] = number
        # the last is everyone, who always count where there are no groups
        self._sizes = np.array([*map(len, self._groups), len(answers)])
        self._measured = slice(None) if over_all or not self._groups else slice(-1)
        of_all = np.ones(len(self._sizes)) if shares is None else self._weights_of(shares)
        self._of_all = of_all / of_all.sum()

    def _weights_of(self, shares: Mapping[int, float]) -> NDArray[np.float64]:
        """What each large group, and all other records, count among all people."""
        large = [shares[cell] for cell in self._large]
        return np.array([*large, sum(shares[cell] for cell in self._small)])

    @property
    def large_cells(self) -> list[int]:
        """The cells that are large enough to be measured."""
        return self._large

    @property
    def small_cells(self) -> list[int]:
        """The others."""
        return self._small

    @property
    def parts(self) -> list[NDArray[np.int64]]:
        """The records of each large cell, and of all cells where they count too."""
        everyone = [np.arange(len(self._answers))]
        return [*self._groups, *(everyone if self._over_all or not self._groups else [])]

    @property
    def least(self) -> float:
        """What one person counts at most."""
        counts = 1.0 / self._sizes
        counts[:-1] /= self._slack
        if self._shares is not None:  # people of a group that is common count more than one each
            counts[-1] = (self._of_all / self._apart(self._sizes)).max()
        return float(counts[self._measured].max())

    def _apart(self, tally: NDArray[np.int64]) -> NDArray[np.int64]:
        """A count for each group and for all others, from one for each group and for all."""
        apart = tally.copy()
        apart[-1] -= tally[:-1].sum()
        return np.maximum(apart, 1) if tally is self._sizes else apart

    @property
    def before(self) -> Answers:
        """The answers on the records themselves."""
        return self._answers

    @property
    def counts_answers(self) -> bool:
        """Whether the score is a share of records whose answer is kept, of all or of a group."""
        return self._scorer is None and not self._oracle.regression

    def take(self, rows: NDArray[np.int64]) -> Agreement:
        """The same on some of the records."""
        cells = None if self._cells is None else self._cells[rows]
        return Agreement(
            self._oracle,
            self._answers[rows],
            self._scorer,
            cells,
            self._fewest,
            self._over_all,
            self._slack,
            self._shares,
        )

    def tallies(
        self, kept: NDArray[np.bool_], people: Sequence[NDArray[np.int64]]
    ) -> NDArray[np.int64]:
        """For several sets of records, how many answers are kept in each group and in all.

        Parameters
        ----------
        kept : ndarray of bool
            For the records of the first set, then those of the next.
        people : sequence of ndarray of int
            Which records these are.
        """
        n_groups, sizes = len(self._sizes), [len(rows) for rows in people]
        which = np.repeat(np.arange(len(people)), sizes)[kept] * n_groups
        which += self._member[np.concatenate(people)[kept]]
        counts = np.bincount(which, minlength=len(people) * n_groups).reshape(-1, n_groups)
        counts[:, -1] = counts.sum(axis=1)
        return counts

    def share(self, tally: NDArray[np.int64]) -> float:
        """The share that is kept, of the worst group where each one counts."""
        kept = tally / self._sizes
        if self._shares is not None:
            kept[-1] = self._of_all @ (self._apart(tally) / self._apart(self._sizes))
        kept[:-1] = 1 - (1 - kept[:-1]) / self._slack
        return float(kept[self._measured].min())

    def score(self, answers: Answers) -> float:
        """How much is kept, of the worst cell where every cell counts."""
        if self.counts_answers:
            return self.share(self.tallies(answers == self._answers, [np.arange(len(answers))])[0])
        return min(self._score(answers, rows) for rows in self.parts)

    def kept_in_parts(self, answers: Answers) -> list[Kept]:
        """How much is kept in each of the parts."""
        return [
            Kept(self._score(answers, rows), self._error(answers, rows), len(rows))
            for rows in self.parts
        ]

    def kept(self, answers: Answers) -> Kept:
        """How much is kept, with its standard error."""
        scores = self.kept_in_parts(answers)
        worst = min(scores, key=lambda score: score.score)
        # a cell that keeps more may be less certain: what holds must hold for all of them
        error = worst.score - min(score.score - score.error for score in scores)
        return Kept(worst.score, error if len(scores) > 1 else worst.error, worst.n_records)

    def _score(self, answers: Answers, rows: Any) -> float:
        before, after = self._answers[rows], answers[rows]
        if self._scorer is not None:
            return float(self._scorer(self._oracle.labels(before), self._oracle.labels(after)))
        if not self._oracle.regression:
            return float((before == after).mean())
        spread = ((before - before.mean(axis=0)) ** 2).mean(axis=0)
        missed = ((before - after) ** 2).mean(axis=0)
        ratio = np.divide(missed, spread, out=np.where(missed > 0, 1.0, 0.0), where=spread > 0)
        return float(1 - ratio.mean())

    def _error(self, answers: Answers, rows: NDArray[np.int64]) -> float:
        if self._scorer is None and not self._oracle.regression:
            share = float((self._answers[rows] == answers[rows]).mean())
            return float(np.sqrt(share * (1 - share) / len(rows)))
        blocks = [block for block in np.array_split(rows, _BLOCKS) if len(block) > 1]
        if len(blocks) < 2:
            return 0.0
        scores = [self._score(answers, block) for block in blocks]
        return float(np.std(scores, ddof=1) / np.sqrt(len(blocks)))


class Places:
    """Numbers keys in the order in which they are first seen.

    Keys are kept in a few runs, each in order and at least twice as long as the next, so that many
    small additions cost little.

    Examples
    --------
    >>> places = Places()
    >>> places.add(np.array([3, 8]))
    array([0, 1])
    >>> places.find(np.array([8, 5]))
    array([ 1, -1])
    """

    def __init__(self) -> None:
        self._runs: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []  # keys, their numbers
        self._n = 0

    def __len__(self) -> int:
        return self._n

    def find(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """The number of each key, and -1 for one that was never seen."""
        found = np.full(len(keys), -1, np.int64)
        for known, numbers in self._runs:
            at = np.searchsorted(known, keys)
            np.minimum(at, len(known) - 1, out=at)
            np.copyto(found, numbers[at], where=known[at] == keys)
        return found

    def add(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Number new keys, which must be in order and different, and give their numbers."""
        new = np.arange(self._n, self._n + len(keys), dtype=np.int64)
        self._n += len(keys)
        if len(keys):
            self._runs.append((keys, new))
        while len(self._runs) > 1 and len(self._runs[-2][0]) < 2 * len(self._runs[-1][0]):
            last, before = self._runs.pop(), self._runs.pop()
            self._runs.append(_joined(before, last))
        return new


def _joined(
    first: tuple[NDArray[np.int64], NDArray[np.int64]],
    second: tuple[NDArray[np.int64], NDArray[np.int64]],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Two runs as one, in order."""
    at = np.searchsorted(first[0], second[0])
    at += np.arange(len(at))
    of_first = np.ones(len(first[0]) + len(at), dtype=bool)
    of_first[at] = False
    keys, numbers = np.empty(len(of_first), np.int64), np.empty(len(of_first), np.int64)
    keys[of_first], keys[~of_first] = first[0], second[0]
    numbers[of_first], numbers[~of_first] = first[1], second[1]
    return keys, numbers


class RecordKeys:
    """One integer for each record, the same whenever the record comes again.

    Where there could be more records than integers, each code stands for a random number of 63
    bits, and the key is their exclusive or: of a million records, any two share a key with a chance
    of one in ten million.

    Parameters
    ----------
    sizes : sequence of int
        The number of codes of each attribute.
    """

    def __init__(self, sizes: Sequence[int]) -> None:
        self._steps: NDArray[np.int64] | None = None  # between neighbouring codes
        self._random: list[NDArray[np.int64]] = []
        if math.prod(sizes) <= _LARGEST_KEY:
            after = np.cumprod([1, *sizes[:0:-1]], dtype=object)[::-1][: len(sizes)]
            self._steps = after.astype(np.int64)
        else:
            rng = np.random.default_rng(0)
            self._random = [rng.integers(0, 2**63 - 1, size, np.int64) for size in sizes]

    def __call__(self, codes: NDArray[np.uint16]) -> NDArray[np.int64]:
        """The keys of some records; in the order of the records where no number is random."""
        if self._steps is not None:
            return np.asarray(codes @ self._steps, np.int64)
        keys = np.zeros(len(codes), np.int64)
        for a, numbers in enumerate(self._random):
            keys ^= numbers[codes[:, a]]
        return keys
