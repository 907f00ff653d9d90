"""What a store says of itself, and by what a generalization is known again."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from sparsam._errors import StoreError
from sparsam.collect import Target
from sparsam.collect.store._facts import Earlier, Facts, Source, fingerprint
from sparsam.generalization import Generalization

from .examples import COARSE, FINE, TARGET

FACTS = Facts(
    mode="counts",
    keep_days=90,
    generalization=FINE.to_json(),
    target=TARGET,
    fingerprint=fingerprint(FINE, TARGET),
    series="ab" * 16,
    key="cd" * 8,
    earlier=(Earlier("ef" * 16, 20_000, (9, 5), (Source(1, (0, 0, 1, 1, 2)),)),),
)


def test_facts_are_read_as_they_were_written():
    assert Facts.from_json(FACTS.to_json(), "The store") == FACTS
    assert Facts.from_json(replace(FACTS, earlier=()).to_json(), "The store").earlier == ()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"version":1', '"version":2'),
        ('"keep_days":90', '"keep_days":0'),
        ('"mode":"counts"', '"mode":"count"'),
        ('["no","yes"]', '["yes","no"]'),
        ('["no","yes"]', '["no"]'),
        ('"format', '"formal'),
        (FACTS.fingerprint, "0" * 16),
    ],
)
def test_changed_facts_are_refused(old, new):
    text = FACTS.to_json()
    changed = text.replace(old, new, 1) if old in text else text.replace(old.strip('"'), new, 1)
    assert changed != text
    with pytest.raises(StoreError, match="The store is damaged"):
        Facts.from_json(changed, "The store")


def test_a_fingerprint_is_of_what_the_codes_mean():
    mark = fingerprint(FINE, TARGET)
    assert mark == fingerprint(Generalization.from_json(FINE.to_json()), TARGET)
    assert mark == fingerprint(FINE.with_about({"seed": 1}), TARGET)
    age, *others = FINE.partitions
    renamed = replace(age, labels=("babies", *age.labels[1:]))
    marks = {
        mark,
        fingerprint(FINE, None),
        fingerprint(FINE, Target("employed", ("yes", "no"))),
        fingerprint(COARSE, TARGET),
        fingerprint(Generalization([renamed, *others]), TARGET),
        fingerprint(Generalization([*others, age]), TARGET),
    }
    assert len(marks) == 6
    assert all(len(mark) == 16 for mark in marks)
