"""Boosted trees against a slow version that looks at every person, and what they must learn."""

from __future__ import annotations

import numpy as np
import pytest

from sparsam.counting import Boosting

SMALL = Boosting(rounds=6, rate=0.3, leaves=5, fewest=0.5)


def _slow_sides(
    column: np.ndarray, people: np.ndarray, slopes: np.ndarray, how: Boosting, weight: float
) -> list[np.ndarray]:
    """For each cut of a column of categories, whether each of the people is on its left."""
    support, smooth = how.support * weight, how.smooth * weight

    def total(code: int, among: np.ndarray) -> np.ndarray:
        return slopes[among][column[among] == code].sum(axis=0)

    told, heavy = {}, {}
    for code in np.unique(column[people]):
        everyone, here = total(code, np.arange(len(column))), total(code, people)
        if here[1] >= support:
            expected = everyone[0] / (everyone[1] + smooth)
            told[code] = (here[0] + smooth * expected) / (here[1] + smooth)
            heavy[code] = here[1]
    order = sorted(told, key=lambda code: (told[code], code))
    sides = []
    for last in range(len(order) - 1):
        left, right = order[: last + 1], order[last + 1 :]
        most = sum(heavy[code] for code in left) > sum(heavy[code] for code in right)
        others = np.isin(column[people], order, invert=True)
        sides.append(np.where(others, most, np.isin(column[people], left)))
    return sides


