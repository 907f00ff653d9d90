"""Publish a table: everyone in a class gets one record, and nobody else's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_names
from sparsam._errors import DataError, ParameterError
from sparsam.anonymise._classes import Classes
from sparsam.anonymise.publish._frame import check_rows, released_frame
from sparsam.anonymise.publish._labels import Levels, hierarchy_labels
from sparsam.anonymise.publish._ranges import ranges
from sparsam.anonymise.publish._record import nearest_records
from sparsam.anonymise.publish._representative import Missing, averages, draws
from sparsam.anonymise.publish._tally import ReleasedRows
from sparsam.data import Table

Form = Literal["mean", "median", "mode", "nearest", "draw", "ranges", "hierarchy"]


def publish(
    source: Any,
    table: Table,
    classes: Classes,
    how: Form = "median",
    *,
    keep: Sequence[str] = (),
    missing: Missing = "own",
    answers: NDArray[Any] | None = None,
    hierarchies: Mapping[str, Levels] | None = None,
    random_state: int = 0,
) -> Any:
    """Publish a table in which everyone in a class has the same quasi-identifiers.

    Suppressed rows are left out. Only the quasi-identifiers and the columns named in `keep` come
    out; the others, such as names and numbers of people, are left out too.

    Parameters
    ----------
    source : pandas, polars or pyarrow frame, mapping of arrays, ndarray, Table or path
        The same type comes out, in the same order of rows and columns; pandas loses its index.
    table : Table
        The quasi-identifiers of the same rows, encoded.
    classes : Classes
        Which rows are published as one.
    how : {"median", "mean", "mode", "nearest", "draw", "ranges", "hierarchy"}, default="median"
        What is published for a class. In the original domain: the mean, the median or the most
        common value; the record of a real person nearest to the median, with a warning; or one
        record drawn from the values of the class, attribute by attribute. In words: the ranges and
        sets of values, or labels of given hierarchies.
    keep : sequence of str, default=()
        Columns to publish as they are, such as the target or a sensitive one.
    missing : {"own", "known"}, default="own"
        "own": missing is a value like any other, so that a class in which most lack a value is
        published without one. "known": only a class in which all lack it is. Ranges always say
        where some are missing. No row is lost to a missing value.
    answers : ndarray, optional
        For "nearest": the model's answer or the true label of every row.
    hierarchies : mapping of str to sequence of sequence, optional
        For "hierarchy": see `hierarchy_labels`.
    random_state : int, default=0
        For "draw".

    Returns
    -------
    frame

    Examples
    --------
    >>> from sparsam.data import read
    >>> people = {"age": [31, 32, 34, 50, 52], "job": ["nurse", "nurse", "teacher"] + ["cook"] * 2}
    >>> classes = Classes(np.array([0, 0, 0, 1, 1]), 2)
    >>> publish(people, read(people), classes, "mean")["age"].tolist()
    [32, 32, 32, 51, 51]
    >>> publish(people, read(people), classes, "ranges")["job"].tolist()[:1]
    ['nurse, teacher']
    """
    _check(source, table, keep)
    released = ReleasedRows.of(_checked(classes, table))
    made = published_values(
        table,
        released,
        how,
        missing=missing,
        answers=answers,
        hierarchies=hierarchies,
        random_state=random_state,
    )
    return released_frame(source, made, released.rows, released.record, list(keep))


def published_values(
    table: Table,
    released: ReleasedRows,
    how: Form = "median",
    *,
    missing: Missing = "own",
    answers: NDArray[Any] | None = None,
    hierarchies: Mapping[str, Levels] | None = None,
    random_state: int = 0,
) -> dict[str, list[Any]]:
    """Return what is published for every class: for each attribute one plain value a record.

    Parameters
    ----------
    table : Table
    released : ReleasedRows
    how, missing, answers, hierarchies, random_state
        See `publish`.
    """
    _check_form(how, missing)
    if how == "nearest":
        return nearest_records(table, released, answers, missing)
    levels = hierarchies or {}
    if how == "hierarchy":
        check_names(table.names, list(levels), what="an attribute with a hierarchy")
    rng = np.random.default_rng(random_state)
    made: dict[str, list[Any]] = {}
    for place, attribute in enumerate(table.attributes):
        tally = released.tally(table.codes[:, place], attribute)
        if how == "ranges":
            made[attribute.name] = list(ranges(attribute, tally))
        elif how == "hierarchy":
            made[attribute.name] = hierarchy_labels(attribute, tally, levels[attribute.name])
        elif how == "draw":
            made[attribute.name] = draws(attribute, tally, missing, rng)
        else:
            made[attribute.name] = averages(attribute, tally, how, missing)
    return made


def _check_form(how: str, missing: str) -> None:
    for name, value, allowed in (("how", how, Form), ("missing", missing, Missing)):
        if value not in get_args(allowed):
            listed = ", ".join(repr(one) for one in get_args(allowed))
            raise ParameterError(
                f"The '{name}' parameter of publish must be one of {listed}. Got {value!r} instead."
            )


def _check(source: Any, table: Table, keep: Sequence[str]) -> None:
    for name in keep:
        if name in table.names:
            raise ParameterError(
                f"'{name}' is a quasi-identifier and must not be kept as it is. "
                "Take it out of `keep`."
            )
    check_rows(source, table.n_rows)


def _checked(classes: Classes, table: Table) -> Classes:
    if len(classes.of_row) != table.n_rows:
        raise DataError(
            f"The classes must divide the {table.n_rows:,} rows of the table. "
            f"Got {len(classes.of_row):,} instead."
        )
    return classes
