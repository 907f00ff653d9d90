"""Boosted trees against a slow version that looks at every person, and what they must learn."""

from __future__ import annotations

import numpy as np
import pytest

from sparsam.counting import Boosting

SMALL = Boosting(rounds=6, rate=0.3, leaves=5, fewest=0.5)


def _slow_tree(codes: np.ndarray, slopes: np.ndarray, how: Boosting) -> list[np.ndarray]:
    """The people in each leaf, grown best cut first, every cut of every column tried."""

    def value(people: np.ndarray) -> float:
        slope, stiffness = slopes[people].sum(axis=0)
        return float(slope**2 / (stiffness + how.ridge))

    def best_cut(people: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        best = (0.0, people, people[:0])
        for column in range(codes.shape[1]):
            for cut in np.unique(codes[people, column])[:-1]:
                left = people[codes[people, column] <= cut]
                right = people[codes[people, column] > cut]
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


def _slow_shares(codes: np.ndarray, truth: np.ndarray, size: int, how: Boosting) -> np.ndarray:
    """Classes of everyone, one person one row."""
    counts = np.bincount(truth, minlength=size)
    prior = np.log((counts + 0.5) / (len(truth) + 0.5 * size))
    raw = np.tile(prior - prior[0], (len(codes), 1))
    for _ in range(how.rounds):
        shares = np.exp(raw) / np.exp(raw).sum(axis=1, keepdims=True)
        for told in range(1 if size == 2 else 0, size):
            share = shares[:, told]
            slopes = np.stack([share - (truth == told), share * (1 - share)], axis=1)
            for leaf in _slow_tree(codes, slopes, how):
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
    rng = np.random.default_rng(0)
    records = np.arange(400, dtype=np.uint16)[:, None]
    noise = np.eye(2)[rng.integers(0, 2, 400)] * 4
    overfit = Boosting().shares(records, [400], noise)
    careful = Boosting().shares(records, [400], noise, np.eye(2)[rng.integers(0, 2, 400)])
    assert np.abs(careful - 0.5).mean() < np.abs(overfit - 0.5).mean() / 2


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
