"""The noise is what it claims: audits that the real mechanism passes and faulty ones do not."""

from __future__ import annotations

import ast
import inspect
import os
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta

from sparsam._errors import ParameterError, SparsamError
from sparsam.explore import _noise
from sparsam.explore._bins import full_bins
from sparsam.explore._declared import declared
from sparsam.explore._noise import noise_quantile, noise_sd, noisy_choice, noisy_counts
from sparsam.explore._private_table import PrivateTable
from sparsam.explore.ledger._costs import Cost, choice_cost, gaussian_cost, laplace_cost, sequential

pytest.importorskip("opendp", reason="the extra 'dp' is not installed")

# Of one bound. An audit looks at some ten, so that it alarms without cause less than once in 1e6.
ALARM = 1e-8
Mechanism = Callable[[int, int], np.ndarray]


def certified(first: int, second: int, n: int) -> float:
    """The epsilon that `first` of `n` draws against `second` of `n` certify (Clopper–Pearson)."""
    if first == 0:
        return 0.0
    least = beta.ppf(ALARM, first, n - first + 1)
    most = 1.0 if second == n else beta.ppf(1 - ALARM, second + 1, n - second)
    return max(0.0, float(np.log(least / most)))


def audit(mechanism: Mechanism, value: int, n: int) -> float:
    """Certify a lower bound on the epsilon of a mechanism, from tables that differ by one row.

    The mechanism gets the true count and how many times to answer. Half of the draws find the
    event that tells the two tables apart best: an answer of at most, of at least, or of exactly
    some number. The other half certifies that event. That an answer is the truth itself (an
    atom) is an event fixed beforehand, which all draws certify.
    """
    draws = [mechanism(value, n), mechanism(value + 1, n)]
    half = n // 2
    best, bound = ("==", value), -1.0
    seen = np.unique(np.concatenate([draw[:half] for draw in draws]))
    for number in np.unique(np.quantile(seen, np.linspace(0, 1, 50), method="nearest")):
        for sign in ("<=", ">=", "=="):
            difference = _compared(draws, (sign, int(number)), slice(0, half))
            if difference > bound:
                best, bound = (sign, int(number)), difference
    atoms = [_compared(draws, ("==", truth), slice(0, n)) for truth in (value, value + 1)]
    return max(_compared(draws, best, slice(half, n)), *atoms)


def _compared(draws: list[np.ndarray], event: tuple[str, int], part: slice) -> float:
    sign, number = event
    test = {"<=": np.less_equal, ">=": np.greater_equal, "==": np.equal}[sign]
    hits = [int(test(draw[part], number).sum()) for draw in draws]
    size = len(draws[0][part])
    return max(certified(hits[0], hits[1], size), certified(hits[1], hits[0], size))


def real(cost: Cost, *, apart: bool) -> Mechanism:
    """The mechanism itself: one release a draw (apart), or one release of many equal counts."""

    def draw(value: int, n: int) -> np.ndarray:
        if apart:
            counts = np.array([value], dtype=np.int64)
            return np.array([noisy_counts(counts, cost)[0] for _ in range(n)])
        return noisy_counts(np.full(n, value, dtype=np.int64), cost)

    return draw


def test_the_real_noise_passes_the_audit() -> None:
    assert audit(real(laplace_cost(1), apart=True), 10, 2000) <= 1
    assert audit(real(laplace_cost(1), apart=False), 10, 20_000) <= 1
    assert audit(real(laplace_cost("0.00001"), apart=False), 10, 40_000) <= 0.00001


def test_the_audit_is_not_blind_to_the_real_noise() -> None:
    assert audit(real(laplace_cost(1), apart=False), 10, 20_000) > 0.7


def test_halved_noise_is_caught() -> None:
    assert audit(real(laplace_cost(2), apart=True), 10, 2000) > 1.05


@pytest.mark.parametrize("seed", [0, 1, 7])
def test_a_fixed_seed_is_caught(seed: int) -> None:
    def draw(value: int, n: int) -> np.ndarray:
        return np.array(
            [value + round(np.random.default_rng(seed).laplace(0, 1)) for _ in range(n)]
        )

    assert audit(draw, 10, 2500) > 3


