"""The whole road on raw tables: what each command costs, with the roles file alone.

`sparsam roles` proposes, the file is edited as its own comments say (leaks ignored, rows without a
target left out, ranges added that are known without looking), and then minimise, attack, assess,
apply, anonymise, individual and explore run, each with the roles file or with what the artifact
carries, and with no option that says anything of the table again.

    python benchmarks/field_road.py [--rows 12000] [--table gss] [--keep FOLDER]

Prints the exit code and the CPU-seconds of every command. Tables: GSS, ACS PUMS (raw codes), German
credit and bank, from ../shared/data; those with no more rows than asked for are taken whole, of the
others a random sample.
"""

from __future__ import annotations

import argparse
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
TABLES = {
    "gss": ("gss_happiness.csv.gz", "Happiness of marriage"),
    "pums": ("acs_pums_2018_14states.parquet", "PINCP>50000"),
    "german": ("german_credit.csv.gz", "class"),
    "bank": ("bank_balanced_11162.csv.gz", "deposit"),
}
SEED = 0.5
MOST_RECOGNISED = 4
AGES = ("age", "AGEP")


def sample(name: str, rows: int, folder: Path) -> Path:
    """Write a random sample of a table as a CSV file, every cell as it stands in the original."""
    source, table = DATA / TABLES[name][0], folder / f"{name}.csv"
    read = f"'{source}'" if source.suffix == ".parquet" else f"read_csv('{source}', all_varchar=1)"
    with duckdb.connect() as engine:
        engine.execute(f"SELECT setseed({SEED})")
        engine.execute(
            f"COPY (SELECT * FROM {read} ORDER BY random() LIMIT {rows}) TO '{table}' (HEADER)"
        )
    return table


def _rows(engine: duckdb.DuckDBPyConnection, table: Path) -> int:
    return int(engine.execute(f"SELECT count(*) FROM '{table}'").fetchall()[0][0])


def edit(file: Path) -> list[str]:
    """Change a proposed file as its comments say, and return what was changed."""
    text, done = file.read_text(encoding="utf-8"), []
    if "leaves them out" in text:
        text = text.replace("# drop_missing_target = true", "drop_missing_target = true")
        done.append("rows without a target left out")
    sections = re.split(r"(?m)^(?=\[attributes\.)", text)
    leaking = [part for part in sections[1:] if "if it is a leak" in part]
    names = [re.match(r"\[attributes\.(.*)\]", part)[1].strip('"') for part in leaking]  # type: ignore[index]
    head, *parts = [part for part in sections if part not in leaking]
    if names:
        head = with_items(head, "ignore", names)
        head = re.sub(
            rf'(?m)^    "({"|".join(map(re.escape, names))})",\s*(# others .*)?\n', "", head
        )
        done.append(f"ignored: {', '.join(names)}")
    head = fewer(head, "quasi_identifiers", MOST_RECOGNISED)
    for place, part in enumerate(parts):
        name = re.match(r"\[attributes\.(.*)\]", part)[1]  # type: ignore[index]
        if name in AGES and 'kind = "numeric"' in part:
            parts[place] = part.replace("\n\n", "\nlow = 0\nhigh = 120\n\n", 1)
            done.append(f"range of {name}")
    file.write_text("".join([head, *parts]), encoding="utf-8")
    return done


def with_items(text: str, name: str, items: list[str]) -> str:
    """Add names to a list of the file, whether it is there or commented out."""
    listed = "".join(f'    "{item}",\n' for item in items)
    if f"# {name} = []" in text:
        return re.sub(rf"(?m)^# {name} = \[\].*$", f"{name} = [\n{listed}]", text)
    return re.sub(rf"(?m)^{name} = \[.*$", lambda found: f"{found[0]}\n{listed.rstrip()}", text)


def fewer(text: str, name: str, most: int) -> str:
    """Keep the first names of a list."""
    start, sign, rest = text.partition(f"{name} = [")
    if not sign:
        return text
    inside, _, after = rest.partition("\n]")
    return f"{start}{sign}" + "\n".join(inside.split("\n")[: most + 1]) + f"\n]{after}"


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(*words: object, good: tuple[int, ...] = (0,)) -> bool:
    """Run a command, and print what it cost and whether it came to its end."""
    before = cpu()
    command = [sys.executable, "-m", "sparsam.cli", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    fits = done.returncode in good
    print(f"  {words[0]:<11} exit {done.returncode}  {cpu() - before:7.1f} CPU-s", flush=True)
    if not fits:
        print("    " + done.stderr.strip()[-600:].replace("\n", "\n    "))
    return fits


def road(name: str, rows: int, folder: Path) -> bool:
    """Go the whole road with one table."""
    target = TABLES[name][1]
    table, roles = sample(name, rows, folder), folder / f"{name}.toml"
    artifact, mask, ledger = (folder / f"{name}.{end}" for end in ("json", "npz", "ledger"))
    release = folder / f"{name}-release.csv"
    with duckdb.connect() as engine:
        counts = [_rows(engine, source) for source in (table, DATA / TABLES[name][0])]
    taken = "all" if counts[0] == counts[1] else f"of {counts[1]:,}"
    print(f"{name}: {counts[0]:,} rows ({taken}), target {target}")
    if not run("roles", table, "--target", target, "-o", roles):
        return False
    print("  edited:", "; ".join(edit(roles)) or "nothing")
    report = folder / f"{name}.html"
    steps = (
        # 1 and 3: what was asked for is not met, or these are too few people to tell
        (("minimise", table, "--roles", roles, "-o", artifact, "--report", report), (0, 1, 3)),
        (("attack", artifact, table), (0,)),
        (("assess", artifact, table), (0, 1, 3)),
        (("apply", artifact, table, "-o", folder / f"{name}-minimised.csv"), (0,)),
        (("anonymise", table, "--roles", roles, "-o", release), (0,)),
        (("verify", release, release.with_suffix(".certificate.json")), (0,)),
        (("individual", table, "--roles", roles, "--keep", 0.3, "-o", mask), (0, 1)),
        (("apply", mask, table, "-o", folder / f"{name}-retained.csv"), (0,)),
        (("ledger", "create", ledger, table, "--roles", roles, "--epsilon", 2), (0,)),
        (("explore", "run", table, "--ledger", ledger, "--epsilon", 1, "--purpose", "look"), (0,)),
    )
    done = [run(*words, good=good) for words, good in steps]  # a stop does not end the road
    return all(done)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=12_000)
    parser.add_argument("--table", choices=list(TABLES), action="append")
    parser.add_argument("--keep", type=Path, help="keep every file in this folder")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = options.keep or Path(place)
        done = [road(name, options.rows, folder) for name in options.table or TABLES]
    print(f"{sum(done)} of {len(done)} roads without a stop")
    sys.exit(0 if all(done) else 1)


if __name__ == "__main__":
    main()
