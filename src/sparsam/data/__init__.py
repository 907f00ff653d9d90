"""What we have and what it means: reading, roles, domains, encoding, splitting, an example."""

from sparsam.data._attribute import Attribute
from sparsam.data._domain import CategoricalDomain, Category, Domain, NumericDomain
from sparsam.data._example import load_example
from sparsam.data._read import read
from sparsam.data._resolve import resolve
from sparsam.data._roles import Roles
from sparsam.data._rotations import rotations
from sparsam.data._split import Split, split
from sparsam.data._table import Table
from sparsam.data._target import Target
from sparsam.data._task import Task
from sparsam.data.model._black_box import BlackBox, black_box, load_model
from sparsam.data.model._own_records import OwnRecords
from sparsam.data.source._declared_codes import Wanted, open_declared
from sparsam.data.source._fingerprint import fingerprint
from sparsam.data.source._raw_columns import column_names, columns_of, count_rows, is_frame
from sparsam.data.source._write import write_columns

__all__ = [
    "Attribute",
    "BlackBox",
    "CategoricalDomain",
    "Category",
    "Domain",
    "NumericDomain",
    "OwnRecords",
    "Roles",
    "Split",
    "Table",
    "Target",
    "Task",
    "Wanted",
    "black_box",
    "column_names",
    "columns_of",
    "count_rows",
    "fingerprint",
    "is_frame",
    "load_example",
    "load_model",
    "open_declared",
    "read",
    "resolve",
    "rotations",
    "split",
    "write_columns",
]
