"""Individual minimisation on real tables: accuracy, seconds and risks along the kept share.

    python benchmarks/individual.py [PART ...] [--seeds 10 11 12]

The parts are text, bank, wine, digits, income, employment, speed and private; all when none is
named. Prints, for each table and share, the mean drop in accuracy over the seeds on public rows and
the largest one, the risks (RCR, RIR with random ties and with weighed evidence, means) and the CPU
seconds. Then the lines that must hold, with what was found. Half of the rows are public (they test
the model and give the statistics), a quarter is minimised, and a quarter does not belong to the
training set. A seed splits the people, draws the rows of the census and seeds the algorithm.

Stationarity's settings were chosen on seeds 0 to 2: report on others. `private` trains the kept
values under differential privacy, where opacus is installed. RMIA beside an attack model on forests
is `benchmarks/anonymise_model.py attacks`.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from individual_tables import bank, digits, employment, income, text, wine
from sparsam._errors import MissingExtraError
from sparsam.attack import MaskedMembership, masked_reconstruction, reidentification
from sparsam.individual import LogisticLearner, Mask, NetworkLearner, PrivateLearner
from sparsam.individual._algorithms import evolutionary, individual_random, influences, modelling
from sparsam.individual._imputation import PublicStatistics
from sparsam.individual._individual_minimiser import ALGORITHMS
from sparsam.individual._people import Encoded, split_people
from sparsam.individual._privacy_scores import graded, uniqueness_scores, with_privacy
from sparsam.individual._stationarity import stationarity
from sparsam.individual._training_set import TrainingSet

SEEDS = (10, 11, 12)
Found = dict[tuple[str, float], Any]

TABLES: dict[str, tuple[Callable[[int], Encoded], Any, tuple[float, ...]]] = {
    "bank": (bank, LogisticLearner(), (1 / 16, 3 / 16, 4 / 16)),
    "wine": (wine, LogisticLearner(), (1 / 12, 2 / 12, 3 / 12)),
    "digits": (digits, NetworkLearner(32), (0.05, 0.1, 0.2)),
    "income": (income, LogisticLearner(), (0.1, 0.2)),
    "employment": (employment, LogisticLearner(), (1 / 16, 3 / 16)),
}
# a network takes longer to train than a regression: fewer of them
SLOW: dict[str, dict[str, Any]] = {"modelling": {"n_masks": 200}, "first order": {"rounds": 30}}


class Setting:
    """One seed of one table."""

    def __init__(self, table: Encoded, learner: Any, seed: int, how: Any = "gaussian") -> None:
        self.table, self.seed = table, seed
        self.parts = split_people(len(table.X), random_state=seed)
        own, public = self.parts.members, self.parts.public
        self.statistics = PublicStatistics.of(table.X[public])
        self.data = TrainingSet(
            table.X[own], table.y[own], self.statistics, learner, how, table.attributes
        )
        self.full = self.accuracy(self.data.full)

    def accuracy(self, kept: Any) -> float:
        """Accuracy on the test rows."""
        test = self.parts.test
        return float(self.data.accuracies(kept[None], self.table.X[test], self.table.y[test])[0])

    def rir(self, mask: Mask, evidence: str | None = None) -> float:
        """Re-identification, eq. 3."""
        return reidentification(self.data.X, mask.kept, evidence=evidence).value

    def rcr(self, mask: Mask) -> float:
        """Reconstruction, eq. 2."""
        return masked_reconstruction(self.data.X, self.data.imputed(mask.kept), mask.kept).value

    def membership(self) -> MaskedMembership:
        """Reference models on public rows."""
        parts, table, data = self.parts, self.table, self.data

        def train(rows: Any) -> Any:
            theta = data.learner.fit_many(table.X[rows][None], table.y[rows], data.n_classes)
            return self.confidence(theta)

        return MaskedMembership.trained(
            train, len(table.X), parts.members, parts.non_members, parts.public
        )

    def confidence(self, theta: Any) -> Any:
        """Probability of everyone's true label."""
        said = self.data.learner.probabilities(theta, self.table.X, self.data.n_classes)[0]
        return said[np.arange(len(self.table.y)), self.table.y]

    def mir(self, game: MaskedMembership, kept: Any) -> float:
        """Membership, eq. 23."""
        return game.risk(self.confidence(self.data.fit_many(kept[None]))).value


