"""Find what a given model needs: learn on some people, choose on others, test on others again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError, ParameterError
from sparsam.data import Task
from sparsam.generalization import Generalization, Recoding
from sparsam.minimise._constraints import Constraints
from sparsam.minimise._privacy_tree import Growth
from sparsam.minimise._splits import leaves_of, tree_shape, with_neighbours
from sparsam.minimise.model._ladder import (
    Ranges,
    Responses,
    fewer_preferred,
    ladders,
    responses,
)
from sparsam.minimise.model._limits import Namer, with_constants, within
from sparsam.minimise.model._oracle import (
    FEWEST_IN_CELL,
    FEWEST_OF_ANSWER,
    Agreement,
    Answers,
    Kept,
    Oracle,
    Scorer,
)
from sparsam.minimise.model._paper import PaperSearch, Stage
from sparsam.minimise.model._promise import Outlook, Part, Promise, Proof, prove
from sparsam.minimise.model._recoding import SettledTree, label_of, prediction_task
from sparsam.minimise.model._round import FedRecords, Rounder
from sparsam.minimise.model._search import Search, State, answers_for, fed_for

Make = Callable[[Sequence[Ranges]], Generalization]

# People to search on: fewer where most levels change everyone's record, so that the model is asked
# about so many records for all levels together.
_MOST_SEARCHED, _FEWEST_SEARCHED, _SEARCHED_IN_ALL = 5_000, 1_000, 450_000
_ENOUGH_ASKED = 600_000  # records in searches, after which no other way is tried
_MOST_COMPARED = 20_000  # people whom states are compared on; the result is measured on all
_RARE = 0.2  # share of an answer that an average over all people would hide
# What may be lost of a rare answer where nothing is said: so many times as much as of all people,
# but no more than so much of it.
_RARE_MAY_LOSE, _MOST_LOST = 5.0, 0.5
_MOST_ON_CURVE = 2_000
_CURVE_POINTS, _MOST_MEASURED = 20, 1_024  # generalizations of the curve; ranges in them
_CELLS = 16
_SETTLED = (10, 30, 60, 100, 200, 400, 800)  # fewest people of a settled leaf, the boldest first
_FEWEST_PEOPLE = 30
# What a merge costs at least, in several searches: what is merged early differs, and the result.
_MERGE_COSTS, _ENOUGH_FOR_SEVERAL = (1e-5, 1e-4, 1e-3), 1_000
_LOOKED_FURTHER, _MOST_LOOKED_AT = 5, 50_000  # states past the first that fails; records in them
_LEFT_TO_SETTLING = 0.75  # standard errors that the search stays above what is aimed for
# Standard errors between what is kept of the people chosen on and what must be kept of those tested
# on: what is tested first is as good as certain, what comes last more likely fails.
_AIMS, _AIM = (3.0, 2.0, 1.25, 0.6, 0.0, -0.6), 0.6
_SURE, _HARDLY = 3.0, -1.0  # the same for the procedure of the paper


@dataclass(frozen=True)
class Settings:
    """What is asked for.

    Attributes
    ----------
    target, confidence : float
        What must be kept, and how surely.
    representative, ilag : str
    kept_in : {"auto", "all", "each answer", "each cell"}
    scorer : callable or None
    weights : mapping of str to float
    constraints : Constraints
        `must_keep` has the attributes that are not to be generalised.
    fractions : three floats
        Of the people: to learn on, to choose on, to test on.
    """

    target: float
    confidence: float
    representative: str
    ilag: str
    kept_in: str
    scorer: Scorer | None
    weights: Mapping[str, float]
    constraints: Constraints
    fractions: tuple[float, float, float]


@dataclass(frozen=True)
class CurvePoint:
    """A generalization that the search passed, and what it keeps.

    Attributes
    ----------
    information_loss : float
        On the people learned from (eq. 1-2).
    chosen_on, held_out : float
        The relative accuracy on the people that were chosen on, and on those held out.
    n_collected : int
        Attributes that are collected.
    """

    information_loss: float
    chosen_on: float
    held_out: float
    n_collected: int


@dataclass(frozen=True)
class FitResult:
    """The result of a fit.

    Attributes
    ----------
    generalization : Generalization
    recoding : Recoding
    chosen_on, held_out : Kept
        What the recoding keeps of the model's answers, on either part.
    proof : Proof
        What was shown of it on the people held out.
    curve : tuple of CurvePoint
    """

    generalization: Generalization
    recoding: Recoding
    chosen_on: Kept
    held_out: Kept
    proof: Proof
    curve: tuple[CurvePoint, ...] = ()


class ModelFit:
    """One fit.

    Parameters
    ----------
    task : Task
        The people; the target is not looked at.
    oracle : Oracle
    settings : Settings
    make : callable
        Makes the generalization from ranges.
    random_state : int
    rare : sequence of ndarray of bool, default=()
        For each attribute, the codes of categories that must not be named.
    """

    def __init__(
        self,
        task: Task,
        oracle: Oracle,
        settings: Settings,
        make: Make,
        random_state: int,
        rare: Sequence[NDArray[np.bool_]] = (),
    ) -> None:
        if task.n_rows < _FEWEST_PEOPLE:
            raise DataError(
                f"A model is minimised for on at least {_FEWEST_PEOPLE} records. "
                f"Got {task.n_rows} instead."
            )
        self._task, self._oracle, self._settings, self._make = task, oracle, settings, make
        self._seed, self._rng = random_state, np.random.default_rng(random_state)
        order = self._rng.permutation(task.n_rows)
        ends = np.cumsum(np.array(settings.fractions[:2]) * task.n_rows).round().astype(int)
        self.learn, self.choose, self.report = (np.sort(part) for part in np.split(order, ends))
        self._learned = task.table.take(self.learn)
        self._answers = oracle(task.table.codes)
        self.kept_in = self._resolved(settings.kept_in)
        self._namer = Namer(task, rare or [np.zeros(size, dtype=bool) for size in task.sizes])
        # from here on nobody has a category that must not be named, but for their own answers
        self._codes = self._namer.codes(task.table.codes)
        self._round = Rounder(self._learned, oracle)
        self._cells = None
        if self.kept_in != "all":
            whole = self._answers.astype(np.int64) if self.kept_in == "each answer" else None
            self._cells = self._groups() if whole is None else whole
        self._asked: Responses | None = None
        self._compared = self._some(self.choose, _MOST_COMPARED)
        measure = "own" if settings.scorer is not None else "r2" if oracle.regression else "share"
        self._promise = Promise(settings.target, settings.confidence, measure)
        self._of_each = replace(self._promise, target=self.each_target)
        self._chosen = self._agreement(self._compared, over_all=True)
        self._tested = self._agreement(self.report, over_all=True, fewest=self._of_each.fewest)
        self._parts: list[Part] = [
            *((self._of_each, rows) for rows in self._tested.parts[:-1]),
            (self._promise, self._tested.parts[-1]),
        ]
        self._outlook = Outlook(self._expected())

    def _expected(self) -> list[tuple[Promise, int, int]]:
        """For each part of the people chosen on how many they are, and how many to test on."""
        tested = dict(zip(self._tested.large_cells, map(len, self._tested.parts), strict=False))
        parts = [
            (self._of_each, len(rows), tested.get(cell, 0))
            for cell, rows in zip(self._chosen.large_cells, self._chosen.parts, strict=False)
        ]
        return [*parts, (self._promise, len(self._compared), len(self.report))]

    @property
    def slack(self) -> float:
        """How many times as much may be lost of one answer as of all people."""
        auto = self._settings.kept_in == "auto" and self.kept_in == "each answer"
        limit = 1 - self._settings.target
        if not auto or not 0 < limit < _MOST_LOST:
            return 1.0
        return min(_RARE_MAY_LOSE, _MOST_LOST / limit)

    @property
    def each_target(self) -> float:
        """What must be kept of each answer or cell."""
        return max(0.0, 1 - self.slack * (1 - self._settings.target))

    def _groups(self) -> NDArray[np.int64]:
        """Groups of people that the model treats alike: the leaves of a small tree."""
        classes = self._oracle.classes(self._answers[self.learn])
        kinds, classes = np.unique(classes, return_inverse=True)
        if len(kinds) < 2:
            return np.zeros(len(self._codes), dtype=np.int64)
        task = prediction_task(self._task.table.take(self.learn), classes, len(kinds))
        growth = Growth(
            task,
            privacy=0.0,
            min_leaf=max(1, task.n_rows // (4 * _CELLS)),
            category_orders="target",
            constraints=Constraints(),
        )
        nodes = tree_shape(growth.grow(_CELLS), task.n_rows)
        ordered = [attribute.ordered for attribute in task.table.attributes]
        return leaves_of(with_neighbours(nodes, ordered), self._codes)

    def _resolved(self, kept_in: str) -> str:
        """Where the target must hold; for each answer where one is rare, if nothing is said."""
        if self._oracle.regression and kept_in in ("auto", "each answer"):
            return "all"
        if kept_in != "auto":
            return kept_in
        if self._settings.scorer is not None:
            return "all"
        learned = self._answers[self.learn]
        return "each answer" if rare_answers(learned).size else "all"

    def _agreement(
        self,
        rows: NDArray[np.int64],
        over_all: bool | None = None,
        fewest: int | None = None,
        shares: Mapping[int, float] | None = None,
    ) -> Agreement:
        """Of the answers of some people; over all of them too, or of each answer or cell alone."""
        cells = None if self._cells is None else self._cells[rows]
        each_answer = self.kept_in == "each answer"
        least = FEWEST_OF_ANSWER if each_answer else FEWEST_IN_CELL
        return Agreement(
            self._oracle,
            self._answers[rows],
            self._settings.scorer,
            cells,
            max(least, fewest or 0),
            over_all=each_answer if over_all is None else over_all,
            slack=self.slack,
            shares=shares,
        )

    def _too_rare(self) -> list[str]:
        """The answers that too few of the people held out get to show anything of them."""
        if self.kept_in != "each answer":
            return []
        small = np.array(self._tested.small_cells, dtype=np.int64)
        return sorted(str(label_of(self._oracle, small[i : i + 1])) for i in range(len(small)))

    # the test

    def _tested_in_turn(self, recodings: Iterable[Recoding]) -> tuple[Recoding, Proof]:
        """The last recoding before the first that cannot be shown to keep enough.

        They come from fine to coarse, as people decide who are not tested on. Of those that keep
        less than the target, the first one is shown by mistake as rarely as the confidence says,
        and after it is not shown, none of the others is tested (fixed-sequence testing; learn then
        test, Angelopoulos et al. 2021).
        """
        chosen: tuple[Recoding, Answers] | None = None
        n_tested = 0
        for recoding in recodings:
            answers = self._answers_to(recoding, self.report)
            n_tested += 1
            shown = self._shown(answers)
            if shown or chosen is None:
                chosen = recoding, answers
            if not shown:
                break
        assert chosen is not None
        before, after = (self._worded(part) for part in (self._tested_on(), chosen[1]))
        proof = prove(
            before,
            after,
            self._parts,
            scorer=self._settings.scorer,
            share_tested=len(self.report) / self._task.n_rows,
            n_tested=n_tested,
            too_rare=self._too_rare(),
        )
        return chosen[0], proof

    def _shown(self, answers: Answers) -> bool:
        before, after = self._worded(self._tested_on()), self._worded(answers)
        return all(
            promise.shown(before[rows], after[rows], self._settings.scorer)
            for promise, rows in self._parts
        )

    def _tested_on(self) -> Answers:
        return self._answers[self.report]

    def _worded(self, answers: Answers) -> NDArray[Any]:
        """Answers as a scorer takes them; to compare them, their numbers will do."""
        return answers if self._settings.scorer is None else self._oracle.labels(answers)

    def _holds(self, answers: Answers, aim: float) -> bool:
        """Whether so much is kept of the people chosen on that a test is likely to show it."""
        return self._spare(answers, aim) >= -1e-12

    def _spare(self, answers: Answers, aim: float) -> float:
        scores = [(kept.score, kept.error) for kept in self._chosen.kept_in_parts(answers)]
        return self._outlook.spare(scores, aim)

    # the search of our own

    def by_responses(self) -> FitResult:
        """Merge values whose answers are alike, and test along the path."""
        search, path, state = self._best_search()
        recoding, proof = self._tested_in_turn(
            self._settled(search.ranges(state.levels), aim)
            for state, aim in self._in_turn(search, path, state)
        )
        return self._result(recoding, proof, self._curve(_passed(search, path)))

    def path(self) -> list[Generalization]:
        """The generalizations along the search, from fine to coarse."""
        search, path, _ = self._best_search()
        return [self._make(ranges) for ranges in _passed(search, path)]

    def _result(self, recoding: Recoding, proof: Proof, curve: tuple[CurvePoint, ...]) -> FitResult:
        kept = [
            self._agreement(rows).kept(self._answers_to(recoding, rows))
            for rows in (self.choose, self.report)
        ]
        return FitResult(recoding.generalization, recoding, kept[0], kept[1], proof, curve)

    def _best_search(self) -> tuple[Search, list[State], State]:
        """The search that comes furthest, its path, and the state that it would choose."""
        enough = len(self.learn) >= _ENOUGH_FOR_SEVERAL
        how = self._settings.representative
        ways = [(how, cost) for cost in (_MERGE_COSTS if enough else _MERGE_COSTS[:1])]
        if how == "response" and enough:
            ways.append(("median", _MERGE_COSTS[0]))
        searches: list[tuple[Search, list[State], State]] = []
        before = self._oracle.n_asked
        for way in ways:
            if not searches or self._oracle.n_asked - before < _ENOUGH_ASKED:
                searches.append(self._searched(*way, only=len(ways) == 1))
        return max(searches, key=lambda searched: searched[0].loss(searched[2].levels))

    def _searched(
        self, representative: str, cost: float, only: bool
    ) -> tuple[Search, list[State], State]:
        """One search, its path, and the state that it would choose."""
        search = self._search(representative, cost)
        path = search.path()
        if only:  # the curve will be of this path, and asks about most of what is looked at next
            passed = _passed(search, path)
            parts = [fed_for(self._codes[rows], passed) for rows in self._curve_rows()]
            self._oracle.hear(np.concatenate(parts))
        point = self._last_that_holds(search, path, _AIM)
        return search, path, self._improved(search, point, _AIM)

    def _in_turn(
        self, search: Search, path: Sequence[State], best: State
    ) -> Iterator[tuple[State, float]]:
        """The states to test, from fine to coarse, with what each is aimed at."""
        finer = [State(levels, 1.0) for levels in reversed(search.refinements(best.levels))]
        before: State | None = None
        if self._settings.target >= 1:  # where nobody's answer may change, there is always this
            before = finer[0]
            yield before, _AIM
        for aim in _AIMS:
            if aim > _AIM:
                options = [self._last_that_holds(search, way, aim) for way in (path, finer)]
                state = max(options, key=lambda option: search.loss(option.levels))
            else:
                state = best if aim == _AIM else self._improved(search, best, aim)
                best = state
            state = self._likely(search, state, aim)
            if before is None or search.loss(state.levels) > search.loss(before.levels):
                yield state, aim
                before = state

    def _search(self, representative: str, cost: float) -> Search:
        attributes = self._task.table.attributes
        rng = np.random.default_rng(self._seed)  # the same people for every search
        # those who are asked about come first in the search as well: much is known of them
        people = self.learn[rng.permutation(len(self.learn))]
        if self.kept_in == "each answer":
            people = people[in_turn(self._answers[people].astype(np.int64))]
        if self._asked is None:
            self._asked = responses(attributes, self._codes[people], self._oracle)
        few = self._settings.constraints.max_ranges
        choices = ladders(attributes, self._asked, representative, rng, cost, few)
        choices = [
            [self._namer.ranges(a, ranges) for ranges in ladder] for a, ladder in enumerate(choices)
        ]
        choices = within(choices, self._task.take(self.learn), self._settings.constraints)
        choices = with_constants(choices, self._usual_record())
        choices = [
            fewer_preferred(ladder, few) if attribute.numeric and few is not None else ladder
            for attribute, ladder in zip(attributes, choices, strict=True)
        ]
        rows = people[: n_searched(choices, self._codes[people[:_FEWEST_SEARCHED]])]
        search = Search(
            choices, self._weights(), self._oracle, self._codes[rows], self._searched_on(rows)
        )
        return search.started(self._start(search, choices))

    def _searched_on(self, rows: NDArray[np.int64]) -> Agreement:
        """Of people among whom every answer has its turn, so that they are no fair sample."""
        if self.kept_in != "each answer" or self.slack == 1:
            return self._agreement(rows, over_all=False)
        counts = np.bincount(self._answers[self.learn].astype(np.int64))
        return self._agreement(
            rows, over_all=True, shares=dict(enumerate((counts / counts.sum()).tolist()))
        )

    def _start(self, search: Search, choices: Sequence[Sequence[Ranges]]) -> tuple[int, ...]:
        """Few ranges of every number, or as many more as it takes to keep the target."""
        most = self._settings.constraints.max_ranges
        few = [
            next((n for n, ranges in enumerate(ladder) if ranges.n_buckets <= most), 0)
            if attribute.numeric and most is not None
            else 0
            for attribute, ladder in zip(self._task.table.attributes, choices, strict=True)
        ]
        if not any(few):
            return tuple(few)
        options = search.refinements(few)
        low, high = 0, len(options) - 1  # the last are all values apart
        while low < high:
            middle = (low + high) // 2 if low else 0  # most often few are enough
            if self._holding(search, [State(options[middle], 1.0)], _AIM):
                high = middle
            else:
                low = middle + 1
        return options[low]

    def _usual_record(self) -> NDArray[np.uint16]:
        """A record that gets the model's commonest answer (or one near the mean).

        It has values that are usual together among the people who get that answer, and is the
        record of one of them only where that one gets another.
        """
        codes, answers = self._codes[self.learn], self._answers[self.learn]
        if self._oracle.regression:
            apart = ((answers - answers.mean(axis=0)) ** 2).sum(axis=1)
            return np.asarray(codes[int(apart.argmin())], np.uint16)
        common = np.bincount(answers.astype(np.int64)).argmax()
        alike = codes[answers == common]
        usual = usual_values(alike)
        if self._oracle(usual[None])[0] == common:
            return usual
        shares = [np.bincount(column)[column] for column in alike.T]
        return np.asarray(alike[int(np.sum(shares, axis=0).argmax())], np.uint16)

    def _weights(self) -> NDArray[np.float64]:
        for name in self._settings.weights:
            if name not in self._task.names:
                raise ParameterError(f"The weights must name attributes. '{name}' is none.")
        given = np.array([self._settings.weights.get(name, 1.0) for name in self._task.names])
        if not (np.isfinite(given).all() and (given >= 0).all() and given.sum() > 0):
            raise ParameterError("The weights must be numbers of at least 0, one of them above 0.")
        return np.asarray(given / given.sum(), np.float64)

    def _last_that_holds(self, search: Search, path: Sequence[State], aim: float) -> State:
        """The most general state that keeps enough; scores fall along the path, but for noise."""
        low, high = 0, len(path)  # the first state keeps everything
        while high - low > 1:
            middle = (low + high) // 2
            holds = self._holding(search, [path[middle]], aim)
            low, high = (middle, high) if holds else (low, middle)
        # the next state may fail by chance, or because its step was a large one
        further = max(_LOOKED_FURTHER, _MOST_LOOKED_AT // len(self._compared))
        states = self._holding(search, path[low + 1 : low + 1 + further], aim)
        if not states and high < len(path):
            between = search.between(path[low], path[high], _LOOKED_FURTHER)
            states = self._holding(search, between, aim)
        # of equals the last, which is the most general
        return max(reversed(states), key=lambda state: search.loss(state.levels), default=path[low])

    def _holding(self, search: Search, states: Sequence[State], aim: float) -> list[State]:
        """Those that keep enough on the people chosen on."""
        ranges = [search.ranges(state.levels) for state in states]
        answers = answers_for(self._oracle, self._codes[self._compared], ranges)
        return [
            state
            for state, part in zip(states, answers, strict=True)
            if self._holds(part, aim + _LEFT_TO_SETTLING)
        ]

    def _improved(self, search: Search, point: State, aim: float) -> State:
        """Use up what the target leaves over, as far as it holds on the people chosen on."""
        ranges = search.ranges(point.levels)
        answers = answers_for(self._oracle, self._codes[self._compared], [ranges])[0]
        spare = max(0.0, self._spare(answers, aim + _LEFT_TO_SETTLING))
        for share in (1.0, 0.5):
            better = search.exchange(point, point.score - share * spare)
            if better is point or self._holding(search, [better], aim):
                return better
        return point

    def _likely(self, search: Search, state: State, aim: float) -> State:
        """Feed what goes together for the attributes that are given up, if enough is kept."""
        usual = search.with_last_constants(state)
        return usual if self._holding(search, [usual], aim) else state

    def _settled(self, ranges: Sequence[Ranges], aim: float) -> Recoding:
        """Settle as many people early as the target allows; with round numbers."""
        attributes, generalization = self._task.table.attributes, self._make(ranges)
        fixed = self._settings.constraints.must_keep
        tree = SettledTree(attributes, ranges, self._codes[self.learn], self._oracle, fixed)
        fed = answers_for(self._oracle, self._codes[self._compared], [ranges])[0]
        # no less than the ranges alone, where they keep too little already
        least = min(0.0, self._spare(fed, aim))
        for fewest in (*_SETTLED, None):
            if fewest is not None and not (
                tree.fits(fewest) and self._may_hold(tree, fewest, fed, aim, least)
            ):
                continue
            recoding = tree.recoding(generalization, fewest)
            if fewest is None:
                break
            if self._spare(self._answers_to(recoding, self._compared), aim) >= least - 1e-12:
                break
        return self._round(recoding)

    def _may_hold(
        self, tree: SettledTree, fewest: int, fed: Answers, aim: float, least: float
    ) -> bool:
        """Whether enough is kept if settled leaves get one answer, and everyone else their own.

        What else need not be asked changes little, and is dear to find out.
        """
        settled, answers = tree.settled(self._codes[self._compared], fewest)
        after = fed.copy()
        after[settled] = answers
        return self._spare(after, aim) >= least - 1e-12

    def _answers_to(self, recoding: Recoding, rows: NDArray[np.int64]) -> Answers:
        """What the model answers about people when it is fed just the values of a recoding."""
        fed, place = FedRecords.of_everyone(recoding, self._task.table.take(rows))
        return fed.answers(self._oracle)[place]

    def _curve(self, passed: Sequence[Sequence[Ranges]]) -> tuple[CurvePoint, ...]:
        scores = []
        for rows in self._curve_rows():
            agreement = self._agreement(rows)
            if self.slack != 1:  # over all people, for whom the target is
                agreement = Agreement(self._oracle, self._answers[rows])
            answers = answers_for(self._oracle, self._codes[rows], passed)
            scores.append([agreement.score(part) for part in answers])
        overall = self._losses(passed) @ self._weights()
        collected = [
            sum(of_attribute.n_buckets > 1 for of_attribute in ranges) for ranges in passed
        ]
        points = zip(overall.tolist(), *scores, collected, strict=True)
        return tuple(CurvePoint(*point) for point in points)

    def _curve_rows(self) -> list[NDArray[np.int64]]:
        """The people whom the curve is measured on, of those chosen on and of those held out."""
        return [self._some(part, _MOST_ON_CURVE) for part in (self.choose, self.report)]

    def _some(self, people: NDArray[np.int64], most: int) -> NDArray[np.int64]:
        """At most so many of some people, drawn by chance: a table may be in some order."""
        if len(people) <= most:
            return people
        return np.sort(np.random.default_rng(self._seed).permutation(people)[:most])

    def _losses(self, passed: Sequence[Sequence[Ranges]]) -> NDArray[np.float64]:
        """The information loss of each attribute in some generalizations (eq. 1-2).

        What an attribute loses does not depend on the others, so every one of its ranges is
        measured once, beside other ones of the others than it was found with.
        """
        distinct = [
            list({id(of_attribute): of_attribute for of_attribute in column}.values())
            for column in zip(*passed, strict=True)
        ]
        # of thousands of ranges the search knows it well enough, and cuts would take long to make
        known = [{id(each): max(each.loss, 0.0) for each in column} for column in distinct]
        distinct = [
            [each for each in column if each.n_buckets <= _MOST_MEASURED] or column[-1:]
            for column in distinct
        ]
        for i in range(max(map(len, distinct))):
            some = [column[min(i, len(column) - 1)] for column in distinct]
            losses = self._make(some).information_loss(self._learned).per_attribute
            for of, of_attribute, name in zip(known, some, self._task.names, strict=True):
                of[id(of_attribute)] = losses[name]
        return np.array(
            [
                [of[id(of_attribute)] for of, of_attribute in zip(known, ranges, strict=True)]
                for ranges in passed
            ]
        )

    def _point(self, ranges: Sequence[Ranges], chosen_on: float, held_out: float) -> CurvePoint:
        generalization = self._make(ranges)
        loss = generalization.information_loss(self._learned, self._settings.weights)
        return CurvePoint(loss.overall, chosen_on, held_out, len(generalization.collected))

    # the procedure of the paper

    def by_the_paper(self) -> FitResult:
        """Grow a tree on the answers, prune it or give attributes back, and test along the way."""
        search, stages = self._paper_stages()
        ranges = [search.ranges(stage.depth, stage.kept) for stage in stages]
        recoding, proof = self._tested_in_turn(
            self._round(search.recoding(self._make(of_stage), stage))
            for stage, of_stage in zip(stages, ranges, strict=True)
        )
        curve = []
        for stage, reached in zip(stages, ranges, strict=True):
            answers = search.answers(self._codes[self.report], stage.depth, stage.kept)
            reported = self._agreement(self.report).score(answers)
            curve.append(self._point(reached, stage.score, reported))
        return self._result(recoding, proof, tuple(curve))

    def stages(self) -> list[Generalization]:
        """The generalizations that the procedure of the paper passes, from fine to coarse."""
        search, stages = self._paper_stages()
        return [self._make(search.ranges(stage.depth, stage.kept)) for stage in stages]

    def _paper_stages(self) -> tuple[PaperSearch, list[Stage]]:
        settings = self._settings
        learned = replace(self._learned, codes=np.asfortranarray(self._codes[self.learn]))
        search = PaperSearch(
            learned,
            self._answers[self.learn],
            self._oracle,
            settings.representative,
            settings.ilag,
            settings.constraints,
            self._weights() * len(self._task.names),
            self._rng,
            self._namer,
        )
        codes, agreement = self._codes[self.choose], self._agreement(self.choose)
        sure = search.run(codes, agreement, settings.target, _SURE)
        hardly = search.run(codes, agreement, settings.target, _HARDLY)
        return search, _fine_to_coarse(sure, hardly)


def _fine_to_coarse(sure: Sequence[Stage], hardly: Sequence[Stage]) -> list[Stage]:
    """The stages of the paper's procedure in the order in which they are tested.

    Parameters
    ----------
    sure, hardly : sequence of Stage
        As the procedure passes them where much more than the target must be kept, and where a
        little less will do.
    """
    pruned = hardly[1:] if len(hardly) > 1 and hardly[1].depth < hardly[0].depth else []
    given_back = sure if len(sure) > 1 and sure[1].depth == sure[0].depth else sure[:1]
    return [*reversed(given_back), *pruned]


def rare_answers(answers: Answers) -> NDArray[np.int64]:
    """The answers that an average over all people would hide, and that enough people get.

    They are less than a fifth of all, and less than half of what each would be if all answers were
    equally common.

    Parameters
    ----------
    answers : ndarray of int
        The number of a label for each person.
    """
    counts = np.bincount(np.asarray(answers, np.int64))
    enough = counts >= FEWEST_OF_ANSWER
    equal_share = 1.0 / max(int(enough.sum()), 1)
    rare = counts / len(answers) < min(_RARE, 0.5 * equal_share)
    return np.flatnonzero(enough & rare)


def in_turn(groups: NDArray[np.int64]) -> NDArray[np.intp]:
    """An order in which every group has its turn, as long as there is anyone left of it.

    Examples
    --------
    >>> in_turn(np.array([0, 0, 0, 1, 0, 1]))
    array([0, 3, 1, 5, 2, 4])
    """
    order = np.argsort(groups, kind="stable")
    starts = np.searchsorted(groups[order], groups[order])
    turn = np.empty(len(groups), np.int64)
    turn[order] = np.arange(len(groups)) - starts
    return np.lexsort([groups, turn])


def n_searched(choices: Sequence[Sequence[Ranges]], codes: NDArray[np.uint16]) -> int:
    """On how many people to search.

    Parameters
    ----------
    choices : sequence of sequence of Ranges
        The levels of each attribute.
    codes : ndarray of uint16
        Some people.
    """
    load = sum(
        float(np.mean(ranges.stand_ins[codes[:, a]] != codes[:, a]))
        for a, ladder in enumerate(choices)
        for ranges in ladder
    )
    return int(np.clip(_SEARCHED_IN_ALL / max(load, 1.0), _FEWEST_SEARCHED, _MOST_SEARCHED))


def usual_values(codes: NDArray[np.uint16], fewest: int = 10) -> NDArray[np.uint16]:
    """The commonest value of each attribute, among those who have the commonest ones before it.

    The attributes that are most of one value come first; fewer than `fewest` people are not parted
    further, so that it is no one person's record.
    """
    common = [np.bincount(column).max() for column in codes.T]
    usual = np.zeros(codes.shape[1], np.uint16)
    for a in np.argsort(common, kind="stable")[::-1]:
        usual[a] = np.bincount(codes[:, a]).argmax()
        those = codes[codes[:, a] == usual[a]]
        codes = those if len(those) >= fewest else codes
    return usual


def _passed(search: Search, path: Sequence[State]) -> list[list[Ranges]]:
    """The ranges of the states that the curve shows."""
    return _spread([search.ranges(state.levels) for state in path], _CURVE_POINTS)


def _spread(items: Sequence[list[Ranges]], most: int) -> list[list[Ranges]]:
    """The first, the last, and some evenly between."""
    if len(items) <= most:
        return list(items)
    places = np.unique(np.linspace(0, len(items) - 1, most).round().astype(int))
    return [items[place] for place in places]
