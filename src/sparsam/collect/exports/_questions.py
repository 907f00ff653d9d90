"""What a person is asked, for every form that is not ours: questions, and what can be chosen."""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sparsam._errors import ParameterError
from sparsam._printable import one_line
from sparsam.generalization import Generalization

if TYPE_CHECKING:
    from sparsam.collect._target import Target


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
    help : str
        A sentence to help.
    """

    name: str
    words: str
    choices: tuple[str, ...]
    help: str = ""


@dataclass(frozen=True)
class Questions:
    """All questions, in one language.

    Attributes
    ----------
    title : str
        What they are called together.
    language : str
        Its code, such as "en".
    asked : tuple of Question
        Every collected attribute, then the target.
    """

    title: str
    language: str
    asked: tuple[Question, ...]

    @classmethod
    def of(
        cls,
        generalization: Generalization,
        target: Target | None = None,
        language: str = "en",
        labels: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    ) -> Questions:
        """Return what is to be asked, in the words of our own form.

        Parameters
        ----------
        generalization : Generalization
        target : Target, optional
        language : str, default="en"
            As for `Form`.
        labels : mapping or path, optional
            As for `Form`.

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
        >>> ways = Generalization([categorical_partition("way_to_work", way, parts)])
        >>> for question in Questions.of(ways).asked:
        ...     print(question.words, question.choices)
        Way to work ('car', 'bus, foot and 2 more (bus, foot, tram, train)')
        """
        # the form is made with exports, and so cannot be there before them
        from sparsam.collect.form._labels import AttributeLabels, Labels
        from sparsam.collect.form._language import Language
        from sparsam.collect.form._questions import Wording, asked

        own = Labels.of(labels)
        words = Language.of(language).with_words(own.words)
        learned = generalization.about.get("target") if target is None else target.name
        own.check_names({*generalization.names, str(learned)})
        listed = []
        for name in generalization.collected:
            part, said = generalization[name], own.attributes.get(name, AttributeLabels())
            options = Wording(part, words, said).options([(b,) for b in range(part.n_buckets)])
            choices = tuple(_choice(option.label, option.members) for option in options)
            listed.append(_question(name, said.question or asked(name), choices, said.help))
        if target is not None:
            target.check(generalization)
            name, said = target.name, own.attributes.get(target.name, AttributeLabels())
            called = said.of_buckets(name, target.classes)
            choices = tuple(called.get(i, label) for i, label in enumerate(target.classes))
            listed.append(_question(name, said.question or asked(name), choices, said.help))
        if not listed:
            raise ParameterError("There is nothing to ask for: no attribute is collected.")
        return cls(one_line(words.say("title")), words.code, tuple(listed))


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


def _question(name: str, words: str, choices: Iterable[str], help: str) -> Question:
    clean = tuple(one_line(choice).strip() or "?" for choice in choices)
    return Question(name, one_line(words).strip() or "?", clean, one_line(help).strip())


def _choice(label: str, members: Sequence[str]) -> str:
    """A label, and what it stands for where it does not name it all."""
    return f"{label} ({', '.join(members)})" if members else label
