"""Mondrian from a Parquet file to a certified release: streamed, in parts, and in memory.

    python benchmarks/anonymise_scale.py FILE [most memory, 8GB unless told] [--parts] [--memory]

FILE is a table like ACSIncome, redrawn to 10⁶, 10⁷ or 10⁸ rows. Ten quasi-identifiers, k = 10, one
median for each class. Every way runs in a process of its own, so that peaks of memory are its own:
streamed (codes come home once), in parts (`--parts`: so little memory that the table is cut on its
engine first) and in memory (`--memory`: minutes for more than a million rows). All three must give
the same cells.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

NAMES = ["AGEP", "COW", "SCHL", "MAR_2", "OCCP", "POBP", "RELP", "WKHP", "SEX", "RAC1P_5"]


def measured(file: str, memory: str) -> dict[str, Any]:
    """Release a file and verify the release; CPU-seconds, wall seconds and peak memory."""
    from sparsam.anonymise import Anonymiser, Mondrian, verify
    from sparsam.data.large import cells_fit

    def spent() -> float:
        used = resource.getrusage(resource.RUSAGE_SELF)
        return used.ru_utime + used.ru_stime

    with tempfile.TemporaryDirectory(dir=Path(file).parent) as folder:
        maker = Anonymiser(Mondrian(), k=10, quasi_identifiers=NAMES)
        small = Path(folder) / "small.parquet"
        _warm_up(file, small, maker)
        before, started = spent(), time.perf_counter()
        path = Path(folder) / "release.parquet"
        release = maker.fit_release(file, path=path, max_memory=_bytes(memory))
        made, wall = spent() - before, time.perf_counter() - started
        before = spent()
        checked = verify(path, release.certificate, max_memory=_bytes(memory))
        verified = spent() - before
        size = path.stat().st_size
    paper = release.certificate
    assert checked.ok
    return {
        "way": "in memory" if cells_fit(file, _bytes(memory)) else "streamed",
        "rows": paper.n_rows,
        "classes": paper.classes,
        "smallest": paper.smallest,
        "parts": paper.parameters.get("parts", 1),
        "loss": paper.information_loss["tight (range)"],
        "sha256": paper.sha256[:12],
        "cpu": made,
        "wall": wall,
        "verify": verified,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "size": size,
    }


def _warm_up(file: str, small: Path, maker: Any) -> None:
    """Compile the kernels, which is done once on a machine."""
    import duckdb

    rows = duckdb.read_parquet(file).limit(20_000)
    maker.fit_release(rows, path=small, max_memory=1_000_000)


def shown(told: dict[str, Any]) -> str:
    rows = told["rows"]
    return (
        f"{told['way']:>10}  {told['parts']:>3} parts  {rows:>13,} rows  "
        f"{told['classes']:>10,} classes  smallest {told['smallest']}  loss {told['loss']:.4f}  "
        f"{told['cpu']:7.1f} CPU s  {rows / told['cpu'] / 1e6:5.2f} M rows/CPU s  "
        f"{told['wall']:7.1f} s  {rows / told['wall'] / 1e6:5.2f} M rows/s  "
        f"verify {told['verify']:6.1f} CPU s  peak {told['peak'] / 1e9:5.2f} GB  {told['sha256']}"
    )


def main() -> None:
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    file, memory = words[0], words[1] if len(words) > 1 else "8GB"
    if "--one" in sys.argv:
        sys.stdout.write(json.dumps(measured(file, memory)))
        return
    import duckdb

    n_rows = duckdb.read_parquet(file).count("*").fetchall()[0][0]
    # below what the cells of the table would take in memory
    streamed = min(_bytes(memory), n_rows * 11 * 60)
    ways = [streamed]
    if "--parts" in sys.argv:
        ways.append(n_rows * 72 // 4)
    if "--memory" in sys.argv:
        ways.append(n_rows * 12 * 100)
    cells = set()
    for most in ways:
        command = [sys.executable, __file__, file, str(most), "--one"]
        answer = subprocess.run(command, capture_output=True, text=True, check=True)
        told = json.loads(answer.stdout)
        cells.add(told["sha256"])
        sys.stdout.write(shown(told) + "\n")
        sys.stdout.flush()
    sys.stdout.write("the same cells\n" if len(cells) == 1 else "DIFFERENT cells\n")


def _bytes(text: str) -> int:
    from sparsam._memory import memory_budget

    return memory_budget("benchmark", int(text) if text.isdigit() else text)


if __name__ == "__main__":
    main()
