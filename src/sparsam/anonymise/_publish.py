"""Publish a table: everyone in a class gets one record, and nobody else's."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_choice, check_names
from sparsam._errors import ReleaseError, SparsamWarning, hint
from sparsam.anonymise._classes import Classes
from sparsam.anonymise._published_values import (
    Missing,
    ReleasedRows,
    averages,
    draws,
    hierarchy_labels,
    nearest_records,
    ranges,
)
from sparsam.anonymise.proof._certificate import Certificate
from sparsam.data import Table
from sparsam.data.model import (
    OwnFrame,
    Replacement,
    gather,
    open_own,
    replace_columns,
    without_unused,
)
from sparsam.generalization import Levels

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
    released = ReleasedRows.of(classes)
    values = published_values(
        table,
        released,
        how,
        missing=missing,
        answers=answers,
        hierarchies=hierarchies,
        random_state=random_state,
    )
    return released_frame(source, values, released.rows, released.record, list(keep))


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
    """Return what is published for every class: one plain value for each attribute and record.

    Parameters
    ----------
    table : Table
    released : ReleasedRows
    how, missing, answers, hierarchies, random_state
        See `publish`.
    """
    check_choice("publish", "how", how, get_args(Form))
    check_choice("publish", "missing", missing, get_args(Missing))
    if how == "nearest":
        return nearest_records(table, released, answers, missing)
    levels = hierarchies or {}
    if how == "hierarchy":
        check_names(table.names, list(levels), what="an attribute with a hierarchy")
    rng = np.random.default_rng(random_state)
    values: dict[str, list[Any]] = {}
    for place, attribute in enumerate(table.attributes):
        tally = released.tally(table.codes[:, place], attribute)
        if how == "ranges":
            values[attribute.name] = list(ranges(attribute, tally))
        elif how == "hierarchy":
            values[attribute.name] = hierarchy_labels(attribute, tally, levels[attribute.name])
        elif how == "draw":
            values[attribute.name] = draws(attribute, tally, missing, rng)
        else:
            values[attribute.name] = averages(attribute, tally, how, missing)
    return values


def released_frame(
    source: Any,
    published: Mapping[str, Sequence[Any]],
    rows: NDArray[np.int64],
    record: NDArray[np.int64],
    keep: Sequence[str],
) -> Any:
    """Make a frame of the same library from published records and from columns to keep.

    Parameters
    ----------
    source : frame, mapping, ndarray, Table or path
        A Table, a file and a DuckDB relation become pandas frames where pandas is installed, and
        dicts of arrays elsewhere. The row labels of a pandas frame are dropped, with a warning
        unless they only count the rows: a file would hold them, and they may name people.
    published : mapping of str to sequence
        For each column the value of every record.
    rows : ndarray of int
        The rows that are published, ascending.
    record : ndarray of int
        The record of each of them.
    keep : sequence of str
        Columns to pass through as they are; all others are left out.
    """
    frame = open_own(source)
    check_names([*published, *keep], frame.names)
    places = [p for p, name in enumerate(frame.names) if name in published or name in keep]
    new = {name: Replacement(values, record) for name, values in published.items()}
    if isinstance(frame.native, np.ndarray):
        return _matrix(frame, new, rows, places)
    taken = _taken(frame, rows, places)
    if hasattr(taken, "iloc"):
        _warn_of_labels(source)
        frame_out = _pandas(taken, new, [frame.names[p] for p in places])
    else:
        frame_out = replace_columns(taken, new, keep)
    return without_unused(frame_out)


def _warn_of_labels(source: Any) -> None:
    labels = source.index if hasattr(source, "iloc") else None
    if labels is None or (type(labels).__name__ == "RangeIndex" and labels.name is None):
        return
    warnings.warn(
        "The row labels (the index) of the frame are not published: they may name people, and a "
        "file would hold them. The rows of the release are numbered from 0 on.",
        SparsamWarning,
        stacklevel=6,
    )


def _taken(frame: OwnFrame, rows: NDArray[np.int64], places: Sequence[int]) -> Any:
    columns = [gather(frame.column(place), rows) for place in places]
    return frame.builder(places)(columns, len(rows))


def _pandas(taken: Any, new: Mapping[str, Replacement], names: Sequence[str]) -> Any:
    """Replace columns by their names as texts; a column's own label may be a number."""
    labels = taken.columns
    taken.columns = list(names)
    frame = replace_columns(taken, new, [name for name in names if name not in new])
    frame.columns = labels
    return frame


def _matrix(
    frame: OwnFrame,
    new: Mapping[str, Replacement],
    rows: NDArray[np.int64],
    places: Sequence[int],
) -> Any:
    columns = [
        new[name].array() if name in new else frame.column(place)[rows]
        for place, name in ((place, frame.names[place]) for place in places)
    ]
    return frame.builder(places)(columns, len(rows))


# Shares of the rows, and different values that are still labels; see refuse_unique.
MOST_RARE = 0.05
MOST_ALONE = 0.5
LABELS = 20


def refuse_unique(paper: Certificate) -> None:
    """Raise where columns that are published as they are single people out.

    Two people look at a release. One knows only these columns, such as what someone earns: rows
    whose values of them fewer than k rows have (`kept_few`) are as good as found. The other knows
    everything: whole rows that are unique. Values of a target or an illness differ inside a class,
    and must, so that some whole rows are unique in every release that says anything, and many in
    small classes that are diverse; so a column with few and common values passes, and one with many
    does not.

    Parameters
    ----------
    paper : Certificate
        What was counted in the release.

    Raises
    ------
    ReleaseError
        More than 5 % of the rows are of the first kind; or more than half are of the second, and
        the columns have more than 20 different values together.
    """
    whole = paper.whole_rows
    if whole is None or not paper.kept:
        return
    named = ", ".join(f"'{name}'" for name in paper.kept)
    if whole.kept_few > MOST_RARE * paper.n_rows:
        share, what = whole.kept_few, "values of them that fewer than k rows have"
    elif whole.kept_different > LABELS and whole.unique > MOST_ALONE * paper.n_rows:
        share, what = whole.unique, "a whole row that no other row is equal to"
    else:
        return
    ways_out = (
        "leave the column out, name it as a quasi-identifier, publish a threshold of it as the "
        "target (such as 'income>50000'), or accept it: "
    )
    raise ReleaseError(
        f"Columns published as they are must not make rows unique. {named}: "
        f"{share / paper.n_rows:.0%} of the {paper.n_rows:,} rows have {what}, and nothing was "
        "released." + hint(f"{ways_out}accept_unique=True", f"{ways_out}--accept-unique")
    )
