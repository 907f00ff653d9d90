"""The artifact: what is collected of each attribute, applied, saved, compared and measured."""

from sparsam.generalization._categorical_partition import (
    CategoricalPartition,
    categorical_partition,
)
from sparsam.generalization._document import Partition
from sparsam.generalization._generalization import Generalization
from sparsam.generalization._hierarchy import CodeTree as CodeTree
from sparsam.generalization._hierarchy import Hierarchy
from sparsam.generalization._hierarchy import Levels as Levels
from sparsam.generalization._information_loss import InformationLoss, information_loss
from sparsam.generalization._labels import category_label as category_label
from sparsam.generalization._labels import unique_labels as unique_labels
from sparsam.generalization._learned import learned_from_rows as learned_from_rows
from sparsam.generalization._numeric_partition import NumericPartition, numeric_partition
from sparsam.generalization.recoding._recoding import Recoding
from sparsam.generalization.recoding._tree import Branch, Leaf

__all__ = [
    "Branch",
    "CategoricalPartition",
    "Generalization",
    "Hierarchy",
    "InformationLoss",
    "Leaf",
    "NumericPartition",
    "Partition",
    "Recoding",
    "categorical_partition",
    "information_loss",
    "numeric_partition",
]
