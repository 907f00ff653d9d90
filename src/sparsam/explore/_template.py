"""A file to declare domains in, written from the names of the columns alone."""

from __future__ import annotations

from pathlib import Path

from sparsam.data import column_names, toml_key
from sparsam.data.source import header_of

_HEAD = """\
# What each column of {file} may hold. Written from the names in its header alone:
# no value was read. Fill in what is known without looking at the data (a codebook, a law,
# common sense), and take the # away. Numbers beyond a range count at its nearer end, categories
# that are not listed count as "other". A column that nothing is filled in for is never read.

[roles]
# missing_values = ["?"]                # texts that mean missing; an empty cell is missing anyway
# identifiers = []                      # columns that name a person: never read
"""
_COLUMN = """
[attributes.{key}]
# kind = "numeric"
# low =
# high =
# integer = true
# ---- or
# kind = "categorical"                  # "ordered" where the list runs from least to most
# categories = []
"""


def template_of(data: Path) -> str:
    """Write roles as TOML with a place for every column.

    Parameters
    ----------
    data : Path
        A CSV or Parquet file; only the names of its columns are read.
    """
    parts = [_HEAD.format(file=" ".join(data.name.split()))]
    return "".join(parts + [_COLUMN.format(key=toml_key(name)) for name in _names(data)])


def _names(data: Path) -> tuple[str, ...]:
    """Read the names of the columns: of a CSV file its first line and nothing else."""
    if data.suffix.lower() in (".parquet", ".pq"):
        return column_names(data)
    return header_of(data, rows=0).names
