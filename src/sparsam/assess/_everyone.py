"""What is counted on all rows of a table of which only a sample was learned from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparsam._memory import give_memory_back
from sparsam._small_counts import (
    PublishedCounts,
    class_counts,
    publish_classes,
    published_repr,
    suppress,
)
from sparsam.assess._assessment import ClassSizes, class_sizes
from sparsam.assess._learning import learning_part
from sparsam.assess._score import AUTO, Answers, Score, score_for
from sparsam.assess._utility import Utility, best_classifier
from sparsam.attack import (
    Answer,
    Bound,
    GeneralizedRecords,
    Reconstruction,
    Risk,
    Tally,
    mean_risk,
    tallied_bound,
    tallied_risk,
    tally_cells,
)
from sparsam.data import OthersAtHome, RecordCounts, Split, Task, joined, places_among, united
from sparsam.data import coarser as coarser_counts
from sparsam.generalization import Generalization

EVERYONE_ELSE = "everyone else"
# Generalizations are counted together as long as so many records could differ.
_MOST_RECORDS = 1_000_000
_CONFIDENCE = 0.95

Lookups = Mapping[str, NDArray[np.uint16]]


@dataclass(frozen=True, repr=False)
class Everyone:
    """What a generalization costs and protects, counted on all rows.

    Utility, risk and bounds are those of everyone outside the sample: models and adversaries
    learned from the sample, and nobody here took part. Class sizes count all rows.

    Attributes
    ----------
    generalization : Generalization
    utility : Utility or None
        None where the target is a number, which is told on the sample alone.
    risk : Risk
        A1.
    bounds : tuple of Bound
        What no adversary can exceed that sees only the records.
    class_sizes : ClassSizes
    n_people : int
        All rows.

    Examples
    --------
    >>> import sparsam as sp
    >>> columns = ["age", "disability", "sex", "employed"]
    >>> people = sp.load_example().select(columns)
    >>> tree = sp.PrivacyTree(max_leaves=4)
    >>> front = sp.sweep(people, sp.Roles("employed"), minimisers=tree, max_people=5000, repeats=1)
    >>> [everyone] = front.choose().everyone
    >>> everyone.n_people, everyone.utility.split
    (20000, 'everyone else')
    """

    generalization: Generalization
    utility: Utility | None
    risk: Risk
    bounds: tuple[Bound, ...]
    class_sizes: ClassSizes
    n_people: int

    def __repr__(self) -> str:
        return published_repr(self)

    def to_dict(self, told: PublishedCounts | None = None) -> dict[str, Any]:
        """Plain data, fit to be published.

        Parameters
        ----------
        told : PublishedCounts, optional
            What is told of the same people beside it, so that no difference tells of few.
        """
        return {
            "collected": list(self.generalization.collected),
            "n_buckets": self.generalization.n_buckets,
            "utility": None if self.utility is None else self.utility.to_dict(),
            "risk": self.risk.to_dict(),
            "bounds": [limit.to_dict() for limit in self.bounds],
            "class_sizes": publish_classes(self.class_sizes.facts(), self.n_people, told),
            "n_people": suppress(self.n_people),
        }


def everyone_data(everyone: Sequence[Everyone]) -> list[dict[str, Any]]:
    """Plain data of what was counted on the same people, fit to be published together."""
    counts = [count for told in everyone for count in class_counts(told.class_sizes.facts())]
    together = PublishedCounts(counts, max((told.n_people for told in everyone), default=0))
    return [told.to_dict(together) for told in everyone]


def assess_everyone(
    generalizations: Sequence[Generalization],
    data: Split,
    *,
    adversary: Reconstruction | None = None,
    random_state: int = 0,
    score: str | Score = AUTO,
) -> tuple[Everyone, ...]:
    """Count on all rows what some generalizations cost and protect.

    Parameters
    ----------
    generalizations : sequence of Generalization
        Those that are alike are counted by one look at the rows.
    data : Split
        Of a sample. Where it is no sample, nothing is left to be counted.
    adversary : Reconstruction, optional
    random_state : int, default=0
    score : str, default="auto"
        As for `assess_generalization`.

    Returns
    -------
    tuple of Everyone
        In the order of the generalizations; empty where everyone is in the parts already.

    Examples
    --------
    >>> import sparsam as sp
    >>> data = sp.split(sp.resolve(sp.load_example(), sp.Roles("employed")))
    >>> assess_everyone([sp.Generalization.nothing(data.train.table)], data)
    ()
    """
    if data.others is None:
        return ()
    give_memory_back()  # millions of records may need what the search has left
    score = score_for(data, score)
    adversary = adversary or Reconstruction(random_state=random_state)
    lookups = [_lookups(generalization, data) for generalization in generalizations]
    told = []
    for generalization, own, parts in zip(
        generalizations, lookups, _counted(lookups, data), strict=True
    ):
        judging = _Judging(generalization, own, data, adversary, random_state, score)
        for counts in parts:
            judging.add(counts)
            give_memory_back()
        told.append(judging.everyone())
    return tuple(told)


def _lookups(generalization: Generalization, data: Split) -> Lookups:
    """The bucket of each code of the collected attributes."""
    return {
        attribute.name: lookup
        for attribute in data.train.table.attributes
        if (lookup := generalization[attribute.name].lookup(attribute)).max() > 0
    }


def _counted(lookups: Sequence[Lookups], data: Split) -> Iterator[Iterable[RecordCounts]]:
    """Count each, part by part, when it is asked for; neighbours share one count.

    This is the count at their common refinement.
    """
    first = 0
    while first < len(lookups):
        together = [lookups[first]]
        finest = _refinement(together)
        for following in lookups[first + 1 :]:
            wider = _refinement([*together, following])
            if _n_records(wider) > _MOST_RECORDS:
                break
            together, finest = [*together, following], wider
        first += len(together)
        if len(together) == 1:
            yield _parts(together[0], data)
            continue
        counts = joined(list(_parts(finest, data)))
        for own in together:
            same = own.keys() == finest.keys() and all(
                np.array_equal(own[name], finest[name]) for name in own
            )
            yield [counts if same else coarser_counts(counts, finest, own)]


def _parts(lookups: Lookups, data: Split) -> Iterator[RecordCounts]:
    """Count people outside the sample, whose records those of the training part stand for."""
    train, others = data.train, data.others
    assert others is not None
    sample = np.empty((train.n_rows, len(lookups)), dtype=np.uint16)
    for column, (name, lookup) in enumerate(lookups.items()):
        sample[:, column] = lookup[train.table.column(name)]
    return others.parts(lookups, [train.names[a] for a in train.personal], sample)


def _refinement(lookups: Sequence[Lookups]) -> Lookups:
    """For each attribute that any collects, the buckets of all of them together."""
    names = dict.fromkeys(name for own in lookups for name in own)
    finest = {}
    for name in names:
        columns = [own[name] for own in lookups if name in own]
        _, buckets = np.unique(np.column_stack(columns), axis=0, return_inverse=True)
        finest[name] = buckets.reshape(-1).astype(np.uint16)
    return finest


def _n_records(lookups: Lookups) -> float:
    return float(np.prod([float(lookup.max()) + 1 for lookup in lookups.values()]))


class _Judging:
    """Judge a generalization on everyone outside the sample, a part of the records at a time.

    Models and adversaries learn from the sample, and the same for each part; all that is told
    of a part are sums over people.

    Parameters
    ----------
    generalization : Generalization
    lookups : mapping of str to ndarray
        The bucket of each code of what it collects.
    data : Split
    adversary : Reconstruction
    random_state : int
    score : Score
    """

    def __init__(
        self,
        generalization: Generalization,
        lookups: Lookups,
        data: Split,
        adversary: Reconstruction,
        random_state: int,
        score: Score,
    ) -> None:
        self._generalization, self._lookups, self._adversary = generalization, lookups, adversary
        self._learned, self._random_state, self._score = learning_part(data), random_state, score
        self._n_sampled = sum(len(rows) for rows in data.rows)
        self._sizes = _ClassSizes(lookups, data)
        self._told: list[_Told] = []
        self._model: str | None = None
        self._answers: tuple[Answer, ...] = ()
        self._tallies = [Tally()] * len(self._learned.train.personal)

    def add(self, counts: RecordCounts) -> None:
        """Judge on the people of one more part."""
        judged = _judged(counts, self._lookups, self._learned)
        records = GeneralizedRecords.of(self._generalization, judged.data)
        self._sizes.add(counts)
        if counts.target is not None:
            self._tell(judged, records)
        self._attack(judged, records, counts)

    def _tell(self, judged: _Judged, records: GeneralizedRecords) -> None:
        # Which model is best was settled by the first part: the sample alone decides.
        models = None if self._model is None else (self._model,)
        classifier = best_classifier(
            records, judged.data, self._random_state, models, score=self._score
        )
        self._model = classifier.model
        answers = classifier.answers.get("test", classifier.losses["test"])
        self._told.append(_Told(answers, judged.data.test.target, judged.people))

    def _attack(self, judged: _Judged, records: GeneralizedRecords, counts: RecordCounts) -> None:
        self._answers = self._adversary.guess(records, judged.data).answers
        for place, answer in enumerate(self._answers):
            question = answer.question
            guesses = answer.guess["test"][judged.first]
            tally = tally_cells(question, guesses, counts.personal[question.name])
            self._tallies[place] = self._tallies[place].plus(tally)

    def everyone(self) -> Everyone:
        """What was told of all parts."""
        tallied = list(zip(self._answers, self._tallies, strict=True))
        parts = [tallied_risk(*each, self._adversary, EVERYONE_ELSE) for each in tallied]
        return Everyone(
            generalization=self._generalization,
            utility=self._utility() if self._told else None,
            risk=mean_risk(parts, self._adversary),
            bounds=tuple(
                tallied_bound(answer.question, tally, _CONFIDENCE, len(tallied))
                for answer, tally in tallied
            ),
            class_sizes=class_sizes(self._sizes.people()),
            n_people=self._sizes.n_others + self._n_sampled,
        )

    def _utility(self) -> Utility:
        answers, target, people = map(np.concatenate, zip(*self._told, strict=True))
        score, n_people = self._score, int(people.sum())
        losses = score.judge(answers, _only_classes(self._learned.test, target), people)
        assert self._model is not None
        return Utility(
            error=float(np.average(losses, weights=people)),
            interval=score.interval(losses, people),
            split=EVERYONE_ELSE,
            n_records=n_people,
            model=self._model,
            score=score,
        )


class _Told(NamedTuple):
    """What the best model tells of the target, for each distinct record and class of a part."""

    answers: Answers
    target: NDArray[np.uint16]
    people: NDArray[np.int64]


def _only_classes(part: Task, target: NDArray[np.uint16]) -> Task:
    """People of whom nothing is known but their classes."""
    nothing = np.zeros((len(target), 0), dtype=np.uint16)
    table = replace(part.table, attributes=(), codes=nothing, numbers={})
    return replace(part, table=table, target=target, numbers=None, personal=(), weights=())


class _ClassSizes:
    """How many people of all rows share each record: those of the sample are counted, too.

    Parameters
    ----------
    lookups : mapping of str to ndarray
    data : Split
    """

    def __init__(self, lookups: Lookups, data: Split) -> None:
        parts = (data.train, data.validation, data.test)
        counted = [OthersAtHome(p, np.arange(p.n_rows)).count(lookups, ()) for p in parts]
        self._sampled = united(counted)
        self._alone = np.ones(len(self._sampled.records), dtype=bool)
        self._people: list[NDArray[np.int64]] = []
        self.n_others = 0

    def add(self, counts: RecordCounts) -> None:
        """Count the people of records that no part before had."""
        self.n_others += counts.n_people
        places, there = places_among(self._sampled.records, counts.records)
        people = counts.people.copy()
        people[places[there]] += self._sampled.people[there]
        self._alone &= ~there
        self._people.append(people)

    def people(self) -> NDArray[np.int64]:
        """The people of each record."""
        return np.concatenate([*self._people, self._sampled.people[self._alone]])


@dataclass(frozen=True, repr=False)
class _Judged:
    """A split whose test part has one person for each distinct record and class.

    Attributes
    ----------
    data : Split
    people : ndarray of int64
        How many each of them stands for.
    first : ndarray of int64
        The first of each distinct record.
    """

    data: Split
    people: NDArray[np.int64]
    first: NDArray[np.int64]


def _judged(counts: RecordCounts, lookups: Lookups, learned: Split) -> _Judged:
    table = learned.test.table
    lines, people = np.arange(len(counts.records)), counts.people
    target = np.zeros(len(lines), dtype=np.uint16)
    if counts.target is not None:
        known = counts.target.codes >= 0  # a class that the sample has not is nowhere
        nowhere = np.setdiff1d(lines, counts.target.lines[known])
        lines = np.append(counts.target.lines[known], nowhere)
        order = np.argsort(lines, kind="stable")
        lines = lines[order]
        people = np.append(counts.target.counts[known], np.zeros_like(nowhere))[order]
        codes = np.append(counts.target.codes[known], np.zeros_like(nowhere))[order]
        target = codes.astype(np.uint16)
    matrix = np.zeros((len(lines), len(table.attributes)), dtype=np.uint16, order="F")
    for column, (name, lookup) in enumerate(lookups.items()):
        _, code = np.unique(lookup, return_index=True)  # any code of the bucket stands for it
        matrix[:, table.index(name)] = code[counts.records[lines, column]]
    numbers = None if learned.test.numbers is None else np.zeros(len(lines))
    test = replace(
        learned.test,
        table=replace(table, codes=matrix, numbers={}),
        target=target,
        numbers=numbers,
    )
    first = np.searchsorted(lines, np.arange(len(counts.records)))
    return _Judged(replace(learned, test=test), people, first)
