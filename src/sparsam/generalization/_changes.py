"""What a new version of a generalization collects otherwise than the one before, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from sparsam.data import CategoricalDomain, NumericDomain
from sparsam.generalization._algebra import aligned, intersect, linked
from sparsam.generalization._generalization import Generalization, joined_about
from sparsam.generalization._labels import category_label
from sparsam.generalization._partition import (
    CategoricalPartition,
    NumericPartition,
    Partition,
    categorical_partition,
    numeric_partition,
)
from sparsam.generalization._partition_base import BETWEEN, category_key, listed

Relation = Literal[
    "gained", "lost", "finer", "coarser", "regrouped", "not comparable", "reworded", "same"
]
"""What became of an attribute."""

_MOST = 5  # labels that one sentence names
_MOST_STEPS = 20  # of one attribute that are told in words


@dataclass(frozen=True)
class Step:
    """Buckets that became other buckets.

    Parameters
    ----------
    what : {"split", "joined", "regrouped"}
        One that became several, several that became one, or several that became several others.
    before, after : tuple of str
        Their labels.
    """

    what: Literal["split", "joined", "regrouped"]
    before: tuple[str, ...]
    after: tuple[str, ...]

    def __str__(self) -> str:
        before, after = _named(self.before), _named(self.after)
        if self.what == "joined":
            return f"{before} are one now: {after}"
        if self.what == "split":
            return f"{before} is told apart now: {after}"
        return f"{before} are cut otherwise now: {after}"


@dataclass(frozen=True)
class Change:
    """What became of one attribute.

    Parameters
    ----------
    attribute : str
    before, after : Partition or None
        None where the document does not know the attribute.

    Notes
    -----
    A value that only one version accepts is not told apart from anything by the other: that is a
    remark, and neither finer nor coarser.
    """

    attribute: str
    before: Partition | None
    after: Partition | None

    @property
    def partition(self) -> Partition:
        """What is known of the attribute: the new partition, or the old one."""
        partition = self.before if self.after is None else self.after
        assert partition is not None
        return partition

    @cached_property
    def relation(self) -> Relation:
        """How the new version is: finer, coarser, or something else."""
        if not _collected(self.before) and not _collected(self.after):
            return "same"
        if not _collected(self.before):
            return "gained"
        if not _collected(self.after):
            return "lost"
        if self._aligned is None:
            return "not comparable"
        finer = any(len(step.after) > 1 for step in self.steps)
        coarser = any(len(step.before) > 1 for step in self.steps)
        if finer and coarser:
            return "regrouped"
        if finer or coarser:
            return "finer" if finer else "coarser"
        return "reworded" if self.remarks else "same"

    @property
    def finer(self) -> bool:
        """Whether values are told apart that were not, or whether that cannot be ruled out."""
        return self.relation in ("gained", "finer", "regrouped", "not comparable")

    @property
    def coarser(self) -> bool:
        """Whether values are no longer told apart that were."""
        return self.relation in ("lost", "coarser", "regrouped")

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The buckets that were split, joined or cut otherwise; none of one gained or lost."""
        if self._aligned is None or self.before is None or self.after is None:
            return ()
        if not (self.before.collected and self.after.collected):
            return ()
        return tuple(_steps(self.before, self.after))

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """What else changed: the values that there are, those refused, the words for a bucket."""
        if self.before is None or self.after is None:
            return ()
        if not _collected(self.before) or not _collected(self.after):
            return ()
        if self._aligned is None:
            words = f"{_kind(self.before)} before, {_kind(self.after)} now"
            return (f"{words}: which is finer cannot be told",)
        return (
            *_domain_remarks(self.before, self.after),
            *_policy_remarks(self.before, self.after),
            *_new_labels(self.before, self.after),
        )

    @cached_property
    def together(self) -> Partition:
        """What who has records of both versions can tell apart."""
        if self.before is None or self.after is None:
            return self.partition
        if self._aligned is None:
            return max(self.before, self.after, key=lambda partition: partition.n_buckets)
        return intersect(*self._aligned)

    @property
    def only_together(self) -> int:
        """How many buckets both versions tell apart together, beyond those of the finer one."""
        alone = [part.n_buckets for part in (self.before, self.after) if part is not None]
        return self.together.n_buckets - max(alone)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The change in words, without the name of the attribute."""
        if self.relation == "gained":
            return (f"collected now, in {_count(self.after)} ({_labels(self.after)})",)
        if self.relation == "lost":
            gone = ", and no longer in the document" if self.after is None else ""
            return (f"no longer collected{gone}; before in {_count(self.before)}",)
        rest = len(self.steps) - _MOST_STEPS
        more = (f"{rest:,} more such changes of buckets",) if rest > 0 else ()
        return (*map(str, self.steps[:_MOST_STEPS]), *more, *self.remarks)

    @cached_property
    def _aligned(self) -> tuple[Partition, Partition] | None:
        if self.before is None or self.after is None:
            return None
        return aligned(self.before, self.after)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "attribute": self.attribute,
            "change": self.relation,
            "finer": self.finer,
            "before": _facts(self.before),
            "after": _facts(self.after),
            "steps": [
                {"what": step.what, "before": list(step.before), "after": list(step.after)}
                for step in self.steps
            ],
            "words": list(self.sentences),
            "together": {
                "buckets": self.together.n_buckets,
                "labels": list(self.together.labels),
                "only_together": self.only_together,
            },
        }


@dataclass(frozen=True)
class Changes:
    """What a new version of a generalization collects otherwise than the one before.

    Parameters
    ----------
    old, new : Generalization
    """

    old: Generalization
    new: Generalization

    @cached_property
    def attributes(self) -> tuple[Change, ...]:
        """Every attribute of either version, in the order of the new one."""
        before, after = ({part.name: part for part in version} for version in (self.old, self.new))
        names = dict.fromkeys((*after, *before))
        return tuple(Change(name, before.get(name), after.get(name)) for name in names)

    @property
    def finer(self) -> tuple[str, ...]:
        """The attributes that are collected more finely than before, or perhaps so."""
        return tuple(change.attribute for change in self.attributes if change.finer)

    @cached_property
    def together(self) -> Generalization:
        """What records of both versions reveal together: the coarsest that refines both."""
        joined = joined_about(self.versions()[1], self.old)
        about = {**_task_of_both(self.old, self.new), **joined}
        return Generalization((change.together for change in self.attributes), about)

    def versions(self) -> tuple[Generalization, Generalization]:
        """Both versions, each with every attribute of the other: not collected where unknown."""
        old, new = (
            Generalization(
                [_none_of(change.partition) if known is None else known for change, known in pairs],
                version.about,
            )
            for version, pairs in (
                (self.old, [(change, change.before) for change in self.attributes]),
                (self.new, [(change, change.after) for change in self.attributes]),
            )
        )
        return old, new

    def __str__(self) -> str:
        lines = [
            f"{change.attribute}: {sentence}"
            for change in self.attributes
            for sentence in change.sentences
        ]
        return "\n".join(lines) or "Nothing changed in what is collected."

    def to_dict(self) -> dict[str, Any]:
        """Plain data: every attribute, and both versions in figures."""
        return {
            "finer": bool(self.finer),
            "before": _size(self.old),
            "after": _size(self.new),
            "together": _size(self.together),
            "attributes": [change.to_dict() for change in self.attributes],
        }


def changes(old: Generalization, new: Generalization) -> Changes:
    """Compare two versions of a generalization, attribute by attribute.

    They need not have the same attributes or the same domains: the range of a number and the list
    of categories may have grown.

    Parameters
    ----------
    old, new : Generalization

    Returns
    -------
    Changes

    Examples
    --------
    >>> from sparsam.data import NumericDomain
    >>> from sparsam.generalization import Generalization, numeric_partition
    >>> ages = NumericDomain(0, 99, integer=True)
    >>> old, new = (
    ...     Generalization([numeric_partition("age", ages, cuts)])
    ...     for cuts in ([30, 40, 50], [30, 50])
    ... )
    >>> print(changes(old, new))
    age: 30–39 and 40–49 are one now: 30–49
    """
    return Changes(old, new)


_TASK = ("target", "personal", "roles")


def _task_of_both(old: Generalization, new: Generalization) -> dict[str, Any]:
    """What the newer version was learned for; protected is what either protects."""
    facts = {**old.about, **new.about}
    about = {name: facts[name] for name in _TASK if name in facts}
    personal = [version.about.get("personal") for version in (new, old)]
    if all(isinstance(names, list) for names in personal):
        about["personal"] = list(dict.fromkeys(name for names in personal for name in names or ()))
    return about


def _collected(partition: Partition | None) -> bool:
    return partition is not None and partition.collected


def _none_of(partition: Partition) -> Partition:
    """The same attribute, not collected."""
    if isinstance(partition, NumericPartition):
        return numeric_partition(partition.name, partition.domain, [])
    return categorical_partition(partition.name, CategoricalDomain(()), [])


def _size(generalization: Generalization) -> dict[str, int]:
    collected = [part for part in generalization if part.collected]
    return {
        "attributes": len(generalization),
        "collected": len(collected),
        "buckets": sum(part.n_buckets for part in collected),
    }


def _facts(partition: Partition | None) -> dict[str, Any] | None:
    if partition is None:
        return None
    return {
        "collected": partition.collected,
        "values": partition.before(),
        "buckets": partition.n_buckets,
        "labels": list(partition.labels),
        "missing": partition.missing,
    }


# Buckets that became others


def _steps(first: Partition, second: Partition) -> Iterator[Step]:
    """The groups of buckets that hold the same values, where these are told apart otherwise."""
    for before, after in linked(first, second):
        if len(before) == 1 and len(after) == 1:
            continue
        kind: Literal["split", "joined", "regrouped"] = "regrouped"
        if len(before) == 1 or len(after) == 1:
            kind = "split" if len(before) == 1 else "joined"
        yield Step(
            kind,
            tuple(first.labels[bucket] for bucket in before),
            tuple(second.labels[bucket] for bucket in after),
        )


# Words


def _named(labels: Sequence[str]) -> str:
    """Name labels in a sentence; where one of them holds a comma, another sign divides them."""
    if len(labels) > _MOST or any("," in label or " and " in label for label in labels):
        return listed(labels, min(_MOST, len(labels)))
    if len(labels) == 1:
        return labels[0]
    return f"{', '.join(labels[:-1])} and {labels[-1]}"


def _labels(partition: Partition | None) -> str:
    return "" if partition is None else listed(partition.labels, min(_MOST, partition.n_buckets))


def _count(partition: Partition | None) -> str:
    n_buckets = 0 if partition is None else partition.n_buckets
    return f"{n_buckets:,} bucket{'s' * (n_buckets != 1)}"


def _kind(partition: Partition) -> str:
    domain = partition.domain
    if isinstance(domain, CategoricalDomain):
        truths = any(isinstance(category, bool) for category in domain.categories)
        return "truth values" if truths else "categories"
    if domain.age_on is not None:
        return f"ages on {domain.age_on}"
    return "numbers" if domain.unit is None else f"{domain.unit}s"


def _domain_remarks(first: Partition, second: Partition) -> Iterator[str]:
    """What became of the values that there are."""
    if isinstance(first.domain, NumericDomain) or isinstance(second.domain, NumericDomain):
        if first.before() != second.before():
            yield f"{second.before()} now, {first.before()} before"
        return
    before, after = (
        {category_key(category): category for category in domain.categories}
        for domain in (first.domain, second.domain)
    )
    for words, here, there in (("new", after, before), ("no longer listed", before, after)):
        names = [category_label(here[key]) for key in here if key not in there]
        if names:
            rest = f" and {len(names) - _MOST:,} more" if len(names) > _MOST else ""
            yield f"{words}: {BETWEEN.join(names[:_MOST])}{rest}"
    if first.domain.ordered != second.domain.ordered:
        yield f"the categories are {'' if second.domain.ordered else 'no longer '}ordered now"


def _policy_remarks(first: Partition, second: Partition) -> Iterator[str]:
    """What was refused and is accepted now, or the other way round."""
    policies: list[tuple[str, bool, bool]] = [
        ("missing values", first.missing is None, second.missing is None)
    ]
    if isinstance(first, CategoricalPartition) and isinstance(second, CategoricalPartition):
        policies.append(("categories never seen", first.unseen is None, second.unseen is None))
    if isinstance(first, NumericPartition) and isinstance(second, NumericPartition):
        refused = (first.beyond == "error", second.beyond == "error")
        policies.append(("numbers beyond the range", *refused))
    for what, before, after in policies:
        if before != after:
            yield f"{what} are {'refused' if after else 'accepted'} now"


def _new_labels(first: Partition, second: Partition) -> Iterator[str]:
    """Buckets that hold what they held, by another name."""
    for before, after in linked(first, second):
        if len(before) == len(after) == 1:
            old, new = first.labels[before[0]], second.labels[after[0]]
            if old != new:
                yield f"“{old}” is called “{new}” now"
