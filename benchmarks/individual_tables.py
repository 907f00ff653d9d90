"""The tables of the individual benchmark, each as scaled numbers.

Where a table is drawn at random, it is drawn with the seed of the run.
"""

from __future__ import annotations

import duckdb
import numpy as np
from sklearn.datasets import load_digits

from sparsam.individual._people import Encoded, encode
from tables import DATA

PEOPLE = 5000  # of the census, as in appendix D of the paper
INCOME = ("AGEP", "COW", "SCHL", "MAR", "OCCP", "POBP", "RELP", "WKHP", "SEX", "RAC1P")
EMPLOYMENT = (
    *("AGEP", "SCHL", "MAR", "RELP", "DIS", "ESP", "CIT", "MIG", "MIL", "ANC", "NATIVITY"),
    *("DEAR", "DEYE", "DREM", "SEX", "RAC1P"),
)


def bank(seed: int) -> Encoded:
    return encode(duckdb.sql(f"select * from '{DATA}/bank_balanced_11162.csv.gz'").df(), "deposit")


def wine(seed: int) -> Encoded:
    """The rows without holes."""
    table = duckdb.sql(f"select * from '{DATA}/wine_quality_kaggle_N.csv.gz'").df().dropna()
    return encode(table, "type")


def digits(seed: int) -> Encoded:
    found = load_digits()
    names = tuple(f"pixel {j}" for j in range(64))
    return Encoded(found.data / 16, found.target.astype(np.intp), names, tuple(range(10)))


def income(seed: int) -> Encoded:
    """ACSIncome, as folktables defines it."""
    adults = "AGEP > 16 and PINCP > 100 and WKHP > 0 and PWGTP >= 1"
    return _census(INCOME, "PINCP > 50000", adults, seed)


def employment(seed: int) -> Encoded:
    """ACSEmployment, as folktables defines it: a code that does not apply to someone is 0."""
    return _census(EMPLOYMENT, "coalesce(ESR = 1, false)", "true", seed)


def _census(columns: tuple[str, ...], target: str, where: str, seed: int) -> Encoded:
    listed = ", ".join(f"coalesce({name}, 0) as {name}" for name in columns)
    table = duckdb.sql(
        f"select {listed}, {target} as target from '{DATA}/acs_pums_2018_14states.parquet' "
        f"where {where}"
    )
    return encode(table.df().sample(PEOPLE, random_state=seed).astype(float), "target")


def text(seed: int) -> Encoded:
    """Bags of 2,000 words from ten topics, 8,000 texts: drawn here, since no corpus is bundled.

    A text has 60 words, 44 of which are different on average, so 98 % of the table is zero.
    """
    rng = np.random.default_rng(seed)
    common = 1 / np.arange(1, 2001)
    topics = common * rng.gamma(0.3, size=(10, 2000))
    topics = 0.7 * common / common.sum() + 0.3 * topics / topics.sum(1, keepdims=True)
    y = rng.integers(10, size=8000)
    X = np.stack([rng.multinomial(60, topics[label]) > 0 for label in y]).astype(float)
    return Encoded(X, y.astype(np.intp), tuple(f"word {j}" for j in range(2000)), tuple(range(10)))
