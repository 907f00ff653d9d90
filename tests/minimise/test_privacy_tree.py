"""The privacy-aware tree as a user meets it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam import load_example
from sparsam._errors import DataError, ParameterError
from sparsam.counting import _rows
from sparsam.data import Attribute, CategoricalDomain, NumericDomain, Roles, Task, resolve
from sparsam.data import split as split_rows
from sparsam.generalization import CategoricalPartition, Generalization, Hierarchy
from sparsam.minimise import Constraints, PrivacyTree, _privacy_tree
from sparsam.minimise._privacy_tree import Growth, OrderRule, scan_order
from sparsam.minimise._splits import ABSENT, LEFT, RIGHT, Split


def test_bucket_counts_of_the_paper(census: Task) -> None:
    train = split_rows(census, random_state=0).train
    path = PrivacyTree(privacy=0.3, min_leaf=100).path(train, (2, 4, 10, 20))
    buckets = [generalization.n_buckets for generalization in path]
    assert buckets == pytest.approx([17, 19, 25, 33], abs=1)


@pytest.mark.parametrize(("privacy", "buckets"), [(0.0, 32), (0.7, 34), (0.8, 32)])
def test_bucket_counts_of_twenty_leaves(census: Task, privacy: float, buckets: int) -> None:
    train = split_rows(census, random_state=0).train
    tree = PrivacyTree(privacy=privacy, max_leaves=20).fit_task(train)
    assert tree.generalization_.n_buckets == pytest.approx(buckets, abs=2)
    assert 16 - len(tree.generalization_.collected) >= 10


@given(st.data())
@settings(deadline=None, max_examples=60)
def test_tree_decides_alike_before_and_after_generalizing(
    any_task: Any, data: st.DataObject
) -> None:
    task = data.draw(any_task(max_rows=60, most_values=7))
    tree = PrivacyTree(max_leaves=data.draw(st.integers(1, 12)), privacy=0.1, min_leaf=1)
    tree.fit_task(task)
    codes = tree.generalization_.apply_codes(task.table)
    for cut in tree.splits_:
        before, after = cut.sides[task.codes[:, cut.attribute]], codes[:, cut.attribute]
        for bucket in np.unique(after):
            assert not {LEFT, RIGHT} <= set(before[after == bucket].tolist())


@given(st.data())
@settings(deadline=None, max_examples=40)
def test_path_equals_separate_fits(any_task: Any, data: st.DataObject) -> None:
    task = data.draw(any_task(max_rows=60))
    settings_: dict[str, Any] = {
        "privacy": data.draw(st.sampled_from([0.0, 0.3, 0.7])),
        "min_leaf": data.draw(st.integers(1, 4)),
        "unseen": data.draw(st.sampled_from(["error", "common"])),
    }
    leaves = data.draw(st.lists(st.integers(1, 15), min_size=1, max_size=5, unique=True))
    path = PrivacyTree(**settings_).path(task, leaves)
    for size, generalization in zip(leaves, path, strict=True):
        alone = PrivacyTree(max_leaves=size, **settings_).fit_task(task)
        assert generalization == alone.generalization_


def test_path_on_real_data_refines_with_every_leaf() -> None:
    task = resolve(load_example(), Roles("employed"))
    path = PrivacyTree(privacy=0.3, min_leaf=20).path(task, (1, 2, 5, 20, 10**6))
    assert path[0].collected == ()
    assert path[0].partitions == Generalization.nothing(task.table).partitions
    buckets = [generalization.n_buckets for generalization in path]
    assert buckets == sorted(buckets)


@pytest.mark.parametrize("leaves", [(0,), (4, 0), (-3, 5), (2.5,)])
def test_path_refuses_sizes_that_no_tree_has(leaves: Any) -> None:
    task = resolve(load_example(), Roles("employed"))
    with pytest.raises(ParameterError, match=r"'max_leaves' .* must be an int >= 1\. Got"):
        PrivacyTree().path(task, leaves)
    assert PrivacyTree().path(task, ()) == []


def test_categories_absent_from_a_node_are_not_torn_apart() -> None:
    # In the north only a and b occur, in the south only c and d: two buckets are enough.
    # Sending absent categories left or right by the parity of their code would make four.
    rows = [("north", "a", 1), ("north", "b", 0), ("south", "c", 0), ("south", "d", 1)] * 30
    rows += [("north", "a", 1), ("south", "d", 1)] * 5
    columns = {"place": [r[0] for r in rows], "kind": [r[1] for r in rows]}
    task = resolve(columns, Roles(), y=[r[2] for r in rows])
    tree = PrivacyTree(privacy=0.0, min_leaf=1, max_leaves=10).fit_task(task)
    partition = tree.generalization_["kind"]
    assert isinstance(partition, CategoricalPartition)
    assert {frozenset(group) for group in partition.groups} == {
        frozenset({"a", "d"}),
        frozenset({"b", "c"}),
    }


def test_absent_categories_in_deeper_nodes_make_no_bucket(census: Task) -> None:
    tree = PrivacyTree(privacy=0.0, max_leaves=200, min_leaf=20).fit_task(census)
    for a, attribute in enumerate(census.table.attributes):
        if not isinstance(attribute.domain, CategoricalDomain):
            continue
        cuts = [cut.sides for cut in tree.splits_ if cut.attribute == a]
        by_parity = {
            tuple(int(c[code]) or (LEFT, RIGHT)[code % 2] for c in cuts)
            for code in range(attribute.size)
        }
        assert tree.generalization_[attribute.name].n_buckets <= max(1, len(by_parity))


def test_numeric_cuts_are_round_and_in_the_users_units() -> None:
    rng = np.random.default_rng(0)
    income = np.round(rng.uniform(0, 100_000, 250), 2)
    income = income[(income < 48_211) | (income > 51_307)]
    task = resolve({"income": income}, Roles(), y=(income > 50_000).astype(int))
    tree = PrivacyTree(max_leaves=2, privacy=0.0, min_leaf=1).fit_task(task)
    assert tree.generalization_["income"].cuts == (50_000,)
    assert tree.generalization_["income"].labels == ("under 50000", "50000 and over")


def test_missing_values_have_their_own_bucket_only_when_they_mean_something() -> None:
    age = np.array([20.0, 30, 40, 50] * 30)
    age[::7] = np.nan
    old = resolve({"age": age}, Roles(), y=(age > 35).astype(int))
    merged = PrivacyTree(privacy=0.0, min_leaf=1, max_leaves=2).fit_task(old).generalization_["age"]
    assert (merged.n_buckets, merged.bucket(None)) == (2, merged.bucket(20))
    gone = np.isnan(age).astype(int)
    known = resolve({"age": age}, Roles(), y=gone + 2 * (age > 35))
    own = PrivacyTree(privacy=0.0, min_leaf=1, max_leaves=9).fit_task(known).generalization_["age"]
    assert (own.n_buckets, own.bucket(None)) == (3, 2)


def test_about_says_how_it_was_made() -> None:
    tree = PrivacyTree(Roles("employed"), max_leaves=np.int64(4)).fit(load_example())
    about = tree.generalization_.about
    assert about["minimiser"] == "PrivacyTree"
    assert about["parameters"]["max_leaves"] == 4
    assert about["parameters"]["privacy"] == 0.7
    assert (about["target"], about["learned_from_rows"]) == ("employed", 20_000)


@pytest.mark.parametrize(
    ("parameter", "value", "expected"),
    [
        ("max_leaves", 0, "an int >= 1"),
        ("max_leaves", 2.0, "an int >= 1"),
        ("min_leaf", 0, "an int >= 1"),
        ("min_leaf", True, "an int >= 1"),
        ("privacy", 1.5, r"a float in \[0, 1\]"),
        ("privacy", "much", r"a float in \[0, 1\]"),
        ("category_orders", "random", r"one of \('target', 'personal'\)"),
        ("unseen", "guess", r"one of \('error', 'common'\)"),
    ],
)
def test_bad_parameters(parameter: str, value: Any, expected: str, people: Any) -> None:
    tree = PrivacyTree(Roles("hired"), **{parameter: value})
    message = rf"The '{parameter}' parameter of PrivacyTree must be {expected}\. Got"
    with pytest.raises(ParameterError, match=message):
        tree.fit(people)


Candidate = tuple[Fraction, int, frozenset[int]]


class SlowTree:
    """Eq. 2 of Staab et al. in exact fractions, row by row."""

    def __init__(self, task: Task, alpha: Fraction, min_leaf: int, by: str = "target") -> None:
        self.task, self.alpha, self.min_leaf, self.by = task, alpha, min_leaf, by
        self.codes, self.target = task.codes.tolist(), task.target.tolist()

    def responses(self) -> list[tuple[list[int], int]]:
        columns = [([row[p] for row in self.codes], self.task.sizes[p]) for p in self.task.personal]
        return [(self.target, len(self.task.classes)), *columns]

    def impurity(self, rows: frozenset[int]) -> Fraction:
        (utility, *privacy) = [self.gini(values, size, rows) for values, size in self.responses()]
        weights = [Fraction(weight) for weight in self.task.weights]
        total = sum(weights)
        shares = [weight / total if total else Fraction(0) for weight in weights]
        revealed = 1 - sum((w * g for w, g in zip(shares, privacy, strict=True)), Fraction(0))
        return (1 - self.alpha) * utility + self.alpha * revealed

    @staticmethod
    def gini(values: list[int], size: int, rows: frozenset[int]) -> Fraction:
        """Gini value brought to [0, 1]: sigma times the sum of p (1 - p)."""
        counts = Counter(values[row] for row in rows)
        squares = sum(count * count for count in counts.values())
        plain = 1 - Fraction(squares, len(rows) ** 2)
        return plain * Fraction(size, size - 1) if size > 1 else plain

    def orders(self, rows: frozenset[int], a: int) -> Iterator[list[int]]:
        attribute = self.task.table.attributes[a]
        present = sorted({self.codes[row][a] for row in rows})
        if attribute.ordered:
            yield present
            if attribute.missing and attribute.n_values in present:
                yield [attribute.n_values, *[c for c in present if c != attribute.n_values]]
            return
        for values, size in self.responses() if self.by == "personal" else self.responses()[:1]:
            for value in range(size) if size != 2 else [1]:
                yield sorted(present, key=lambda c: (self.share(rows, a, c, values, value), c))

    def share(
        self, rows: frozenset[int], a: int, code: int, values: list[int], value: int
    ) -> Fraction:
        inside = [row for row in rows if self.codes[row][a] == code]
        return Fraction(sum(values[row] == value for row in inside), len(inside))

    def candidates(self, rows: frozenset[int], attributes: list[int]) -> list[Candidate]:
        found: dict[tuple[int, frozenset[int]], Fraction] = {}
        whole = self.impurity(rows)
        for a in attributes:
            for order in self.orders(rows, a):
                for length in range(1, len(order)):
                    codes = frozenset(order[:length])
                    left = frozenset(row for row in rows if self.codes[row][a] in codes)
                    right = rows - left
                    if min(len(left), len(right)) < self.min_leaf or (a, codes) in found:
                        continue
                    after = len(left) * self.impurity(left) + len(right) * self.impurity(right)
                    gain = len(rows) * whole - after
                    found[a, codes] = gain / len(self.codes)
        return [(gain, a, codes) for (a, codes), gain in found.items()]


def _grow(task: Task, max_leaves: int = 200, **changes: Any) -> tuple[Split, ...]:
    return _growth_of(task, **changes).grow(max_leaves)


def _growth_of(task: Task, **changes: Any) -> Growth:
    settings_ = {
        "privacy": 0.3,
        "min_leaf": 1,
        "category_orders": "target",
        "constraints": Constraints(),
    }
    return Growth(task, **{**settings_, **changes})


def _same(one: tuple[Split, ...], other: tuple[Split, ...]) -> bool:
    return len(one) == len(other) and all(
        (a.attribute, a.n_rows, a.n_left, a.decrease, a.reuses)
        == (b.attribute, b.n_rows, b.n_left, b.decrease, b.reuses)
        and np.array_equal(a.sides, b.sides)
        for a, b in zip(one, other, strict=True)
    )


@given(st.data())
@settings(deadline=None, max_examples=150)
def test_each_split_is_the_best_that_the_slow_tree_knows(
    any_task: Any, data: st.DataObject
) -> None:
    task = data.draw(any_task())
    alpha = data.draw(st.sampled_from([Fraction(0), Fraction(3, 10), Fraction(7, 10), Fraction(1)]))
    min_leaf, max_leaves = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 6))
    by = data.draw(st.sampled_from(["target", "target", "personal"]))
    dropped = [name for name in task.names if data.draw(st.integers(0, 9)) == 0]
    growth = _growth_of(
        task,
        privacy=float(alpha),
        min_leaf=min_leaf,
        category_orders=by,
        constraints=Constraints(must_drop=dropped),
    )
    divided = _record_divisions(growth)
    splits = growth.grow(max_leaves)
    slow = SlowTree(task, alpha, min_leaf, by)
    usable = [a for a, name in enumerate(task.names) if name not in dropped]
    root = frozenset(range(task.n_rows))
    leaves = {root: slow.candidates(root, usable)}
    for split, rows in zip(splits, divided, strict=True):
        best = max(gain for candidates in leaves.values() for gain, _, _ in candidates)
        left_codes = frozenset(np.flatnonzero(split.sides == LEFT).tolist())
        own = {(a, codes): gain for gain, a, codes in leaves.pop(rows)}
        assert own[split.attribute, left_codes] == pytest.approx(float(best), abs=1e-10)
        assert split.decrease == pytest.approx(float(best), abs=1e-10)
        left = frozenset(r for r in rows if task.codes[r, split.attribute] in left_codes)
        assert (split.n_rows, split.n_left) == (len(rows), len(left))
        present = {int(task.codes[r, split.attribute]) for r in rows}
        assert present == set(np.flatnonzero(split.sides).tolist())
        for side in (left, rows - left):
            leaves[side] = slow.candidates(side, usable)
    if len(splits) < max_leaves - 1:
        assert all(gain < 1e-10 for candidates in leaves.values() for gain, _, _ in candidates)


def _record_divisions(growth: Growth) -> list[frozenset[int]]:
    divided: list[frozenset[int]] = []
    divide = growth._rows.divide

    def recording(node: Any, *how: Any) -> Any:
        divided.append(frozenset(growth._rows._order[node.start : node.stop].tolist()))
        return divide(node, *how)

    growth._rows.divide = recording  # type: ignore[method-assign]
    return divided


@given(st.data())
@settings(deadline=None, max_examples=40)
def test_smaller_growth_is_a_prefix_of_the_larger(any_task: Any, data: st.DataObject) -> None:
    task = data.draw(any_task(max_rows=60))
    limits = {name: data.draw(st.integers(1, 3)) for name in task.names if data.draw(st.booleans())}
    constraints = Constraints(max_buckets=limits)
    large = _grow(task, 12, constraints=constraints)
    for leaves in (1, 2, 3, 5, 8):
        assert _same(_grow(task, leaves, constraints=constraints), large[: leaves - 1])


def test_reference_trees_are_reproduced_split_by_split(
    census: Task, shared_reference: Path
) -> None:
    reference = json.loads((shared_reference / "privacy_tree.json").read_text())
    assert sorted(census.names[p] for p in census.personal) == sorted(reference["personal"])
    assert set(reference["trees"]) == {"0.0", "0.3", "0.7", "0.9"}
    for alpha, expected in reference["trees"].items():
        most = max(20, len(expected) + 1)
        splits = _grow(census, most, privacy=float(alpha), min_leaf=reference["min_leaf"])
        found = [_described(census, split) for split in splits]
        assert [f["attribute"] for f in found] == [e["attribute"] for e in expected]
        for one, other in zip(found, expected, strict=True):
            assert one == {**other, "decrease": pytest.approx(other["decrease"], abs=1e-6)}


def _described(task: Task, split: Split) -> dict[str, Any]:
    attribute = task.table.attributes[split.attribute]
    left, right = np.flatnonzero(split.sides == LEFT), np.flatnonzero(split.sides == RIGHT)
    facts: dict[str, Any] = {
        "attribute": attribute.name,
        "rows": split.n_rows,
        "rows_left": split.n_left,
        "decrease": split.decrease,
    }
    if attribute.numeric:
        return {
            **facts,
            "left_max": attribute.highs[left[-1]],
            "right_min": attribute.lows[right[0]],
        }
    assert isinstance(attribute.domain, CategoricalDomain)
    categories = [int(category) for category in attribute.domain.categories]
    sides = {"left": left, "right": right}
    return {
        **facts,
        **{name: sorted(categories[c] for c in codes) for name, codes in sides.items()},
    }


def test_one_thread_and_two_grow_the_same_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_rows, "_ROWS_WORTH_A_THREAD", 100)
    task = resolve(load_example(), Roles("employed"))
    grown = []
    for threads in (1, 2):
        growth = _growth_of(task, min_leaf=20)
        growth._rows._threads = threads
        grown.append(growth.grow(60))
    assert len(grown[0]) == 59
    assert _same(*grown)


def test_attribute_that_tells_nothing_is_never_split() -> None:
    # 1:2 in every category, in numbers whose thirds and sevenths do not add up in binary
    sizes = [3, 7, 11, 13, 29]
    work = [code for code, size in enumerate(sizes) for _ in range(3 * size)]
    target = [int(i % 3 == 0) for size in sizes for i in range(3 * size)]
    task = resolve({"work": [f"w{c}" for c in work]}, Roles(), y=target)
    for privacy in (0.0, 0.3):
        assert _grow(task, privacy=privacy) == ()


def test_privacy_alone_collects_nothing(any_task: Any) -> None:
    task = resolve(load_example(), Roles("employed"))
    assert _grow(task, privacy=1.0) == ()


def test_sensitivity_weights_decide_which_attribute_is_spared() -> None:
    rng = np.random.default_rng(0)
    target = rng.integers(0, 2, 400)
    blur = [np.where(rng.random(400) < 0.2, 1 - target, target) for _ in range(2)]
    columns = {"a": [f"a{v}" for v in blur[0]], "b": [f"b{v}" for v in blur[1]]}
    for spared, other in (("a", "b"), ("b", "a")):
        roles = Roles(weights={spared: 5.0, other: 0.1})
        task = resolve(columns, roles, y=target)
        assert task.names[_grow(task, 2, privacy=0.3)[0].attribute] == other


def test_personal_orders_are_tried_too() -> None:
    task = resolve(load_example(), Roles("employed"))
    plain = _grow(task, 8, privacy=0.7, min_leaf=100)
    fair = _grow(task, 8, privacy=0.7, min_leaf=100, category_orders="personal")
    assert fair[0].decrease >= plain[0].decrease
    assert not _same(plain, fair)


def test_too_many_cells_are_refused_before_they_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_privacy_tree, "_MOST_CELLS", 100)
    task = resolve(load_example(), Roles("employed"))
    with pytest.raises(DataError, match=r"'age' alone has \d+ values"):
        _grow(task)


THREE = CategoricalDomain(("a", "b", "c"))
STARTS = np.array([0, 2, 5])  # two classes, a personal attribute of three values


def _orders(
    rule: OrderRule, lines: list[list[int]], present: list[int], grouped: bool = False
) -> list[list[int]]:
    counts = np.array(lines, dtype=np.int32)
    return [order.tolist() for order in rule.orders(counts, np.array(present), STARTS, grouped)]


LINES = [[1, 3, 0, 4, 0], [4, 0, 1, 1, 2], [1, 1, 2, 0, 0], [9, 9, 9, 9, 0]]


def test_categories_are_sorted_by_the_share_of_a_class() -> None:
    rule = OrderRule(Attribute("a", THREE), None, "target")
    assert _orders(rule, LINES, [0, 1, 2]) == [[1, 2, 0]]
    assert _orders(rule, LINES, [0, 2]) == [[2, 0]]


def test_equal_shares_keep_the_order_of_codes() -> None:
    rule = OrderRule(Attribute("a", THREE), None, "target")
    assert _orders(rule, [[2, 2, 4, 0, 0], [1, 3, 4, 0, 0], [3, 3, 6, 0, 0]], [0, 1, 2]) == [
        [0, 2, 1]
    ]


def test_more_classes_mean_an_order_for_each_that_occurs() -> None:
    rule = OrderRule(Attribute("a", THREE), None, "target")
    counts = np.array([[1, 2, 0], [3, 0, 0], [0, 3, 0]], dtype=np.int32)
    found = list(rule.orders(counts, np.arange(3), np.array([0, 3]), False))
    assert [order.tolist() for order in found] == [[2, 0, 1], [1, 0, 2]]


def test_shares_of_personal_values_are_orders_too() -> None:
    rule = OrderRule(Attribute("a", THREE), None, "personal")
    assert _orders(rule, LINES, [0, 1, 2]) == [[1, 2, 0], [0, 1, 2], [2, 1, 0], [0, 2, 1]]


def test_numbers_keep_their_order_and_missing_is_tried_at_both_ends() -> None:
    numbers = Attribute("n", NumericDomain(0, 2), np.arange(3.0), np.arange(3.0), missing=True)
    rule = OrderRule(numbers, None, "target")
    assert _orders(rule, LINES, [0, 2]) == [[0, 2]]
    assert _orders(rule, LINES, [0, 2, 3]) == [[0, 2, 3], [3, 0, 2]]
    assert _orders(rule, LINES, [0, 1, 2], grouped=True) == [[0, 1, 2]]


def test_a_hierarchy_is_sorted_level_by_level() -> None:
    ordered = Attribute("a", CategoricalDomain(("a", "b", "c"), ordered=True), missing=True)
    tree = Hierarchy.from_ancestors({"a": ["x"], "b": [], "c": ["x"]}).tree(ordered)
    rule = OrderRule(ordered, tree, "target")
    assert _orders(rule, LINES, [0, 1, 2, 3]) == [[1, 3, 2, 0]]
    assert _orders(rule, LINES, [0, 1, 2], grouped=True) == [[1, 2, 0]]


def _sum_of_squares_per_row(counts: np.ndarray) -> Fraction:
    total = int(counts.sum())
    return Fraction(int((counts.astype(int) ** 2).sum()), total) if total else Fraction(0)


def _gains(
    counts: np.ndarray, blocks: list[slice], coefficients: list[float]
) -> list[tuple[int, int, Fraction]]:
    """Rows left, rows right and gain of each prefix of the lines as they stand."""
    found = []
    for length in range(1, len(counts)):
        gain = Fraction(0)
        for block, coefficient in zip(blocks, coefficients, strict=True):
            left, right = counts[:length, block].sum(axis=0), counts[length:, block].sum(axis=0)
            change = _sum_of_squares_per_row(left) + _sum_of_squares_per_row(right)
            gain += Fraction(coefficient) * (change - _sum_of_squares_per_row(left + right))
        found.append(
            (int(counts[:length, blocks[0]].sum()), int(counts[length:, blocks[0]].sum()), gain)
        )
    return found


@given(st.data())
@settings(deadline=None)
def test_scan_finds_the_best_prefix(data: st.DataObject) -> None:
    n_lines, sizes = (
        data.draw(st.integers(1, 6)),
        data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=3)),
    )
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    rows = [
        [rng.multinomial(n, np.full(size, 1 / size)) for size in sizes]
        for n in rng.integers(1, 12, n_lines)
    ]
    counts = np.array([np.concatenate(line) for line in rows], dtype=np.int32)
    starts = np.array([0, *np.cumsum(sizes)], dtype=np.int64)
    blocks = [slice(starts[q], starts[q + 1]) for q in range(len(sizes))]
    coefficients = [1.5, *(-0.25 * rng.integers(0, 3, len(sizes) - 1))]
    min_leaf = data.draw(st.integers(1, 8))
    order = rng.permutation(n_lines)
    gain, length = scan_order(
        counts, order, counts.sum(axis=0, dtype=np.int64), starts, np.array(coefficients), min_leaf
    )
    gains = _gains(counts[order], blocks, coefficients)
    allowed = [g for left, right, g in gains if min(left, right) >= min_leaf]
    best = max([Fraction(0), *allowed])
    assert gain == pytest.approx(float(best), abs=1e-9)
    if length:
        left, right, own = gains[length - 1]
        assert float(own) == pytest.approx(gain, abs=1e-9)
        assert min(left, right) >= min_leaf
    else:
        assert best < 1e-9


def test_attribute_that_tells_nothing_gains_nothing_in_spite_of_round_off() -> None:
    rng = np.random.default_rng(0)
    starts, coefficients = np.array([0, 2]), np.array([2.0])
    for _ in range(500):
        shares = rng.integers(1, 50, 2)
        counts = (shares * rng.integers(1, 50, (4, 1))).astype(np.int32)
        totals = counts.sum(axis=0, dtype=np.int64)
        assert scan_order(counts, np.arange(4), totals, starts, coefficients, 1) == (0.0, 0)


def test_first_of_equal_prefixes_wins() -> None:
    counts = np.array([[0, 3], [3, 0], [0, 3]], dtype=np.int32)
    totals = counts.sum(axis=0, dtype=np.int64)
    _, length = scan_order(counts, np.arange(3), totals, np.array([0, 2]), np.array([2.0]), 1)
    assert length == 1


def test_split_knows_which_codes_go_left() -> None:
    split = Split(0, np.array([LEFT, RIGHT, ABSENT]), 5, 2, 0.1)
    assert split.goes_left.tolist() == [True, False, False]
