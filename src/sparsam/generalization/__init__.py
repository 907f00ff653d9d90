"""The artifact: what is collected of each attribute, applied, saved, compared and measured."""

from sparsam.generalization._algebra import linked as linked
from sparsam.generalization._apply import apply_in_place as apply_in_place
from sparsam.generalization._changes import Change as Change
from sparsam.generalization._changes import Changes as Changes
from sparsam.generalization._changes import changes
from sparsam.generalization._generalization import Generalization
from sparsam.generalization._generalization import SavedPage as SavedPage
from sparsam.generalization._generalization import learned_from_rows as learned_from_rows
from sparsam.generalization._hierarchy import CodeTree as CodeTree
from sparsam.generalization._hierarchy import Hierarchy
from sparsam.generalization._hierarchy import Levels as Levels
from sparsam.generalization._information_loss import InformationLoss as InformationLoss
from sparsam.generalization._information_loss import information_loss
from sparsam.generalization._labels import ALL as ALL
from sparsam.generalization._labels import category_label as category_label
from sparsam.generalization._labels import moment_range as moment_range
from sparsam.generalization._labels import number_label as number_label
from sparsam.generalization._labels import numeric_labels as numeric_labels
from sparsam.generalization._labels import unique_labels as unique_labels
from sparsam.generalization._partition import CategoricalPartition as CategoricalPartition
from sparsam.generalization._partition import NumericPartition as NumericPartition
from sparsam.generalization._partition import Partition as Partition
from sparsam.generalization._partition import categorical_partition, numeric_partition
from sparsam.generalization._partition_base import FieldError as FieldError
from sparsam.generalization._partition_base import plain as plain
from sparsam.generalization.recoding._recoding import Recoding
from sparsam.generalization.recoding._tree import Branch, Leaf

# What is not listed here is for the other folders, not for users.
__all__ = [
    "Branch",
    "Generalization",
    "Hierarchy",
    "Leaf",
    "Recoding",
    "categorical_partition",
    "changes",
    "information_loss",
    "numeric_partition",
]
