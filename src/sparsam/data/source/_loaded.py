"""The columns of a file that is read as a whole: values of the types that the file gives them."""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError, hint
from sparsam.data.source._number_forms import PLAIN

_SAMPLE = 1000
# Beyond these a float would change a whole number.
_EXACT = 1 << 53
_NUMBER = re.compile(PLAIN.number)


@dataclass(frozen=True, repr=False)
class Loaded:
    """Columns of cells: texts, numbers, truth values, dates and None.

    Parameters
    ----------
    columns : mapping of str to list
    n_rows : int
    notes : tuple of str
        What was guessed about the whole file.
    remarks : mapping of str to str
        What there is to say about a column.
    """

    columns: Mapping[str, list[Any]]
    n_rows: int
    notes: tuple[str, ...] = ()
    remarks: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Loaded: {self.n_rows:,} rows, {len(self.columns)} columns>"


def typed_values(cells: Sequence[Any], missing: Collection[str] = ()) -> NDArray[Any]:
    """Return cells as an array of their type; objects where there are several.

    Parameters
    ----------
    cells : sequence
    missing : collection of str
        Texts that mean missing.

    Examples
    --------
    >>> typed_values([1, "NA", 3], ["NA"])
    array([ 1., nan,  3.])
    """
    gone = frozenset(missing)
    known = [None if isinstance(cell, str) and cell in gone else cell for cell in cells]
    kinds = {type(cell) for cell in known} - {type(None)}
    holes = any(cell is None for cell in known)
    if kinds == {int} and any(abs(cell) > _EXACT for cell in known if cell is not None):
        known = [None if cell is None else str(cell) for cell in known]  # no float holds them
    elif kinds and kinds <= {int, float}:
        kind = np.int64 if kinds == {int} and not holes else np.float64
        return np.array([np.nan if cell is None else cell for cell in known], dtype=kind)
    elif kinds == {bool} and not holes:
        return np.array(known, dtype=bool)
    elif kinds and kinds <= {datetime.datetime, datetime.date}:
        return np.array(known, dtype="datetime64[us]")
    objects = np.empty(len(known), dtype=object)
    objects[:] = known
    return objects


def check_single(name: str, cells: Sequence[Any]) -> None:
    """Refuse a column in which a cell holds several values.

    Parameters
    ----------
    name : str
    cells : sequence
    """
    several = sum(isinstance(cell, list | dict) for cell in cells)
    if several:
        raise nested(name, f"lists or records in {several:,} of {len(cells):,} rows")


def nested(name: str, what: str) -> DataError:
    """Make the error for a column whose cells hold several values.

    Parameters
    ----------
    name : str
    what : str
        What they hold.
    """
    return DataError(
        f"'{name}' must hold one value in every row. It holds {what}."
        + hint(
            f"leave it out, with Roles(ignore=['{name}']), or write each of its values into a "
            "column of its own",
            "leave it out, with --ignore or under ignore in the roles file, or write each of its "
            "values into a column of its own",
        )
    )


def text_remarks(columns: Mapping[str, list[Any]]) -> dict[str, str]:
    """Return remarks on the columns that hold texts which may be meant otherwise.

    Parameters
    ----------
    columns : mapping of str to list
    """
    remarks = {}
    for name, cells in columns.items():
        sample = [cell for cell in cells[:_SAMPLE] if cell is not None]
        if sample and all(isinstance(cell, str) and _NUMBER.fullmatch(cell) for cell in sample):
            remarks[name] = "texts that look like numbers; if they are, say --numeric"
        elif "" in cells:
            remarks[name] = "holds empty texts; if they mean missing, say --missing ''"
    return remarks
