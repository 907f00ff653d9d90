"""Search for the most general ranges that keep a model's answers, in both directions at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam.minimise._model_ladder import Ranges
from sparsam.minimise._model_oracle import Agreement, Answers, Oracle

_MOST_AT_ONCE = 200_000  # records in one question to the model
_ROUNDS = 6
_LOOKED_AT_AGAIN = 4
_REFINED = 3  # levels that an exchange may go back at once
_LEAST_GAIN = 1e-4
_TRIED = 4  # levels of an attribute that a step asks the model about
_SKETCHED = 400  # people on whom levels are sorted by promise


@dataclass(frozen=True)
class State:
    """How far each attribute is generalised: a level of its ladder.

    Attributes
    ----------
    levels : tuple of int
    score : float
        How much of the model's answers is kept on the people that were learned from.
    """

    levels: tuple[int, ...]
    score: float


class Search:
    """Walks from every value apart to nothing collected, always where the least is lost.

    A step makes one attribute coarser, by as many levels as pays best: it gains information loss
    (eq. 1-2) and costs answers (the inverse of ILAG, eq. 3, where what costs nothing is best). An
    attribute is never given up whole when a coarser range would do, and `exchange` takes steps back
    where two attributes together do better.

    Parameters
    ----------
    ladders : sequence of sequence of Ranges
        For each attribute its partitions, from fine to coarse.
    weights : ndarray of float
        How much each attribute counts, in sum 1.
    oracle : Oracle
    codes : ndarray of uint16
        The people to search on.
    agreement : Agreement
        With the model's answers for these people.
    """

    def __init__(
        self,
        ladders: Sequence[Sequence[Ranges]],
        weights: NDArray[np.float64],
        oracle: Oracle,
        codes: NDArray[np.uint16],
        agreement: Agreement,
    ) -> None:
        self._ladders, self._weights = ladders, weights
        self._oracle, self._codes, self._agreement = oracle, codes, agreement
        self._least_cost = 0.2 / len(codes)
        self._columns = [
            [ranges.stand_ins[codes[:, a]] for ranges in ladder] for a, ladder in enumerate(ladders)
        ]
        self._kept_alone: list[list[float]] | None = None
        self._near: tuple[int, ...] | None = None
        self._near_answers: Answers = np.empty(0, np.int64)

    def loss(self, levels: Sequence[int]) -> float:
        """The information loss of some levels."""
        losses = [ladder[level].loss for ladder, level in zip(self._ladders, levels, strict=True)]
        return float(self._weights @ losses)

    def state(self, levels: Sequence[int]) -> State:
        """Some levels and what they keep."""
        return State(tuple(levels), self._scores([tuple(levels)], tuple(levels))[0])

    def path(self) -> list[State]:
        """Every state from the finest to nothing collected."""
        levels = [0] * len(self._ladders)
        current = self.state(levels)
        states = [current]
        best = self._best_steps(current, range(len(levels)))
        fresh = dict.fromkeys(best, 0)
        while best:
            ranked = sorted(best, key=lambda a: self._worth(current, best[a]), reverse=True)
            now = len(states) - 1
            if fresh[ranked[0]] < now:  # found in an earlier state: look again, at a few at once
                stale = [a for a in ranked[:_LOOKED_AT_AGAIN] if fresh[a] < now]
                best |= self._best_steps(current, stale)
                fresh |= dict.fromkeys(stale, now)
                continue
            current = best.pop(ranked[0])
            states.append(current)
            best |= self._best_steps(current, ranked[:1])
            fresh[ranked[0]] = now + 1
        usual = self.with_last_constants(states[-1])
        if usual.score > states[-1].score:
            states[-1] = usual
        return states

    def between(self, finer: State, coarser: State, most: int) -> list[State]:
        """Some states between two neighbours of the path, which differ in one attribute."""
        moved = [i for i, to in enumerate(coarser.levels) if to != finer.levels[i]]
        if len(moved) > 1:  # the last step may change constants as well
            return []
        ladder, start = self._ladders[moved[0]], finer.levels[moved[0]]
        skipped = [
            to
            for to in range(start + 1, coarser.levels[moved[0]])
            if ladder[to].n_buckets > 1 and ladder[to].loss > ladder[start].loss
        ]
        places = np.unique(np.linspace(0, len(skipped) - 1, most).round().astype(int))
        chosen = [_moved(finer.levels, moved[0], skipped[place]) for place in places if skipped]
        scores = self._scores(chosen, finer.levels)
        return [State(*pair) for pair in zip(chosen, scores, strict=True)]

    def with_last_constants(self, state: State) -> State:
        """The same, with the last constant of each attribute that is given up.

        The constants of a ladder are chosen one attribute at a time; the last ones are one record.
        """
        levels = tuple(
            len(ladder) - 1 if ladder[level].n_buckets == 1 else level
            for ladder, level in zip(self._ladders, state.levels, strict=True)
        )
        return State(levels, self._scores([levels], state.levels)[0])

    def _best_steps(self, state: State, attributes: Iterable[int]) -> dict[int, State]:
        """For each attribute the step that pays best; none for one that is given up already."""
        options = [
            (a, _moved(state.levels, a, to))
            for a in attributes
            for to in self._promising(state.levels[a], a)
        ]
        scores = self._scores([levels for _, levels in options], state.levels)
        best: dict[int, State] = {}
        for (a, levels), score in zip(options, scores, strict=True):
            found = State(levels, score)
            if a not in best or self._worth(state, found) > self._worth(state, best[a]):
                best[a] = found
        return best

    def _promising(self, level: int, a: int) -> list[int]:
        """The coarser levels that would pay best if the attribute stood alone."""
        ladder, alone = self._ladders[a], self._alone()[a]

        def worth(to: int) -> float:
            gain = ladder[to].loss - ladder[level].loss
            return float(gain / max(alone[level] - alone[to], self._least_cost))

        ahead = sorted(self._ahead(level, a), key=worth, reverse=True)
        given_up = [to for to in ahead if ladder[to].n_buckets == 1]
        return list(dict.fromkeys([*ahead[:_TRIED], *given_up[:1]]))

    def _alone(self) -> list[list[float]]:
        """What each level of each attribute keeps when all others are as they are; on a few."""
        if self._kept_alone is None:
            few = self if len(self._codes) <= _SKETCHED else self._sketch()
            finest = (0,) * len(self._ladders)
            places = [
                (a, to) for a, ladder in enumerate(self._ladders) for to in range(len(ladder))
            ]
            scores = few._scores([_moved(finest, a, to) for a, to in places], finest)
            alone: list[list[float]] = [[] for _ in self._ladders]
            for (a, _), score in zip(places, scores, strict=True):
                alone[a].append(score)
            self._kept_alone = alone
        return self._kept_alone

    def _sketch(self) -> Search:
        rows = np.arange(_SKETCHED)
        agreement = self._agreement.take(rows)
        return Search(self._ladders, self._weights, self._oracle, self._codes[rows], agreement)

    def _ahead(self, level: int, a: int) -> list[int]:
        """All coarser levels; to give up is coarser even where nobody is known to lose by it."""
        ladder = self._ladders[a]
        now = ladder[level]
        return [
            to
            for to in range(level + 1, len(ladder))
            if ladder[to].loss > now.loss or ladder[to].n_buckets == 1 < now.n_buckets
        ]

    def _worth(self, state: State, found: State) -> tuple[float, float]:
        # a state found earlier may differ in other attributes: compare the one that moved
        a = next(i for i, level in enumerate(found.levels) if level > state.levels[i])
        before, after = self._ladders[a][state.levels[a]], self._ladders[a][found.levels[a]]
        gain = float(self._weights[a] * (after.loss - before.loss))
        return gain / max(state.score - found.score, self._least_cost), gain

    def exchange(self, state: State, target: float) -> State:
        """Make attributes coarser, others finer for it, as long as that loses more information.

        Parameters
        ----------
        state : State
        target : float
            The score that must be kept on the people of the search.
        """
        for _ in range(_ROUNDS):
            better = self._better(state, target)
            if better is None:
                return state
            state = better
        return state

    def _better(self, state: State, target: float) -> State | None:
        now = self.loss(state.levels)
        coarser = list(self._coarser(state.levels))
        scored = [
            State(*pair) for pair in zip(coarser, self._scores(coarser, state.levels), strict=True)
        ]
        found = [one for one in scored if one.score >= target]
        near = sorted((one for one in scored if one.score < target), key=lambda one: -one.score)
        mixed = [
            levels
            for one in near[: len(state.levels)]
            for levels in self._finer(one.levels, state.levels)
            if self.loss(levels) > now + _LEAST_GAIN
        ]
        scored = [
            State(*pair) for pair in zip(mixed, self._scores(mixed, state.levels), strict=True)
        ]
        found += [one for one in scored if one.score >= target]
        found = [one for one in found if self.loss(one.levels) > now + _LEAST_GAIN]
        return max(
            found, key=lambda one: (self.loss(one.levels), one.score, one.levels), default=None
        )

    def _coarser(self, levels: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        for a in range(len(levels)):
            for to in self._promising(levels[a], a):
                yield _moved(levels, a, to)

    def _finer(self, levels: tuple[int, ...], before: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        for b, level in enumerate(levels):
            if level == before[b]:
                for to in range(level - 1, max(level - 1 - _REFINED, -1), -1):
                    yield _moved(levels, b, to)

    def _scores(self, options: Sequence[tuple[int, ...]], near: tuple[int, ...]) -> list[float]:
        """How much each option keeps of the answers on the people of the search.

        Only the people are asked about whose record differs from that of a nearby state.
        """
        if self._near != near:
            self._near, self._near_answers = near, self._oracle(self._fed(near, slice(None)))
        scores: list[float] = []
        waiting: list[tuple[NDArray[np.int64], NDArray[np.uint16]]] = []
        for i, levels in enumerate(options):
            rows = self._changed(levels, near)
            waiting.append((rows, self._fed(levels, rows)))
            asked = sum(len(rows) for rows, _ in waiting)
            if asked >= _MOST_AT_ONCE or i == len(options) - 1:
                scores += self._score_all(waiting)
                waiting = []
        return scores

    def _changed(self, levels: tuple[int, ...], near: tuple[int, ...]) -> NDArray[np.int64]:
        changed = np.zeros(len(self._codes), dtype=bool)
        for column, level, before in zip(self._columns, levels, near, strict=True):
            if level != before:
                changed |= column[level] != column[before]
        return np.flatnonzero(changed)

    def _fed(self, levels: tuple[int, ...], rows: Any) -> NDArray[np.uint16]:
        columns = [column[level][rows] for column, level in zip(self._columns, levels, strict=True)]
        return np.column_stack(columns)

    def _score_all(
        self, waiting: Sequence[tuple[NDArray[np.int64], NDArray[np.uint16]]]
    ) -> list[float]:
        codes = np.concatenate([fed for _, fed in waiting])
        found = self._oracle(codes) if len(codes) else self._near_answers[:0]
        scores, start = [], 0
        for rows, _ in waiting:
            answers = self._near_answers.copy()
            answers[rows] = found[start : start + len(rows)]
            start += len(rows)
            scores.append(self._agreement.score(answers))
        return scores

    def ranges(self, levels: Sequence[int]) -> list[Ranges]:
        """The ranges of each attribute at some levels."""
        return [ladder[level] for ladder, level in zip(self._ladders, levels, strict=True)]


def answers_for(
    oracle: Oracle, codes: NDArray[np.uint16], options: Sequence[Sequence[Ranges]]
) -> list[Answers]:
    """What the model answers when each value is replaced by what stands for its bucket.

    Parameters
    ----------
    oracle : Oracle
    codes : ndarray of uint16
    options : sequence of sequence of Ranges
        Several generalizations, each with the ranges of every attribute.
    """
    at_once = max(1, _MOST_AT_ONCE // len(codes))
    answers: list[Answers] = []
    for start in range(0, len(options), at_once):
        asked = options[start : start + at_once]
        fed = np.empty((len(asked), *codes.shape), dtype=np.uint16)
        for i, ranges in enumerate(asked):
            for a, one in enumerate(ranges):
                fed[i, :, a] = one.stand_ins[codes[:, a]]
        found = oracle(fed.reshape(-1, codes.shape[1]))
        answers += [found[i * len(codes) : (i + 1) * len(codes)] for i in range(len(asked))]
    return answers


def _moved(levels: tuple[int, ...], a: int, to: int) -> tuple[int, ...]:
    return (*levels[:a], to, *levels[a + 1 :])
