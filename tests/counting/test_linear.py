"""Linear models over records with weights, against scikit-learn on people one by one."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

from sparsam.counting import Linear

EXACT = Linear(tolerance=1e-10, steps=1000)
SIZES = [4, 10]


@pytest.fixture(scope="module")
def people() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Codes and numbers of records, the record of each person, all columns, what they add."""
    rng = np.random.default_rng(0)
    codes = np.stack([rng.integers(0, size, 200) for size in SIZES], axis=1).astype(np.uint16)
    numbers = rng.normal(size=(200, 2))
    line = rng.integers(0, 150, 1000)  # nobody has the others
    blocks = [np.eye(size)[codes[:, column]] for column, size in enumerate(SIZES)]
    columns = np.concatenate([*blocks, numbers], axis=1)
    return codes, numbers, line, columns, columns @ rng.normal(size=(16, 3))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_shares_are_those_of_people_one_by_one(people, n_classes: int) -> None:
    codes, numbers, line, columns, raw = people
    rng = np.random.default_rng(1)
    truth = (raw[line, :n_classes] + rng.gumbel(size=(1000, n_classes))).argmax(axis=1)
    counts = np.zeros((200, n_classes))
    np.add.at(counts, (line, truth), 1)
    peer = LogisticRegression(max_iter=5000, tol=1e-9).fit(columns[line], truth)
    shares = EXACT.shares(codes, SIZES, numbers, counts)
    np.testing.assert_allclose(shares, peer.predict_proba(columns), atol=2e-4)
    np.testing.assert_allclose(Linear().shares(codes, SIZES, numbers, counts), shares, atol=0.02)


def test_means_are_those_of_people_one_by_one(people) -> None:
    codes, numbers, line, columns, raw = people
    truth = 1000 + 50 * raw[line, 0] + np.random.default_rng(1).normal(size=1000)
    sums = np.bincount(line, truth, minlength=200)[:, None]
    counts = np.bincount(line, minlength=200).astype(float)
    peer = Ridge(alpha=1.0).fit(columns[line], truth).predict(columns)
    told = EXACT.means(codes, SIZES, numbers, sums, counts)[:, 0]
    np.testing.assert_allclose(told, peer, atol=0.01 * truth.std())


def test_one_class_and_nothing_collected() -> None:
    nothing, none = np.zeros((1, 0), np.uint16), np.zeros((1, 0))
    shares = Linear().shares(nothing, [], none, np.array([[30, 10]]))
    np.testing.assert_allclose(shares, [[0.75, 0.25]], atol=0.01)
    codes = np.array([[0], [1]], np.uint16)
    alike = Linear().shares(codes, [2], np.zeros((2, 0)), np.array([[5, 0, 0], [3, 0, 0]]))
    assert (alike.argmax(axis=1) == 0).all()
    same = Linear().means(
        codes, [2], np.zeros((2, 0)), np.array([[6.0], [8.0]]), np.array([3.0, 4])
    )
    np.testing.assert_allclose(same, 2.0)


def test_a_record_far_away_from_all_others_is_told_without_a_warning():
    codes = np.zeros((3, 1), dtype=np.uint16)
    numbers = np.array([[-1.0], [1.0], [-1e6]])
    counts = np.array([[50, 0], [0, 50], [0, 0]])
    shares = Linear().shares(codes, [1], numbers, counts)
    assert shares[2, 0] == 1.0
    np.testing.assert_allclose(shares.sum(axis=1), 1)
