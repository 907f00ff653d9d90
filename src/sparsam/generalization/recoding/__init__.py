"""What an unchanged model is fed instead of a person's own record."""

# For the other folders, not for users.
from sparsam.generalization.recoding._apply import Feed as Feed
from sparsam.generalization.recoding._apply import check_codes as check_codes
from sparsam.generalization.recoding._apply import raw_buckets as raw_buckets
from sparsam.generalization.recoding._recoding import Recoding as Recoding
from sparsam.generalization.recoding._recoding import RecodingDocument as RecodingDocument
from sparsam.generalization.recoding._tree import MAX_PARTED as MAX_PARTED
from sparsam.generalization.recoding._tree import Branch as Branch
from sparsam.generalization.recoding._tree import Leaf as Leaf
from sparsam.generalization.recoding._tree import Node as Node
from sparsam.generalization.recoding._tree import Value as Value
from sparsam.generalization.recoding._tree import buckets_of as buckets_of
from sparsam.generalization.recoding._tree import mask_of as mask_of
from sparsam.generalization.recoding._tree import union_label as union_label