def test_a_rare_release_of_the_truth_is_caught() -> None:
    honest = real(laplace_cost("0.00001"), apart=False)

    def draw(value: int, n: int) -> np.ndarray:
        slips = np.random.default_rng(value).random(n) < 0.002
        return np.where(slips, value, honest(value, n))

    assert audit(draw, 10, 60_000) > 0.2


def test_gaussian_noise_has_its_shape() -> None:
    cost = gaussian_cost("0.02")  # sigma 5
    drawn = noisy_counts(np.zeros(20_000, dtype=np.int64), cost)
    assert abs(drawn.std() / 5 - 1) < 0.04
    assert abs(drawn.mean()) < 0.25
    half = noisy_counts(np.zeros(20_000, dtype=np.int64), gaussian_cost("0.08"))
    assert abs(half.std() / 5 - 1) > 0.4  # the same check catches half the noise


def test_a_choice_has_the_chances_of_the_exponential_mechanism() -> None:
    n, counts = 2000, Counter[int]()
    for _ in range(n):
        counts[noisy_choice(np.array([0, 2, 1]), choice_cost(1))] += 1
    weights = np.exp(np.array([0, 2, 1]) / 2)
    expected = n * weights / weights.sum()
    chosen = np.array([counts[place] for place in range(3)])
    assert (((chosen - expected) ** 2 / expected).sum()) < 40  # chi-squared, 2 degrees: 2e-9


def test_a_choice_between_neighbours_stays_within_its_epsilon() -> None:
    def draw(value: int, n: int) -> np.ndarray:
        scores = np.array([0, 1] if value == 0 else [1, 0])
        return np.array([noisy_choice(scores, choice_cost(4)) for _ in range(n)])

    assert 1 < audit(draw, 0, 1200) <= 4


def test_neighbouring_tables_are_hidden_from_end_to_end() -> None:
    domains = declared({"sex": ["f", "m"]})
    bins = full_bins(domains, "sex")
    sources = [PrivateTable({"sex": ["f", "m"] * 5 + ["f"] * more}, domains) for more in (0, 1)]
    cost = laplace_cost(1)

    def draw(value: int, n: int) -> np.ndarray:
        tables = [sources[value - 5].tables([bins], [("sex",)])[("sex",)] for _ in range(n)]
        return np.array([noisy_counts(table, cost)[0] for table in tables])

    assert 0.1 < audit(draw, 5, 1600) <= 1


@pytest.mark.parametrize("cost", [laplace_cost("0.01"), gaussian_cost("0.0001")])
def test_low_bits_do_not_depend_on_the_data(cost: Cost) -> None:
    n = 20_000
    for value in (1000, 1001, 4096):
        drawn = noisy_counts(np.full(n, value, dtype=np.int64), cost)
        for bit in range(3):
            ones = int(((drawn >> bit) & 1).sum())
            assert abs(ones / n - 0.5) < 6 * 0.5 / np.sqrt(n)


def test_answers_are_whole_numbers_of_the_shape_asked() -> None:
    table = np.arange(6, dtype=np.int64).reshape(2, 3)
    drawn = noisy_counts(table, laplace_cost(1))
    assert drawn.dtype == np.int64
    assert drawn.shape == (2, 3)
    assert noisy_counts(np.empty(0, dtype=np.int64), laplace_cost(1)).size == 0


def test_floats_are_refused() -> None:
    for values in (np.array([1.0]), np.array([np.nan]), np.array(["1"])):
        with pytest.raises(ParameterError, match="whole numbers"):
            noisy_counts(values, laplace_cost(1))


def test_no_seed_reaches_the_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    zeros = np.zeros(64, dtype=np.int64)
    cost = laplace_cost("0.01")
    state = np.random.get_state()
    drawn = []
    for _ in range(2):
        np.random.seed(0)
        random.seed(0)
        for module, name in ((np.random, "default_rng"), (random, "random"), (os, "urandom")):
            monkeypatch.setattr(module, name, lambda *_: b"0" * 64)
        drawn.append((noisy_counts(zeros, cost), noisy_choice(zeros, choice_cost(1))))
        monkeypatch.undo()
    np.random.set_state(state)
    assert not np.array_equal(drawn[0][0], drawn[1][0])


