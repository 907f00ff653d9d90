"""Frames whose rows stay in an engine: DuckDB, polars, Spark and what else narwhals speaks."""

# For the other modules of this folder's folder, not for users.
from sparsam.data.source.lazy._batches import sums_of_batches as sums_of_batches
from sparsam.data.source.lazy._counts import GroupCounts as GroupCounts
from sparsam.data.source.lazy._distinct import distinct_values as distinct_values
from sparsam.data.source.lazy._draw import Draw as Draw
from sparsam.data.source.lazy._frame import LazyFrame as LazyFrame
from sparsam.data.source.lazy._frame import RecordsBeside as RecordsBeside
from sparsam.data.source.lazy._frame import Written as Written
from sparsam.data.source.lazy._open import lazy_relation as lazy_relation
from sparsam.data.source.lazy._open import open_lazy as open_lazy
from sparsam.data.source.lazy._plan import ColumnPlan as ColumnPlan
from sparsam.data.source.lazy._plan import LazyKind as LazyKind
from sparsam.data.source.lazy._plan import RecordPlan as RecordPlan
from sparsam.data.source.lazy._plan import RecordRange as RecordRange
from sparsam.data.source.lazy._row_hash import cell_text as cell_text
from sparsam.data.source.lazy._row_hash import row_sums as row_sums
