"""What is counted on all rows of a table of which only a sample was learned from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

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
from sparsam.assess._score import AUTO, Score, score_for
from sparsam.assess._utility import Utility, best_classifier
from sparsam.attack import (
    Answer,
    Bound,
    GeneralizedRecords,
    Reconstruction,
    Risk,
    cells_bound,
    cells_risk,
    mean_risk,
)
from sparsam.data import Others, OthersAtHome, RecordCounts, Split, people_together
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
    counted = _counted(lookups, data.others, [data.train.names[a] for a in data.train.personal])
    return tuple(
        _everyone(generalization, counts, own, data, adversary, random_state, score)
        for generalization, own, counts in zip(generalizations, lookups, counted, strict=True)
    )


def _lookups(generalization: Generalization, data: Split) -> Lookups:
    """The bucket of each code of the collected attributes."""
    return {
        attribute.name: lookup
        for attribute in data.train.table.attributes
        if (lookup := generalization[attribute.name].lookup(attribute)).max() > 0
    }


def _counted(
    lookups: Sequence[Lookups], others: Others, personal: Sequence[str]
) -> Iterator[RecordCounts]:
    """Count each, when it is asked for; neighbours share one count at their common refinement."""
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
        counts = others.count(finest, personal)
        for own in together:
            same = own.keys() == finest.keys() and all(
                np.array_equal(own[name], finest[name]) for name in own
            )
            yield counts if same else coarser_counts(counts, finest, own)


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


def _everyone(
    generalization: Generalization,
    counts: RecordCounts,
    lookups: Lookups,
    data: Split,
    adversary: Reconstruction,
    random_state: int,
    score: Score,
) -> Everyone:
    judged = _judged(counts, lookups, learning_part(data))
    give_memory_back()
    records = GeneralizedRecords.of(generalization, judged.data)
    return Everyone(
        generalization=generalization,
        utility=None if counts.target is None else _utility(judged, records, random_state, score),
        risk=_risk(judged, records, counts, adversary),
        bounds=_bounds(judged, records, counts, adversary),
        class_sizes=class_sizes(_all_people(counts, lookups, data)),
        n_people=counts.n_people + sum(len(rows) for rows in data.rows),
    )


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


def _utility(
    judged: _Judged, records: GeneralizedRecords, random_state: int, score: Score
) -> Utility:
    classifier = best_classifier(records, judged.data, random_state, score=score)
    answers = classifier.answers.get("test", classifier.losses["test"])
    losses = score.judge(answers, judged.data.test, judged.people)
    return Utility(
        error=float(np.average(losses, weights=judged.people)),
        interval=score.interval(losses, judged.people),
        split=EVERYONE_ELSE,
        n_records=int(judged.people.sum()),
        model=classifier.model,
        score=score,
    )


def _risk(
    judged: _Judged, records: GeneralizedRecords, counts: RecordCounts, adversary: Reconstruction
) -> Risk:
    answers: tuple[Answer, ...] = adversary.guess(records, judged.data).answers
    parts = tuple(
        cells_risk(
            answer,
            answer.guess["test"][judged.first],
            counts.personal[answer.question.name],
            adversary,
            EVERYONE_ELSE,
        )
        for answer in answers
    )
    return mean_risk(parts, adversary)


def _bounds(
    judged: _Judged, records: GeneralizedRecords, counts: RecordCounts, adversary: Reconstruction
) -> tuple[Bound, ...]:
    personal = judged.data.train.personal
    return tuple(
        cells_bound(question, counts.personal[question.name], _CONFIDENCE, len(personal))
        for question in adversary.questions(records, judged.data, personal)
    )


def _all_people(counts: RecordCounts, lookups: Lookups, data: Split) -> NDArray[np.int64]:
    """How many people of all rows share each record: those of the sample are counted, too."""
    parts = (data.train, data.validation, data.test)
    own = [OthersAtHome(part, np.arange(part.n_rows)).count(lookups, ()) for part in parts]
    return people_together([counts, *own])
