"""Questions as a person reads them: what is asked, the answers, and what each stands for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from sparsam._errors import ParameterError
from sparsam.collect._runs import neighbours, runs
from sparsam.collect.exports import attribute_facts
from sparsam.collect.form._labels import AttributeLabels
from sparsam.collect.form._language import Language
from sparsam.data import Category
from sparsam.generalization import (
    CategoricalPartition,
    NumericPartition,
    Partition,
    categorical_partition,
    category_label,
    numeric_partition,
    unique_labels,
)

_MOST_NAMED: Final = 3
_MOST_RADIOS: Final = 12
_UNSENDABLE: Final = ("\r", "\n", "\x00")


@dataclass(frozen=True)
class Option:
    """One answer to choose.

    Parameters
    ----------
    value : str
        What is sent: the number of a bucket, or of several, such as "1-3.5".
    label : str
    members : tuple of str, default=()
        The categories that it stands for, where these are several.
    listed : bool, default=False
        Whether they have to be listed, because the label does not name them all.
    """

    value: str
    label: str
    members: tuple[str, ...] = ()
    listed: bool = False


@dataclass(frozen=True)
class Question:
    """One question.

    Parameters
    ----------
    name : str
        The attribute, as it is sent.
    text : str
    help : str
    options : tuple of Option
        One for each bucket.
    picks : tuple of Option, default=()
        What to pick from a list, where there are too many lines to mark: categories, each with the
        bucket that it is in.
    numbers : dict or None, default=None
        What `bucket.js` needs to find the bucket of a number.
    kind : str, default=""
        The kind of field to type a number into.
    ordered : bool, default=False
        Whether the categories have an order of their own.
    """

    name: str
    text: str
    help: str
    options: tuple[Option, ...]
    picks: tuple[Option, ...] = ()
    numbers: dict[str, Any] | None = None
    kind: str = ""
    ordered: bool = False

    @property
    def findable(self) -> bool:
        """Whether some line stands for categories that its label does not name."""
        return not self.picks and any(option.listed for option in self.options)


class Wording:
    """How one attribute is asked for in a language.

    Parameters
    ----------
    partition : Partition
    language : Language
    labels : AttributeLabels
    """

    def __init__(self, partition: Partition, language: Language, labels: AttributeLabels) -> None:
        self._partition = partition
        self._language = language
        self._labels = labels
        self._said = labels.of_buckets(partition.name, partition.labels)

    def question(self, *, listed: bool = False) -> Question:
        """Return the question with every bucket as an answer.

        Parameters
        ----------
        listed : bool, default=False
            Whether they are a list to pick from though they are few; many always are.
        """
        part = self._partition
        check_sendable(part.name)
        options = self.options([(bucket,) for bucket in range(part.n_buckets)])
        picks = self._picks(options) if listed or part.n_buckets > _MOST_RADIOS else ()
        numbers, kind = None, ""
        if isinstance(part, NumericPartition) and part.cuts:
            numbers, kind = _numbers(part), part.domain.unit or "number"
        text = self._labels.question or asked(part.name)
        ordered = isinstance(part, CategoricalPartition) and part.domain.ordered
        return Question(part.name, text, self._labels.help, options, picks, numbers, kind, ordered)

    def options(self, classes: Sequence[tuple[int, ...]]) -> tuple[Option, ...]:
        """Return an answer for each class of buckets that are not told apart."""
        options = [self._option(buckets) for buckets in classes]
        labels = unique_labels([option.label for option in options])
        pairs = zip(options, labels, strict=True)
        return tuple(replace(option, label=label) for option, label in pairs)

    def labels(self, menus: Iterable[Sequence[tuple[int, ...]]]) -> dict[str, str]:
        """Return what those answers are called that are not named by their categories.

        Parameters
        ----------
        menus : iterable of sequences of tuples of int
            In each the buckets of every answer. No two answers of one menu are called the same.

        Returns
        -------
        dict of str to str
            By value.
        """
        labels: dict[str, str] = {}
        for classes in menus:
            options = [self._option(buckets) for buckets in classes if self._has_own_name(buckets)]
            times = Counter(option.label for option in options)
            for value, label in ((option.value, option.label) for option in options):
                clear = label if times[label] == 1 else f"{label} ({value})"
                # the longer one is as clear in any other menu
                labels[value] = max(labels.get(value, ""), clear, key=len)
        return labels

    def _has_own_name(self, buckets: tuple[int, ...]) -> bool:
        """Whether an answer is a range, or has a name that somebody gave it."""
        part = self._partition
        if isinstance(part, NumericPartition) or not part.groups:
            return True
        return not self._ours.issuperset(buckets) or self._is_range(part, self._categories(buckets))

    @cached_property
    def _ours(self) -> frozenset[int]:
        """The buckets whose labels are our own words, which are said in the page's language."""
        part = self._partition
        if isinstance(part, NumericPartition):
            plain: Partition = numeric_partition(
                part.name, part.domain, part.cuts, part.missing, part.beyond
            )
        else:
            plain = categorical_partition(
                part.name, part.domain, part.groups, part.missing, part.unseen
            )
        pairs = enumerate(zip(part.labels, plain.labels, strict=True))
        return frozenset(b for b, (label, own) in pairs if label == own and b not in self._said)

    @property
    def _n_values(self) -> int:
        """How many buckets hold values; those after them are for missing and other ones alone."""
        part = self._partition
        return part.n_intervals if isinstance(part, NumericPartition) else part.n_groups

    def _option(self, buckets: tuple[int, ...]) -> Option:
        part, say = self._partition, self._language.say
        ours = [b for b in buckets if b in self._ours and b < self._n_values]
        given = [b for b in buckets if b not in self._ours]
        if isinstance(part, NumericPartition):
            names, complete = list(self._intervals(part, ours)), True
        else:
            names, complete = self._group(part, ours)
        names += [self._said.get(bucket, part.labels[bucket]) for bucket in given]
        names += [self._apart(b) for b in buckets if b in self._ours and b >= self._n_values]
        label = self._language.joined(names)
        unseen = None
        if isinstance(part, CategoricalPartition) and part.n_groups > 1:
            unseen = part.unseen
        for bucket, word in ((unseen, "or_other"), (part.missing, "or_missing")):
            if bucket in ours:
                label = say(word, label=label)
        members: tuple[str, ...] = ()
        if isinstance(part, CategoricalPartition) and part.groups:
            members = tuple(self._names[place] for place in self._categories(buckets))
        listed = len(members) > 1 and (not complete or bool(given))
        return Option(runs(buckets), label, members if len(members) > 1 else (), listed)

    def _apart(self, bucket: int) -> str:
        """The name of a bucket that holds no value of the domain."""
        part = self._partition
        unseen = part.unseen if isinstance(part, CategoricalPartition) else None
        if bucket == part.missing:
            return self._language.say("missing_or_other" if bucket == unseen else "missing")
        return self._language.say("other")

    def _intervals(self, part: NumericPartition, buckets: list[int]) -> Iterator[str]:
        """Neighbouring intervals are one."""
        edges = [None, *part.cuts, None]
        for first, last in neighbours(buckets):
            yield self._language.interval(part.domain, edges[first], edges[last + 1])

    def _group(self, part: CategoricalPartition, buckets: list[int]) -> tuple[list[str], bool]:
        """Name the categories of several groups together, and say whether all are named."""
        if not part.groups:
            return [self._language.say("all")] * bool(buckets), True
        places = self._categories(buckets)
        members = [self._names[place] for place in places]
        if len(members) <= _MOST_NAMED:
            return members, True
        if self._is_range(part, places):
            return [f"{members[0]} – {members[-1]}"], False
        more = self._language.say("more", names=", ".join(members[:2]), count=len(members) - 2)
        return [more], False

    @staticmethod
    def _is_range(part: CategoricalPartition, places: list[int]) -> bool:
        """Whether categories are so many neighbours in an order that the ends name them."""
        neighbours = len(places) > _MOST_NAMED and places[-1] - places[0] == len(places) - 1
        return part.domain.ordered and neighbours

    def _categories(self, buckets: Sequence[int]) -> list[int]:
        """The places in the domain of the categories of some buckets."""
        return sorted(place for bucket in buckets for place in self._by_bucket.get(bucket, ()))

    @cached_property
    def _by_bucket(self) -> dict[int, list[int]]:
        """For each bucket the places of its categories."""
        places: dict[int, list[int]] = {}
        if isinstance(self._partition, CategoricalPartition):
            for place, category in enumerate(self._partition.domain.categories):
                places.setdefault(self._partition.bucket(category), []).append(place)
        return places

    @cached_property
    def _names(self) -> tuple[str, ...]:
        """What each category is called."""
        if isinstance(self._partition, NumericPartition):
            return ()
        return unique_labels([self._category(each) for each in self._partition.domain.categories])

    def _category(self, category: Category) -> str:
        text = category_label(category)
        if text in self._labels.members:
            return self._labels.members[text]
        if isinstance(category, bool):
            return self._language.say(text)
        if isinstance(category, str):
            return text if category.strip() else self._language.say("empty")
        return self._language.number(category)

    def _picks(self, options: tuple[Option, ...]) -> tuple[Option, ...]:
        """Categories to pick from, and after them what is none of them; of numbers the ranges."""
        part = self._partition
        if isinstance(part, NumericPartition) or not part.groups:
            return options
        buckets = {place: b for b, places in self._by_bucket.items() for place in places}
        picks = [Option(str(buckets[place]), name) for place, name in enumerate(self._names)]
        for bucket, word in ((part.unseen, "other"), (part.missing, "missing")):
            if bucket is not None and bucket < self._n_values:
                picks.append(Option(str(bucket), self._language.say(word)))
        return (*picks, *options[self._n_values :])


def _numbers(part: NumericPartition) -> dict[str, Any]:
    """What `bucket.js` needs, without the labels: they are the lines of the page."""
    facts = attribute_facts(part)
    return {fact: facts[fact] for fact in facts if fact not in ("name", "labels", "missing")}


def asked(name: str) -> str:
    """Return what is asked for an attribute that nobody has given a question.

    Examples
    --------
    >>> asked("marital_status")
    'Marital status'
    """
    words = name.replace("_", " ").strip() or name
    return words[:1].upper() + words[1:]


def check_sendable(name: str) -> None:
    """Raise for a name that browsers would send otherwise than it is written."""
    if any(sign in name for sign in _UNSENDABLE):
        msg = f"'{name}' has a line break in its name, which no form can send: rename it."
        raise ParameterError(msg)
