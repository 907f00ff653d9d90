"""Tables that need not fit into memory: what comes home, and how rows are written and counted."""

# For the other folders, not for users.
from sparsam.data.large._coded_rows import CodedRows as CodedRows
from sparsam.data.large._coded_rows import coded_rows as coded_rows
from sparsam.data.large._whole_rows import NumberedCells as NumberedCells
from sparsam.data.large._whole_rows import WholeRows as WholeRows
from sparsam.data.large._whole_rows import cells_fit as cells_fit
from sparsam.data.large._whole_rows import in_engine as in_engine
from sparsam.data.large._whole_rows import whole_rows as whole_rows
from sparsam.data.large._whole_rows_of_frame import counted_there as counted_there
from sparsam.data.large._whole_rows_of_frame import whole_rows_of_frame as whole_rows_of_frame
from sparsam.data.large._write_rows import write_rows as write_rows
