"""The tables that the benchmarks run on, from the shared folder beside this checkout."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import duckdb

from sparsam.data import Roles, Task, resolve

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def acs_employment(*years: int) -> Task:
    """Massachusetts in some years; 2018 when none is named."""
    frame = duckdb.sql(
        f"select * exclude(year) from '{DATA}/acs_employment_MA_2015_2018.parquet' "
        f"where year in {years or (2018, 2018)}"
    )
    return coded(frame, "employed", numeric=("AGEP", "SCHL"))


def acs_income() -> Task:
    frame = duckdb.sql(
        "select AGEP, COW, SCHL, MAR, OCCP, POBP, RELP, WKHP, SEX, RAC1P, PINCP > 50000 as rich "
        f"from '{DATA}/acs_pums_2018_14states.parquet' "
        "where AGEP > 16 and PINCP > 100 and WKHP > 0 and PWGTP >= 1"
    )
    return coded(frame, "rich", numeric=("AGEP", "SCHL", "WKHP"))


def acs_public_coverage() -> Task:
    columns = ("AGEP", "SCHL", "MAR", "SEX", "DIS", "ESP", "CIT", "MIG", "MIL", "ANC")
    columns += ("NATIVITY", "DEAR", "DEYE", "DREM", "PINCP", "ESR", "ST", "FER", "RAC1P")
    listed = ", ".join(f"coalesce({column}, -1) as {column}" for column in columns)
    frame = duckdb.sql(
        f"select {listed}, PUBCOV = 1 as covered from '{DATA}/acs_pums_2018_14states.parquet' "
        "where AGEP < 65 and PINCP <= 30000"
    )
    return coded(frame, "covered", numeric=("AGEP", "SCHL", "PINCP"))


def acs_income_large() -> Task:
    frame = duckdb.sql(f"select * exclude(STATE) from '{DATA}/acs_income_2018_35states.parquet'")
    return coded(frame, "PINCP_gt_50000", numeric=("AGEP", "SCHL", "WKHP"))


def adult() -> Task:
    frame = duckdb.sql(
        f"select * exclude(fnlwgt, \"education-num\", split) from '{DATA}/adult.csv.gz'"
    )
    numbers = ("age", "capital-gain", "capital-loss", "hours-per-week")
    return resolve(frame, Roles("income", numeric=numbers, missing_values=("?",)))


def crime_frame() -> duckdb.DuckDBPyRelation:
    """Communities and Crime without columns with holes, and race as a truth value."""
    source = f"read_csv('{DATA}/communities_crime.csv.gz', nullstr='?')"
    names = duckdb.sql(f"select * from {source}").columns
    holes = ", ".join(f'count(*) - count("{name}")' for name in names)
    missing = duckdb.sql(f"select {holes} from {source}").fetchall()[0]
    barred = {"communityname", "fold", "racepctblack"}
    kept = [n for n, gone in zip(names, missing, strict=True) if not gone and n not in barred]
    listed = ", ".join(f'"{name}"' for name in kept)
    return duckdb.sql(f"select {listed}, racepctblack > 0.06 as race from {source}")


def crime() -> Task:
    """Communities and Crime: more violent crimes than the median, race and state personal."""
    frame = crime_frame()
    median = frame.aggregate("median(ViolentCrimesPerPop)").fetchall()[0][0]
    roles = Roles(
        f"ViolentCrimesPerPop>{median}", personal=("race", "state"), categorical=("state",)
    )
    return resolve(frame, roles)


def coded(frame: duckdb.DuckDBPyRelation, target: str, numeric: Sequence[str]) -> Task:
    """A table of census codes, in which only the named columns are numbers."""
    categorical = [name for name in frame.columns if name not in numeric]
    return resolve(frame, Roles(target, categorical=categorical, numeric=numeric))


TASKS: dict[str, Callable[[], Task]] = {
    "ACSEmployment": acs_employment,
    "ACSIncome": acs_income,
    "ACSPublicCoverage": acs_public_coverage,
    "Adult": adult,
    "Crime": crime,
}
