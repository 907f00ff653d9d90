"""Documents that were made to be slow or large: seconds and memory stay small.

All are read and used in one process of their own, which tells the most memory that it ever held.
"""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparsam.individual import Mask

MOST_SECONDS = 2.0
ROOM = 500 * 2**20


def numeric(name: str, cuts: list[int]) -> dict[str, Any]:
    return {
        "type": "numeric",
        "name": name,
        "domain": {"type": "numeric", "low": 0, "high": 100_000, "integer": True},
        "cuts": cuts,
        "labels": [f"b{i}" for i in range(len(cuts) + 1)],
    }


def categorical(name: str, names: list[str]) -> dict[str, Any]:
    return {
        "type": "categorical",
        "name": name,
        "domain": {"type": "categorical", "categories": names},
        "groups": [[one] for one in names],
        "labels": names,
    }


def generalization(*attributes: dict[str, Any], about: Any = None) -> str:
    head = {"format": "sparsam/generalization", "version": 1}
    return json.dumps({**head, "attributes": attributes, "about": about or {}})


def recoding(attributes: list[Any], nodes: list[Any]) -> dict[str, Any]:
    means = {one["name"]: [0, *one["cuts"]] for one in attributes}
    head = {"format": "sparsam/recoding", "version": 1}
    return {**head, "attributes": attributes, "representatives": means, "nodes": nodes}


def full_tree(depth: int) -> dict[str, Any]:
    """Make a tree that asks all of `depth` questions of two answers each."""
    attributes = [numeric(f"a{i}", [50]) for i in range(depth)]
    record = {one["name"]: 0 for one in attributes}
    nodes: list[Any] = [
        {
            "attribute": f"a{(k + 1).bit_length() - 1}",
            "left": [0],
            "then": 2 * k + 1,
            "otherwise": 2 * k + 2,
        }
        for k in range(2**depth - 1)
    ]
    nodes += [{"asks": [], "record": record, "prediction": k % 2} for k in range(2**depth)]
    return recoding(attributes, nodes)


def chain(depth: int) -> dict[str, Any]:
    """Make a tree that asks one question after another, about one attribute each."""
    attributes = [numeric(f"a{i}", [50]) for i in range(depth)]
    asks = [one["name"] for one in attributes]
    nodes: list[Any] = []
    for i in range(depth):
        test = {"attribute": f"a{i}", "left": [0], "then": 2 * i + 1, "otherwise": 2 * i + 2}
        nodes += [test, {"asks": asks, "record": {}}]
    nodes.append({"asks": asks, "record": {}})
    return recoding(attributes, nodes)


def peel(depth: int) -> dict[str, Any]:
    """Make a tree that takes one bucket after another off one attribute."""
    nodes: list[Any] = []
    for i in range(depth):
        test = {"attribute": "a", "left": [i], "then": 2 * i + 1, "otherwise": 2 * i + 2}
        nodes += [test, {"asks": [], "record": {"a": i}, "prediction": i % 2}]
    nodes.append({"asks": [], "record": {"a": depth}, "prediction": 0})
    return recoding([numeric("a", list(range(1, depth + 1)))], nodes)


def questionnaire(inner: dict[str, Any]) -> str:
    return json.dumps({"format": "sparsam/questionnaire", "version": 1, "recoding": inner})


CATEGORIES = [f"c{i}" for i in range(64_900)]
SMALL = generalization(numeric("a", [17, 62]))
THOUSANDS = generalization(*(numeric(f"a{i}", [17, 62]) for i in range(20_000)))
BOMBS: dict[str, tuple[str, Callable[[], str]]] = {
    "20,000 attributes": ("generalization", lambda: THOUSANDS),
    "65,000 categories": ("generalization", lambda: generalization(categorical("a", CATEGORIES))),
    "65,000 cuts": ("generalization", lambda: generalization(numeric("a", [*range(1, 64_900)]))),
    "a name of 20 MB": (
        "generalization",
        lambda: generalization(
            numeric("x" * 20_000_000, [1]), *(numeric(f"a{i}", [1]) for i in range(2_000))
        ),
    ),
    "one name 20,000 times": ("generalization", lambda: THOUSANDS.replace('"a1', '"a')),
    "blanks as categories": (
        "generalization",
        lambda: generalization(categorical("a", [" " * i for i in range(3_000)])),
    ),
    "20,000,000 lists": ("generalization", lambda: "[" + "[]," * 20_000_000 + "[]]"),
    "900,000 objects": ("generalization", lambda: '{"a": [' + "{}," * 400_000 + "{}]}"),
    "a deep about": (
        "generalization",
        lambda: SMALL.replace('"about": {}', '"about": {"a":' + "[" * 10**5 + "]" * 10**5 + "}"),
    ),
    "5,000 digits": (
        "generalization",
        lambda: SMALL.replace('"about": {}', '"about": {"a":' + "9" * 5_000 + "}"),
    ),
    "2^14 leaves": ("recoding", lambda: json.dumps(full_tree(14))),
    "a chain of 2,000 in one": ("recoding", lambda: json.dumps(peel(2_000))),
    "a chain of 20,000 in one": ("recoding", lambda: json.dumps(peel(20_000))),
    "2^14 leaves to ask": ("questionnaire", lambda: questionnaire(full_tree(14))),
    "2^10 leaves to ask": ("questionnaire", lambda: questionnaire(full_tree(10))),
    "a chain to ask": ("questionnaire", lambda: questionnaire(chain(500))),
    "many buckets to ask": ("questionnaire", lambda: questionnaire(peel(2_000))),
    "one leaf, 60,000 buckets": (
        "questionnaire",
        lambda: questionnaire(
            recoding([numeric("a", [*range(1, 60_000)])], [{"asks": ["a"], "record": {}}])
        ),
    ),
}


