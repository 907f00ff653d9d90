"""What we have and what it means: reading, roles, domains, encoding, splitting, an example."""

from sparsam.data._attribute import Attribute as Attribute
from sparsam.data._calendar import Unit as Unit
from sparsam.data._calendar import ages as ages
from sparsam.data._calendar import date_of as date_of
from sparsam.data._calendar import moment as moment
from sparsam.data._calendar import time_of as time_of
from sparsam.data._domain import CategoricalDomain, NumericDomain
from sparsam.data._domain import Category as Category
from sparsam.data._domain import Domain as Domain
from sparsam.data._domain import Number as Number
from sparsam.data._domain import cut_between as cut_between
from sparsam.data._domain import plain as plain
from sparsam.data._domain import reader_of as reader_of
from sparsam.data._example import load_example
from sparsam.data._factor import factorise as factorise
from sparsam.data._moments import moment_numbers as moment_numbers
from sparsam.data._near_identifiers import is_numbering as is_numbering
from sparsam.data._near_identifiers import nearly_unique as nearly_unique
from sparsam.data._open import open_as as open_as
from sparsam.data._purposes import Purposes as Purposes
from sparsam.data._purposes import PurposeSplits as PurposeSplits
from sparsam.data._purposes import resolve_purposes as resolve_purposes
from sparsam.data._purposes import split_purposes as split_purposes
from sparsam.data._read import read
from sparsam.data._read import set_aside as set_aside
from sparsam.data._read import target_of as target_of
from sparsam.data._split import Split, split
from sparsam.data._split import rotations as rotations
from sparsam.data._table import Table
from sparsam.data._target import Target as Target
from sparsam.data._task import LEAK as LEAK
from sparsam.data._task import Task, resolve
from sparsam.data.model._black_box import BlackBox as BlackBox
from sparsam.data.model._black_box import black_box, load_model
from sparsam.data.model._own_records import OwnRecords as OwnRecords
from sparsam.data.roles._column_names import called_group as called_group
from sparsam.data.roles._column_names import special_category as special_category
from sparsam.data.roles._propose import ColumnProposal as ColumnProposal
from sparsam.data.roles._propose import ProposedRoles as ProposedRoles
from sparsam.data.roles._propose import propose_roles
from sparsam.data.roles._roles import SPECIAL_CATEGORIES as SPECIAL_CATEGORIES
from sparsam.data.roles._roles import Roles
from sparsam.data.roles._roles import carried_roles as carried_roles
from sparsam.data.roles._roles_file import toml_key as toml_key
from sparsam.data.sample._draw_people import MOST_PEOPLE as MOST_PEOPLE
from sparsam.data.sample._draw_people import draw_people as draw_people
from sparsam.data.sample._others import Others as Others
from sparsam.data.sample._others import OthersAtHome as OthersAtHome
from sparsam.data.sample._record_counts import Cells as Cells
from sparsam.data.sample._record_counts import RecordCounts as RecordCounts
from sparsam.data.sample._record_counts import coarser as coarser
from sparsam.data.sample._record_counts import joined as joined
from sparsam.data.sample._record_counts import places_among as places_among
from sparsam.data.sample._record_counts import united as united
from sparsam.data.source import OF_ROWS as OF_ROWS
from sparsam.data.source import ColumnPlan as ColumnPlan
from sparsam.data.source import EngineColumns as EngineColumns
from sparsam.data.source import FileFormat as FileFormat
from sparsam.data.source import GroupCounts as GroupCounts
from sparsam.data.source import MemoryColumns as MemoryColumns
from sparsam.data.source import Source as Source
from sparsam.data.source import Wanted as Wanted
from sparsam.data.source import column_names as column_names
from sparsam.data.source import columns_of as columns_of
from sparsam.data.source import count_rows as count_rows
from sparsam.data.source import fingerprint as fingerprint
from sparsam.data.source import former_fingerprint as former_fingerprint
from sparsam.data.source import is_frame as is_frame
from sparsam.data.source import open_declared as open_declared
from sparsam.data.source import open_source as open_source
from sparsam.data.source import table_places as table_places
from sparsam.data.source import write_columns as write_columns

# What is not listed here is for the other folders, not for users.
__all__ = [
    "CategoricalDomain",
    "NumericDomain",
    "Roles",
    "Split",
    "Table",
    "Task",
    "black_box",
    "load_example",
    "load_model",
    "propose_roles",
    "read",
    "resolve",
    "split",
]
