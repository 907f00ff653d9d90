"""Joint counts over codes: the only place that knows where rows live."""

from sparsam.counting._distinct import DistinctRecords, distinct_records, record_keys
from sparsam.counting._rows import Node, Rows

__all__ = ["DistinctRecords", "Node", "Rows", "distinct_records", "record_keys"]
