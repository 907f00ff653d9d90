"""Golden values in every language: Python, frames, JavaScript, and SQL executed on six databases.

`python benchmarks/golden_sql.py --values 100000 --environment FOLDER` prints, for each language,
how many values it was asked for and how many it put into another bucket than Python does.

SQLite, DuckDB and, where they are installed, PostgreSQL, node and Chromium run as they are. The
drivers of MariaDB and Spark, and ClickHouse (chdb), are taken from a virtual environment, which
`--install` makes. Spark needs Java, MariaDB its server (Debian: mariadb-server). What is not there
is skipped, and it is said why.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.browser.test_bucket import COMPARE as IN_A_PAGE  # noqa: E402
from tests.collect import engines, golden  # noqa: E402
from tests.collect.exports.test_javascript import COMPARE as IN_NODE  # noqa: E402

from sparsam._errors import DataError  # noqa: E402
from sparsam.generalization import Generalization  # noqa: E402

DRIVERS = ("chdb", "pyarrow", "pymysql", "pyspark")


class Skipped(Exception):
    """Something is not on this machine."""


def wrong(found: list[Any], count: int) -> tuple[int, int]:
    """How many buckets there are, and how many of them are not Python's."""
    cases = golden.cases(count)
    pairs = zip(cases, found, strict=True)
    return len(cases), sum(case.bucket != bucket for case, bucket in pairs)


def records(count: int) -> tuple[int, int]:
    """`apply_record`, one attribute at a time."""
    people = golden.generalization()
    alone = {name: Generalization([people[name]]) for name in people.collected}
    found: list[Any] = []
    for case in golden.cases(count):
        if case.attribute not in alone:
            found.append(0)
            continue
        try:
            record = alone[case.attribute].apply_record({case.attribute: case.value}, "codes")
            found.append(record[case.attribute])
        except DataError:
            found.append(None)
    return wrong(found, count)


def frames(count: int) -> tuple[int, int]:
    """`apply` to columns of objects, refused values left out; each of those is refused alone."""
    people = golden.generalization()
    n = bad = 0
    for name in people.collected:
        alone = Generalization([people[name]])
        cases = [case for case in golden.cases(count) if case.attribute == name]
        good = [case for case in cases if case.bucket is not None]
        column = {name: [case.value for case in good]}
        codes = alone.apply(column, output="codes")[name].tolist()
        bad += sum(case.bucket != code for case, code in zip(good, codes, strict=True))
        for case in cases:
            if case.bucket is None:
                bad += not refused(alone, case)
        n += len(cases)
    return n, bad


def refused(alone: Generalization, case: golden.Case) -> bool:
    """Whether a frame with one value is refused."""
    try:
        alone.apply({case.attribute: [case.value]})
    except DataError:
        return True
    return False


def node(count: int) -> tuple[int, int]:
    """The exported module in node."""
    program = shutil.which("node")
    if program is None:
        raise Skipped("node is not installed")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "golden.json").write_text(golden.as_json(count), encoding="utf-8")
        module = golden.generalization().to_javascript()
        (place / "people.mjs").write_text(module, encoding="utf-8")
        (place / "script.mjs").write_text(IN_NODE, encoding="utf-8")
        done = subprocess.run(
            [program, "script.mjs"], cwd=place, capture_output=True, text=True, check=True
        )
    return wrong(json.loads(done.stdout), count)


def chromium(count: int) -> tuple[int, int]:
    """The exported module in a page."""
    browser = shutil.which("chromium")
    if browser is None:
        raise Skipped("Chromium is not installed")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise Skipped("playwright is not installed") from None
    source = golden.generalization().to_javascript()
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=browser, args=["--no-sandbox", "--disable-gpu"]
        )
        page = started.new_page()
        cases = json.loads(golden.as_json(count))
        found = page.evaluate(IN_A_PAGE, {"source": source, "cases": cases})
        started.close()
    return wrong(found, count)


def database(name: str, count: int, answer: Callable[[list[Any]], list[Any]]) -> tuple[int, int]:
    """Every golden column, executed on a database."""
    kind = engines.ENGINES[name]
    columns, jobs = zip(*golden.jobs(count, kind), strict=True)
    n = bad = 0
    for column, told in zip(columns, answer(list(jobs)), strict=True):
        differences = golden.differences(column, told)
        for difference in differences[:3]:
            print("   ", difference)
        n, bad = n + len(told["held"]), bad + len(differences)
    return n, bad


