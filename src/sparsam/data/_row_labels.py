"""The labels that pandas keeps for rows: columns that nobody sees until they are in a file."""

from __future__ import annotations

import re
import sys
from typing import Any

# What pandas calls the labels in a Parquet file where they have no name of their own.
_UNNAMED = re.compile(r"__index_level_\d+__")


def row_labels(source: Any) -> tuple[str, ...]:
    """Name the labels that a pandas frame would write into a file beside its columns.

    Parameters
    ----------
    source : anything
        Only a pandas frame has such labels.

    Returns
    -------
    tuple of str
        One name per level of the index, as pandas writes it; empty for the default index 0, 1, 2,
        ..., which tells nothing.

    Examples
    --------
    >>> import pandas as pd
    >>> row_labels(pd.DataFrame({"age": [30, 41]}))
    ()
    >>> row_labels(pd.DataFrame({"age": [30, 41]}, index=["patient 7", "patient 9"]))
    ('__index_level_0__',)
    """
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(source, pandas.DataFrame):
        return ()
    index = source.index
    if isinstance(index, pandas.RangeIndex) and index.name is None:
        plain = (index.start, index.step) == (0, 1) or not len(index)
        if plain:
            return ()
    taken = {str(name) for name in source.columns}
    names: list[str] = []
    for level, name in enumerate(index.names):
        own = None if name is None or str(name) in taken else str(name)
        names.append(own or f"__index_level_{level}__")
        taken.add(names[-1])
    return tuple(names)


def without_row_labels(source: Any) -> Any:
    """Give a pandas frame the default index; anything else, and a frame that has it, as it is.

    Parameters
    ----------
    source : anything

    Examples
    --------
    >>> import pandas as pd
    >>> without_row_labels(pd.DataFrame({"age": [30, 41]}, index=["patient 7", "patient 9"]))
       age
    0   30
    1   41
    """
    return source.reset_index(drop=True) if row_labels(source) else source


def label_columns(source: Any) -> Any:
    """Give the labels of a pandas frame's rows as a frame of their own, named by `row_labels`."""
    levels = enumerate(row_labels(source))
    made = {name: source.index.get_level_values(level) for level, name in levels}
    return sys.modules["pandas"].DataFrame(made)


def is_row_label(name: str) -> bool:
    """Whether a column of a Parquet file holds labels without a name that pandas wrote."""
    return _UNNAMED.fullmatch(name) is not None