def curve(
    name: str,
    seeds: Sequence[int],
    algorithms: Sequence[str] = tuple(ALGORITHMS),
    shares: Sequence[float] | None = None,
) -> tuple[list[Setting], Found]:
    """Measure algorithms: mean drop, CPU seconds, masks, RIR, and RIR with evidence weighed."""
    make, learner, usual = TABLES[name]
    settings = [Setting(make(seed), learner, seed) for seed in seeds]
    full, table = [one.full for one in settings], settings[0].table
    print(
        f"{name}: {table.X.shape[0]:,} x {table.X.shape[1]}, {learner.name}, full accuracy "
        f"{np.mean(full):.3f} ({min(full):.3f} to {max(full):.3f})"
    )
    print(
        f"  {'algorithm':<22}{'kept':>8}{'drop':>9}{'largest':>9}{'RCR':>7}{'RIR':>7}{'weighed':>9}"
        f"{'CPU s':>7}"
    )
    found: Found = {("full", 1.0): float(np.mean(full))}
    for algorithm in algorithms:
        function = ALGORITHMS[algorithm]
        options = SLOW.get(algorithm, {}) if name == "digits" else {}
        for share in shares or usual:
            start = time.process_time()
            masks = [
                function(one.data, share, random_state=one.seed, **options) for one in settings
            ]
            took = (time.process_time() - start) / len(settings)
            pairs = list(zip(settings, masks, strict=True))
            drops = [one.full - one.accuracy(mask.kept) for one, mask in pairs]
            rir = float(np.mean([one.rir(mask) for one, mask in pairs]))
            weighed = float(np.mean([one.rir(mask, "records") for one, mask in pairs]))
            found[algorithm, share] = (float(np.mean(drops)), took, masks, rir, weighed)
            print(
                f"  {algorithm:<22}{masks[0].kept_share:8.2%}{np.mean(drops):9.4f}{max(drops):9.4f}"
                f"{np.mean([one.rcr(mask) for one, mask in pairs]):7.3f}{rir:7.3f}"
                f"{weighed:9.3f}{took:7.2f}",
                flush=True,
            )
    return settings, found


def line(text: str, got: float, holds: bool) -> None:
    print(f"  {'holds ' if holds else 'MISSED'} {text}: {got:.4f}", flush=True)


TEXT_SHARES = (0.005, 0.01, 0.05)
TEXT_ALGORITHMS = ("stationarity", "individualised random", "random rows", "feature selection")


def text_drops(
    seeds: Sequence[int],
    shares: Sequence[float] = TEXT_SHARES,
    algorithms: Sequence[str] = TEXT_ALGORITHMS,
) -> dict[tuple[str, float], float]:
    """The mean drop in accuracy on generated text, by algorithm and share.

    Most values are zero: a value that goes counts as a word that is not there.
    """
    settings = [Setting(text(seed), NetworkLearner(32), seed, "zero") for seed in seeds]
    full = np.mean([one.full for one in settings])
    print(f"text: {settings[0].table.X.shape}, network, zero imputation, full accuracy {full:.3f}")
    found = {}
    for share in shares:
        for name in algorithms:
            options = {"rounds": 60} if name == "stationarity" else {}
            start = time.process_time()
            masks = [
                ALGORITHMS[name](one.data, share, random_state=one.seed, **options)
                for one in settings
            ]
            took = (time.process_time() - start) / len(settings)
            pairs = zip(settings, masks, strict=True)
            drop = np.mean([one.full - one.accuracy(mask.kept) for one, mask in pairs])
            found[name, share] = float(drop)
            print(f"  {name:<22}{share:8.2%}{drop:9.4f}{took:7.2f} CPU s", flush=True)
    one, mask = settings[0], masks[0]
    print(f"  RIR of the last mask {one.rir(mask):.3f}, weighed {one.rir(mask, 'records'):.3f}")
    return found