def here(name: str, address: str) -> Callable[[list[Any]], list[Any]]:
    """Run jobs in this process."""

    def answer(jobs: list[Any]) -> list[Any]:
        engine = engines.ENGINES[name](address)
        return [engines.answers(engine, job) for job in jobs]

    return answer


def there(name: str, environment: Path, address: str = "") -> Callable[[list[Any]], list[Any]]:
    """Run jobs in an environment of their own."""
    python = environment / "bin" / "python"
    if not python.exists():
        raise Skipped("there is no environment with its driver (--install)")

    def answer(jobs: list[Any]) -> list[Any]:
        with tempfile.TemporaryDirectory() as folder:
            asked, told = Path(folder) / "jobs.json", Path(folder) / "answers.json"
            asked.write_text(json.dumps(jobs), encoding="utf-8")
            words = [python, engines.__file__, name, asked, told, address]
            clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
            done = subprocess.run(
                [str(word) for word in words], cwd=folder, env=clean,
                capture_output=True, text=True, check=False,
            )  # fmt: skip
            if done.returncode:
                raise RuntimeError(done.stderr[-2000:])
            return list(json.loads(told.read_text(encoding="utf-8")))

    return answer


@contextmanager
def mariadb_server() -> Iterator[str]:
    """A MariaDB server for these values alone; its socket."""
    if shutil.which("mariadbd") is None:
        raise Skipped("MariaDB is not installed")
    folder = Path(tempfile.mkdtemp(prefix="maria"))
    if os.geteuid() == 0:
        shutil.chown(folder, "mysql")
    user = ["--user=mysql"] if os.geteuid() == 0 else []
    data, socket = f"--datadir={folder}/data", folder / "socket"
    subprocess.run(
        ["mariadb-install-db", *user, data, "--skip-test-db"], capture_output=True, check=True
    )
    places = [f"--socket={socket}", f"--pid-file={folder}/pid", f"--log-error={folder}/log"]
    server = subprocess.Popen(["mariadbd", *user, data, "--skip-networking", *places])
    try:
        for _ in range(300):
            if socket.exists():
                break
            time.sleep(0.1)
        yield str(socket)
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


def on_mariadb(count: int, environment: Path) -> tuple[int, int]:
    """MariaDB, on a server that is started for it."""
    with mariadb_server() as socket:
        return database("mariadb", count, there("mariadb", environment, socket))


def on_postgresql(count: int) -> tuple[int, int]:
    """PostgreSQL, on a server that is started for it."""
    from tests.private_postgres import PrivatePostgres, programs

    if programs() is None:
        raise Skipped("PostgreSQL is not installed")
    server = PrivatePostgres()
    try:
        return database("postgresql", count, here("postgresql", server.schema()[1]))
    finally:
        server.stop()


def main() -> None:
    """Print one line for each language."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--values", type=int, default=100_000)
    parser.add_argument("--environment", type=Path, default=Path(".venv-engines"))
    parser.add_argument("--install", action="store_true", help="make the environment")
    parser.add_argument("--only", action="append", default=[])
    chosen = parser.parse_args()
    count, environment = chosen.values, chosen.environment.absolute()
    if chosen.install:
        subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
        pip = [str(environment / "bin" / "python"), "-m", "pip", "install", "-q", *DRIVERS]
        subprocess.run(pip, check=True)
    languages: dict[str, Callable[[], tuple[int, int]]] = {
        "records": lambda: records(count),
        "frames": lambda: frames(count),
        "node": lambda: node(count),
        "chromium": lambda: chromium(count),
        "sqlite": lambda: database("sqlite", count, here("sqlite", ":memory:")),
        "duckdb": lambda: database("duckdb", count, here("duckdb", ":memory:")),
        "postgresql": lambda: on_postgresql(count),
        "mariadb": lambda: on_mariadb(count, environment),
        "clickhouse": lambda: database("clickhouse", count, there("clickhouse", environment)),
        "spark": lambda: database("spark", count, there("spark", environment)),
    }
    failed = 0
    for name, ask in languages.items():
        if chosen.only and name not in chosen.only:
            continue
        try:
            n, bad = ask()
        except Skipped as why:
            print(f"{name:12} skipped: {why}")
            continue
        print(f"{name:12} {n:>9,} values, {bad} differ from Python", flush=True)
        failed += bad
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
