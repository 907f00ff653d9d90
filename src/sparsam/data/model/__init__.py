"""A model that already runs, and the records as it takes them."""

# For the other folders, not for users.
from sparsam.data.model._black_box import BlackBox as BlackBox
from sparsam.data.model._black_box import black_box as black_box
from sparsam.data.model._black_box import load_model as load_model
from sparsam.data.model._own_frame import OwnFrame as OwnFrame
from sparsam.data.model._own_frame import gather as gather
from sparsam.data.model._own_frame import open_own as open_own
from sparsam.data.model._own_records import OwnRecords as OwnRecords
from sparsam.data.model._records import as_table as as_table
from sparsam.data.model._records import select as select
from sparsam.data.model._replace import Replacement as Replacement
from sparsam.data.model._replace import replace_columns as replace_columns
from sparsam.data.model._replace import without_unused as without_unused
from sparsam.data.model._slices import Slices as Slices
from sparsam.data.model._slices import check_slices as check_slices
