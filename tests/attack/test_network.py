"""The network: exact gradients, masks, one answer for one seed, and what counts cannot see."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sparsam.attack import GeneralizedRecords, _network, look_up
from sparsam.attack._network import _State, _Training, network
from sparsam.attack._question import Posterior, Question, personal_question
from sparsam.data import Split


def _questions(data: Split, records: GeneralizedRecords) -> list[Question]:
    return [personal_question(a, data, records, 0.0) for a in data.train.personal]


def _posteriors(
    records: GeneralizedRecords, questions: list[Question], seed: int = 0
) -> list[Posterior]:
    return [beliefs(np.arange(len(records))) for beliefs in network(records, questions, seed)]


def _cross_entropy(training: _Training, questions: list[Question], lines: NDArray[Any]) -> float:
    """Mean over the people behind the records, person by person, straight from the definition."""
    records, state = training.records, training.state
    total, n_people = 0.0, 0
    for row, line in enumerate(records.index["train"]):
        if line not in lines:
            continue
        n_people += 1
        inputs = np.zeros(training.width)
        inputs[training.cells[line]] = 1.0
        hidden = np.maximum(inputs @ state.hidden + state.hidden_bias, 0)
        logits = hidden @ state.output + inputs @ state.direct + state.bias
        for head, question in zip(training.heads, questions, strict=True):
            own = logits[head.block]
            truth = question.codes["train"][row]
            if truth not in head.open:
                continue
            possible = question.possible(records, np.array([line]))
            allowed = np.ones(len(head.open), bool) if possible is None else possible[0, head.open]
            chosen = own[head.open.tolist().index(truth)]
            total += np.log(np.exp(own[allowed]).sum()) - chosen
    return total / n_people


@pytest.fixture(params=["together", "apart"])
def looked_at(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """How the values in a record's own bucket are looked at; the latter where there are many."""
    monkeypatch.setattr(_network, "_FEW_OUTPUTS", 0 if request.param == "apart" else 1000)


@pytest.mark.parametrize("seed", [0, 1, 3, 6])
@pytest.mark.usefixtures("looked_at")
def test_gradients(seed: int, random_case: Callable[[int], Any]) -> None:
    data, records = random_case(seed)
    questions = _questions(data, records)
    training = _Training(records, questions, seed)
    rng = np.random.default_rng(seed)
    exact, slopes = (
        rng.normal(0, 0.5, training.state.flat.shape),
        np.zeros(training.state.flat.size),
    )
    training.state = _State(training.width, training.n_outputs, exact)
    training.slopes = _State(training.width, training.n_outputs, slopes)
    lines = training.seen[: max(2, len(training.seen) // 2)]
    training._find_slopes(lines)
    for name in ("hidden", "output", "direct", "hidden_bias", "bias"):
        value, gradient = getattr(training.state, name), getattr(training.slopes, name)
        for cell in rng.integers(0, max(1, value.size), 8 if value.size else 0):
            place = np.unravel_index(cell, value.shape)
            kept, sides = value[place], []
            for move in (1e-6, -1e-6):
                value[place] = kept + move
                sides.append(_cross_entropy(training, questions, lines))
            value[place] = kept
            assert gradient[place] == pytest.approx((sides[0] - sides[1]) / 2e-6, abs=1e-5)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.usefixtures("looked_at")
def test_impossible_values_get_nothing(seed: int, random_case: Callable[[int], Any]) -> None:
    data, records = random_case(seed)
    questions = _questions(data, records)
    for question, posterior in zip(questions, _posteriors(records, questions), strict=True):
        assert posterior.shape == (len(records), question.size)
        np.testing.assert_allclose(posterior.sum(axis=1), 1.0, atol=1e-5)
        possible = question.possible(records)
        if possible is not None:
            assert (posterior[~possible] == 0).all()
            guess, _ = question.guess(posterior)
            assert possible[np.arange(len(guess)), guess].all()


def test_nothing_collected(
    make_split: Callable[..., Split], make_records: Callable[..., GeneralizedRecords]
) -> None:
    data = make_split({"a": [0, 1, 1, 1, 0, 1, 1, 1, 1, 1]}, ["a"])
    records = make_records(data)
    questions = _questions(data, records)
    [posterior] = _posteriors(records, questions)
    np.testing.assert_array_equal(posterior, questions[0].prior())


def test_same_seed_same_answer(random_case: Callable[[int], Any]) -> None:
    data, records = random_case(5)
    questions = _questions(data, records)
    first, again, other = (_posteriors(records, questions, seed) for seed in (3, 3, 4))
    for left, right in zip(first, again, strict=True):
        np.testing.assert_array_equal(left, right)
    assert any((left != right).any() for left, right in zip(first, other, strict=True))


_HASH = """
import hashlib
import numpy as np
import sparsam as sp
from sparsam.attack import GeneralizedRecords, Reconstruction
data = sp.split(sp.resolve(sp.load_example(), sp.Roles("employed")))
[tree] = sp.PrivacyTree(max_leaves=60, privacy=0.3).path(data.train, [60])
records = GeneralizedRecords.of(tree, data)
digest = hashlib.sha256()
for answer in Reconstruction().guess(records, data).answers:
    for part in ("validation", "test"):
        digest.update(answer.guess[part].tobytes() + answer.confidence[part].tobytes())
    digest.update(answer.model.encode())
print(len(records), digest.hexdigest())
"""


def test_same_answer_on_any_number_of_threads() -> None:
    answers = set()
    for threads in ("1", "2"):
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
        environment = {**os.environ, **dict.fromkeys(names, threads)}
        command = [sys.executable, "-c", _HASH]
        run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        answers.add(run.stdout)
    assert len(answers) == 1


def test_sees_an_interaction_that_thin_counts_miss(
    make_split: Callable[..., Split], make_records: Callable[..., GeneralizedRecords]
) -> None:
    rng = np.random.default_rng(0)
    n_people = 8000
    columns = {f"noise{i}": rng.integers(0, 6, n_people) for i in range(6)}
    columns |= {"x": rng.integers(0, 2, n_people), "y": rng.integers(0, 2, n_people)}
    columns["secret"] = columns["x"] ^ columns["y"] ^ (rng.random(n_people) < 0.1)
    data = make_split(columns, ["secret"])
    collected = {name: np.arange(6 if name[0] == "n" else 2) for name in columns}
    records = make_records(data, **{**collected, "secret": np.zeros(2)})
    question = personal_question(8, data, records, 0.0)
    [posterior] = _posteriors(records, [question])
    learned = question.error(posterior, records, "test")
    counted = question.error(look_up(records, question), records, "test")
    assert learned < 0.2  # 0.1 is the least that anyone can reach, 0.5 is the naive guess
    assert counted > 0.4