def zip_of_zeros(path: Path, member: str, megabytes: int) -> None:
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file,
        file.open(member, "w", force_zip64=True) as stream,
    ):
        for _ in range(megabytes):
            stream.write(bytes(2**20))


def write_masks(folder: Path) -> None:
    zip_of_zeros(folder / "mask of zeros.npz", "bits.npy", 600)
    good = Mask([[True, False]], rows=[0], table_rows=9)
    for name, change in {
        "rows": {"table_rows": 10**12},
        "digits": {"table_rows": 10**30},
        "shape": {"shape": [10**9, 10**9]},
        "wide": {"shape": [2**26, 2**26]},
    }.items():
        text = json.dumps({**good.header(), **change}).encode()
        parts = {"header": np.frombuffer(text, np.uint8), "bits": np.packbits(good.kept)}
        np.savez(folder / f"mask {name}.npz", **parts, rows=np.array([0]))
    zeros = (folder / "mask of zeros.npz").read_bytes()
    (folder / "mask that lies.npz").write_bytes(lying_zip(zeros))


def lying_zip(raw: bytes) -> bytes:
    """Make the directory of a file say that its one member unpacks to a hundred bytes."""
    at = raw.index(b"PK\x01\x02")
    return raw[: at + 24] + (100).to_bytes(4, "little") + raw[at + 28 :]


USE = """
import re, resource, sys, time
from pathlib import Path
from sparsam._errors import SparsamError
from sparsam.collect import Questionnaire
from sparsam.generalization import Generalization
from sparsam.generalization.recoding._recoding import Recoding
from sparsam.individual import Mask
resource.setrlimit(resource.RLIMIT_CPU, (120, 120))

def generalization(path):
    g = step(lambda: Generalization.load(path))
    record = {p.name: 5 if hasattr(p, "cuts") else p.domain.categories[0] for p in g}
    step(lambda: (len(str(g)), len(g._repr_html_()), repr(g)))
    step(lambda: (g.apply_record(record), g.apply({k: [v] for k, v in record.items()})))
    text = step(g.to_json)
    again = step(lambda: Generalization.from_json(text))
    step(lambda: again == g)
    step(lambda: (g.refines(again), g.diff(again)))
    step(lambda: g.merge(again))
    step(lambda: g.intersect(again))

def recoding(path):
    r = step(lambda: Recoding.load(path))
    record = {p.name: 5 for p in r.generalization}
    step(lambda: len(str(r)))
    step(lambda: (r.apply_record(record), r.apply({k: [v] for k, v in record.items()})))
    text = step(r.to_json)
    step(lambda: Recoding.from_json(text))

def questionnaire(path):
    q = step(lambda: Questionnaire.load(path))
    interview = step(q.start)
    first = step(lambda: interview.next)
    if first is not None:
        step(lambda: interview.answer(first, 5).next)
    step(lambda: q.ask({p.name: [5] for p in q.recoding.generalization}))
    step(q.to_json)

def mask(path):
    m = step(lambda: Mask.load(path))
    step(lambda: (str(m), m == m))

def step(call):
    global slowest
    start = time.process_time()
    try:
        return call()
    finally:
        slowest = max(slowest, time.process_time() - start)

for path in sorted(Path(sys.argv[1]).iterdir()):
    slowest = 0.0
    try:
        globals()[path.stem.partition(" ")[0]](path)
        said = "used"
    except SparsamError as error:
        said = type(error).__name__
    # not `getrusage`, which a process inherits from the one that started it
    peak = int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) * 1024
    print(path.stem, f"{slowest:.3f}", peak, said, sep="\\t", flush=True)
"""


def run(folder: Path) -> dict[str, tuple[float, int, str]]:
    """Use every document of a folder in one process; give seconds, peak memory and outcome."""
    done = subprocess.run(
        [sys.executable, "-c", USE, str(folder)],
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    found = {}
    for line in done.stdout.splitlines():
        name, seconds, peak, said = line.split("\t")
        found[name] = float(seconds), int(peak), said
    return found


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[float, int, str]]:
    folder = tmp_path_factory.mktemp("bombs")
    for title, (kind, make) in BOMBS.items():
        (folder / f"{kind} {title}.json").write_text(make(), encoding="utf-8")
    write_masks(folder)
    return run(folder)


def test_none_takes_long_or_much(outcomes: dict[str, tuple[float, int, str]]) -> None:
    assert len(outcomes) == len(BOMBS) + 6
    slow = {name: seconds for name, (seconds, _, _) in outcomes.items() if seconds > MOST_SECONDS}
    large = {name: peak for name, (_, peak, _) in outcomes.items() if peak > ROOM}
    assert slow == {}
    assert large == {}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("generalization 20,000 attributes", "used"),
        ("generalization 65,000 categories", "used"),
        ("generalization 65,000 cuts", "used"),
        ("generalization blanks as categories", "used"),
        ("generalization one name 20,000 times", "DocumentError"),
        ("generalization 5,000 digits", "DocumentError"),
        ("generalization a deep about", "DocumentError"),
        ("recoding 2^14 leaves", "used"),
        ("questionnaire 2^10 leaves to ask", "used"),
        ("questionnaire 2^14 leaves to ask", "DocumentError"),
        ("questionnaire one leaf, 60,000 buckets", "used"),
        ("mask of zeros", "DocumentError"),
        ("mask that lies", "DocumentError"),
        ("mask rows", "DocumentError"),
        ("mask shape", "DocumentError"),
    ],
)
def test_what_is_large_is_used_and_what_is_forged_is_refused(
    outcomes: dict[str, tuple[float, int, str]], name: str, said: str
) -> None:
    assert outcomes[name][2] == said
