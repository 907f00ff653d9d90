from __future__ import annotations

import pytest

from sparsam.data._column_names import (
    called_birth,
    called_code,
    called_identifier,
    called_name,
    called_weight,
    special_category,
)


@pytest.mark.parametrize("name", ["id", "PatientID", "customer_id", "SSN", "e-mail", "phone no."])
def test_names_of_identifiers(name: str):
    assert called_identifier(name)


@pytest.mark.parametrize("name", ["paid", "grid", "valid", "covid", "number of loans", ""])
def test_names_that_only_sound_so(name: str):
    assert not called_identifier(name)


def test_other_names():
    assert called_name("Surname")
    assert not called_name("product name")
    assert called_weight("fnlwgt")
    assert not called_weight("weight")  # of a body
    assert called_birth("date_of_birth")
    assert not called_code("hours")


@pytest.mark.parametrize(
    ("name", "category"),
    [
        ("diagnosis", "health"),
        ("RELIG", "religion"),
        ("RAC1P", "ethnic origin"),
        ("sexual_orientation", "sex life"),
        ("union", "union"),
        ("partyid", "politics"),
        ("dna_marker", "genetic"),
        ("iris_scan", "biometric"),
        ("sex", None),
        ("trace", None),
    ],
)
def test_special_categories_by_name(name: str, category: str | None):
    assert special_category(name) == category
