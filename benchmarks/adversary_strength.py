"""How strong our default adversary is beside the neural network that the paper describes.

    python benchmarks/adversary_strength.py --quick
    python benchmarks/adversary_strength.py --data Adult --privacy 0.7 --decays 5

Both attack the same generalizations of a privacy tree on the same seeded 60/10/30 split, on one
thread. The paper's adversary (Staab et al. 2024, appendix F) is one network per attribute: 50
hidden ReLU units, Adam with a rate of 0.01 that falls to a tenth after 10 of 20 epochs, batches of
256 people, L2 penalty tuned on validation data. Unlike the released code, the rate falls by epoch,
and values that a bucket does not hold are excluded from the softmax.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from sparsam.attack import GeneralizedRecords, Question, Reconstruction, Risk
from sparsam.data import Split, split
from sparsam.minimise import PrivacyTree
from tables import TASKS

Array = NDArray[np.float32]

NAMES = ("ACSEmployment", "ACSIncome", "Adult")
LEAVES = (4, 20, 200)
PRIVACY = (0.0, 0.3, 0.7)
DECAYS = (1e-6, 3e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 2e-2, 5e-2)
HIDDEN, EPOCHS, BATCH, RATE = 50, 20, 256, 0.01
QUICK_ROWS = 20_000


class PaperNetworks:
    """The paper's network for one attribute, trained with several L2 penalties at once.

    The networks share the order of the rows and the first guess of the weights, and nothing else:
    their hidden units lie side by side in one matrix, so that one product serves all of them.
    """

    def __init__(
        self,
        inputs: Array,
        records: GeneralizedRecords,
        question: Question,
        decays: Sequence[float],
        random_state: int,
    ) -> None:
        self.inputs, self.records, self.question = inputs, records, question
        self.n_networks = len(decays)
        self.rng = np.random.default_rng(random_state)
        self.parameters = self._initial(inputs.shape[1], question.size)
        self.moments = [(np.zeros_like(p), np.zeros_like(p)) for p in self.parameters]
        penalty = np.array(decays, dtype=np.float32)
        by_unit, by_network = np.repeat(penalty, HIDDEN), penalty[:, None, None]
        self.decays = [by_unit, by_unit, by_network, by_network]
        self.n_steps = 0

    def _initial(self, width: int, size: int) -> list[Array]:
        """The same uniform first guess for every network, within 1 / sqrt(inputs)."""
        hidden, output = width**-0.5, HIDDEN**-0.5
        shapes = [(hidden, (width, HIDDEN)), (hidden, (HIDDEN,))]
        shapes += [(output, (HIDDEN, size)), (output, (1, size))]
        first = [self.rng.uniform(-s, s, shape).astype(np.float32) for s, shape in shapes]
        n = self.n_networks
        return [
            np.tile(first[0], (1, n)),
            np.tile(first[1], n),
            np.tile(first[2], (n, 1, 1)),
            np.tile(first[3], (n, 1, 1)),
        ]

    def train(self) -> None:
        """Twenty epochs over the people of the training part."""
        index, truth = self.records.index["train"], self.question.codes["train"]
        for epoch in range(EPOCHS):
            rate = RATE if epoch < EPOCHS // 2 else RATE / 10
            order = self.rng.permutation(len(index))
            for start in range(0, len(order), BATCH):
                rows = order[start : start + BATCH]
                self._step(index[rows], truth[rows], rate)

    def _forward(self, lines: NDArray[np.int64]) -> tuple[Array, Array]:
        """Probabilities and hidden units: (networks, lines, values or units)."""
        hidden_weights, hidden_bias, output, bias = self.parameters
        hidden = np.maximum(self.inputs[lines] @ hidden_weights + hidden_bias, 0)
        hidden = hidden.reshape(len(lines), self.n_networks, HIDDEN).transpose(1, 0, 2)
        logits = hidden @ output + bias
        possible = self.question.possible(self.records, lines)
        if possible is not None:
            logits[:, ~possible] = -1e9
        logits -= logits.max(axis=2, keepdims=True)
        np.exp(logits, out=logits)
        logits /= logits.sum(axis=2, keepdims=True)
        return logits, hidden

    def _step(self, lines: NDArray[np.int64], truth: NDArray[np.uint16], rate: float) -> None:
        error, hidden = self._forward(lines)
        error[:, np.arange(len(lines)), truth] -= 1
        error /= len(lines)
        back = (error @ self.parameters[2].transpose(0, 2, 1)) * (hidden > 0)
        back = back.transpose(1, 0, 2).reshape(len(lines), -1)
        gradients = [
            self.inputs[lines].T @ back,
            back.sum(axis=0),
            hidden.transpose(0, 2, 1) @ error,
            error.sum(axis=1, keepdims=True),
        ]
        self._adam(gradients, rate)

    def _adam(self, gradients: list[Array], rate: float) -> None:
        self.n_steps += 1
        rate *= np.sqrt(1 - 0.999**self.n_steps) / (1 - 0.9**self.n_steps)
        for number, (first, second) in enumerate(self.moments):
            value = self.parameters[number]
            gradient = gradients[number] + self.decays[number] * value
            np.add(0.9 * first, 0.1 * gradient, out=first, casting="same_kind")
            np.add(0.999 * second, 0.001 * gradient * gradient, out=second, casting="same_kind")
            value -= np.float32(rate) * first / (np.sqrt(second) + np.float32(1e-8))

    def test_error(self) -> float:
        """Test error of the network that errs least on validation data."""
        blocks = np.array_split(np.arange(len(self.records)), 1 + len(self.records) // 4096)
        guess = np.concatenate([self._forward(b)[0].argmax(axis=2) for b in blocks], axis=1)
        errors = {
            part: (guess[:, self.records.index[part]] != self.question.codes[part]).mean(axis=1)
            for part in ("validation", "test")
        }
        return float(errors["test"][errors["validation"].argmin()])


def one_hot(records: GeneralizedRecords) -> Array:
    blocks = [
        np.eye(size, dtype=np.float32)[records.records[:, column]]
        for column, size in enumerate(records.sizes)
    ]
    return np.concatenate(blocks, axis=1)


def paper_error(
    records: GeneralizedRecords, questions: Sequence[Question], decays: Sequence[float]
) -> float:
    """Mean test error of the paper's adversary over all questions."""
    inputs, errors = one_hot(records), []
    with threadpool_limits(limits=1):
        for question in questions:
            networks = PaperNetworks(inputs, records, question, decays, random_state=0)
            networks.train()
            errors.append(networks.test_error())
    return float(np.mean(errors))


