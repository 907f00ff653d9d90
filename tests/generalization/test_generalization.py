"""The artifact as a whole: immutable, equal by value, codes, records, rendering."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest

from sparsam._errors import DataError, ParameterError
from sparsam.data import CategoricalDomain, NumericDomain, read
from sparsam.generalization import Generalization, categorical_partition, numeric_partition

COLOURS = CategoricalDomain(("red", "green", "<b>blue</b>"))


def example() -> Generalization:
    return Generalization(
        [
            numeric_partition("age", NumericDomain(0, 99, integer=True), [17, 62], missing=3),
            categorical_partition("colour", COLOURS, [["red"], ["green", "<b>blue</b>"]]),
            numeric_partition("height", NumericDomain(0.5, 2.5), []),
        ],
        {"seed": 1},
    )


def test_it_knows_what_it_collects() -> None:
    g = example()
    assert g.names == ("age", "colour", "height")
    assert g.collected == ("age", "colour")
    assert g.n_buckets == 7
    assert len(g) == 3
    assert g["age"].n_buckets == 4
    assert "age" in g
    assert "weight" not in g
    assert [partition.name for partition in g] == list(g.names)


def test_it_is_immutable_and_equal_by_value() -> None:
    g = example()
    with pytest.raises(AttributeError, match="immutable"):
        g.partitions = ()  # type: ignore[misc]
    with pytest.raises(AttributeError):
        g["age"].cuts = ()  # type: ignore[misc, union-attr]
    g.about["seed"] = 2
    assert g.about == {"seed": 1}
    assert g == example()
    assert len({g, example()}) == 1
    assert g != g.with_about({})
    assert g.partitions == g.with_about({}).partitions
    assert g != "g"
    assert pickle.loads(pickle.dumps(g)) == g  # noqa: S301


def test_facts_from_numpy_become_plain() -> None:
    about = {"seed": np.int64(3), "scores": np.array([0.5, 1.0])}
    assert example().with_about(about).about == {"seed": 3, "scores": [0.5, 1.0]}


def test_no_attribute_or_one_twice_is_refused() -> None:
    with pytest.raises(ParameterError, match="at least one"):
        Generalization([])
    with pytest.raises(ParameterError, match="'age'"):
        Generalization([example()["age"], example()["age"]])


def test_codes_of_a_table() -> None:
    table = read({"colour": ["red", "green", "red"], "age": [3, 40, None], "other": [1, 2, 3]})
    codes = example().apply_codes(table)
    assert codes.tolist() == [[0, 0, 0], [1, 1, 0], [3, 0, 0]]
    assert codes.dtype == np.uint16
    assert codes.flags.f_contiguous


def test_codes_need_every_collected_attribute() -> None:
    with pytest.raises(DataError, match=r"\['age'\] are absent"):
        example().apply_codes(read({"colour": ["red", "green"]}))


def test_the_two_ends() -> None:
    table = read({"age": [3, 40, None, 3], "sex": ["f", "m", "m", "f"], "one": ["x"] * 4})
    everything, nothing = Generalization.identity(table), Generalization.nothing(table)
    assert everything.n_buckets == sum(attribute.size for attribute in table.attributes)
    assert (everything.apply_codes(table) == table.codes).all()
    assert not nothing.apply_codes(table).any()
    assert nothing.collected == ()
    assert everything.refines(nothing)
    assert not nothing.refines(everything)
    assert everything["one"].labels == ("not collected",)


def test_everything_collected_from_bins_keeps_the_bins() -> None:
    table = read({"income": np.arange(1000) ** 1.5}, max_codes=16)
    everything = Generalization.identity(table)
    assert (everything.apply_codes(table) == table.codes).all()


def test_a_record_gives_the_collected_attributes_only() -> None:
    g = example()
    record = {"age": None, "colour": "green", "height": 1.8, "name": "nobody"}
    assert g.apply_record(record) == {"age": "missing", "colour": "green, <b>blue</b>"}
    assert g.apply_record(record, output="codes") == {"age": 3, "colour": 1}


def test_a_bad_record_is_refused_without_its_values() -> None:
    g = example()
    with pytest.raises(DataError, match=r"\['colour'\] are absent"):
        g.apply_record({"age": 1})
    with pytest.raises(DataError, match="'colour' is outside") as caught:
        g.apply_record({"age": 1, "colour": "secret"})
    assert "secret" not in str(caught.value)
    with pytest.raises(ParameterError, match="'output'"):
        g.apply_record({}, output="words")  # type: ignore[arg-type]


def test_it_prints_as_a_table() -> None:
    assert str(example()).splitlines() == [
        "attribute  before                  after                                     buckets",
        "age        100 values          ->  under 17 | 17–61 | 62 and over | missing  4",
        "colour     3 categories        ->  red | green, <b>blue</b>                  2",
        "height     numbers 0.5 to 2.5  ->  not collected                             1",
    ]
    assert repr(example()) == "<Generalization: 3 attributes, 2 collected, 7 buckets>"


def test_html_is_escaped() -> None:
    page = example()._repr_html_()
    assert "<b>" not in page
    assert "green, &lt;b&gt;blue&lt;/b&gt;" in page


def test_many_labels_are_cut_short() -> None:
    domain = NumericDomain(0, 999, integer=True)
    g = Generalization([numeric_partition("n", domain, list(range(1, 1000)))])
    assert max(map(len, str(g).splitlines())) < 140
    assert "more" in str(g)


def test_importing_it_loads_no_heavy_library() -> None:
    heavy = ["sklearn", "numba", "scipy", "pandas", "polars", "pyarrow"]
    code = (
        "import sys, sparsam.generalization as g; import sparsam.generalization._apply\n"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
