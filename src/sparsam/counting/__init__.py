"""Joint counts over codes: the only place that knows where rows live."""

# For the other folders, not for users.
from sparsam.counting._boosting import Boosting as Boosting
from sparsam.counting._compiled import compiled as compiled
from sparsam.counting._distinct import DistinctRecords as DistinctRecords
from sparsam.counting._distinct import distinct_records as distinct_records
from sparsam.counting._distinct import record_keys as record_keys
from sparsam.counting._joint import Codes as Codes
from sparsam.counting._joint import JointCounts as JointCounts
from sparsam.counting._joint import cells_of as cells_of
from sparsam.counting._joint import joint_counts as joint_counts
from sparsam.counting._linear import Linear as Linear
from sparsam.counting._rows import Node as Node
from sparsam.counting._rows import Rows as Rows
