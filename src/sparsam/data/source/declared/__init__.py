"""Columns read as somebody declared them, wherever the rows are."""

# For the other modules of this folder's folder, not for users.
from sparsam.data.source.declared._columns import DeclaredColumns as DeclaredColumns
from sparsam.data.source.declared._columns import Wanted as Wanted
from sparsam.data.source.declared._memory import MemoryColumns as MemoryColumns
from sparsam.data.source.declared._on_engine import EngineColumns as EngineColumns
from sparsam.data.source.declared._open import open_declared as open_declared
