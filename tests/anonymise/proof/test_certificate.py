"""The certificate as a document: it survives saving and points at its own faults."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import numpy as np
import pytest

from sparsam._errors import DocumentError
from sparsam.anonymise.proof._certificate import (
    FORMAT,
    Certificate,
    ClosenessTerms,
    DistinctDiversityTerms,
    EntropyDiversityTerms,
    KAnonymityTerms,
    OneValue,
    RecursiveDiversityTerms,
    WholeRows,
    checked_losses,
    plain_facts,
    versions,
)

TERMS = (
    KAnonymityTerms(k=10, entity="person"),
    DistinctDiversityTerms(l=2, sensitive="s"),
    EntropyDiversityTerms(l=1.5, sensitive="s"),
    RecursiveDiversityTerms(c=2.0, l=12, sensitive="s"),
    ClosenessTerms(t=0.2, sensitive="s", distance="ordered", order=("low", "high")),
    ClosenessTerms(t=0.2, sensitive="n", bins=(0.0, 2.5)),
)


def made() -> Certificate:
    return Certificate(
        format=FORMAT,
        version=1,
        sha256="ab" * 32,
        n_rows=100,
        suppressed=3,
        columns=("age", "s"),
        quasi_identifiers=("age",),
        demands=TERMS,
        classes=7,
        smallest=11,
        smallest_people=10,
        whole_rows=WholeRows(different=40, unique=12, few=70, kept_different=2, kept_few=0),
        one_value=(OneValue("s", 1, 11),),
        file_sha256="cd" * 32,
        information_loss={"tight GCP": 0.25},
        parameters={"algorithm": "Mondrian", "k": 10},
        versions=versions(),
    )


def test_a_certificate_survives_saving(tmp_path: Path) -> None:
    path = tmp_path / "certificate.json"
    made().save(path)
    assert Certificate.load(path) == made()
    assert Certificate.from_json(made().to_json().encode()) == made()
    assert path.read_text(encoding="utf-8") == made().to_json()


def test_the_schema_describes_it() -> None:
    schema = Certificate.schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(made().to_json()), schema)
    broken = {**json.loads(made().to_json()), "smallest": -1}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, schema)


def test_the_same_facts_give_the_same_bytes() -> None:
    assert made().to_json() == made().to_json()
    assert "time" not in made().to_json()


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"format": "sparsam/recoding"}, "$.format"),
        ({"version": 2}, "$.version"),
        ({"sha256": "xyz"}, "$.sha256"),
        ({"smallest": -1}, "$.smallest"),
        ({"file_sha256": "xyz"}, "$.file_sha256"),
        (
            {
                "whole_rows": {
                    "different": 1,
                    "unique": -1,
                    "few": 0,
                    "kept_different": 0,
                    "kept_few": 0,
                }
            },
            "$.whole_rows.unique",
        ),
        ({"one_value": [{"column": "s", "classes": 1}]}, "$.one_value[0]"),
        ({"demands": []}, "$.demands"),
        ({"demands": [{"model": "k-anonymity", "k": 1}]}, "$.demands[0].k"),
        ({"demands": [{"model": "hope"}]}, "$.demands[0].model"),
        ({"demands": [{"model": "k-anonymity", "k": 5, "words": "x"}]}, "$.demands[0]"),
        ({"information_loss": {"x": 1.5}}, "$.information_loss[...]"),
        ({"quasi_identifiers": ["zip"]}, "$.quasi_identifiers[0]"),
        ({"more": 1}, "$"),
    ],
)
def test_a_fault_is_pointed_at(change: dict[str, Any], path: str) -> None:
    document = {**json.loads(made().to_json()), **change}
    with pytest.raises(DocumentError) as error:
        Certificate.from_json(json.dumps(document))
    assert error.value.path == path


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "torn.json"
    path.write_text(made().to_json()[:200], encoding="utf-8")
    with pytest.raises(DocumentError) as error:
        Certificate.load(path)
    assert "torn.json" in error.value.__notes__[0]


def test_promises_are_sentences() -> None:
    words = [terms.words for terms in TERMS]
    assert words[0] == (
        "every combination of quasi-identifiers is shared by at least 10 people "
        "(different 'person')"
    )
    assert "12th most common" in words[3]
    assert words[4].endswith("by at most 0.2 (ordered distance)")
    assert words[5].endswith("(equal distance, in 2 bins)")
    assert TERMS[0].needs == ("person",)
    assert KAnonymityTerms(k=2).needs == ()
    assert {terms.needs for terms in TERMS[1:5]} == {("s",)}


def test_facts_are_plain() -> None:
    facts = plain_facts({"k": np.int64(3), "cuts": np.array([1.5]), "who": None})
    assert facts == {"k": 3, "cuts": [1.5], "who": None}
    with pytest.raises(DocumentError, match="plain JSON"):
        plain_facts({"model": object()})


@pytest.mark.parametrize("loss", [-0.1, 1.1, float("nan")])
def test_a_loss_is_a_share(loss: float) -> None:
    with pytest.raises(DocumentError, match="'tight GCP' does not"):
        checked_losses({"tight GCP": loss})
    assert checked_losses({"tight GCP": np.float64(0.5)}) == {"tight GCP": 0.5}


def test_the_published_schema_is_current() -> None:
    if tuple(map(int, msgspec.__version__.split(".")[:2])) < (0, 22):
        pytest.skip("msgspec before 0.22 words the same schema in another way")
    published = Path(__file__).resolve().parents[3] / "docs" / "certificate.schema.json"
    current = json.loads(json.dumps(Certificate.schema()))
    assert json.loads(published.read_text(encoding="utf-8")) == current, (
        "docs/certificate.schema.json is out of date; write Certificate.schema() to it"
    )
