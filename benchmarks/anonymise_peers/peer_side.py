"""The peers' side: runs in an environment of their own, prints CPU seconds. See README.md."""

from __future__ import annotations

import sys
import time

import numpy as np
import pandas as pd


def anonypy_seconds(frame: pd.DataFrame, k: int) -> float:
    import anonypy

    names = [name for name in frame.columns if name != "income"]
    for name in frame.columns:
        if frame[name].dtype == object:
            frame[name] = frame[name].astype("category")
    preserver = anonypy.Preserver(frame, names, "income")
    started = time.process_time()
    preserver.anonymize_k_anonymity(k=k)
    return time.process_time() - started


def toolkit_seconds(frame: pd.DataFrame, k: int) -> float:
    from apt.anonymization import Anonymize
    from apt.utils.datasets import ArrayDataset

    names = [name for name in frame.columns if name != "income"]
    answers = (frame["income"] == frame["income"].iloc[0]).astype(int).to_numpy()
    words = [name for name in names if frame[name].dtype == object]
    anonymiser = Anonymize(k, names, categorical_features=words)
    started = time.process_time()
    anonymiser.anonymize(ArrayDataset(frame[names], answers))
    return time.process_time() - started


def main() -> None:
    peer, path, k = sys.argv[1], sys.argv[2], int(sys.argv[3])
    frame = pd.read_csv(path, keep_default_na=False)
    np.random.seed(0)
    print({"anonypy": anonypy_seconds, "toolkit": toolkit_seconds}[peer](frame, k))


if __name__ == "__main__":
    main()
