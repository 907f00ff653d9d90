"""A table of made-up people in which every column holds values that nobody else may see."""

from __future__ import annotations

import gzip
import shutil
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

from sparsam.collect import Questionnaire, Store, Target
from sparsam.collect._interviews import Interviews
from sparsam.data import CategoricalDomain, NumericDomain
from sparsam.generalization import (
    Branch,
    Generalization,
    Leaf,
    Recoding,
    categorical_partition,
    numeric_partition,
)

N_PEOPLE = 600
SURNAME = "Wibblethorpe"
PHONE = "+49-1517-"
PATIENT = 904_410_000
LABEL = 817_330_000  # of the index that pandas gives to the rows
OLDEST = 117
HIGHEST, LOWEST, INTERIOR = 184_467.31, -9_173.77, 48_271.63
RENT = 48_817
# Categories of one to three people.
RARE = {
    "region": "Zyxquartz-7",
    "education": "Krautwuerfel-9",
    "marital_status": "Handfasted-Qz3",
    "sex": "Vrykolax-x",
}
# Texts of one person in the tables that cannot be used.
LATIN = "Grümpfling-Ø4"
BROKEN = "Splorknit-55"
MODEL_TAKES = [
    "surname", "phone", "age", "sex", "education", "marital_status", "region", "rent", "income"
]  # fmt: skip

ROLES = """
[roles]
target = "employed"
personal = ["sex", "region"]
identifiers = ["patient", "surname", "phone", "marital_status"]

[attributes.age]
kind = "numeric"
low = 0
high = 117
integer = true

[attributes.rent]
kind = "numeric"
low = 0
high = 48817
integer = true

[attributes.income]
kind = "numeric"
low = -9173.77
high = 184467.31

[attributes.sex]
kind = "categorical"
categories = ["female", "male", "Vrykolax-x"]

[attributes.education]
kind = "categorical"
categories = ["low", "middle", "high", "Krautwuerfel-9"]

[attributes.region]
kind = "categorical"
categories = ["north", "south", "east", "Zyxquartz-7"]

[attributes.employed]
kind = "categorical"
categories = ["no", "yes"]
"""
# What ROLES says of these columns, it may be said again.
DECLARED = frozenset({"age", "rent", "income", "sex", "education", "region"})

# Wide domains that give nobody away.
DOMAINS = """
[attributes.age]
kind = "numeric"
low = 0
high = 130
integer = true

[attributes.income]
kind = "numeric"
low = -50000
high = 250000

[attributes.education]
kind = "categorical"
categories = ["low", "middle", "high"]

[attributes.region]
kind = "categorical"
categories = ["north", "south", "east"]
"""


