from __future__ import annotations

from collections.abc import Callable

import pytest

from sparsam.data.roles._column_names import (
    called_birth,
    called_code,
    called_group,
    called_identifier,
    called_name,
    called_place,
    called_weight,
    recognised_by,
    special_category,
)


@pytest.mark.parametrize("name", ["id", "PatientID", "customer_id", "SSN", "e-mail", "phone no."])
def test_names_of_identifiers(name: str):
    assert called_identifier(name)


@pytest.mark.parametrize("name", ["paid", "grid", "valid", "covid", "number of loans", ""])
def test_names_that_only_sound_so(name: str):
    assert not called_identifier(name)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Kundennummer", called_identifier),
        ("Teléfono", called_identifier),
        ("Prénom", called_name),
        ("Straße", called_name),
        ("Geburtsjahr", called_birth),
        ("Date de naissance", called_birth),
        ("Postleitzahl", called_place),
        ("MUNICIPIO", called_place),
        ("Staatsangehörigkeit", recognised_by),
        ("Sexe", recognised_by),
        ("Familienstand", called_group),
    ],
)
def test_names_in_the_languages_of_the_forms(name: str, told: Callable[[str], bool]):
    assert told(name)


@pytest.mark.parametrize(
    "name", ["nombre_enfants", "booked via", "market cap", "genre", "nir band"]
)
def test_words_that_mean_something_else_in_another_language(name: str):
    tellers = (called_name, called_identifier, called_place, called_group)
    assert not any(told(name) for told in tellers)


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
        ("Religionszugehörigkeit", "religion"),
        ("Santé", "health"),
        ("Gewerkschaft", "union"),
        ("etnia", "ethnic origin"),
        ("sex", None),
        ("trace", None),
    ],
)
def test_special_categories_by_name(name: str, category: str | None):
    assert special_category(name) == category
