"""Where tables come from and go to: files, frames and engines."""

# For the other folders, not for users.
from sparsam.data.source._declared import Wanted as Wanted
from sparsam.data.source._declared import open_declared as open_declared
from sparsam.data.source._fingerprint import fingerprint as fingerprint
from sparsam.data.source._format import ANY_FORMAT as ANY_FORMAT
from sparsam.data.source._format import FileFormat as FileFormat
from sparsam.data.source._frame import ArrayColumn as ArrayColumn
from sparsam.data.source._frame import ArrayFrame as ArrayFrame
from sparsam.data.source._frame import EagerFrame as EagerFrame
from sparsam.data.source._frame import SeriesColumn as SeriesColumn
from sparsam.data.source._frame import labelled as labelled
from sparsam.data.source._frame import open_frame as open_frame
from sparsam.data.source._header import header_of as header_of
from sparsam.data.source._source import Column as Column
from sparsam.data.source._source import Source as Source
from sparsam.data.source._source import column_names as column_names
from sparsam.data.source._source import columns_of as columns_of
from sparsam.data.source._source import count_rows as count_rows
from sparsam.data.source._source import is_frame as is_frame
from sparsam.data.source._source import open_source as open_source
from sparsam.data.source._source import table_places as table_places
from sparsam.data.source._source import take_rows as take_rows
from sparsam.data.source._stored_cells import row_labels as row_labels
from sparsam.data.source._stored_cells import stored_cells as stored_cells
from sparsam.data.source._table_file import FileKind as FileKind
from sparsam.data.source._table_file import Piped as Piped
from sparsam.data.source._table_file import TableFile as TableFile
from sparsam.data.source._write import check_spreadsheet as check_spreadsheet
from sparsam.data.source._write import csv_text as csv_text
from sparsam.data.source._write import output_ending as output_ending
from sparsam.data.source._write import whole_numbers as whole_numbers
from sparsam.data.source._write import without_formulas as without_formulas
from sparsam.data.source._write import write_columns as write_columns
from sparsam.data.source.lazy import ColumnPlan as ColumnPlan
from sparsam.data.source.lazy import LazyFrame as LazyFrame
from sparsam.data.source.lazy import Written as Written