@cache
def people(n_rows: int = N_PEOPLE) -> pd.DataFrame:
    """Make the table: work depends on age, education and income; the same people each time.

    One person is the oldest, one has the highest and one the lowest income, one the highest rent;
    one to three have a category that nobody else has. Most surnames and phones are those of the
    three people in a household.
    """
    rng = np.random.default_rng(13)
    household = rng.permutation(np.arange(n_rows) // 3)
    age = rng.integers(18, 91, n_rows)
    education = rng.choice(["low", "middle", "high"], n_rows).astype(object)
    income = rng.normal(52_000, 16_000, n_rows).clip(12_000, 96_000).round(0)
    # cents that no half, no quarter and no mean of two round numbers has
    income += rng.choice([0.13, 0.29, 0.37, 0.41, 0.63, 0.71, 0.87], n_rows)
    works = ((age > 28) & (age < 66) & (education != "low")) | (income > 70_000)
    frame = pd.DataFrame(
        {
            "patient": PATIENT + rng.permutation(n_rows) * 7,
            "surname": [f"{SURNAME}{place:04d}" for place in household],
            "phone": [f"{PHONE}{7_000_003 + 37 * place}" for place in household],
            "age": age,
            "sex": rng.choice(["female", "male"], n_rows).astype(object),
            "education": education,
            "marital_status": rng.choice(["single", "married", "widowed"], n_rows).astype(object),
            "region": rng.choice(["north", "south", "east"], n_rows, p=[0.4, 0.3, 0.3]),
            "rent": rng.integers(8, 49, n_rows) * 50,
            "income": income.round(2),
            "employed": np.where(works ^ (rng.random(n_rows) < 0.05), "yes", "no"),
        }
    ).astype({"region": object})
    # some whose values may be named, as a model must be fed one
    frame.loc[100:119, ["surname", "phone"]] = ["Meier", "none"]
    frame.loc[11, "age"] = OLDEST
    frame.loc[[23, 24, 25], "region"] = RARE["region"]
    frame.loc[[31, 32], "education"] = RARE["education"]
    frame.loc[[41], "marital_status"] = RARE["marital_status"]
    frame.loc[[43, 44], "sex"] = RARE["sex"]
    frame.loc[53, "rent"] = RENT
    frame.loc[[61, 62, 63], "income"] = [HIGHEST, LOWEST, INTERIOR]
    return frame


def labelled(frame: pd.DataFrame) -> pd.DataFrame:
    """The same rows with an index that numbers people."""
    return frame.set_axis(LABEL + 3 * np.arange(len(frame)), axis=0)


def write_tables(folder: Path) -> None:
    """Write the table in every way in which it can be whole, odd or damaged."""
    frame = people()
    frame.to_csv(folder / "people.csv", index=False)
    frame.to_csv(folder / "people.csv.gz", index=False)
    frame[["age", "education", "income", "employed"]].to_csv(folder / "slim.csv.gz", index=False)
    frame.to_parquet(folder / "people.parquet", index=False)
    if find_spec("openpyxl"):
        frame.to_excel(folder / "people.xlsx", index=False)
    frame.to_json(folder / "people.jsonl", orient="records", lines=True)
    commas = frame.to_csv(index=False, sep=";", decimal=",")
    (folder / "commas.csv").write_bytes(commas.encode("latin-1"))
    frame.set_axis(LABEL + 3 * np.arange(len(frame)), axis=0).to_parquet(
        folder / "labelled.parquet"
    )
    _write_damaged(folder, frame)
    _write_odd(folder, frame)
    (folder / "roles.toml").write_text(ROLES, encoding="utf-8")
    (folder / "model_roles.toml").write_text(_for_the_model(), encoding="utf-8")
    (folder / "too_narrow.toml").write_text(ROLES.replace("48817", "900"), encoding="utf-8")
    (folder / "domains.toml").write_text(DOMAINS, encoding="utf-8")
    (folder / "hierarchy.csv").write_text("north;*\nsouth;*\neast;*\n", encoding="utf-8")
    for ending in (
        "json",
        "npz",
        "ledger",
        "toml",
        "onnx",
        "joblib",
        "skops",
        "parquet",
        "xlsx",
        "db",
    ):
        shutil.copy(folder / "people.csv", folder / f"wrong.{ending}")
    shutil.copy(folder / "people.parquet", folder / "wrong.csv")
    _write_store(folder, frame)
    joblib.dump(fitted_model(frame), folder / "model.joblib")
    joblib.dump(fitted_model(frame, handle_unknown="error"), folder / "strict.joblib")
    joblib.dump(fitted_model(frame, min_samples_leaf=1), folder / "by_heart.joblib")


RECEIPT_KEY = b"canaries" * 4


def collected(cuts: list[int]) -> Generalization:
    """What is collected of these people, by wide domains that give nobody away."""
    return Generalization(
        [
            numeric_partition("age", NumericDomain(0, 130, integer=True), cuts),
            *(
                categorical_partition(name, CategoricalDomain(tuple(known)), [[c] for c in known],
                                      unseen=3)
                for name, known in (("education", ["low", "middle", "high"]),
                                    ("region", ["north", "south", "east"]))
            ),
        ]
    )  # fmt: skip


def _write_store(folder: Path, frame: pd.DataFrame) -> None:
    """A store of the same people, and a receipt of the oldest of them."""
    fine = collected([25, 30, 66, 80])
    codes = fine.apply(frame, output="codes").assign(works=frame["employed"] == "yes")
    records = codes.astype(int).to_numpy().tolist()
    (folder / "receipts.key").write_text(RECEIPT_KEY.hex(), encoding="ascii")
    (folder / "receipts.key").chmod(0o600)
    with Store.open(
        folder / "collected.db",
        fine,
        keep_days=9,
        target=Target("employed", ("no", "yes")),
        key=folder / "receipts.key",
    ) as store:
        receipts = store.add(records)
    (folder / "receipt.txt").write_text(receipts[11], encoding="ascii")
    collected([30, 66]).save(folder / "coarser.json")
    asks = Questionnaire(_asked(fine))
    with Store.open(
        folder / "interviews.db",
        asks,
        keep_days=9,
        target=Target("employed", ("no", "yes")),
        key=folder / "receipts.key",
    ) as store:
        interviews, names = Interviews(asks), fine.collected
        numbers = [interviews.reduced(dict(zip(names, row, strict=False))) for row in records]
        receipts = store.add([(n, row[-1]) for n, row in zip(numbers, records, strict=True)])
    (folder / "interview.txt").write_text(receipts[11], encoding="ascii")


def _asked(g: Generalization) -> Recoding:
    """The young are asked for their region, all others for everything."""
    means = {"age": [20, 27, 40, 70, 90], "education": ["low", "middle", "high", "low"],
             "region": ["north", "south", "east", "north"]}  # fmt: skip
    nodes = [
        Branch("age", (0, 1), 1, 2),
        Leaf(("region",), {"age": 20, "education": "low"}),
        Leaf(("age", "education", "region"), {}),
    ]
    return Recoding(g, means, nodes)


def _for_the_model() -> str:
    """Roles with the same domains, in which no column is an identifier that the model takes."""
    lines = [
        line for line in ROLES.splitlines() if not line.startswith(("personal", "identifiers"))
    ]
    return "\n".join(lines)


def fitted_model(
    frame: pd.DataFrame, handle_unknown: str = "use_encoded_value", min_samples_leaf: int = 20
) -> object:
    """A pipeline that takes every column but the patient's number; with small leaves it looks at
    surnames, of which hardly any may be named.
    """
    unknown = -1 if handle_unknown == "use_encoded_value" else None
    encode = OrdinalEncoder(handle_unknown=handle_unknown, unknown_value=unknown)
    texts = (encode, make_column_selector(dtype_exclude="number"))
    model = make_pipeline(
        make_column_transformer(texts, remainder="passthrough"),
        DecisionTreeClassifier(max_depth=5, min_samples_leaf=min_samples_leaf, random_state=0),
    )
    return model.fit(frame[MODEL_TAKES], frame["employed"])


def _write_odd(folder: Path, frame: pd.DataFrame) -> None:
    """Tables that can be read, and are not what the command expects."""
    frame.to_csv(folder / "headless.csv", index=False, header=False)
    frame.assign(employed="yes").to_csv(folder / "one_class.csv", index=False)
    frame.assign(income=frame["income"].astype(object)).replace(
        {"income": {INTERIOR: BROKEN}}
    ).to_csv(folder / "text_in_numbers.csv", index=False)
    unseen = frame.copy()
    unseen.loc[70, ["region", "education", "sex", "marital_status"]] = BROKEN
    unseen.to_csv(folder / "unseen.csv", index=False)
    nobody = [name for name in frame["surname"] if name != "Meier"]
    frame.assign(surname=[*nobody, *nobody][: len(frame)]).to_csv(folder / "rare.csv", index=False)
    frame.drop(columns=["age", "education", "income"]).to_csv(folder / "narrow.csv", index=False)
    (folder / "age=5" / "region=Splorknit-55").mkdir(parents=True)
    shutil.copy(folder / "people.parquet", folder / "age=5" / "region=Splorknit-55")
    shutil.copy(folder / "people.csv", folder / "age=5" / "region=Splorknit-55")


def _write_damaged(folder: Path, frame: pd.DataFrame) -> None:
    """Tables that cannot be read, or not to the end."""
    _write_latin(folder, frame)
    whole = (folder / "people.parquet").read_bytes()
    (folder / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    pq.write_table(pa.Table.from_pandas(frame), folder / "plain.parquet", compression="NONE")
    flat = bytearray((folder / "plain.parquet").read_bytes())
    # lengths of texts and headers of pages, while the footer stays whole
    flat[40 : len(flat) - 6000 : 97] = b"\xff" * len(range(40, len(flat) - 6000, 97))
    (folder / "damaged.parquet").write_bytes(bytes(flat))
    packed = (folder / "people.csv.gz").read_bytes()
    (folder / "cut.csv.gz").write_bytes(packed[: len(packed) // 2])
    spoilt = bytearray(packed)
    spoilt[len(spoilt) // 2] ^= 0x55
    (folder / "damaged.csv.gz").write_bytes(bytes(spoilt))
    lines = (folder / "people.csv").read_text(encoding="utf-8").splitlines()
    cells = lines[300].split(",")
    more = [*lines[:300], ",".join([*cells, BROKEN, "1"]), *lines[301:]]
    (folder / "broken.csv").write_text("\n".join(more), encoding="utf-8")
    quoted = [*lines[:300], f'{",".join(cells[:1])},"{BROKEN},{",".join(cells[2:])}', *lines[301:]]
    (folder / "quote.csv").write_text("\n".join(quoted), encoding="utf-8")
    (folder / "packed.csv.gz").write_bytes(gzip.compress("\n".join(more).encode()))
    records = (folder / "people.jsonl").read_text(encoding="utf-8").splitlines()
    (folder / "cut.jsonl").write_text("\n".join([*records[:300], records[300][:-9]]))
    nested = [record.replace('"south"', f'["{BROKEN}"]') for record in records]
    (folder / "nested.jsonl").write_text("\n".join(nested))


def _write_latin(folder: Path, frame: pd.DataFrame) -> None:
    """One text that is not in UTF-8."""
    odd = frame.copy()
    odd.loc[300, "region"] = LATIN
    (folder / "latin.csv").write_bytes(odd.to_csv(index=False).encode("latin-1"))
    table = pa.Table.from_pandas(frame, preserve_index=False)
    raw = pa.array([str(text).encode("latin-1") for text in odd["region"]], pa.binary())
    place = table.schema.get_field_index("region")
    table = table.set_column(place, "region", raw.cast(pa.string(), safe=False))
    pq.write_table(table, folder / "latin.parquet")
