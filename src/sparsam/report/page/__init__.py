"""One vocabulary for all reports: a page of a few kinds of blocks, and its renderings."""
