"""The answers of a model to all generalized records that there can be, to look them up in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any, Final, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError, ParameterError
from sparsam.collect._model_behind import ModelBehind, Takes
from sparsam.data import Category
from sparsam.generalization import Generalization, plain

MOST_CELLS: Final = 1_000_000
_AT_ONCE: Final = 65_536  # enough to be fast, few enough for any memory


@dataclass(frozen=True, eq=False)
class AnswerTable:
    """What a model answers to every generalized record: a look-up instead of a model.

    A generalization leaves few records that can differ, so that all can be asked beforehand. The
    table answers as the model does, in a microsecond, and can do so where the model cannot be: in
    the page, where nothing needs to be sent at all.

    Parameters
    ----------
    names : tuple of str
        The attributes that are collected.
    shape : tuple of int
        How many buckets each has.
    answers : ndarray of int
        The place in `classes` of every record's answer; the bucket of the last attribute runs
        fastest (C order).
    classes : tuple
        The answers that occur: texts, numbers or truth values.

    Examples
    --------
    >>> from sparsam.generalization import Generalization
    >>> from sparsam.data import NumericDomain
    >>> from sparsam.generalization import numeric_partition
    >>> age = numeric_partition("age", NumericDomain(0, 99, integer=True), [17, 62])
    >>> model = lambda people: ["no", "yes", "no"] if len(people["age"]) == 3 else None
    >>> table = AnswerTable.of(model, Generalization([age]), takes="codes")
    >>> table
    <AnswerTable: 3 records, 2 answers>
    >>> table.answer([1])
    'yes'
    """

    names: tuple[str, ...]
    shape: tuple[int, ...]
    answers: NDArray[np.uint32] = field(repr=False)
    classes: tuple[Category, ...]

    @classmethod
    def of(cls, model: Any, generalization: Generalization, *, takes: Takes | None = None) -> Self:
        """Ask a model about every generalized record that there can be.

        Parameters
        ----------
        model : estimator, function, path or BlackBox
        generalization : Generalization
            Of at most a million different records.
        takes : {"labels", "codes"}, Recoding or None, default=None
            What the model is fed: labels of buckets, numbers of buckets, or what a recoding makes
            of them. None only for a model with a `GeneralizationStep` inside.

        Returns
        -------
        AnswerTable
        """
        return cls.behind(ModelBehind(model, generalization, takes))

    @classmethod
    def behind(cls, model: ModelBehind) -> Self:
        """Ask a model that is behind a generalization already."""
        shape = model.shape
        cells = prod(shape)
        if cells > MOST_CELLS:
            raise ParameterError(
                f"A table of answers must have at most {MOST_CELLS:,} records. "
                f"The generalization has {cells:,}."
            )
        places: dict[tuple[bool, Category], int] = {}
        answers = np.empty(cells, np.uint32)
        for start in range(0, cells, _AT_ONCE):
            numbers = np.arange(start, min(start + _AT_ONCE, cells))
            codes = np.column_stack(np.unravel_index(numbers, shape))
            answers[numbers] = _numbered(model.answers(codes), places)
        answers.flags.writeable = False
        return cls(model.columns, shape, answers, tuple(category for _, category in places))

    @cached_property
    def _steps(self) -> tuple[int, ...]:
        """How far one bucket of each attribute moves in the table."""
        return tuple(prod(self.shape[place + 1 :]) for place in range(len(self.shape)))

    def answer(self, codes: Sequence[int]) -> Category:
        """Look one record up.

        Parameters
        ----------
        codes : sequence of int
            Numbers of buckets, in the order of `names`.
        """
        if len(codes) != len(self.shape) or not all(
            0 <= code < size for code, size in zip(codes, self.shape, strict=True)
        ):
            raise DataError(
                f"A record must have {len(self.shape)} numbers of buckets, each from 0 to below "
                "the number of buckets of its attribute."
            )
        place = sum(code * step for code, step in zip(codes, self._steps, strict=True))
        return self.classes[int(self.answers[place])]

    def to_dict(self) -> Mapping[str, Any]:
        """Return the table as plain data."""
        return {
            "names": list(self.names),
            "shape": list(self.shape),
            "classes": list(self.classes),
            "answers": self.answers.tolist(),
        }

    def to_json(self) -> str:
        """Write the table as JSON on one line, for a page or another program."""
        return msgspec.json.encode(self.to_dict()).decode()

    def __repr__(self) -> str:
        return f"<AnswerTable: {len(self.answers):,} records, {len(self.classes):,} answers>"


def _numbered(
    answers: NDArray[Any], places: dict[tuple[bool, Category], int]
) -> NDArray[np.uint32]:
    """Number the answers as they first occur; True is another answer than 1."""
    numbers = []
    for answer in answers.tolist():
        key = isinstance(answer, bool), plain_answer(answer)
        numbers.append(places.setdefault(key, len(places)))
    return np.asarray(numbers, np.uint32)


def plain_answer(answer: Any) -> Category:
    """Return an answer as text, number or truth value."""
    try:
        value = plain(answer)
    except TypeError:
        value = None
    if value is None:
        raise DataError(
            "A model behind a generalization must answer with texts, numbers or truth values. "
            f"Got a {type(answer).__name__} instead."
        )
    return value
