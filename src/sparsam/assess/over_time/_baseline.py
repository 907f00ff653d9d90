"""What an artifact carries of the people it was learned from, to compare later people with."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from sparsam._documents import convert_part, plain_parts
from sparsam._errors import DocumentError
from sparsam._small_counts import SMALLEST_COUNT, few, publish_share
from sparsam.data import NumericDomain, Task
from sparsam.generalization import Generalization, NumericPartition, Partition

if TYPE_CHECKING:
    from sparsam.assess._choice import Choice

Buckets = Mapping[str, NDArray[np.integer]]
"""For each collected attribute the bucket of every person; -1 where a value has none."""

Share = Annotated[float, Meta(ge=0, le=1)]

EVIDENCE = "evidence"
OTHER_CLASS = "other"
_MOST_CLASSES = 5
_LEAST_BELIEF = 0.01  # that any class may come in any bucket


@dataclass(frozen=True, repr=False)
class Known:
    """People whose buckets and target are known."""

    buckets: Buckets
    task: Task

    @classmethod
    def of(cls, generalization: Generalization, task: Task) -> Known:
        """Put people at full resolution into their buckets."""
        codes = generalization.apply_codes(task.table)
        places = {partition.name: place for place, partition in enumerate(generalization)}
        return cls({name: codes[:, places[name]] for name in generalization.collected}, task)


class TargetShares(msgspec.Struct, frozen=True):
    """How the target was spread over the buckets, in published form.

    Parameters
    ----------
    name : str
    classes : tuple of str
        The commonest; all others count as one more.
    threshold : float or None
        Where the target is a number: its two classes are the numbers below this round number and
        the others.
    shares : tuple of float
        Of each class.
    of_buckets : dict of str to tuple
        For each attribute and bucket the share of each class; None for a bucket with few people.
    wrong : float or None
        Share of the tested people whose class is guessed wrongly from these shares alone.
    wrong_in : dict of str to tuple
        The same for the people of each bucket.
    """

    name: str
    classes: tuple[str, ...]
    threshold: float | None
    shares: tuple[Share, ...]
    of_buckets: dict[str, tuple[tuple[Share, ...] | None, ...]]
    wrong: Share | None = None
    wrong_in: dict[str, tuple[Share | None, ...]] = {}

    @property
    def labels(self) -> tuple[str, ...]:
        """Every class in words, the one for all others last."""
        return (*self.classes, OTHER_CLASS)

    def codes(self, task: Task) -> NDArray[np.int64]:
        """The class of everyone: a place in `labels`."""
        if self.threshold is not None:
            if task.numbers is None:
                return np.full(task.n_rows, len(self.classes))
            return (task.numbers >= self.threshold).astype(np.int64)
        place = {label: code for code, label in enumerate(self.classes)}
        lookup = np.array([place.get(label, len(place)) for label in task.classes])
        return np.asarray(lookup[task.target])

    def guess(self, known: Known) -> NDArray[np.int64]:
        """The class that the buckets of a person speak for most, each attribute on its own.

        No model is carried by an artifact, so the published shares are the judge: the same then
        and later, whoever is judged. All classes count as much as each other, however rare, so
        that a rare one that is no longer told is noticed.
        """
        prior = np.maximum(np.array(self.shares), _LEAST_BELIEF)
        belief = np.zeros((known.task.n_rows, len(self.classes)))
        for attribute, rows in self.of_buckets.items():
            told = np.array([prior if row is None else row for row in rows])
            speaks = np.log(np.maximum(told, _LEAST_BELIEF) / prior)
            belief += speaks[known.buckets[attribute]]
        return np.asarray(belief.argmax(axis=1))


class Promise(msgspec.Struct, frozen=True):
    """What was promised of the people then, and what was measured of them.

    Parameters
    ----------
    words : str
    score : str
        What utility was measured by.
    max_utility_loss, max_risk : float or None
        The limits; what was not promised has none.
    utility_loss, recovered : float or None
        What was measured on test data.
    confidence : float or None
    """

    words: str
    score: str
    max_utility_loss: float | None = None
    max_risk: float | None = None
    utility_loss: float | None = None
    recovered: float | None = None
    confidence: float | None = None


class GuessedAttribute(msgspec.Struct, frozen=True):
    """How well one protected attribute was guessed, collected or not.

    Parameters
    ----------
    error : float or None
        Of the adversary.
    baseline : float or None
        Of somebody who sees no record.
    interval : tuple of float, or None
        Of the adversary's error.
    """

    error: float | None = None
    baseline: float | None = None
    interval: tuple[float, float] | None = None


class Measured(msgspec.Struct, frozen=True):
    """What was measured of a choice on the tested people, in published form.

    Parameters
    ----------
    utility, everything : float or None
        The score with what is collected, and with everything collected.
    adversary : str
        Who attacked what is left.
    risk : GuessedAttribute
        Over all protected attributes.
    attributes : dict of str to GuessedAttribute
        Each of them.
    """

    utility: float | None
    everything: float | None
    adversary: str
    risk: GuessedAttribute
    attributes: dict[str, GuessedAttribute] = {}

    @classmethod
    def of(cls, facts: Mapping[str, Any], everything: float | None) -> Measured:
        """Take what was measured from the plain data of a choice."""
        risk = facts["risk"]
        return cls(
            facts["utility"]["value"],
            everything,
            risk["adversary"],
            _guessed(risk),
            {part["attribute"]: _guessed(part) for part in risk["parts"]},
        )


def _guessed(risk: Mapping[str, Any]) -> GuessedAttribute:
    ends = risk["interval"]
    interval = None if ends is None or None in ends else (ends[0], ends[1])
    return GuessedAttribute(risk["value"], risk["baseline"], interval)


class Baseline(msgspec.Struct, frozen=True):
    """The people that later ones are compared with, in published form: shares, and no person.

    Parameters
    ----------
    people : int
        Whose buckets were counted: everyone, in all parts.
    tested : int
        Of them the test part, on whom guesses were judged.
    shares : dict of str to tuple of float
        For each collected attribute the share of people in each bucket.
    target : TargetShares or None
    promise : Promise or None
    measured : Measured or None
    unlisted : dict of str to float
        For each collected attribute of which some people have a category that is not listed, since
        so few have it, their share.
    """

    people: Annotated[int, Meta(ge=1)]
    tested: Annotated[int, Meta(ge=0)]
    shares: dict[str, tuple[Share, ...]]
    target: TargetShares | None = None
    promise: Promise | None = None
    measured: Measured | None = None
    unlisted: dict[str, Share] | msgspec.UnsetType = msgspec.UNSET

    @classmethod
    def of(
        cls,
        generalization: Generalization,
        everyone: Buckets,
        unlisted: Mapping[str, int],
        seen: Known | None = None,
        tested: Known | None = None,
        promise: Promise | None = None,
    ) -> Baseline:
        """Count the people who learned a generalization, or who stand for them.

        Parameters
        ----------
        generalization : Generalization
        everyone : mapping of str to ndarray of int
            The bucket of every person.
        unlisted : mapping of str to int
            How many of them have a category that the generalization does not list.
        seen, tested : Known, optional
            Of the people whose target is known those who tell how it is spread over the buckets,
            and others, on whom guesses are judged.
        promise : Promise, optional
        """
        shares = {
            name: _shares(everyone[name], generalization[name].n_buckets)
            for name in generalization.collected
        }
        n_people = len(next(iter(everyone.values()), np.zeros(0)))
        target, n_tested = None, 0
        if seen is not None and tested is not None:
            target = _target_shares(generalization, seen, tested)
            n_tested = tested.task.n_rows
            n_people = max(n_people, seen.task.n_rows + n_tested)
        rare = {
            name: float(publish_share(count / n_people, n_people) or 0)
            for name, count in unlisted.items()
            if count
        }
        return cls(
            n_people, n_tested, shares, target, promise, unlisted=rare if rare else msgspec.UNSET
        )

    def share_unlisted(self, name: str) -> float:
        """The share of people with a category that is not listed."""
        return 0.0 if self.unlisted is msgspec.UNSET else self.unlisted.get(name, 0.0)

    @classmethod
    def carried_by(cls, generalization: Generalization) -> Baseline | None:
        """What an artifact says of the people it was learned from; None where it says nothing."""
        carried = generalization.about.get(EVIDENCE)
        if carried is None:
            return None
        baseline = convert_part(carried, cls, f"$.about.{EVIDENCE}")
        baseline.check(generalization)
        return baseline

    def check(self, generalization: Generalization) -> None:
        """Raise unless there is a share for every bucket that is collected."""
        tables: list[Mapping[str, tuple[Any, ...]]] = [self.shares]
        if self.target is not None:
            tables += [self.target.of_buckets, self.target.wrong_in]
        for table in tables:
            for name, figures in table.items():
                known = name in generalization.collected
                if not known or generalization[name].n_buckets != len(figures):
                    raise DocumentError(
                        f"The evidence must have one figure for each bucket of '{name}'.",
                        f"$.about.{EVIDENCE}",
                    )
        if self.target is not None:
            rows = [row for table in self.target.of_buckets.values() for row in table]
            n_classes = len(self.target.classes)
            if any(
                row is not None and len(row) != n_classes for row in [self.target.shares, *rows]
            ):
                raise DocumentError(
                    "The evidence must have one share for each class of the target.",
                    f"$.about.{EVIDENCE}.target",
                )
        strange = [*(() if self.unlisted is msgspec.UNSET else self.unlisted)]
        if not {*strange} <= {*generalization.collected}:
            raise DocumentError(
                f"The evidence must be of attributes that are collected. {strange} are not all.",
                f"$.about.{EVIDENCE}.unlisted",
            )
        absent = [name for name in generalization.collected if name not in self.shares]
        if absent:
            raise DocumentError(
                f"The evidence must have shares of every collected attribute. {absent} are absent.",
                f"$.about.{EVIDENCE}.shares",
            )

    def to_dict(self) -> dict[str, Any]:
        """Plain data, fit to be published."""
        facts: dict[str, Any] = plain_parts(self)
        return facts


def evidence_of(choice: Choice) -> dict[str, Any]:
    """What the artifact of a choice carries, for `monitor`: published figures, nobody's values.

    Parameters
    ----------
    choice : Choice

    Returns
    -------
    dict
        To stand in `about`; nothing where there are too few people to tell anything of them.
    """
    front, requirement, facts = choice.front, choice.requirement, choice.published
    if few(front.n_rows):
        return {}
    promise = Promise(
        words=requirement.words,
        score=requirement.score.name,
        max_utility_loss=requirement.max_utility_loss,
        max_risk=requirement.max_risk,
        utility_loss=facts["utility_loss"],
        recovered=facts["risk"]["recovered"],
        confidence=requirement.confidence,
    )
    generalization, data = choice.candidate.generalization, front.data
    seen, tested = (
        Known.of(generalization, task) for task in (data.train.join(data.validation), data.test)
    )
    everyone = {
        name: np.concatenate([seen.buckets[name], tested.buckets[name]]) for name in seen.buckets
    }
    unlisted = {
        name: sum(_n_unlisted(generalization[name], known.task) for known in (seen, tested))
        for name in generalization.collected
    }
    baseline = Baseline.of(generalization, everyone, unlisted, seen, tested, promise)
    measured = Measured.of(facts, front.limits.everything.to_dict()["value"])
    return {EVIDENCE: msgspec.structs.replace(baseline, measured=measured).to_dict()}


def _n_unlisted(partition: Partition, task: Task) -> int:
    """How many people have a category that a partition does not list."""
    attribute = task.table.attribute(partition.name)
    if isinstance(attribute.domain, NumericDomain) or isinstance(partition, NumericPartition):
        return 0
    listed = frozenset(partition.domain.categories)
    rare = np.zeros(attribute.size, dtype=bool)
    rare[: attribute.n_values] = [c not in listed for c in attribute.domain.categories]
    return int(rare[task.table.column(partition.name)].sum())


def _shares(codes: NDArray[np.integer], n_buckets: int) -> tuple[float, ...]:
    # a person whose value has no bucket counts among all, and in no bucket
    counts = np.bincount(codes[codes >= 0], minlength=n_buckets)
    return tuple(float(publish_share(c / max(1, len(codes)), len(codes)) or 0) for c in counts)


def _target_shares(generalization: Generalization, seen: Known, tested: Known) -> TargetShares:
    task, threshold, classes = seen.task, None, _commonest(seen.task)
    if task.numbers is not None:
        threshold = _round_median(task.numbers)
        classes = (f"under {threshold:g}", f"{threshold:g} and over")
    shares = TargetShares(task.target_name, classes, threshold, (), {})
    codes = shares.codes(task)
    sizes = {name: generalization[name].n_buckets for name in generalization.collected}
    shares = msgspec.structs.replace(
        shares,
        shares=_shares(codes, len(classes) + 1)[:-1],
        of_buckets={
            name: _class_shares(seen.buckets[name], codes, size, len(classes))
            for name, size in sizes.items()
        },
    )
    wrong = shares.guess(tested) != shares.codes(tested.task)
    return msgspec.structs.replace(
        shares,
        wrong=publish_share(float(wrong.mean()), len(wrong)),
        wrong_in={name: _means(wrong, tested.buckets[name], size) for name, size in sizes.items()},
    )


def _commonest(task: Task) -> tuple[str, ...]:
    """The classes that many people have, five at most, in their own order."""
    counts = np.bincount(task.target, minlength=len(task.classes))
    chosen = sorted(np.argsort(-counts, kind="stable")[:_MOST_CLASSES])
    return tuple(task.classes[place] for place in chosen if counts[place] >= SMALLEST_COUNT)


def _round_median(numbers: NDArray[np.float64]) -> float:
    """A round number near the median, which need not be anybody's."""
    median = float(np.median(numbers))
    spread = float(np.abs(numbers - median).mean())
    step = 10.0 ** math.floor(math.log10(spread)) if spread > 0 else 1.0
    return round(round(median / step) * step, 12)


def _class_shares(
    buckets: NDArray[np.integer], codes: NDArray[np.int64], n_buckets: int, n_classes: int
) -> tuple[tuple[float, ...] | None, ...]:
    counts = np.bincount(
        buckets.astype(np.int64) * (n_classes + 1) + codes, minlength=n_buckets * (n_classes + 1)
    ).reshape(n_buckets, n_classes + 1)
    rows: list[tuple[float, ...] | None] = []
    for row in counts:
        n_people = int(row.sum())
        told = None
        if n_people >= SMALLEST_COUNT:
            told = tuple(float(publish_share(c / n_people, n_people)) for c in row[:-1])
        rows.append(told)
    return tuple(rows)


def _means(
    wrong: NDArray[np.bool_], buckets: NDArray[np.integer], n_buckets: int
) -> tuple[float | None, ...]:
    people = np.bincount(buckets, minlength=n_buckets)
    errors = np.bincount(buckets, wrong, minlength=n_buckets)
    return tuple(
        None if count < SMALLEST_COUNT else publish_share(error / count, int(count))
        for error, count in zip(errors, people, strict=True)
    )
