"""A file to declare domains in, written from the names of the columns alone."""

from __future__ import annotations

from sparsam.data import FileFormat, open_source, toml_key
from sparsam.data.source import ANY_FORMAT, TableFile

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


def template_of(data: TableFile, form: FileFormat = ANY_FORMAT) -> str:
    """Write roles as TOML with a place for every column.

    Parameters
    ----------
    data : Path or Piped
        A table's file; of a CSV or Parquet file only the names of its columns are read.
    form : FileFormat
        How the file is written.
    """
    parts = [_HEAD.format(file=" ".join(data.name.split()))]
    return "".join(parts + [_COLUMN.format(key=toml_key(name)) for name in _names(data, form)])


def _names(data: TableFile, form: FileFormat) -> tuple[str, ...]:
    """Read the names of the columns: of a CSV file its first line and nothing else."""
    return open_source(data, form, private=True).names
