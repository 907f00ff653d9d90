"""Search for the most general ranges that keep a model's answers, in both directions at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsam.minimise.model._ladder import Ranges
from sparsam.minimise.model._oracle import Agreement, Answers, Oracle

_MOST_AT_ONCE = 200_000  # records in one question to the model
_ROUNDS, _MOST_EXCHANGED = 6, 300_000  # of exchanges, and the records asked about in them
_LOOKED_AT_AGAIN = 4
_TRIED_OF_MANY, _MANY = 2, 100.0  # levels that a step asks about, where most change everyone
_REFINED = 3  # levels that an exchange may go back at once
_LEAST_GAIN = 1e-4
_TRIED, _TRIED_OF_FEW, _FEW = 4, 2, 1_000  # levels that a step asks about, on so many people
_SKETCHED, _SKETCHED_OF = (100, 400), 4  # people on whom levels are sorted by promise, of so many
_MIXED_AT_ONCE = 10  # exchanges in one question to the model


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
    start : sequence of int, optional
        The levels that the search starts from and never refines; the finest by default.
    """

    def __init__(
        self,
        ladders: Sequence[Sequence[Ranges]],
        weights: NDArray[np.float64],
        oracle: Oracle,
        codes: NDArray[np.uint16],
        agreement: Agreement,
        start: Sequence[int] | None = None,
    ) -> None:
        self._ladders, self._weights = ladders, weights
        self._start = (0,) * len(ladders) if start is None else tuple(start)
        self._oracle, self._codes, self._agreement = oracle, codes, agreement
        self._least_cost = 0.2 * agreement.least
        self._columns = [
            [ranges.stand_ins[codes[:, a]] for ranges in ladder] for a, ladder in enumerate(ladders)
        ]
        changed = [
            np.mean(column != codes[:, a])
            for a in range(len(ladders))
            for column in self._columns[a]
        ]
        self._many = float(np.sum(changed)) > _MANY
        self._losses = [
            [float(weight * ranges.loss) for ranges in ladder]
            for weight, ladder in zip(weights, ladders, strict=True)
        ]
        self._kept_alone: list[list[float]] | None = None
        self._near: tuple[int, ...] | None = None
        self._near_fed, self._near_answers = codes, agreement.before

    def loss(self, levels: Sequence[int]) -> float:
        """The information loss of some levels."""
        return sum([part[level] for part, level in zip(self._losses, levels, strict=True)])

    def state(self, levels: Sequence[int]) -> State:
        """Some levels and what they keep."""
        return State(tuple(levels), self._scores([tuple(levels)], tuple(levels))[0])

    def path(self) -> list[State]:
        """Every state from the finest to nothing collected; the second is where it starts."""
        current = self.state((0,) * len(self._ladders))
        states = [current]
        if self._start != current.levels:
            current = self.state(self._start)
            states.append(current)
        best = self._guessed_steps(current)
        fresh = dict.fromkeys(best, -1)
        looked_at = 1 if self._many else _LOOKED_AT_AGAIN
        while best:
            ranked = sorted(best, key=lambda a: self._worth(current, best[a]), reverse=True)
            now = len(states) - 1
            if fresh[ranked[0]] < now:  # found in an earlier state: look again, at a few at once
                stale = [a for a in ranked[:looked_at] if fresh[a] < now]
                best |= self._best_steps(current, stale)
                fresh |= dict.fromkeys(stale, now)
                continue
            current = best.pop(ranked[0])
            states.append(current)
            next_ones = ranked[:looked_at]  # in one question: one of them is likely next
            best |= self._best_steps(current, next_ones)
            fresh |= dict.fromkeys(next_ones, now + 1)
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
        return self._states(chosen, finer.levels)

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
            step = State(levels, score)
            if a not in best or self._worth(state, step) > self._worth(state, best[a]):
                best[a] = step
        return best

    def _guessed_steps(self, state: State) -> dict[int, State]:
        """For each attribute the step that would pay best if what it keeps alone were all."""
        alone, best = self._alone(), {}
        for a, level in enumerate(state.levels):
            for to in self._promising(level, a)[:1]:
                score = state.score - alone[a][level] + alone[a][to]
                best[a] = State(_moved(state.levels, a, to), score)
        return best

    def _promising(self, level: int, a: int) -> list[int]:
        """The coarser levels that would pay best if the attribute stood alone."""
        ladder, alone = self._ladders[a], self._alone()[a]

        def worth(to: int) -> float:
            gain = ladder[to].loss - ladder[level].loss
            return float(gain / max(alone[level] - alone[to], self._least_cost))

        ahead = sorted(self._ahead(level, a), key=worth, reverse=True)
        given_up = [to for to in ahead if ladder[to].n_buckets == 1]
        # few people do not tell them apart, and many records are dear
        tried = _TRIED_OF_FEW if len(self._codes) < _FEW else _TRIED
        tried = min(tried, _TRIED_OF_MANY) if self._many else tried
        return list(dict.fromkeys([*ahead[:tried], *given_up[:1]]))

    def refinements(self, levels: Sequence[int]) -> list[tuple[int, ...]]:
        """From some levels back to the finest, always where an attribute alone loses most.

        All values apart come last: they are what is to be avoided.

        Parameters
        ----------
        levels : sequence of int
        """
        alone, now = self._alone(), tuple(levels)
        passed = [now]
        while any(now):
            *_, a = max(
                (level > 1, alone[a][0] - alone[a][level], -self._ladders[a][level].n_buckets, -a)
                for a, level in enumerate(now)
                if level
            )
            a = -a
            now = _moved(now, a, now[a] - 1)
            passed.append(now)
        return passed

    def started(self, levels: Sequence[int]) -> Search:
        """The same search from other levels.

        Parameters
        ----------
        levels : sequence of int
        """
        search = Search(
            self._ladders, self._weights, self._oracle, self._codes, self._agreement, levels
        )
        search._kept_alone = self._alone()
        return search

    def _alone(self) -> list[list[float]]:
        """What each level of each attribute keeps when all others are as they are; on a few."""
        if self._kept_alone is None:
            n_few = int(np.clip(len(self._codes) // _SKETCHED_OF, *_SKETCHED))
            few = self if len(self._codes) <= n_few else self._sketch(n_few)
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

    def _sketch(self, n_people: int) -> Search:
        rows = np.arange(n_people)
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

    def _worth(self, state: State, step: State) -> tuple[float, float]:
        # a state found earlier may differ in other attributes: compare the one that moved
        a = next(i for i, level in enumerate(step.levels) if level > state.levels[i])
        before, after = self._ladders[a][state.levels[a]], self._ladders[a][step.levels[a]]
        gain = float(self._weights[a] * (after.loss - before.loss))
        return gain / max(state.score - step.score, self._least_cost), gain

    def exchange(self, state: State, target: float) -> State:
        """Make attributes coarser, others finer for it, as long as that loses more information.

        Parameters
        ----------
        state : State
        target : float
            The score that must be kept on the people of the search.
        """
        before = self._oracle.n_asked
        for _ in range(_ROUNDS):
            left = _MOST_EXCHANGED - (self._oracle.n_asked - before)
            better = self._better(state, target, left) if left > 0 else None
            if better is None:
                return state
            state = better
        return state

    def _better(
        self, state: State, target: float, most_asked: int = _MOST_EXCHANGED
    ) -> State | None:
        least = self.loss(state.levels) + _LEAST_GAIN
        coarser = self._states(list(self._coarser(state.levels)), state.levels)
        best = self._best([option for option in coarser if option.score >= target], least)
        least = least if best is None else self.loss(best.levels)
        near = sorted(
            (option for option in coarser if option.score < target),
            key=lambda option: -option.score,
        )
        mixed = [
            (levels, option)
            for option in near[: len(state.levels)]
            for levels in self._finer(option.levels, state.levels)
            if self.loss(levels) > least
        ]
        if self._many:  # the nearest to the target first: all of them would be too many to ask
            mixed = mixed[: _SKETCHED_OF * most_asked // len(self._codes)]
        options = self._reachable(mixed, target)
        options.sort(key=lambda levels: (self.loss(levels), levels), reverse=True)
        if not self._agreement.counts_answers:
            options = options[: most_asked // len(self._codes)]
        for start in range(0, len(options), _MIXED_AT_ONCE):
            scored = self._states(options[start : start + _MIXED_AT_ONCE], state.levels)
            exchanged = self._best([option for option in scored if option.score >= target], least)
            if exchanged is not None:  # those after it lose less information
                return exchanged
        return best

    def _states(self, options: Sequence[tuple[int, ...]], near: tuple[int, ...]) -> list[State]:
        return [State(*pair) for pair in zip(options, self._scores(options, near), strict=True)]

    def _best(self, states: Iterable[State], least: float) -> State | None:
        """The state that loses most information, if that is more than some."""
        more = [state for state in states if self.loss(state.levels) > least]
        return max(
            more,
            key=lambda state: (self.loss(state.levels), state.score, state.levels),
            default=None,
        )

    def _reachable(
        self, options: Sequence[tuple[tuple[int, ...], State]], target: float
    ) -> list[tuple[int, ...]]:
        """The options that may reach the target; each is one attribute away from a known state.

        Only people whose answer that state does not keep can add to its score, so they are asked
        about first; then a part of the others, for what may be lost again.
        """
        if not options or not self._agreement.counts_answers:
            return [levels for levels, _ in options]
        n, states = len(self._codes), list(dict.fromkeys(state for _, state in options))
        fed = {state: self._fed(state.levels) for state in states}
        answers = np.split(self._oracle(np.concatenate(list(fed.values()))), len(states))
        right = {
            state: of_state == self._agreement.before
            for state, of_state in zip(states, answers, strict=True)
        }
        everyone = np.arange(n)
        of_state = {s: self._agreement.tallies(right[s], [everyone])[0] for s in states}
        kept = {levels: of_state[state] for levels, state in options}
        some = everyone < n // _SKETCHED_OF
        for people in ({s: ~right[s] for s in states}, {s: right[s] & some for s in states}):
            asked = [self._beside(fed[s], s.levels, levels, people[s]) for levels, s in options]
            rows = [of_option for of_option, _ in asked]
            now = self._n_right([records for _, records in asked], rows)
            was = self._agreement.tallies(
                np.concatenate([right[s][at] for (_, s), at in zip(options, rows, strict=True)]),
                rows,
            )
            for (levels, _), change in zip(options, now - was, strict=True):
                kept[levels] = kept[levels] + change
            options = [o for o in options if self._agreement.share(kept[o[0]]) >= target]
            if not options:
                break
        return [levels for levels, _ in options]

    def _coarser(self, levels: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        for a in range(len(levels)):
            for to in self._promising(levels[a], a):
                yield _moved(levels, a, to)

    def _finer(self, levels: tuple[int, ...], before: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        for b, level in enumerate(levels):
            if level == before[b]:
                for to in range(level - 1, max(level - 1 - _REFINED, self._start[b] - 1), -1):
                    yield _moved(levels, b, to)

    def _scores(self, options: Sequence[tuple[int, ...]], near: tuple[int, ...]) -> list[float]:
        """How much each option keeps of the answers on the people of the search.

        Only the people are asked about whose record differs from that of a nearby state.
        """
        if self._near != near:
            self._near_fed = self._fed(near)
            self._near, self._near_answers = near, self._oracle(self._near_fed)
        scores: list[float] = []
        waiting: list[tuple[NDArray[np.int64], NDArray[np.uint16]]] = []
        asked = 0
        for i, levels in enumerate(options):
            waiting.append(self._beside(self._near_fed, near, levels))
            asked += len(waiting[-1][0])
            if asked >= _MOST_AT_ONCE or i == len(options) - 1:
                scores += self._score_all(waiting)
                waiting, asked = [], 0
        return scores

    def _beside(
        self,
        fed: NDArray[np.uint16],
        near: tuple[int, ...],
        levels: tuple[int, ...],
        among: NDArray[np.bool_] | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.uint16]]:
        """The people whose record differs from that of a nearby state, and these records."""
        moved = [a for a, level in enumerate(levels) if level != near[a]]
        changed = [self._columns[a][levels[a]] != self._columns[a][near[a]] for a in moved]
        anywhere = (
            changed[0] if len(moved) == 1 else np.any([*changed, np.zeros(len(fed), bool)], 0)
        )
        rows = (anywhere if among is None else anywhere & among).nonzero()[0]
        records = fed[rows]
        for a in moved:
            records[:, a] = self._columns[a][levels[a]][rows]
        return rows, records

    def _n_right(
        self, asked: Sequence[NDArray[np.uint16]], people: Sequence[NDArray[np.int64]]
    ) -> NDArray[np.int64]:
        """For each set of records how many of them keep the answer of the person they are for."""
        rows = np.concatenate(people)
        if not len(rows):
            return self._agreement.tallies(np.zeros(0, dtype=bool), people)
        answers = self._oracle(np.concatenate(asked))
        return self._agreement.tallies(answers == self._agreement.before[rows], people)

    def _fed(self, levels: tuple[int, ...]) -> NDArray[np.uint16]:
        columns = [column[level] for column, level in zip(self._columns, levels, strict=True)]
        return np.column_stack(columns)

    def _score_all(
        self, waiting: Sequence[tuple[NDArray[np.int64], NDArray[np.uint16]]]
    ) -> list[float]:
        people, asked = [rows for rows, _ in waiting], [fed for _, fed in waiting]
        if self._agreement.counts_answers:
            right = self._near_answers == self._agreement.before
            of_all = self._agreement.tallies(right, [np.arange(len(right))])
            before = self._agreement.tallies(right[np.concatenate(people)], people)
            tallies = of_all + self._n_right(asked, people) - before
            return [self._agreement.share(tally) for tally in tallies]
        codes, ends = np.concatenate(asked), np.cumsum([len(rows) for rows in people])[:-1]
        answered = self._oracle(codes) if len(codes) else self._near_answers[:0]
        scores: list[float] = []
        for rows, part in zip(people, np.split(answered, ends), strict=True):
            answers = self._near_answers.copy()
            answers[rows] = part
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
        batch = oracle(fed_for(codes, asked))
        answers += [batch[i * len(codes) : (i + 1) * len(codes)] for i in range(len(asked))]
    return answers


def fed_for(codes: NDArray[np.uint16], options: Sequence[Sequence[Ranges]]) -> NDArray[np.uint16]:
    """The records with what stands for each value's bucket, those of the first option first.

    Parameters
    ----------
    codes : ndarray of uint16
    options : sequence of sequence of Ranges
    """
    fed = np.empty((len(options), *codes.shape), dtype=np.uint16)
    columns: dict[tuple[int, int], NDArray[np.uint16]] = {}  # most options share most ranges
    for i, ranges in enumerate(options):
        for a, of_attribute in enumerate(ranges):
            if (a, id(of_attribute)) not in columns:
                columns[a, id(of_attribute)] = of_attribute.stand_ins[codes[:, a]]
            fed[i, :, a] = columns[a, id(of_attribute)]
    return fed.reshape(-1, codes.shape[1])


def _moved(levels: tuple[int, ...], a: int, to: int) -> tuple[int, ...]:
    return (*levels[:a], to, *levels[a + 1 :])
