"""What a person is asked, for every form that is not ours: questions, and what can be chosen."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sparsam._errors import ParameterError
from sparsam._printable import one_line
from sparsam.generalization import (
    CategoricalPartition,
    Generalization,
    Partition,
    category_label,
)

if TYPE_CHECKING:
    from sparsam.collect._target import Target

FEWEST_HIDDEN = 4
"""A group of so many categories is not written out by the label that it is given."""


@dataclass(frozen=True)
class Question:
    """One question of a form.

    Attributes
    ----------
    name : str
        The attribute, or the target.
    words : str
        How it is asked for.
    choices : tuple of str
        What can be chosen, in words: the place of each is its bucket.
    """

    name: str
    words: str
    choices: tuple[str, ...]


def questions(generalization: Generalization, target: Target | None = None) -> tuple[Question, ...]:
    """Return what is to be asked: every collected attribute, then the target.

    Parameters
    ----------
    generalization : Generalization
    target : Target, optional

    Raises
    ------
    ParameterError
        There is nothing to ask, or the target has the name of a collected attribute.

    Examples
    --------
    >>> from sparsam.data import CategoricalDomain
    >>> from sparsam.generalization import categorical_partition
    >>> way = CategoricalDomain(("bus", "car", "foot", "tram", "train"))
    >>> parts = [["car"], ["bus", "foot", "tram", "train"]]
    >>> questions(Generalization([categorical_partition("way_to_work", way, parts)]))
    (Question(name='way_to_work', words='Way to work', choices=('car', 'bus, foot, tram, train')),)
    """
    asked = [
        Question(name, _words(name), _choices(generalization[name]))
        for name in generalization.collected
    ]
    if target is not None:
        target.check(generalization)
        asked.append(Question(target.name, _words(target.name), _one_line(target.classes)))
    if not asked:
        raise ParameterError("The generalization collects nothing, so that there is no question.")
    return tuple(asked)


def field_names(
    asked: Iterable[Question], fits: re.Pattern[str], taken: Iterable[str] = ()
) -> tuple[str, ...]:
    """Return a name for each question that another tool takes, as near to its own as possible.

    Parameters
    ----------
    asked : iterable of Question
    fits : Pattern
        What the tool takes; "field" and "field_2" must be such names.
    taken : iterable of str
        Names that it keeps for itself, in small letters.

    Returns
    -------
    tuple of str
        No two of them differ in case alone.

    Examples
    --------
    >>> asked = [Question(name, "", ()) for name in ("age", "Age", "marital-status", "größe", "9")]
    >>> field_names(asked, re.compile("[A-Za-z][A-Za-z0-9_]*"))
    ('age', 'Age_2', 'marital_status', 'gro_e', 'field_9')
    """
    listed = tuple(asked)
    # a name that fits is kept, whatever comes before it
    given: dict[str, str] = {}
    used = set(taken)
    for question in listed:
        if fits.fullmatch(question.name) and question.name.lower() not in used:
            given[question.name] = question.name
            used.add(question.name.lower())
    for question in listed:
        if question.name not in given:
            given[question.name] = _free(_plain(question.name, fits), used)
            used.add(given[question.name].lower())
    return tuple(given[question.name] for question in listed)


def fingerprint(generalization: Generalization) -> str:
    """Return twelve digits that differ for whatever is collected otherwise.

    Parameters
    ----------
    generalization : Generalization
    """
    document = Generalization(generalization.partitions).to_json()
    return hashlib.sha256(document.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _plain(name: str, fits: re.Pattern[str]) -> str:
    """A name in letters that every tool takes, which begins with a letter."""
    parts = unicodedata.normalize("NFKD", name)
    letters = "".join(sign for sign in parts if not unicodedata.combining(sign))
    plain = re.sub(r"[^A-Za-z0-9_]+", "_", letters).strip("_")[:60] or "field"
    return plain if fits.fullmatch(plain) else f"field_{plain}"


def _free(name: str, used: set[str]) -> str:
    if name.lower() not in used:
        return name
    number = 2
    while f"{name}_{number}".lower() in used:
        number += 1
    return f"{name}_{number}"


def _words(name: str) -> str:
    """The name of an attribute as a person would write it."""
    words = one_line(name.replace("_", " ")).strip() or "?"
    return words[:1].upper() + words[1:]


def _choices(partition: Partition) -> tuple[str, ...]:
    """The label of each bucket; all members of a group whose label says "and 3 more"."""
    labels = list(partition.labels)
    if isinstance(partition, CategoricalPartition):
        for bucket, group in enumerate(partition.groups):
            names = [category_label(member) for member in group]
            short = f"{names[0]}, {names[1]} and {len(names) - 2} more" if len(names) > 1 else ""
            if len(names) >= FEWEST_HIDDEN and labels[bucket].startswith(short):
                labels[bucket] = ", ".join(names) + labels[bucket].removeprefix(short)
    return _one_line(labels)


def _one_line(labels: Iterable[str]) -> tuple[str, ...]:
    clean: Callable[[str], str] = one_line
    return tuple(clean(label).strip() or "?" for label in labels)