def test_there_is_no_place_for_a_seed() -> None:
    for function in (noisy_counts, noisy_choice):
        assert not {"seed", "random_state", "rng"} & set(inspect.signature(function).parameters)
    tree = ast.parse(Path(_noise.__file__).read_text(encoding="utf-8"))
    names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert "random" not in names | imported


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_forked_processes_do_not_share_noise() -> None:
    cost = laplace_cost("0.01")
    zeros = np.zeros(64, dtype=np.int64)
    noisy_counts(zeros, cost)  # whatever state there is exists before the fork
    answers = [_in_child(zeros, cost), _in_child(zeros, cost), noisy_counts(zeros, cost).tobytes()]
    assert len(set(answers)) == 3
    assert all(len(answer) == zeros.nbytes for answer in answers)


def _in_child(zeros: np.ndarray, cost: Cost) -> bytes:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:  # pragma: no cover - another process
        try:
            os.write(writer, noisy_counts(zeros, cost).tobytes())
        finally:
            os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with os.fdopen(reader, "rb") as pipe:
        return pipe.read()


@settings(deadline=None, max_examples=60)
@given(
    st.integers(1, 10**11),
    st.integers(1, 10**4),
    st.sampled_from([laplace_cost, gaussian_cost, choice_cost]),
)
def test_opendp_never_accounts_for_more_than_the_charge(nano: int, sensitivity: int, make) -> None:  # type: ignore[no-untyped-def]
    cost = make(f"{nano}e-9") if nano < 10**10 else make(nano // 10**9)
    zeros = np.zeros(2, dtype=np.int64)
    # a release whose loss, as opendp states it, is above its charge raises instead
    if make is choice_cost:
        assert noisy_choice(zeros, cost, sensitivity) in (0, 1)
    else:
        assert noisy_counts(zeros, cost, sensitivity).shape == (2,)


def test_noise_below_the_charge_is_not_released(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_noise, "_ROOM", 0.5)  # half of the noise that was paid for
    for cost in (laplace_cost(1), gaussian_cost(1)):
        with pytest.raises(SparsamError, match="Nothing was released"):
            noisy_counts(np.zeros(2, dtype=np.int64), cost)
    with pytest.raises(SparsamError, match="Nothing was released"):
        noisy_choice(np.zeros(2, dtype=np.int64), choice_cost(1))


def test_one_release_is_paid_by_one_use_of_the_right_noise() -> None:
    zeros = np.zeros(2, dtype=np.int64)
    for cost in (choice_cost(1), sequential([laplace_cost(1)] * 2), Cost(epsilon=0, rho=0)):
        with pytest.raises(ParameterError, match="one use of laplace or gaussian"):
            noisy_counts(zeros, cost)
    with pytest.raises(ParameterError, match="one use of exponential"):
        noisy_choice(zeros, laplace_cost(1))
    with pytest.raises(ParameterError, match="at least one number"):
        noisy_choice(zeros[:0], choice_cost(1))
    for sensitivity in (0, -1, 1.5):
        with pytest.raises(ParameterError, match="sensitivity"):
            noisy_counts(zeros, laplace_cost(1), sensitivity)  # type: ignore[arg-type]


@pytest.mark.parametrize("sensitivity", [1, 4])
@pytest.mark.parametrize("make", [laplace_cost, gaussian_cost])
@pytest.mark.parametrize("amount", ["0.02", "0.5", "3"])
def test_the_deviation_and_the_quantile_are_those_of_the_chances(  # type: ignore[no-untyped-def]
    make, amount: str, sensitivity: int
) -> None:
    cost = make(amount)
    scale = cost.events[0].scale * sensitivity
    steps = np.arange(-20_000, 20_001)
    power = np.abs(steps) / scale if make is laplace_cost else steps**2 / (2 * scale**2)
    chances = np.exp(-power) / np.exp(-power).sum()
    assert noise_sd(cost, sensitivity) == pytest.approx(np.sqrt((chances * steps**2).sum()))
    for level in (0.5, 0.95, 0.99):
        reach = noise_quantile(cost, level, sensitivity)
        assert chances[np.abs(steps) <= reach].sum() >= level - 1e-9
        if reach:
            assert chances[np.abs(steps) <= reach - 1].sum() < level


def test_wide_gaussian_noise_is_normal() -> None:
    cost = gaussian_cost("0.00000002")  # sigma 5000
    assert noise_sd(cost) == pytest.approx(5000)
    assert noise_quantile(cost, 0.95) == pytest.approx(1.96 * 5000, rel=1e-3)
    with pytest.raises(ParameterError, match="between 0 and 1"):
        noise_quantile(cost, 1)
