"""CSV files: how one begins, how its cells are read, and where its rows are."""

# For the other modules of this folder's folder, not for users.
from sparsam.data.source.csv_files._cells import Cell as Cell
from sparsam.data.source.csv_files._cells import CsvCells as CsvCells
from sparsam.data.source.csv_files._header import Header as Header
from sparsam.data.source.csv_files._header import header_of as header_of
from sparsam.data.source.csv_files._header import looks_like_data as looks_like_data
from sparsam.data.source.csv_files._reader import csv_in_place as csv_in_place
from sparsam.data.source.csv_files._reader import csv_lines as csv_lines
from sparsam.data.source.csv_files._reader import csv_table as csv_table
from sparsam.data.source.csv_files._reader import damaged_csv as damaged_csv
from sparsam.data.source.csv_files._records import check_gzip as check_gzip
