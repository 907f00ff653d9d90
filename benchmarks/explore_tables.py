"""Adult and magic04 with the domains that their documentation gives, generously rounded.

Nothing of these two was read from the data: the categories are those that the UCI descriptions
list, the ranges are what such a number can be. The tables that settings are tuned on (bank, wine,
ACS, German credit) take their categories from the data.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from sparsam.explore import Declared, declared

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
SEED = 2020

ADULT: dict[str, Any] = {
    "age": (0, 120, "integer"),
    "fnlwgt": (0, 1_500_000, "integer"),
    "education-num": (1, 16, "integer"),
    "capital-gain": (0, 99_999, "integer"),
    "capital-loss": (0, 4_500, "integer"),
    "hours-per-week": (0, 100, "integer"),
    "workclass": "Private, Self-emp-not-inc, Self-emp-inc, Federal-gov, Local-gov, State-gov, "
    "Without-pay, Never-worked",
    "education": "Bachelors, Some-college, 11th, HS-grad, Prof-school, Assoc-acdm, Assoc-voc, 9th, "
    "7th-8th, 12th, Masters, 1st-4th, 10th, Doctorate, 5th-6th, Preschool",
    "marital-status": "Married-civ-spouse, Divorced, Never-married, Separated, Widowed, "
    "Married-spouse-absent, Married-AF-spouse",
    "occupation": "Tech-support, Craft-repair, Other-service, Sales, Exec-managerial, "
    "Prof-specialty, Handlers-cleaners, Machine-op-inspct, Adm-clerical, Farming-fishing, "
    "Transport-moving, Priv-house-serv, Protective-serv, Armed-Forces",
    "relationship": "Wife, Own-child, Husband, Not-in-family, Other-relative, Unmarried",
    "race": "White, Asian-Pac-Islander, Amer-Indian-Eskimo, Other, Black",
    "sex": "Female, Male",
    "native-country": "United-States, Cambodia, England, Puerto-Rico, Canada, Germany, "
    "Outlying-US(Guam-USVI-etc), India, Japan, Greece, South, China, Cuba, Iran, Honduras, "
    "Philippines, Italy, Poland, Jamaica, Vietnam, Mexico, Portugal, Ireland, France, "
    "Dominican-Republic, Laos, Ecuador, Taiwan, Haiti, Columbia, Hungary, Guatemala, Nicaragua, "
    "Scotland, Thailand, Yugoslavia, El-Salvador, Trinadad&Tobago, Peru, Hong, Holand-Netherlands",
    "income": "<=50K, >50K",
}
# Millimetres, degrees, and logarithms of photons; shares lie between 0 and 1.
MAGIC: dict[str, Any] = {
    "fLength": (0, 1000),
    "fWidth": (0, 1000),
    "fSize": (0, 10),
    "fConc": (0, 1),
    "fConc1": (0, 1),
    "fAsym": (-1000, 1000),
    "fM3Long": (-1000, 1000),
    "fM3Trans": (-1000, 1000),
    "fAlpha": (0, 90),
    "fDist": (0, 1000),
    "class": "g, h",
}
BANK: dict[str, Any] = {
    "age": (0, 120, "integer"),
    "balance": (-20_000, 100_000, "integer"),
    "day": (1, 31, "integer"),
    "duration": (0, 5_000, "integer"),
    "campaign": (1, 100, "integer"),
    "pdays": (-1, 1_000, "integer"),
    "previous": (0, 100, "integer"),
}
WINE: dict[str, Any] = {
    "fixed acidity": (0, 100),
    "volatile acidity": (0, 10),
    "citric acid": (0, 10),
    "residual sugar": (0, 100),
    "chlorides": (0, 1),
    "free sulfur dioxide": (0, 1_000),
    "total sulfur dioxide": (0, 1_000),
    "density": (0, 10),
    "pH": (0, 10),
    "sulphates": (0, 10),
    "alcohol": (0, 100),
    "quality": (0, 10, "integer"),
}
ACS: dict[str, Any] = {"age": (0, 120, "integer")}
GERMAN: dict[str, Any] = {
    "duration": (0, 120, "integer"),
    "credit_amount": (0, 50_000, "integer"),
    "installment_commitment": (1, 4, "integer"),
    "residence_since": (1, 4, "integer"),
    "age": (0, 120, "integer"),
    "existing_credits": (1, 10, "integer"),
    "num_dependents": (1, 10, "integer"),
}


@dataclass(frozen=True)
class Case:
    """One table of the paper: its columns, what is declared of it, and the paper's budget."""

    columns: dict[str, Any]
    declared: Declared
    total: float
    path: Path

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(next(iter(self.columns.values())))


def _case(file: str, domains: dict[str, Any], total: float, holes: str) -> Case:
    made = declared(
        {
            name: what.split(", ") if isinstance(what, str) else what
            for name, what in domains.items()
        },
        missing_values=("?",),
    )
    listed = ", ".join(f'"{name}"' for name in made.names)
    read = duckdb.sql(f"select {listed} from '{DATA}/{file}'").fetchnumpy()
    columns: dict[str, Any] = {}
    for name in made.names:
        if name in made.numeric:
            numbers = np.ma.asarray(read[name]).astype(float)
            columns[name] = np.ma.filled(numbers, np.nan)
        else:
            texts = np.array([_text(one) for one in np.ma.asarray(read[name]).tolist()], object)
            columns[name] = np.where(texts == "?", None, texts)
    rng = np.random.default_rng(SEED)
    rows = rng.choice(len(columns[holes]), len(columns[holes]) // 10, replace=False)
    columns[holes][rows] = np.nan
    return Case(columns, made, total, DATA / file)


def adult() -> Case:
    """48,842 people; a tenth of the ages removed."""
    return _case("adult.csv.gz", ADULT, 1.02, "age")


def magic04() -> Case:
    """19,020 showers; a tenth of the lengths removed."""
    return _case("magic04.csv.gz", MAGIC, 1.16, "fLength")


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _tuning_case(file: str, ranges: dict[str, Any], total: float, holes: str) -> Case:
    """Take the categories from the data: nothing about these tables is reported as protected."""
    names = [one[0] for one in duckdb.sql(f"describe select * from '{DATA}/{file}'").fetchall()]
    domains = dict(ranges)
    for name in names:
        if name not in domains:
            listed = duckdb.sql(f"select distinct \"{name}\" from '{DATA}/{file}'").fetchall()
            domains[name] = sorted(str(one[0]) for one in listed if one[0] is not None)
    return _case(file, domains, total, holes)


def bank() -> Case:
    """11,162 customers; a tenth of the ages removed."""
    return _tuning_case("bank_balanced_11162.csv.gz", BANK, 1.25, "age")


def wine() -> Case:
    """6,497 wines; a tenth of the alcohol values removed."""
    return _tuning_case("wine_quality_kaggle_N.csv.gz", WINE, 1.51, "alcohol")


def acs() -> Case:
    """20,000 people; a tenth of the ages removed."""
    return _tuning_case("acs_employment_ma2018_20000.csv.gz", ACS, 1.43, "age")


def german() -> Case:
    """1,000 debtors; a tenth of the ages removed."""
    return _tuning_case("german_credit.csv.gz", GERMAN, 1.75, "age")


TABLES: dict[str, Callable[[], Case]] = {"adult": adult, "magic04": magic04}
TUNING: dict[str, Callable[[], Case]] = {"bank": bank, "wine": wine, "acs": acs, "german": german}
