"""Domains are declared, in several ways, and never read from the data."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from sparsam._errors import DataError, DocumentError, ParameterError
from sparsam.data import CategoricalDomain, NumericDomain, Roles, read
from sparsam.explore import Declared, Explorer, Ledger, declared
from sparsam.explore._bins import full_bins
from sparsam.generalization import Generalization, categorical_partition, numeric_partition
from sparsam.minimise import Uniform

AGE = NumericDomain(0, 99, integer=True)
WAY = CategoricalDomain(("car", "bus", "train"))


def generalized() -> Generalization:
    return Generalization(
        [
            numeric_partition("age", AGE, [18, 65], missing=3),
            categorical_partition("way", WAY, [["car"], ["bus", "train"]], missing=2, unseen=1),
            numeric_partition("height", NumericDomain(0, 3), []),
        ]
    )


def test_ranges_and_lists() -> None:
    domains = declared(
        {
            "age": (0, 99, "integer"),
            "height": (0.5, 2.5),
            "sex": ["f", "m"],
            "pair": ("a", "b"),
            "flag": [0, 1],
            "one": NumericDomain(1, 2),
            "way": WAY,
        }
    )
    assert domains["age"] == AGE
    assert domains["height"] == NumericDomain(0.5, 2.5)
    assert domains["pair"] == CategoricalDomain(("a", "b"))
    assert domains["flag"] == CategoricalDomain((0, 1))
    assert domains.numeric == ("age", "height", "one")
    assert domains.categorical == ("sex", "pair", "flag", "way")


@pytest.mark.parametrize(
    "bad", [(0, 1, "float"), (1, 2, 3), "abc", 5, None, {"a": 1}, {"a"}], ids=str
)
def test_what_is_no_domain_is_refused(bad: object) -> None:
    with pytest.raises(ParameterError, match="The domain of 'x' must be"):
        declared({"x": bad})


@pytest.mark.parametrize("bad", [(1, 0), (0, float("nan")), (0, float("inf")), [], ["a", "a"]])
def test_domains_that_cannot_be_are_refused(bad: object) -> None:
    with pytest.raises(DataError):
        declared({"x": bad})


def test_data_is_never_taken_for_domains() -> None:
    pd = pytest.importorskip("pandas")
    columns = {"age": [30, 41], "sex": ["f", "m"]}
    with pytest.raises(ParameterError, match="read from its data"):
        declared(read(columns))
    for other in (pd.DataFrame(columns), np.zeros((2, 2)), 5, None):
        with pytest.raises(ParameterError, match="Domains must be declared"):
            declared(other)
    with pytest.raises(ParameterError, match="At least one"):
        declared({})


def test_what_was_inferred_can_be_passed_on_by_name() -> None:
    table = read({"sex": ["f", "m"]})
    domains = declared({a.name: a.domain for a in table.attributes})
    assert domains["sex"] == CategoricalDomain(("f", "m"))


def test_roles_give_their_domains() -> None:
    roles = Roles(
        domains={"age": AGE, "id": NumericDomain(0, 9)},
        identifiers=["id"],
        ordered={"grade": ["low", "high"]},
        missing_values=["?"],
    )
    domains = declared(roles, missing_values=["n/a", "?"])
    assert domains.names == ("age", "grade")
    assert domains["grade"] == CategoricalDomain(("low", "high"), ordered=True)
    assert domains.missing_values == ("?", "n/a")
    with pytest.raises(ParameterError, match="at least one domain"):
        declared(Roles("employed"))


def test_a_generalization_gives_its_buckets() -> None:
    domains = declared(generalized())
    assert domains.names == ("age", "way")  # height is not collected
    assert domains["way"] == CategoricalDomain(("car", "bus, train, or other"))
    assert set(domains.partitions) == {"age", "way"}


def test_files(tmp_path: Path) -> None:
    roles = Roles(domains={"age": AGE})
    (tmp_path / "roles.toml").write_text(roles.to_toml(), encoding="utf-8")
    generalized().save(tmp_path / "g.json")
    plain = declared({"age": AGE})
    (tmp_path / "d.json").write_text(json.dumps(plain.to_dict()), encoding="utf-8")
    assert declared(tmp_path / "roles.toml") == plain
    assert declared(str(tmp_path / "g.json")) == declared(generalized())
    assert declared(tmp_path / "d.json") == plain
    (tmp_path / "bad.json").write_text("{", encoding="utf-8")
    with pytest.raises(DocumentError, match="damaged"):
        declared(tmp_path / "bad.json")
    with pytest.raises(DataError, match="Found none"):
        declared(tmp_path / "absent.json")
    with pytest.raises(ParameterError, match=r"ends in '\.csv'"):
        declared("people.csv")


@pytest.mark.parametrize(
    "made",
    [
        declared({"age": (0, 99, "integer"), "sex": ["f", 3, True, 2.5]}, missing_values=["?"]),
        declared(generalized()),
    ],
)
def test_plain_data_and_back(made: Declared) -> None:
    document = json.loads(json.dumps(made.to_dict()))
    again = Declared.from_dict(document)
    assert again == made
    assert hash(again) == hash(made)
    assert again.to_dict() == document


def test_damaged_plain_data_is_refused() -> None:
    for document in ({}, {"domains": {"x": {"type": "other"}}}, {"domains": 5}):
        with pytest.raises(DocumentError, match="declared domains"):
            Declared.from_dict(document)


def test_an_attribute_that_is_not_declared_is_refused_by_name() -> None:
    domains = declared({"age": AGE})
    with pytest.raises(ParameterError, match=r"'aeg' must be a declared attribute\. Did you mean"):
        domains["aeg"]
    assert "age" in domains
    assert domains.only(["age"]) == domains


def test_a_generalization_learned_from_rows_is_no_declaration(tmp_path: Path) -> None:
    people = {
        "age": [17, 23, 31, 44, 58, 91] * 20,
        "sex": ["f", "m", "m"] * 40,
        "works": [0, 1, 1, 1, 1, 0] * 20,
    }
    learned = Uniform(Roles("works"), buckets=3).fit(people).generalization_
    for given in (learned, learned.merge(learned), learned.intersect(learned)):
        with pytest.raises(ParameterError, match="learned from rows"):
            declared(given)
    learned.save(tmp_path / "people.json")
    with pytest.raises(ParameterError, match="learned from rows"):
        declared(tmp_path / "people.json")
    with pytest.raises(ParameterError, match="learned from rows"):
        declared(Generalization.identity(read(people)))
    # someone who declared all of its domains has declared it
    about = {**learned.about, "declared": sorted(learned.names)}
    assert set(declared(learned.with_about(about)).names) == set(learned.collected)
    about["declared"] = ["sex"]
    with pytest.raises(ParameterError, match="'age' among them"):
        declared(learned.with_about(about))


def test_clamped_to_the_ledger() -> None:
    ledger = declared({"age": (18, 80, "integer"), "sex": ["f", "m"]})
    age = numeric_partition("age", NumericDomain(3, 131, True), (10, 30, 65, 97), missing=5)
    kept = declared(Generalization([age])).within(ledger)
    assert kept["age"] == NumericDomain(18, 80, True)
    bins = full_bins(kept, "age")
    assert bins.edges == (18, 30, 65, 81)
    assert "131" not in str(kept.to_dict())
    assert "97" not in str(kept.to_dict())
    inside = numeric_partition("age", NumericDomain(3, 131, True), (10, 30), missing=0)
    clamped = declared(Generalization([inside])).within(ledger).partitions["age"]
    assert (clamped.cuts, clamped.missing) == ((30,), 0)
    assert declared({"sex": ["f", "x"]}).within(ledger)["sex"].categories == ("f",)
    assert declared({"height": (0, 3)}).within(ledger)["height"] == NumericDomain(0, 3)
    for wrong in ({"age": (90, 99)}, {"age": ["young"]}, {"sex": ["x"]}):
        with pytest.raises(ParameterError):
            declared(wrong).within(ledger)
    sexes = CategoricalDomain(("f", "m", "x"))
    groups = categorical_partition("sex", sexes, (("f",), ("m", "x")))
    with pytest.raises(ParameterError, match="1 others"):
        declared(Generalization([groups])).within(ledger)


def test_answers_are_clamped_to_the_ledger(tmp_path: Path) -> None:
    pytest.importorskip("opendp")
    people = {"age": [20, 30, 40] * 50}
    with Ledger.create(tmp_path / "l", people, epsilon=50, domains={"age": (0, 99)}) as ledger:
        histogram = Explorer(people, ledger, {"age": (-5, 140)}).histogram("age", 4, epsilon=1)
        assert "140" not in str(histogram.to_dict())
        assert "-5" not in str(histogram.to_dict())


@pytest.mark.parametrize(
    "domain",
    [
        NumericDomain("1960-01-01", "1970-12-31", unit="date"),  # type: ignore[arg-type]
        NumericDomain("08:00", "20:00", unit="time"),  # type: ignore[arg-type]
        NumericDomain(0, 99, age_on="2024-12-31"),
    ],
)
def test_dates_are_refused_with_the_way_out(domain: NumericDomain) -> None:
    with pytest.raises(
        ParameterError, match=r"(?s)'x' must hold plain numbers.*Hint: make a column"
    ):
        declared({"x": domain})


def test_ages_that_are_found_from_dates_are_refused() -> None:
    roles = Roles(ages={"x": "2024-12-31"}, domains={"x": NumericDomain(0, 99, integer=True)})
    with pytest.raises(ParameterError, match="declared to hold dates"):
        declared(roles)


def test_texts_that_mean_missing_in_one_column():
    roles = Roles(
        domains={"age": NumericDomain(0, 99), "sex": CategoricalDomain(("f", "m"))},
        missing_values=["?"],
        missing_in={"age": ["-9", "N"], "name": ["x"]},
        ignore=["name"],
    )
    known = declared(roles)
    assert known.missing_in == {"age": ("-9", "N")}
    assert Declared.from_dict(known.to_dict()) == known
    assert known.only(["sex"]).missing_in == {}
    assert "missing_in" not in declared({"sex": ["f"]}).to_dict()
