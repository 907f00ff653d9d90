"""The networks: probabilities of buckets, in order where values are, and guesses from them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam.data import Attribute, CategoricalDomain, NumericDomain, Roles, Table, Task
from sparsam.minimise import Constraints
from sparsam.minimise.neural._networks import (
    HIDDEN,
    GeneralizingNetworks,
    GuessingNetwork,
    Layout,
    layout_of,
    likeliest_buckets,
    settled,
)

torch = pytest.importorskip("torch")
CPU = torch.device("cpu")


def _generator(seed: int = 0) -> Any:
    generator = torch.Generator()
    generator.manual_seed(seed)
    return generator


def _shaken(layout: Layout, seed: int, spread: float) -> GeneralizingNetworks:
    networks = GeneralizingNetworks(layout, _generator(seed), CPU)
    with torch.no_grad():
        for parameter in networks.parameters:
            parameter.add_(spread * torch.randn(parameter.shape, generator=_generator(seed + 1)))
    return networks


@given(st.data())
@settings(max_examples=60)
def test_ordered_values_go_to_runs_whatever_is_learned(any_task: Any, data: st.DataObject) -> None:
    task = data.draw(any_task(most_values=12))
    demands = data.draw(st.sampled_from([Constraints(), Constraints(max_buckets={"a": 2})]))
    layout = layout_of(task, demands, data.draw(st.integers(2, 6)))
    spread = data.draw(st.sampled_from([0.1, 1.0, 5.0]))
    networks = _shaken(layout, data.draw(st.integers(0, 100)), spread)
    for temperature in (2.0, 0.5):
        likely = networks.table(temperature)
        np.testing.assert_allclose(likely.sum(axis=1), 1, rtol=1e-5)
        assert not likely[np.arange(layout.most) >= layout.widths[layout.owner][:, None]].any()
    for a in range(len(layout.attributes)):
        codes = layout.codes_of(a)
        own = likely.argmax(axis=1)[codes][layout.ordered[codes]]
        assert (np.diff(own) >= 0).all()


def _ages(counts: list[int]) -> Layout:
    n_values = len(counts)
    age = Attribute("age", NumericDomain(0, n_values, True), *[np.arange(n_values)] * 2)
    codes = np.repeat(np.arange(n_values), counts).astype(np.uint16)[:, None]
    target = np.zeros(len(codes), dtype=np.uint16)
    task = Task(Table((age,), codes), target, ("only",), "target", (), (), Roles())
    return layout_of(task, Constraints(), 5)


def test_probabilities_fall_with_the_distance_in_widths_of_a_bucket() -> None:
    networks = GeneralizingNetworks(_ages([5] * 40), _generator(), CPU)
    place = networks._mapped().detach().numpy()
    assert (np.diff(place) > 0).all()
    assert 0 <= place.min() < 0.2
    assert 0.8 < place.max() <= 1
    distance = 5 * (place[:, None] - (np.arange(5) + 0.5) / 5)
    expected = np.exp(-(distance**2) / 0.7)
    expected /= expected.sum(axis=1, keepdims=True)
    found = networks.log_table(0.7).detach().exp().numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-3)


def test_batch_normalisation_is_over_people_not_over_values() -> None:
    layout = _ages([90, 4, 3, 2, 1])
    networks = GeneralizingNetworks(layout, _generator(), CPU)
    values = torch.tensor([1.0, 2.0, 4.0, 8.0, 16.0])
    found = networks._normalised(values).numpy()
    assert abs(layout.shares @ found) < 1e-5
    assert layout.shares @ found**2 == pytest.approx(1, rel=1e-3)


def test_guesses_are_those_of_a_plain_network() -> None:
    places = CategoricalDomain(("a", "b", "c"))
    attributes = (Attribute("kept", places), Attribute("other", places))
    codes = np.array([[0, 0], [1, 1], [2, 2]], dtype=np.uint16)
    target = np.array([0, 1, 1], dtype=np.uint16)
    task = Task(Table(attributes, codes), target, ("n", "y"), "target", (), (), Roles())
    layout = layout_of(task, Constraints(must_keep=["kept"]), 2)
    network = GuessingNetwork(layout, [2, 3], _generator(), CPU)
    weight, bias, out, out_bias, full = (p.detach().numpy() for p in network.parameters)
    assert weight.shape == (2, HIDDEN)
    buckets = np.array([[[1, 0]], [[0, 1]], [[1, 0]]], dtype=np.float32)
    hidden = np.maximum(buckets[:, 0] @ weight + bias + full[codes[:, 0]], 0)
    answers = np.array([[0, 2], [1, 0], [1, 1]])
    expected = []
    for q, columns in enumerate((slice(0, 2), slice(2, 5))):
        likely = np.exp(hidden @ out + out_bias)[:, columns]
        likely /= likely.sum(axis=1, keepdims=True)
        expected.append(-np.log(likely[np.arange(3), answers[:, q]]).mean())
    losses = network.losses(
        torch.tensor(buckets), torch.tensor(codes[:, :1].astype(int)), torch.tensor(answers)
    )
    np.testing.assert_allclose(losses.detach().numpy(), expected, rtol=1e-4)


def _task() -> Task:
    places = CategoricalDomain(("a1", "a2", "b1", "b2", "c1"))
    attributes = (
        Attribute("age", NumericDomain(0, 9, True), np.arange(4), np.arange(4), True),
        Attribute("place", places),
        Attribute("grade", CategoricalDomain(("low", "middle", "high"), True)),
    )
    codes = np.array([[0, 0, 0], [1, 1, 1], [1, 2, 2], [4, 3, 2]], dtype=np.uint16)
    target = np.array([0, 1, 0, 1], dtype=np.uint16)
    return Task(Table(attributes, codes), target, ("n", "y"), "target", (1, 2), (1.0, 1.0), Roles())


HIERARCHY = {"a1": ["A"], "a2": ["A"], "b1": ["B"], "b2": ["B"], "c1": ["C"]}


def test_codes_of_all_attributes_stand_in_one_line() -> None:
    layout = layout_of(_task(), Constraints(), 5)
    assert layout.starts.tolist() == [0, 5, 10]
    assert layout.owner.tolist() == [0] * 5 + [1] * 5 + [2] * 3
    # A missing age stands in no order.
    assert layout.ordered.tolist() == [True] * 4 + [False] * 6 + [True] * 3
    assert layout.shares[layout.codes_of(0)].tolist() == [0.25, 0.5, 0, 0, 0.25]
    assert layout.ranks()[layout.codes_of(2)].tolist() == [0.125, 0.375, 0.75]
    assert (layout.most, layout.widths.tolist()) == (5, [5, 5, 5])


def test_constraints_limit_the_buckets() -> None:
    demands = Constraints(must_keep=["age"], must_drop=["place"], max_buckets={"grade": 2})
    layout = layout_of(_task(), demands, 5)
    assert layout.widths.tolist() == [0, 1, 2]
    assert (layout.kept.tolist(), layout.learned.tolist(), layout.most) == ([0], [1, 2], 2)
    alone = layout_of(_task(), Constraints(must_keep=["age", "place", "grade"]), 5)
    assert alone.most == 1


def test_a_category_leaves_the_common_bucket_only_for_one_that_is_clearly_likelier() -> None:
    layout = layout_of(_task(), Constraints(), 3)
    table = np.tile([0.8, 0.1, 0.1], (13, 1))
    table[layout.codes_of(1)][1:4] = [[0.3, 0.5, 0.2], [0.3, 0.1, 0.6], [0.2, 0.2, 0.6]]
    table[layout.codes_of(2)][1] = [0.4, 0.5, 0.1]  # ordered: the nearest bucket, however near
    table[layout.codes_of(0)][4] = [0.5, 0.4, 0.1]
    found = likeliest_buckets(layout, table)
    assert found[layout.codes_of(1)].tolist() == [0, 0, 2, 2, 0]
    assert found[layout.codes_of(2)].tolist() == [0, 1, 0]
    assert not found[layout.codes_of(0)].any()


def test_what_rounding_breaks_is_repaired() -> None:
    layout = layout_of(_task(), Constraints(), 5)
    likeliest = np.array([1, 4, 3, 4, 1] + [0] * 5 + [2, 1, 2])
    age, _, grade = settled(layout, Constraints(), likeliest)
    assert age.tolist() == [0, 1, 1, 1, 0]  # the missing value stays where it was put
    assert grade.tolist() == [0, 0, 0]


def test_a_value_that_nobody_has_joins_the_most_common_bucket() -> None:
    layout = layout_of(_task(), Constraints(), 5)
    likeliest = np.array([0] * 5 + [3, 2, 2, 2, 4] + [0] * 3)
    assert settled(layout, Constraints(), likeliest)[1].tolist() == [0, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("likeliest", "most", "expected"),
    [
        ([0, 0, 1, 1, 1], 5, [0, 0, 1, 1, 2]),
        ([0, 1, 1, 1, 1], 5, [0, 1, 2, 2, 3]),
        ([0, 1, 1, 1, 1], 3, [0, 0, 0, 0, 0]),  # one stranger in A is one in the whole, too
        ([0, 2, 1, 1, 1], 3, [0, 0, 1, 1, 2]),
        ([0, 0, 1, 1, 1], 2, [0, 0, 0, 0, 0]),
        ([3, 3, 3, 3, 3], 5, [0, 0, 0, 0, 0]),
    ],
)
def test_buckets_become_nodes_of_a_hierarchy(
    likeliest: list[int], most: int, expected: list[int]
) -> None:
    demands = Constraints(hierarchies={"place": HIERARCHY}, max_buckets={"place": most})
    layout = layout_of(_task(), demands, 5)
    line = np.array([0] * 5 + likeliest + [0] * 3)
    assert settled(layout, demands, line)[1].tolist() == expected


def _check_runs(layout: Layout, buckets: list[np.ndarray]) -> None:
    for a, bucket in enumerate(buckets):
        values = bucket[layout.ordered[layout.codes_of(a)]]
        assert (np.diff(values) >= 0).all()
        assert np.unique(bucket).tolist() == list(range(bucket.max() + 1))
        assert bucket.max() < layout.widths[a]


@given(st.data())
@settings(max_examples=60)
def test_any_choice_becomes_buckets_within_the_limits(any_task: Any, data: st.DataObject) -> None:
    task = data.draw(any_task(most_values=8))
    first, last = task.names[0], task.names[-1]
    demands = data.draw(
        st.sampled_from([Constraints(must_drop=[first]), Constraints(max_buckets={last: 2})])
    )
    layout = layout_of(task, demands, data.draw(st.integers(1, 5)))
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    likeliest = rng.integers(0, layout.widths[layout.owner])
    _check_runs(layout, settled(layout, demands, likeliest))
