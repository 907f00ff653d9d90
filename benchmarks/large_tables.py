"""Tables of many rows, redrawn from the shared ACSIncome table: nothing is committed.

Run `python benchmarks/large_tables.py FOLDER [n_rows ...]`; by default 10^6, 10^7 and 10^8 rows are
written to FOLDER/acs_1e6.parquet and so on. A file that is there already stays.

A row of the large table is a row of the small one, found by a hash of its number; each of its
twelve values is replaced, with a chance of 5 %, by that of another row. So the margins are those of
real people, their pairs nearly so, and rows are hardly ever the same.
"""

from __future__ import annotations

import sys
from pathlib import Path

import duckdb

SOURCE = Path(__file__).resolve().parents[2] / "shared/data/acs_income_2018_35states.parquet"
SIZES = (10**6, 10**7, 10**8)
ONE_IN = 20
ROW_GROUP = 1_000_000


def large_table(folder: Path, n_rows: int, source: Path = SOURCE) -> Path:
    """Write a table of so many rows, unless it is there, and return where it is."""
    path = folder / f"acs_{n_rows:.0e}.parquet".replace("e+0", "e")
    if path.is_file():
        return path
    connection = duckdb.connect(config={"memory_limit": "4GB", "preserve_insertion_order": False})
    connection.execute("CREATE TABLE people AS SELECT * FROM read_parquet(?)", [str(source)])
    names = connection.table("people").columns
    (known,) = connection.execute("SELECT count(*) FROM people").fetchone() or (0,)
    lists = ", ".join(f'list("{name}") AS "{name}"' for name in names)
    connection.execute(f"CREATE TABLE columns AS SELECT {lists} FROM people")
    drawn = ", ".join(
        f'"{name}"[1 + CAST(if(hash(row, {2 * place + 1}) % {ONE_IN} = 0, hash(row, '
        f'{2 * place + 2}), hash(row, 0)) % {known} AS BIGINT)] AS "{name}"'
        for place, name in enumerate(names)
    )
    unfinished = path.with_suffix(".unfinished")
    connection.execute(
        f"COPY (SELECT {drawn} FROM range({n_rows}) AS rows(row), columns) TO '{unfinished}' "
        f"(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {ROW_GROUP})"
    )
    return unfinished.rename(path)


def main(folder: str, *sizes: str) -> None:
    """Write the tables."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    for size in map(int, map(float, sizes)) if sizes else SIZES:
        path = large_table(Path(folder), size)
        print(f"{path}: {path.stat().st_size / 1e6:,.0f} MB")


if __name__ == "__main__":
    main(*sys.argv[1:])