def _slow_tree(
    codes: np.ndarray,
    slopes: np.ndarray,
    how: Boosting,
    unordered: tuple[int, ...],
    weight: float,
) -> list[np.ndarray]:
    """The people in each leaf, grown best cut first, every cut of every column tried."""

    def value(people: np.ndarray) -> float:
        slope, stiffness = slopes[people].sum(axis=0)
        return float(slope**2 / (stiffness + how.ridge))

    def best_cut(people: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        best = (0.0, people, people[:0])
        for column in range(codes.shape[1]):
            if column in unordered:
                sides = _slow_sides(codes[:, column], people, slopes, how, weight)
            else:
                cuts = np.unique(codes[people, column])[:-1]
                sides = [codes[people, column] <= cut for cut in cuts]
            for side in sides:
                left, right = people[side], people[~side]
                if min(slopes[left, 1].sum(), slopes[right, 1].sum()) < how.fewest:
                    continue
                gain = value(left) + value(right) - value(people)
                if gain > best[0] + 1e-12:
                    best = (gain, left, right)
        return best

    leaves = [np.arange(len(codes))]
    while len(leaves) < how.leaves:
        cuts = [best_cut(leaf) for leaf in leaves]
        place = int(np.argmax([gain for gain, _, _ in cuts]))
        gain, left, right = cuts[place]
        if gain <= 1e-9:
            break
        leaves[place] = left
        leaves.append(right)
    return leaves


def _slow_shares(
    codes: np.ndarray,
    truth: np.ndarray,
    size: int,
    how: Boosting,
    unordered: tuple[int, ...] = (),
    worth: np.ndarray | float = 1.0,
) -> np.ndarray:
    """Classes of everyone, one person one row, each worth as much as is said."""
    worth = np.broadcast_to(worth, len(truth))
    counts = np.bincount(truth, worth, minlength=size)
    prior = np.log((counts + 0.5) / (worth.sum() + 0.5 * size))
    raw = np.tile(prior - prior[0], (len(codes), 1))
    for _ in range(how.rounds):
        shares = np.exp(raw) / np.exp(raw).sum(axis=1, keepdims=True)
        for told in range(1 if size == 2 else 0, size):
            share = shares[:, told]
            slopes = np.stack([share - (truth == told), share * (1 - share)], axis=1)
            slopes *= worth[:, None]
            weight = float(slopes[:, 1].sum() / worth.sum())
            for leaf in _slow_tree(codes, slopes, how, unordered, weight):
                slope, stiffness = slopes[leaf].sum(axis=0)
                raw[leaf, told] -= how.rate * slope / (stiffness + how.ridge)
    return np.exp(raw) / np.exp(raw).sum(axis=1, keepdims=True)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_records_with_weights_are_people_one_by_one(seed: int, n_classes: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = [3, 4, 2]
    records = np.stack(np.unravel_index(np.arange(24), sizes), axis=1).astype(np.uint16)
    line = rng.choice(24, 80, p=rng.dirichlet(np.ones(24)))
    truth = ((records[line].sum(axis=1) + (rng.random(80) < 0.3)) % n_classes).astype(int)
    counts = np.zeros((24, n_classes))
    np.add.at(counts, (line, truth), 1)
    slow = _slow_shares(records[line].astype(int), truth, n_classes, SMALL)
    shares = SMALL.shares(records, sizes, counts)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    np.testing.assert_allclose(shares[line], slow, atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_categories_are_parted_by_what_they_tell(seed: int, n_classes: int) -> None:
    """Three columns, two of them categories; some of these have too few people to be placed."""
    rng = np.random.default_rng(seed)
    sizes = [9, 3, 5]
    records = np.stack(np.unravel_index(np.arange(135), sizes), axis=1).astype(np.uint16)
    line = rng.choice(135, 150, p=rng.dirichlet(np.full(135, 0.7)))
    effect = rng.integers(0, n_classes, (9, 3))
    noise = rng.integers(0, n_classes, 150) * (rng.random(150) < 0.3)
    truth = ((effect[records[line, 0], records[line, 1]] + noise) % n_classes).astype(int)
    worth = rng.uniform(0.5, 1.5, 150)  # no two cuts are equally good
    counts = np.zeros((135, n_classes))
    np.add.at(counts, (line, truth), worth)
    how = Boosting(rounds=4, rate=0.3, leaves=6, fewest=0.5, support=4.0, smooth=7.0)
    slow = _slow_shares(records[line].astype(int), truth, n_classes, how, (0, 2), worth)
    shares = how.shares(records, sizes, counts, (0, 2))
    np.testing.assert_allclose(shares[line], slow, atol=1e-9)


def test_the_names_of_categories_do_not_matter() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 40, (2000, 1)).astype(np.uint16)
    counts = np.eye(2)[(rng.random(2000) < rng.random(40)[codes[:, 0]]).astype(int)]
    renamed = rng.permutation(40).astype(np.uint16)[codes]
    shares, again = (Boosting().shares(c, [40], counts, (0,)) for c in (codes, renamed))
    np.testing.assert_allclose(shares, again)


def test_a_category_that_nobody_had_goes_with_most() -> None:
    codes = np.array([[0], [1], [2]], np.uint16)
    shares = Boosting().shares(codes, [3], np.array([[300, 100], [0, 100], [0, 0]]), (0,))
    assert shares[2, 1] == shares[0, 1]


def test_learns_what_two_columns_tell_together() -> None:
    records = np.stack(np.unravel_index(np.arange(12), [2, 2, 3]), axis=1).astype(np.uint16)
    second = np.where(records[:, 0] == records[:, 1], 90, 10 + records[:, 0])
    shares = Boosting().shares(records, [2, 2, 3], np.stack([100 - second, second], axis=1))
    np.testing.assert_allclose(shares[:, 1], second / 100, atol=0.02)


def test_tells_a_record_that_nobody_has() -> None:
    records = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.uint16)
    counts = np.array([[90, 10], [90, 10], [10, 90], [0, 0]])
    shares = Boosting().shares(records, [2, 2], counts)
    assert shares[3, 1] == pytest.approx(0.9, abs=0.03)


def test_people_held_out_end_the_growth() -> None:
    """Noise alone; each half of the people held out has its own best round, and so have both."""
    rng = np.random.default_rng(0)
    records = np.arange(400, dtype=np.uint16)[:, None]
    noise = np.eye(2)[rng.integers(0, 2, 400)] * 4
    overfit = Boosting().shares(records, [400], noise)
    halves = np.eye(2)[rng.integers(0, 2, (2, 400))]
    careful = Boosting().stopped_shares(records, [400], noise, halves)
    assert careful.shape == (3, 400, 2)
    assert np.abs(careful[2] - 0.5).mean() < np.abs(overfit - 0.5).mean() / 2
    alone = Boosting().stopped_shares(records, [400], noise, halves[:1])
    np.testing.assert_array_equal(alone[0], alone[1])
    np.testing.assert_array_equal(alone[0], careful[0])


def test_people_held_out_end_the_growth_for_numbers() -> None:
    rng = np.random.default_rng(0)
    records = np.arange(400, dtype=np.uint16)[:, None]
    people, noise = np.ones(400), rng.normal(5, 1, (400, 1))
    overfit = Boosting().means(records, [400], noise, people)
    held_out = np.concatenate([rng.normal(5, 1, (2, 400, 1)), np.ones((2, 400, 1))], axis=2)
    careful = Boosting().stopped_means(records, [400], noise, people, held_out)[2]
    assert np.abs(careful - 5).mean() < np.abs(overfit - 5).mean() / 2


def test_means_are_those_of_the_people() -> None:
    records = np.arange(6, dtype=np.uint16)[:, None]
    people, means = np.array([5, 9, 0, 4, 7, 3.0]), np.arange(12.0).reshape(6, 2) ** 2
    told = Boosting(rounds=200, ridge=0.0).means(records, [6], means * people[:, None], people)
    np.testing.assert_allclose(told[people > 0], means[people > 0], atol=0.01)


def test_nothing_collected_is_told_by_the_average() -> None:
    nothing = np.zeros((1, 0), np.uint16)
    shares = Boosting().shares(nothing, [], np.array([[30, 10]]))
    np.testing.assert_allclose(shares, [[0.75, 0.25]], atol=0.01)
    assert Boosting().means(nothing, [], np.array([[6.0]]), np.array([3.0])).tolist() == [[2.0]]
