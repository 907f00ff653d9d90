"""One vocabulary for all reports: a page of a few kinds of blocks, and its renderings."""

# For the other folders, not for users.
from sparsam.report.page._blocks import Block as Block
from sparsam.report.page._blocks import Table as Table
from sparsam.report.page._blocks import Text as Text
from sparsam.report.page._blocks import name as name
from sparsam.report.page._blocks import number as number
from sparsam.report.page._terminal import print_blocks as print_blocks
