"""What a store says of itself, and what it is refused for."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from sparsam._errors import StoreError
from sparsam.collect import Questionnaire
from sparsam.collect.store._collected import Collected
from sparsam.collect.store._facts import Earlier, Facts, Source, joined
from sparsam.collect.store._opening import collected_by
from sparsam.collect.store._tighten import sources

from ..recodings import example
from .examples import COARSE, COARSEST, FINE, TARGET

FACTS = Facts(
    mode="counts",
    keep_days=90,
    generalization=FINE.to_json(),
    target=TARGET,
    fingerprint=Collected.of(FINE, TARGET).fingerprint,
    series="ab" * 16,
    key="cd" * 8,
    earlier=(Earlier("ef" * 16, 20_000, (9, 5), (Source(1, (0, 0, 1, 1, 2)),)),),
)


class Unchecked:
    """A database whose tables are as they should be."""

    name = "The store"

    def check(self, table):
        assert table.fingerprint == FACTS.fingerprint


def test_facts_are_read_as_they_were_written():
    assert Facts.from_json(FACTS.to_json(), "The store") == FACTS
    assert collected_by(FACTS, Unchecked()).sizes == {"age": 9, "Job title": 5, "employed": 2}
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
        collected_by(Facts.from_json(changed, "The store"), Unchecked())


def test_a_questionnaire_is_a_document_of_its_own():
    asks = Questionnaire(example())
    facts = FACTS.with_source(asks)
    assert facts.generalization is None
    assert Facts.from_json(facts.to_json(), "The store").source("The store") == asks
    assert FACTS.source("The store") == FINE
    for neither in (replace(FACTS, generalization=None), replace(facts, generalization="{}")):
        with pytest.raises(StoreError, match="The store is damaged"):
            Facts.from_json(neither.to_json(), "The store")
    with pytest.raises(StoreError, match="The store is damaged"):
        replace(facts, questionnaire="{}").source("The store")


def test_two_steps_are_one():
    twice = joined(sources(FINE, COARSE, TARGET), sources(COARSE, COARSEST, TARGET))
    assert twice == sources(FINE, COARSEST, TARGET)


def test_series_that_are_honoured():
    own, older = bytes.fromhex(FACTS.series), bytes.fromhex("ef" * 16)
    assert list(FACTS.honoured((5, 2))) == [(own, (5, 2)), (older, (9, 5))]
    assert FACTS.today(own, (3, 1)) == (3, 1)
    assert FACTS.today(older, (8, 4)) == (2,)
    rows = replace(FACTS, mode="rows")
    assert list(rows.honoured((5, 2))) == [(own, ()), (older, ())]
    assert rows.today(older, ()) == ()
    latest, before = FACTS.moved_on((Source(0, (0, 0, 1)),), (3,), 20_001)
    assert (latest.series, latest.last_day, latest.sizes) == (FACTS.series, 20_001, (3,))
    assert before.sources == (Source(1, (0, 0, 0, 0, 1)),)
