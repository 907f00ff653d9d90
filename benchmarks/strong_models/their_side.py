"""Others' models on the records of one question: errors on test people, as JSON on standard output.

Runs in an environment of its own (see README.md) and knows nothing of sparsam.
"""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any

import numpy as np
from catboost import CatBoostClassifier
from lightgbm import LGBMClassifier, early_stopping
from sklearn.ensemble import RandomForestClassifier
from sklearn.neural_network import MLPClassifier

warnings.simplefilter("ignore")
ROUNDS, PATIENCE = 300, 20


def one_hot(records: Any, sizes: Any) -> Any:
    blocks = [np.eye(size, dtype=np.float32)[records[:, c]] for c, size in enumerate(sizes)]
    return np.concatenate(blocks, axis=1)


def posteriors(case: Any, part: str) -> dict[str, Any]:
    """What each model believes of every distinct record, to be judged on the people of a part.

    Rounds are chosen on validation people. Where `again` says so, the models for test people then
    learn from training and validation people together, in as many rounds.
    """
    records, ordered, sizes = case["records"], case["ordered"], case["sizes"]
    truth, index = case["truth_train"], case["index_train"]
    classes, coded = np.unique(truth, return_inverse=True)
    size = case["possible"].shape[1]
    if len(classes) == 1:
        return {}
    seen = np.isin(case["truth_validation"], classes)
    later = np.searchsorted(classes, case["truth_validation"][seen])
    held = case["index_validation"][seen]
    whole = records.astype(int)
    words = whole.astype(object)
    groups = [c for c in range(records.shape[1]) if not ordered[c]]

    def full(model: Any, inputs: Any) -> Any:
        beliefs = np.zeros((len(records), size))
        beliefs[:, classes[np.asarray(model.classes_, dtype=int)]] = model.predict_proba(inputs)
        return beliefs

    def lightgbm(rounds: int) -> Any:
        return LGBMClassifier(n_estimators=rounds, learning_rate=0.05, verbose=-1, num_threads=2)

    def catboost(rounds: int, **rate: Any) -> Any:
        return CatBoostClassifier(
            iterations=rounds, verbose=False, thread_count=2, allow_writing_files=False, **rate
        )

    light, cat = lightgbm(ROUNDS), catboost(ROUNDS)
    light.fit(
        whole[index],
        coded,
        categorical_feature=groups,
        eval_set=[(whole[held], later)],
        callbacks=[early_stopping(PATIENCE, verbose=False)],
    )
    cat.fit(
        words[index],
        coded,
        cat_features=groups,
        eval_set=(words[held], later),
        early_stopping_rounds=PATIENCE,
    )
    if case["again"] and part == "test":
        index, coded = np.concatenate([index, held]), np.concatenate([coded, later])
        light = lightgbm(max(1, light.best_iteration_))
        light.fit(whole[index], coded, categorical_feature=groups)
        cat = catboost(max(1, cat.tree_count_), learning_rate=cat.learning_rate_)
        cat.fit(words[index], coded, cat_features=groups)
    hot = one_hot(records, sizes)
    forest = RandomForestClassifier(200, min_samples_leaf=3, random_state=0, n_jobs=2)
    forest.fit(hot[index], coded)
    network = MLPClassifier((100,), early_stopping=True, random_state=0, max_iter=100)
    network.fit(hot[index], coded)
    return {
        "lightgbm": full(light, whole),
        "catboost": full(cat, words),
        "forest": full(forest, hot),
        "network": full(network, hot),
    }


def main() -> None:
    case = np.load(sys.argv[1])
    close = case["close"]
    errors: dict[str, dict[str, float]] = {}
    prior = np.bincount(case["truth_train"], minlength=case["possible"].shape[1]) * 1e-9
    judged = {"validation": posteriors(case, "validation")}
    judged["test"] = posteriors(case, "test") if case["again"] else judged["validation"]
    for part, models in judged.items():
        for name, beliefs in models.items():
            mass = np.where(case["possible"], beliefs + prior, 0)
            around = np.where(mass > 0, mass @ close, 0)
            guess = around.argmax(axis=1)
            wrong = 1 - close[guess[case[f"index_{part}"]], case[f"truth_{part}"]].mean()
            errors.setdefault(name, {})[part] = float(wrong)
    if not errors:
        majority = int(prior.argmax())
        wrong = float(1 - close[majority, case["truth_test"]].mean())
        names = ("lightgbm", "catboost", "forest", "network", "best")
        print(json.dumps(dict.fromkeys(names, wrong)))
        return
    best = min(errors, key=lambda name: errors[name]["validation"])
    print(json.dumps({**{n: e["test"] for n, e in errors.items()}, "best": errors[best]["test"]}))


if __name__ == "__main__":
    main()
