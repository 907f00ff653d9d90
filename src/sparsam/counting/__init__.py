"""Joint counts over codes: the only place that knows where rows live."""

from sparsam.counting._distinct import DistinctRecords, distinct_records, record_keys
from sparsam.counting._joint import Codes, cells_of, joint_counts
from sparsam.counting._rows import Node, Rows

__all__ = [
    "Codes",
    "DistinctRecords",
    "Node",
    "Rows",
    "cells_of",
    "distinct_records",
    "joint_counts",
    "record_keys",
]
