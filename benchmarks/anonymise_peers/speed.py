"""How fast people are anonymised, and in how much memory; peers beside it. See README.md."""

from __future__ import annotations

import argparse
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from anonymise import TEN, adult  # noqa: E402
from sparsam import anonymise  # noqa: E402
from sparsam.anonymise import KAnonymity  # noqa: E402
from sparsam.anonymise._classes import Division  # noqa: E402
from sparsam.data import read  # noqa: E402

N_ROWS, N_ANSWERS, K = 1_000_000, 2, 10
SIZES = (74, 16, 94, 9, 7, 15, 6, 5, 2, 42)  # those of Adult
METHODS = ("Mondrian", "Greedy", "Guided", "Hybrid", "Hilbert", "BulkLoad")
ONE_CORE = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)


def million(n_rows: int) -> tuple[Any, np.ndarray]:
    """Codes with skewed values that hang together, and answers that depend on them."""
    rng = np.random.default_rng(0)
    hidden = rng.random(n_rows)
    columns = {}
    for place, size in enumerate(SIZES):
        mixed = 0.4 * hidden + 0.6 * rng.random(n_rows)
        columns[f"x{place}"] = np.minimum(size * mixed**2, size - 1).astype(np.int16)
    noisy = hidden + 0.3 * rng.random(n_rows) > 0.8
    return read(columns), noisy.astype(int)


def memory(name: str) -> int:
    """Read a figure of this process, such as VmHWM, in bytes."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(f"{name}:"):
            return 1024 * int(line.split()[1])
    raise SystemExit(f"{name} is not told on this system.")


def one_method(method: str, n_rows: int) -> dict[str, float]:
    """Time one method, compiled before; the peak counts from just before it begins."""
    table, answers = million(n_rows)
    way = getattr(anonymise, method)()
    demand = KAnonymity(K)
    way.part(Division(table.codes[:2_000], table.attributes, demand, answers[:2_000]))
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # forget the peak so far
    before, started = memory("VmRSS"), time.process_time()
    partition = way.part(Division(table.codes, table.attributes, demand, answers))
    seconds = time.process_time() - started
    return {
        "seconds": seconds,
        "classes": partition.classes.n_classes,
        "smallest": int(partition.classes.sizes().min()),
        "memory": (memory("VmHWM") - before) / table.codes.nbytes,
    }


def measured(method: str, n_rows: int) -> dict[str, float]:
    """Measure one method in a process of its own, on one core."""
    asked = [sys.executable, __file__, "--only", method, "--size", str(n_rows)]
    done = subprocess.run(asked, check=True, stdout=subprocess.PIPE, env={**os.environ, **ONE_CORE})
    found: dict[str, float] = json.loads(done.stdout)
    assert found["smallest"] >= K
    return found


def ours(n_rows: int) -> None:
    print(f"{n_rows:,} x {len(SIZES)}, k = {K}, one core, from codes")
    print(f"{'method':10} {'CPU s':>7} {'rows/s':>12} {'classes':>9} {'memory':>16}")
    for method in METHODS:
        found = measured(method, n_rows)
        print(
            f"{method:10} {found['seconds']:7.2f} {n_rows / found['seconds']:12,.0f} "
            f"{found['classes']:9,.0f} {found['memory']:9.1f} x codes"
        )


def timed(what: Callable[[], Any]) -> float:
    what()
    started = time.process_time()
    what()
    return time.process_time() - started


def peers(n_rows: int, pythons: dict[str, str]) -> dict[str, tuple[float, ...]]:
    """CPU seconds: of ours from codes and to a proven release, and of each peer."""
    frame = adult().iloc[:n_rows]
    table, labels = read(frame[TEN]), frame["income"].to_numpy()
    answers = (labels == labels[0]).astype(int)
    print(f"\nAdult, {len(frame):,} rows, {len(TEN)} quasi-identifiers, k = {K}: CPU s")
    taken: dict[str, tuple[float, ...]] = {}
    for method in ("Mondrian", "Guided", "Hybrid"):
        way = getattr(anonymise, method)()
        estimator = anonymise.Anonymiser(way, k=K, quasi_identifiers=TEN)
        codes = timed(
            lambda way=way: way.part(
                Division(table.codes, table.attributes, KAnonymity(K), answers)
            )
        )
        whole = timed(lambda e=estimator: e.fit_transform(frame[TEN], labels))
        taken[method] = (codes, whole)
        print(f"  sparsam {method:10} {codes:8.3f} from codes, {whole:8.3f} to a proven release")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "adult.csv")
        frame[[*TEN, "income"]].to_csv(path, index=False)
        for name, python in pythons.items():
            asked = [python, "-W", "ignore", str(HERE / "peer_side.py"), name, str(path), str(K)]
            done = subprocess.run(
                asked, check=True, stdout=subprocess.PIPE, env={**os.environ, **ONE_CORE}
            )
            seconds = float(done.stdout.decode().splitlines()[-1])
            taken[name] = (seconds,)
            like = "Mondrian" if name == "anonypy" else "Guided"
            print(
                f"  {name:18} {seconds:8.2f}, {seconds / taken[like][1]:,.0f} times our {like} "
                "with its proof"
            )
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=N_ROWS)
    parser.add_argument("--rows", type=int, default=22_793)
    parser.add_argument("--anonypy")
    parser.add_argument("--toolkit")
    parser.add_argument("--only", choices=METHODS, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.only:
        print(json.dumps(one_method(chosen.only, chosen.size)))
        return
    ours(chosen.size)
    pythons = {"anonypy": chosen.anonypy, "toolkit": chosen.toolkit}
    if given := {name: python for name, python in pythons.items() if python}:
        peers(chosen.rows, given)


if __name__ == "__main__":
    main()