def side_by_side(
    data: Split, privacy: float, decays: Sequence[float], leaves: Sequence[int] = LEAVES
) -> Iterator[tuple[int, int, Risk, float, float, float]]:
    """Leaves, distinct records, our risk, the network's error, and the CPU seconds of both."""
    tree = PrivacyTree(privacy=privacy, unseen="common")
    for size, generalization in zip(leaves, tree.path(data.train, leaves), strict=True):
        records = GeneralizedRecords.of(generalization, data)
        start = time.process_time()
        guesses = Reconstruction().guess(records, data)
        risk = guesses.risk("test")
        middle = time.process_time()
        paper = paper_error(records, [a.question for a in guesses.answers], decays)
        yield size, len(records), risk, paper, middle - start, time.process_time() - middle


def compare(name: str, data: Split, privacy: float, decays: Sequence[float]) -> None:
    for leaves, n_records, risk, paper, ours_s, paper_s in side_by_side(data, privacy, decays):
        print(
            f"{name:14}{privacy:6.1f}{leaves:5}{n_records:10,}{risk.baseline:8.4f}"
            f"{risk.value:8.4f}{paper:8.4f}{risk.value - paper:+9.4f}"
            f"{ours_s:9.2f}{paper_s:9.1f}{paper_s / ours_s:7.0f}x",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--quick", action="store_true", help="20,000 rows and 3 penalties")
    parser.add_argument("--data", choices=NAMES, action="append", help="only this table")
    parser.add_argument("--privacy", type=float, action="append", help="only this alpha")
    parser.add_argument("--decays", type=int, default=11, help="how many L2 penalties to try")
    parser.add_argument("--seed", type=int, default=0, help="seed of the split")
    options = parser.parse_args()
    n_decays = 3 if options.quick else options.decays
    places = np.linspace(0, len(DECAYS) - 1, n_decays).round().astype(int)
    print(
        f"{'table':14}{'alpha':>6}{'k*':>5}{'distinct':>10}{'naive':>8}{'ours':>8}{'MLP':>8}"
        f"{'ours-MLP':>9}{'ours s':>9}{'MLP s':>9}{'ratio':>8}"
    )
    for name in options.data or NAMES:
        task = TASKS[name]()
        if options.quick and task.n_rows > QUICK_ROWS:
            rows = np.random.default_rng(0).choice(task.n_rows, QUICK_ROWS, replace=False)
            task = task.take(np.sort(rows))
        data = split(task, random_state=options.seed)
        for privacy in options.privacy or PRIVACY:
            compare(name, data, privacy, [DECAYS[i] for i in places])


if __name__ == "__main__":
    main()
