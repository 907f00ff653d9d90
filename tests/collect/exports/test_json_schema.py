"""The schema of a record accepts buckets and nothing else."""

from __future__ import annotations

import jsonschema
import pytest
from tests.collect import golden

from sparsam._errors import ParameterError
from sparsam.collect import Target
from sparsam.data import CategoricalDomain, NumericDomain
from sparsam.generalization import Generalization, categorical_partition, numeric_partition

PEOPLE = Generalization(
    [
        numeric_partition("age", NumericDomain(0, 99, integer=True), [17, 62]),
        categorical_partition("way", CategoricalDomain(("car", "bus")), [["car"], ["bus"]], 2),
        numeric_partition("height", NumericDomain(0, 3), []),
    ]
)
TARGET = Target("employed", ("no", "yes"))


def accepts(schema: object, record: object) -> bool:
    validator = jsonschema.Draft202012Validator(schema)
    return validator.is_valid(record)


def test_the_schema_lists_every_bucket_with_its_label() -> None:
    age = PEOPLE.to_json_schema()["properties"]["age"]
    assert age["type"] == "integer"
    assert age["oneOf"] == [
        {"const": 0, "title": "under 17"},
        {"const": 1, "title": "17–61"},
        {"const": 2, "title": "62 and over"},
    ]


@pytest.mark.parametrize("record", [{"age": 0, "way": 2}, {"way": 0, "age": 2}])
def test_buckets_are_accepted(record: dict[str, int]) -> None:
    assert accepts(PEOPLE.to_json_schema(), record)


@pytest.mark.parametrize(
    "record",
    [
        {"age": 47, "way": 0},
        {"age": "17–61", "way": 0},
        {"age": 1.5, "way": 0},
        {"age": True, "way": 0},
        {"age": None, "way": 0},
        {"age": -1, "way": 0},
        {"age": 0},
        {"age": 0, "way": 0, "height": 0},
        {"age": 0, "way": 0, "name": "x"},
        [],
    ],
)
def test_everything_finer_or_other_is_refused(record: object) -> None:
    assert not accepts(PEOPLE.to_json_schema(), record)


def test_the_target_is_one_more_answer() -> None:
    schema = PEOPLE.to_json_schema(TARGET)
    assert schema["required"] == ["age", "way", "employed"]
    assert accepts(schema, {"age": 0, "way": 0, "employed": 1})
    assert not accepts(schema, {"age": 0, "way": 0})
    assert not accepts(schema, {"age": 0, "way": 0, "employed": 2})


def test_a_target_must_not_have_the_name_of_an_attribute() -> None:
    with pytest.raises(ParameterError, match="'age' is also a collected attribute"):
        PEOPLE.to_json_schema(Target("age", ("no", "yes")))


def test_any_name_and_any_label_make_a_valid_schema() -> None:
    generalization = golden.generalization()
    schema = generalization.to_json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert accepts(schema, dict.fromkeys(generalization.collected, 1))
    assert not accepts(schema, dict.fromkeys(generalization.collected, 1000))
