"""How often `ModelTree` promises too much, on simulated people of whom the truth is known.

    python benchmarks/promises_model.py [--tables 100] [--people 2000] [--keep 0.95 0.98 0.995]

Each table is a sample of people whom a model answers about by a few of their attributes, with an
odd answer here and there, so that every merge of ranges changes some. What a recoding really keeps
is counted on 100,000 other people. A promise is broken where it keeps less than was asked for
although it was shown, over all people or of an answer that was judged: at 95 % confidence that may
be in 5 of 100 tables. Where too few people are there to tell, nothing is promised beyond what is
said to be kept at least. The seeds (1,000 and up) took no part in writing the code.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from sparsam._certainty import share_upper
from sparsam._errors import SparsamWarning
from sparsam.minimise import ModelTree

FIRST_SEED = 1_000
N_TRUTH = 100_000


def people(n_rows: int, rng: np.random.Generator) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "age": rng.integers(0, 90, n_rows),
            "hours": rng.binomial(60, 0.6, n_rows),
            "work": rng.choice(list("abcdef"), n_rows, p=[0.3, 0.25, 0.2, 0.15, 0.07, 0.03]),
            "years": rng.geometric(0.1, n_rows).clip(max=40),
        }
    )


def model_of(seed: int) -> Callable[[Any], Any]:
    """A rule by age, hours and work, with odd answers; every third model has a rare answer."""
    rng = np.random.default_rng(seed)
    odd = rng.random((90, 61)) < 0.04
    weights = dict(zip("abcdef", rng.normal(size=6).tolist(), strict=True))
    limit = 2.2 if seed % 3 == 0 else 0.4

    def model(frame: Any) -> Any:
        age, hours = np.asarray(frame["age"]), np.asarray(frame["hours"])
        work = np.array([weights[each] for each in np.asarray(frame["work"], dtype=object)])
        score = (age - 45) / 25 + (hours - 36) / 5 + work
        return (score > limit) ^ odd[age.clip(0, 89).astype(int), hours.clip(0, 60).astype(int)]

    return model


def broken(tree: ModelTree, model: Callable[[Any], Any], truth: pd.DataFrame) -> tuple[bool, float]:
    """Whether less is kept than promised, and what is kept over all people."""
    before, after = model(truth), model(tree.recoding_.apply(truth)[list(truth)])
    kept = float((before == after).mean())
    proof = tree.proof_
    less = proof.at_least is not None and kept < proof.at_least
    if proof.shown and tree.kept_in_ == "each answer":
        for answer in np.unique(before):
            of_answer = before == answer
            if str(answer) not in proof.too_rare:
                less |= float((after == before)[of_answer].mean()) < proof.each_target
    return less, kept


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--people", type=int, default=2_000)
    parser.add_argument("--keep", type=float, nargs="+", default=[0.95, 0.98, 0.995])
    chosen = parser.parse_args()
    for keep in chosen.keep:
        n_broken, n_shown, losses, scores = 0, 0, [], []
        for seed in range(FIRST_SEED, FIRST_SEED + chosen.tables):
            rng = np.random.default_rng(seed)
            sample, truth = people(chosen.people, rng), people(N_TRUTH, rng)
            model = model_of(seed)
            tree = ModelTree(model, keep_accuracy=keep, random_state=seed)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SparsamWarning)
                tree.fit(sample)
            less, kept = broken(tree, model, truth)
            if less:
                print(f"  keep {keep}: seed {seed} keeps {kept:.4f} ({tree.kept_in_})", flush=True)
            n_broken += less
            n_shown += tree.met_
            scores.append(kept)
            collected = tree.generalization_
            losses.append(1 - collected.n_buckets / sum(sample[name].nunique() for name in sample))
        upper = share_upper(n_broken, chosen.tables)
        print(
            f"keep {keep}: broken in {n_broken} of {chosen.tables} (at most {upper:.1%} with 95 % "
            f"confidence), shown in {n_shown}; kept {np.mean(scores):.4f} in the mean, "
            f"{np.mean(losses):.0%} of the values spared",
            flush=True,
        )


if __name__ == "__main__":
    main()