def peak_gibibytes() -> float:
    """The most memory that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def check_text(seeds: list[int]) -> None:
    text_drops(seeds)
    peak = peak_gibibytes()
    line(f"memory, with {len(seeds)} tables held at once, at most 4 GiB", peak, peak <= 4)


def check_bank(settings: list[Setting], found: Found) -> None:
    full = found["full", 1.0]
    line("full accuracy 0.783 +- 0.008", full, abs(full - 0.783) <= 0.008)
    for algorithm, share, most in (
        ("evolutionary", 3 / 16, 0.03),
        ("evolutionary", 1 / 16, 0.06),
        ("stationarity", 1 / 16, 0.003),
    ):
        got = found[algorithm, share][0]
        line(f"{algorithm} at {share:.2%} loses at most {most}", got, got <= most)
    overlaps(settings)
    strengths(settings)
    privacy(settings)


LIMITS = {"stationarity": 2, "evolutionary": 20, "RIR, random ties": 10, "RIR, weighed": 10}


def cpu_seconds(seed: int) -> dict[str, float]:
    """CPU seconds of the two searches at 6.25 % of bank, and of RIR of 10,000 of its people."""
    one = Setting(bank(seed), LogisticLearner(), seed)
    rows = one.table.X[:10_000]
    mask = individual_random(TrainingSet(rows, one.table.y[:10_000]), 0.25)
    work: dict[str, Callable[[], Any]] = {
        "stationarity": lambda: stationarity(one.data, 1 / 16, random_state=seed),
        "evolutionary": lambda: evolutionary(one.data, 1 / 16, random_state=seed),
        "RIR, random ties": lambda: reidentification(rows, mask.kept),
        "RIR, weighed": lambda: reidentification(rows, mask.kept, evidence="records"),
    }
    taken = {}
    for name, function in work.items():
        start = time.process_time()
        function()
        taken[name] = time.process_time() - start
    return taken


def speed(seeds: list[int]) -> None:
    """CPU seconds of the first seed, each measured on its own."""
    for name, took in cpu_seconds(seeds[0]).items():
        line(f"{name} under {LIMITS[name]} CPU seconds", took, took < LIMITS[name])


PRIVATE = ("stationarity", "evolutionary", "individualised random", "random rows")
EPSILONS = (10.0, 3.0, 1.0)


def private_accuracies(
    seeds: Sequence[int],
    algorithms: Sequence[str] = PRIVATE,
    epsilons: Sequence[float] = EPSILONS,
) -> Iterator[tuple[float, float, str, list[float]]]:
    """Epsilon asked and spent, the mask's algorithm and the accuracies by seed.

    The mask of bank at 6.25 % is chosen with a surrogate; what it keeps is trained with DP-SGD.
    """
    settings = [Setting(bank(seed), LogisticLearner(), seed) for seed in seeds]
    masks: dict[str, list[Any]] = {"all values": [one.data.full for one in settings]}
    for name in algorithms:
        find = ALGORITHMS[name]
        masks[name] = [find(one.data, 1 / 16, random_state=one.seed).kept for one in settings]
    for epsilon in epsilons:
        for name, kept in masks.items():
            found = []
            for one, here in zip(settings, kept, strict=True):
                learner, test = PrivateLearner(epsilon), one.parts.test
                data = TrainingSet(one.data.X, one.data.y, one.statistics, learner)
                got = data.accuracies(here[None], one.table.X[test], one.table.y[test])
                found.append(float(got[0]))
            yield epsilon, learner.epsilon_, name, found


def private(seeds: list[int]) -> None:
    print(f"private: bank, {PrivateLearner().name}")
    try:
        for epsilon, used, name, found in private_accuracies(seeds):
            spent = f"{used:.3f} spent"
            accuracy = f"accuracy {np.mean(found):.3f} ({min(found):.3f} to {max(found):.3f})"
            print(f"  epsilon {epsilon:4g} ({spent}), {name:<22} {accuracy}", flush=True)
    except MissingExtraError as error:
        print("  " + str(error).splitlines()[0])


def overlap(one: Setting, n_runs: int) -> tuple[float, float, float]:
    """The mean and the largest overlap of evolutionary masks at 25 %, and that of random ones."""
    masks = [evolutionary(one.data, 0.25, random_state=seed) for seed in range(n_runs)]
    shared = [masks[a].overlap(masks[b]) for a in range(n_runs) for b in range(a)]
    return float(np.mean(shared)), max(shared), float(masks[0].random_overlap(masks[1]))


def overlaps(settings: list[Setting]) -> None:
    got, _, chance = overlap(settings[0], 3)
    print(f"  overlap of evolutionary masks {got:.4f}; random: {chance}")


def strengths(settings: list[Setting]) -> None:
    """One mask, other penalties than the one it was found for."""
    one = settings[0]
    test, data = one.parts.test, one.data
    for named, given in (("one strength", None), ("four strengths", (0.001, 0.1, 1.0, 10.0))):
        mask = stationarity(data, 3 / 16, strengths=given)
        drops = []
        for l2 in (0.001, 0.01, 0.1, 1.0, 10.0):
            other = TrainingSet(data.X, data.y, one.statistics, LogisticLearner(l2))
            pair = np.stack([data.full, mask.kept])
            full, less = other.accuracies(pair, one.table.X[test], one.table.y[test])
            drops.append(f"{full - less:.4f}")
        print(f"  {named} at 18.75 %: drops for C = 1000, 100, 10, 1, 0.1: {', '.join(drops)}")


def privacy_masks(one: Setting) -> dict[str, tuple[float, float, float]]:
    """Drop, RIR and weighed RIR with privacy in the objective, at 18.75 % kept (section 5.2).

    As printed, graded, and inside the stationarity search.
    """
    data, share = one.data, 3 / 16
    scores = uniqueness_scores(data.X)
    plain = modelling(data, share, n_masks=200)
    useful = influences(data, share, n_masks=200)
    made = {f"as printed, beta {b:g}": with_privacy(plain, scores, b) for b in (0, 0.9, 1.5, 3)}
    made |= {f"graded, beta {b:g}": graded(plain, useful, scores, b) for b in (0.1, 0.3, 1)}
    for weight in (0.0, 0.01, 0.1, 1.0):
        made[f"inside the search, weight {weight:g}"] = stationarity(
            data, share, privacy=1 - scores, privacy_weight=weight
        )
    return {
        name: (one.full - one.accuracy(mask.kept), one.rir(mask), one.rir(mask, "records"))
        for name, mask in made.items()
    }


def privacy(settings: list[Setting]) -> None:
    print("  privacy in the objective (uniqueness), at 18.75 %: drop, RIR, weighed RIR")
    for name, (drop, rir, weighed) in privacy_masks(settings[0]).items():
        print(f"    {name:<30}{drop:8.4f}{rir:7.3f}{weighed:7.3f}")


def memberships(settings: list[Setting], masks: dict[str, list[Mask]]) -> dict[str, float]:
    """The mean risk of membership with every value, and with the masks of each algorithm."""
    games = [one.membership() for one in settings]

    def mir(kept: list[Any]) -> float:
        threes = zip(settings, games, kept, strict=True)
        return float(np.mean([one.mir(game, here) for one, game, here in threes]))

    less = {name: mir([mask.kept for mask in each]) for name, each in masks.items()}
    return {"every value": mir([one.data.full for one in settings]), **less}


def check_digits(settings: list[Setting], found: Found) -> None:
    got = found["stationarity", 0.05][0]
    line("stationarity at 5% loses at most 0.05", got, got <= 0.05)
    for name in ("feature selection", "individualised random", "evolutionary", "modelling"):
        got = found[name, 0.2][3]
        line(f"RIR of {name} at 20% at least 0.9", got, got >= 0.9)
    risks = memberships(settings, {name: found[name, 0.1][2] for name in ALGORITHMS})
    full = risks.pop("every value")
    line("MIR of the full model 0.61 +- 0.05", full, abs(full - 0.61) <= 0.05)
    for name, less in risks.items():
        line(f"MIR of {name} at 10% below the full model's", less, less < full)


def check_wine(settings: list[Setting], found: Found) -> None:
    full = found["full", 1.0]
    line("full accuracy 0.984 +- 0.008", full, abs(full - 0.984) <= 0.008)


CHECKS = {"bank": check_bank, "digits": check_digits, "wine": check_wine}
# texts first: the memory that they take at most is asked of the whole process
OTHERS = {"text": check_text, "speed": speed, "private": private}
PARTS = ("text", *TABLES, "speed", "private")


def main() -> None:
    parser = argparse.ArgumentParser(description="Figures of individual minimisation.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--seeds", nargs="+", type=int, default=list(SEEDS))
    given = parser.parse_args()
    wrong = [name for name in given.parts if name not in PARTS]
    if wrong:
        parser.error(f"the parts are {', '.join(PARTS)}; got {', '.join(wrong)}")
    print(f"seeds {', '.join(map(str, given.seeds))}")
    for name in given.parts or PARTS:
        if name in OTHERS:
            OTHERS[name](given.seeds)
            continue
        settings, found = curve(name, given.seeds)
        if name in CHECKS:
            CHECKS[name](settings, found)


if __name__ == "__main__":
    main()
