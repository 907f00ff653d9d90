"""What other languages need to know of an attribute is plain JSON."""

from __future__ import annotations

import json

from tests.collect import golden

from sparsam.collect.exports import attribute_facts


def test_facts_are_plain_json() -> None:
    for partition in golden.generalization():
        facts = attribute_facts(partition)
        assert json.loads(json.dumps(facts, allow_nan=False)) == facts


def test_days_and_minutes_are_numbers() -> None:
    people = golden.generalization()
    assert attribute_facts(people["{{ born }}"])["cuts"][0] == -3653
    assert attribute_facts(people["time of day"])["cuts"] == [360, 510, 1080]


def test_only_what_is_refused_has_a_range() -> None:
    people = golden.generalization()
    assert attribute_facts(people["select"])["range"] == [0, 99]
    assert "range" not in attribute_facts(people["age"])
    assert attribute_facts(people["年齢"])["age_on"] == "2024-02-29"
