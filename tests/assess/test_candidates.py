"""What a sweep tries."""

from __future__ import annotations

from sparsam.assess._candidates import Candidate, default_candidates, without_repeats
from sparsam.data import Roles, resolve


def test_repeats_are_removed(make_people):
    task = resolve(make_people(), Roles("works"))
    # with so large a leaf every tree is the root, and so is the uniform one bucket
    every = list(default_candidates(task, ("privacy tree", "uniform"), min_leaf=1000))
    kept = without_repeats(iter(every))
    partitions = [candidate.generalization.partitions for candidate in every]
    assert [c.generalization.partitions for c in kept] == list(dict.fromkeys(partitions))
    assert len(kept) < len(every)
    assert kept[0].label == "privacy tree, leaves 2, privacy 0.0"


def test_a_label_says_how_it_was_made(people_split):
    tree = next(default_candidates(people_split.train, ("privacy tree",), min_leaf=20))
    assert isinstance(tree, Candidate)
    assert tree.label == "privacy tree, leaves 2, privacy 0.0"
