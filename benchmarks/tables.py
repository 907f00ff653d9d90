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


Source = tuple[duckdb.DuckDBPyRelation, Roles]
"""Rows, and what they are for."""


def bundled() -> Source:
    """The table that the package brings along."""
    return _file("acs_employment_ma2018_20000.csv.gz", "*"), Roles("employed")


def adult_income() -> Source:
    columns = '* exclude(fnlwgt, "education-num", split)'
    return _file("adult.csv.gz", columns), Roles("income", missing_values=("?",))


def nursery() -> Source:
    """Four classes that follow from the attributes without noise."""
    rows = _file("nursery.csv.gz", "*").filter("class <> 'recommend'")
    return rows, Roles("class")


def wine_type() -> Source:
    return _file("wine_quality_kaggle_N.csv.gz", "*"), Roles("type")


def wine_quality() -> Source:
    """Five grades, as classes."""
    columns = "* exclude(quality), case when quality <= 4 then 'low' when quality >= 8 then 'high' "
    columns += "else quality::varchar end as grade"
    return _file("wine_quality_kaggle_N.csv.gz", columns), Roles("grade")


def wine_alcohol() -> Source:
    """The alcohol as a number."""
    return _file("wine_quality_kaggle_N.csv.gz", "*"), Roles("alcohol")


def magic() -> Source:
    return _file("magic04.csv.gz", "*"), Roles("class")


def bank_balanced() -> Source:
    return _file("bank_balanced_11162.csv.gz", "*"), Roles("deposit")


def happiness() -> Source:
    """How happy a marriage is: three classes, much noise."""
    rows = _file("gss_happiness.csv.gz", "* exclude(id)")
    target = "Happiness of marriage"
    return rows.filter(f'"{target}" is not null'), Roles(target)


def happiness_whole() -> Source:
    """The same with every column, the number of the interview too."""
    target = "Happiness of marriage"
    return _file("gss_happiness.csv.gz", "*").filter(f'"{target}" is not null'), Roles(target)


def german_credit() -> Source:
    return _file("german_credit.csv.gz", "*"), Roles("class", categorical=("class",))


def crime_class() -> Source:
    """Communities and Crime: more violent crimes than the median."""
    frame = crime_frame()
    median = frame.aggregate("median(ViolentCrimesPerPop)").fetchall()[0][0]
    return frame, Roles(f"ViolentCrimesPerPop>{median}", categorical=("state",))


def heritage() -> Source:
    """Whether someone is ill (32 %), from a year of claims."""
    columns = (
        "* exclude (CharlsonIndexI_max, CharlsonIndexI_min, CharlsonIndexI_ave, "
        "CharlsonIndexI_range, CharlsonIndexI_stdev)"
    )
    roles = Roles("Charlson>0", personal=("age", "sex"), categorical=("Charlson>0",))
    return _file("heritage_health_171067.parquet", columns), roles


def bank() -> Source:
    """Whether someone opens an account: 11.7 % as in the whole campaign, not one half."""
    frame = duckdb.sql(
        "select * exclude (place, duration) from (select *, "
        "row_number() over (partition by deposit order by hash(age, balance, day, duration)) as "
        f"place from '{DATA}/bank_balanced_11162.csv.gz') "
        "where not deposit or place <= 778"  # 778 of 5,873 + 778
    )
    return frame, Roles("deposit")


def lending() -> Source:
    """Whether a loan is not paid back (25 %)."""
    columns = "* exclude (issue_d, emp_title, dti_joint, verification_status_joint)"
    return _file("lending_club_2018.csv.gz", columns), Roles(
        "loan_status", categorical=("loan_status",)
    )


def lending_whole() -> Source:
    """The same with every column, the month and the job title too."""
    return _file("lending_club_2018.csv.gz", "*"), lending()[1]


def income() -> Source:
    """ACSIncome with the income as a number."""
    frame = duckdb.sql(
        "select AGEP, COW, SCHL, MAR, OCCP, POBP, RELP, WKHP, SEX, RAC1P, PINCP "
        f"from '{DATA}/acs_pums_2018_14states.parquet' "
        "where AGEP > 16 and PINCP > 100 and WKHP > 0 and PWGTP >= 1"
    )
    codes = ("COW", "MAR", "OCCP", "POBP", "RELP", "SEX", "RAC1P")
    return frame, Roles("PINCP", categorical=codes)


def income_class() -> Source:
    """ACSIncome as it is known: more than 50,000 dollars."""
    frame, roles = income()
    return frame.project("* exclude(PINCP), PINCP > 50000 as rich"), Roles(
        "rich", categorical=roles.categorical
    )


def long_hours() -> Source:
    """The people of ACSIncome: who works more than 40 hours, without the income."""
    frame, roles = income()
    return frame.project("* exclude(PINCP, WKHP), WKHP > 40 as long"), Roles(
        "long", categorical=roles.categorical
    )


def public_coverage() -> Source:
    """ACSPublicCoverage in raw codes."""
    names = "AGEP, SCHL, MAR, SEX, DIS, ESP, CIT, MIG, MIL, ANC, NATIVITY, DEAR, DEYE, DREM, PINCP"
    names += ", ESR, ST, FER, RAC1P"
    listed = ", ".join(f"coalesce({name}, -1) as {name}" for name in names.split(", "))
    frame = duckdb.sql(
        f"select {listed}, PUBCOV = 1 as covered from '{DATA}/acs_pums_2018_14states.parquet' "
        "where AGEP < 65 and PINCP <= 30000"
    )
    numbers = ("AGEP", "SCHL", "PINCP")
    codes = [name for name in names.split(", ") if name not in numbers]
    return frame, Roles("covered", categorical=codes, numeric=numbers)


def crime_number() -> Source:
    """Communities and Crime: violent crimes per head as a number, columns with holes left out."""
    return crime_frame(), Roles(
        "ViolentCrimesPerPop", personal=("race", "state"), categorical=("state",)
    )


def _file(name: str, columns: str) -> duckdb.DuckDBPyRelation:
    return duckdb.sql(f"select {columns} from '{DATA}/{name}'")


TASKS: dict[str, Callable[[], Task]] = {
    "ACSEmployment": acs_employment,
    "ACSIncome": acs_income,
    "ACSPublicCoverage": acs_public_coverage,
    "Adult": adult,
    "Crime": crime,
}
