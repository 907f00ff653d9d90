"""Individual minimisation on real tables: accuracy, seconds and risks along the kept share.

    python benchmarks/individual.py [bank] [digits] [wine] [income] [employment] [text]

Prints, for each table and share, the mean drop in accuracy over three seeds on public rows (one
seed where a network is trained hundreds of times), the
risks of the last seed (RCR, RIR with random ties and with weighed evidence) and the CPU seconds.
Then the lines that must hold, with what was found. Half of the rows are public (they test the model
and give the statistics), a quarter is minimised, and a quarter does not belong to the training set.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
from sklearn.datasets import load_digits

from sparsam.attack._masked_membership import MaskedMembership
from sparsam.attack._masked_reconstruction import masked_reconstruction
from sparsam.attack._reidentification import reidentification
from sparsam.individual import (
    ALGORITHMS,
    Encoded,
    LogisticLearner,
    Mask,
    NetworkLearner,
    PublicStatistics,
    TrainingSet,
    encode,
    evolutionary,
    graded,
    influences,
    modelling,
    split_people,
    stationarity,
    uniqueness_scores,
    with_privacy,
)
from tables import DATA

SEEDS = (0, 1, 2)


def bank() -> Encoded:
    return encode(duckdb.sql(f"select * from '{DATA}/bank_balanced_11162.csv.gz'").df(), "deposit")


def wine() -> Encoded:
    table = duckdb.sql(f"select * from '{DATA}/wine_quality_kaggle_N.csv.gz'").df().dropna()
    return encode(table, "type")


def digits() -> Encoded:
    found = load_digits()
    names = tuple(f"pixel {j}" for j in range(64))
    return Encoded(found.data / 16, found.target.astype(np.intp), names, tuple(range(10)))


def income() -> Encoded:
    columns = "AGEP, COW, SCHL, MAR, OCCP, POBP, RELP, WKHP, SEX, RAC1P"
    table = duckdb.sql(
        f"select {columns}, PINCP > 50000 as rich from '{DATA}/acs_pums_2018_14states.parquet' "
        "where AGEP > 16 and PINCP > 100 and WKHP > 0 and PWGTP >= 1"
    )
    return encode(table.df().sample(5000, random_state=0).astype(float), "rich")


def employment() -> Encoded:
    table = duckdb.sql(
        f"select * exclude(year) from '{DATA}/acs_employment_MA_2015_2018.parquet' "
        "where year = 2018"
    )
    return encode(table.df().sample(5000, random_state=0).astype(float), "employed")


def text() -> Encoded:
    """Bags of 2,000 words from ten topics, 5,000 texts: drawn here, since no corpus is bundled."""
    rng = np.random.default_rng(0)
    common = 1 / np.arange(1, 2001)
    topics = common * rng.gamma(0.3, size=(10, 2000))
    topics = 0.7 * common / common.sum() + 0.3 * topics / topics.sum(1, keepdims=True)
    y = rng.integers(10, size=5000)
    X = np.stack([rng.multinomial(60, topics[label]) > 0 for label in y]).astype(float)
    return Encoded(X, y.astype(np.intp), tuple(f"word {j}" for j in range(2000)), tuple(range(10)))


def check_text() -> None:
    table = text()
    one = Setting(table, NetworkLearner(32), 0, "zero")
    print(f"text: {table.X.shape}, full accuracy {one.full:.3f} (zero imputation, network)")
    for share in (0.005, 0.01, 0.05):
        for name in ("stationarity", "individualised random", "random rows", "feature selection"):
            start = time.process_time()
            options = {"rounds": 60} if name == "stationarity" else {}
            mask = ALGORITHMS[name](one.data, share, **options)
            took = time.process_time() - start
            drop = one.full - one.accuracy(mask.kept)
            print(f"  {name:<22}{share:8.2%}{drop:9.4f}{took:7.2f} CPU s", flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"  memory at most {peak:.1f} GiB")


TABLES: dict[str, tuple[Callable[[], Encoded], Any, tuple[float, ...]]] = {
    "bank": (bank, LogisticLearner(), (1 / 16, 3 / 16, 4 / 16)),
    "digits": (digits, NetworkLearner(32), (0.05, 0.1, 0.2)),
    "wine": (wine, LogisticLearner(), (1 / 12, 2 / 12, 3 / 12)),
    "income": (income, LogisticLearner(), (0.1, 0.2)),
    "employment": (employment, LogisticLearner(), (1 / 16, 3 / 16)),
}
# a network takes longer to train than a regression: fewer of them, on one seed
SLOW: dict[str, dict[str, Any]] = {
    "evolutionary": {},
    "modelling": {"n_masks": 200},
    "first order": {"rounds": 30},
}


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
        return reidentification(self.data.X, mask.kept, evidence=evidence).rir

    def rcr(self, mask: Mask) -> float:
        """Reconstruction, eq. 2."""
        return masked_reconstruction(self.data.X, self.data.imputed(mask.kept), mask.kept).rcr

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
        return game.risk(self.confidence(self.data.fit_many(kept[None]))).auc


def curve(name: str) -> tuple[list[Setting], dict[tuple[str, float], Any]]:
    make, learner, shares = TABLES[name]
    table = make()
    settings = [Setting(table, learner, seed) for seed in SEEDS]
    full = np.mean([one.full for one in settings])
    print(f"{name}: {table.X.shape[0]:,} x {table.X.shape[1]}, full accuracy {full:.3f}")
    print(
        f"  {'algorithm':<22}{'kept':>8}{'drop':>9}{'RCR':>7}{'RIR':>7}{'weighed':>9}{'CPU s':>7}"
    )
    found: dict[tuple[str, float], Any] = {("full", 1.0): full}
    for algorithm, function in ALGORITHMS.items():
        for share in shares:
            slow = name == "digits" and algorithm in SLOW
            options = SLOW[algorithm] if slow else {}
            some = settings[-1:] if slow else settings
            start = time.process_time()
            masks = [function(one.data, share, random_state=one.seed, **options) for one in some]
            took = (time.process_time() - start) / len(some)
            drops = [
                one.full - one.accuracy(mask.kept) for one, mask in zip(some, masks, strict=True)
            ]
            one, mask = some[-1], masks[-1]
            found[algorithm, share] = (float(np.mean(drops)), took, mask)
            print(
                f"  {algorithm:<22}{mask.kept_share:8.2%}{np.mean(drops):9.4f}"
                f"{one.rcr(mask):7.3f}{one.rir(mask):7.3f}{one.rir(mask, 'records'):9.3f}"
                f"{took:7.2f}",
                flush=True,
            )
    return settings, found


def line(text: str, got: float, holds: bool) -> None:
    print(f"  {'holds ' if holds else 'MISSED'} {text}: {got:.4f}")


def check_bank(settings: list[Setting], found: dict[tuple[str, float], Any]) -> None:
    full = found["full", 1.0]
    line("full accuracy 0.783 +- 0.008", full, abs(full - 0.783) <= 0.008)
    for algorithm, share, most in (
        ("evolutionary", 3 / 16, 0.03),
        ("evolutionary", 1 / 16, 0.06),
        ("stationarity", 1 / 16, 0.003),
    ):
        got = found[algorithm, share][0]
        line(f"{algorithm} at {share:.2%} loses at most {most}", got, got <= most)
    for algorithm, most in (("stationarity", 2.0), ("evolutionary", 20.0)):
        got = found[algorithm, 1 / 16][1]
        line(f"{algorithm} at 6.25% under {most:g} CPU seconds", got, got <= most)
    overlaps(settings)
    strengths(settings)
    privacy(settings)


def overlaps(settings: list[Setting]) -> None:
    data = settings[0].data
    masks = [evolutionary(data, 0.25, random_state=seed) for seed in range(3)]
    got = np.mean([masks[a].overlap(masks[b]) for a in range(3) for b in range(a)])
    print(f"  overlap of evolutionary masks {got:.4f}; random: {masks[0].random_overlap(masks[1])}")


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


def privacy(settings: list[Setting]) -> None:
    """Section 5.2 as printed, graded, and inside the stationarity search, at 18.75 %."""
    one = settings[0]
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
    print("  privacy in the objective (uniqueness), at 18.75 %: drop, RIR, weighed RIR")
    for name, mask in made.items():
        risks = f"{one.rir(mask):7.3f}{one.rir(mask, 'records'):7.3f}"
        print(f"    {name:<30}{one.full - one.accuracy(mask.kept):8.4f}{risks}")


def check_digits(settings: list[Setting], found: dict[tuple[str, float], Any]) -> None:
    got = found["stationarity", 0.05][0]
    line("stationarity at 5% loses at most 0.05", got, got <= 0.05)
    one = settings[-1]
    for name in ("feature selection", "individualised random", "evolutionary", "modelling"):
        got = one.rir(found[name, 0.2][2])
        line(f"RIR of {name} at 20% at least 0.9", got, got >= 0.9)
    games = [setting.membership() for setting in settings]
    each = [a.mir(game, a.data.full) for a, game in zip(settings, games, strict=True)]
    mean = float(np.mean(each))
    line("MIR of the full model 0.61 +- 0.05 (mean of the seeds)", mean, abs(mean - 0.61) <= 0.05)
    game, full = games[-1], each[-1]
    print(f"  MIR of the full model with the last seed: {full:.4f}")
    for name in ALGORITHMS:
        less = one.mir(game, found[name, 0.1][2].kept)
        line(f"MIR of {name} at 10% below the full model's", less, less < full)


def check_wine(settings: list[Setting], found: dict[tuple[str, float], Any]) -> None:
    full = found["full", 1.0]
    line("full accuracy 0.984 +- 0.008", full, abs(full - 0.984) <= 0.008)


CHECKS = {"bank": check_bank, "digits": check_digits, "wine": check_wine}


def main() -> None:
    for name in sys.argv[1:] or [*TABLES, "text"]:
        if name == "text":
            check_text()
            continue
        settings, found = curve(name)
        if name in CHECKS:
            CHECKS[name](settings, found)


if __name__ == "__main__":
    main()
