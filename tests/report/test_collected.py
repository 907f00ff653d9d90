"""What a generalization collects, in words."""

from __future__ import annotations

from sparsam.data import CategoricalDomain
from sparsam.generalization import categorical_partition
from sparsam.report._collected import members


def test_a_bucket_whose_label_is_cut_short_lists_its_members():
    colours = categorical_partition(
        "colour",
        CategoricalDomain(("red", "green", "blue", "black", "white")),
        [["red", "green", "blue", "black"], ["white"]],
    )
    assert members(colours) == {colours.labels[0]: ["red", "green", "blue", "black"]}
