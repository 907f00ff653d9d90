"""Every command of `sparsam`, on a small made-up table: for tests and benchmarks that try all.

Use it as `Scene.make(folder)`; `scene.commands` holds the words of each command, by name.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

COLUMNS = ("age", "education", "sex", "town")
TARGET = "works"
INTERPRETER = (sys.executable, "-m", "sparsam.cli")


@dataclass(frozen=True)
class Scene:
    """A folder of inputs, and the commands that can be run on them.

    Attributes
    ----------
    folder : Path
        Holds the inputs.
    out : Path
        Where the commands write.
    commands : dict of str to list of str
    outputs : dict of str to list of str
        The names of the files that each command writes, within `out`.
    names : dict of str to str
        What the columns are called.
    """

    folder: Path
    out: Path
    commands: dict[str, list[str]]
    outputs: dict[str, list[str]]
    names: dict[str, str]

    @classmethod
    def make(
        cls,
        folder: Path,
        evil: str = "",
        rows: int = 700,
        ending: str = ".csv",
        run: Callable[[list[str]], None] | None = None,
    ) -> Scene:
        """Write the inputs.

        Parameters
        ----------
        folder : Path
            Exists, and is empty.
        evil : str
            Goes into the names of columns, labels, files and remarks.
        rows : int
        ending : str
            Of the table and of its release: ".csv" or ".parquet".
        run : callable
            Runs a command, given its words; in a process of its own by default.
        """
        out = folder / "out"
        out.mkdir()
        names = {name: f"{name}{evil}" for name in (*COLUMNS, TARGET)}
        people = _people(names, evil, rows)
        if ending == ".csv":
            people.to_csv(folder / f"people{evil}.csv", index=False)
        else:
            people.to_parquet(folder / f"people{evil}{ending}")
        _model(people, names, folder / "model.joblib")
        _roles(people, names, folder / "roles.toml")
        scene = cls(folder, out, {}, {}, names)
        scene._list(evil, ending)
        for name in ("minimise", "individual", "anonymise", "ledger create"):
            (run or in_a_process)(scene.commands[name])
        for made, kept in (
            ("people.json", "people.json"),
            ("mask.npz", "mask.npz"),
            (f"release{evil}{ending}", f"release{ending}"),
            (f"release{evil}.certificate.json", "release.certificate.json"),
            ("new.ledger", "a.ledger"),
        ):
            (out / made).rename(folder / kept)
        for left in out.iterdir():
            left.unlink()
        return scene

    def _list(self, evil: str, ending: str) -> None:
        data, names, put = str(self.folder / f"people{evil}{ending}"), self.names, self._add
        here = {one: str(self.folder / one) for one in (
            "people.json", "mask.npz", f"release{ending}", "release.certificate.json", "a.ledger",
            "roles.toml", "model.joblib",
        )}  # fmt: skip
        task = ["--target", names[TARGET]]
        ledger, roles = here["a.ledger"], ["--domains", here["roles.toml"]]
        put("demo", "demo --no-open --jobs 1 --folder", [str(self.out)], {})
        self.outputs["demo"] = ["people.json", "report.html"]
        put("minimise", "minimise", [data, *task, "--min-leaf", "20", "--jobs", "1",
            "--max-utility-loss", "0.5"], {"-o": "people.json", "--report": "r.html"})  # fmt: skip
        put("minimise --attack", "minimise", [data, *task, "--min-leaf", "20", "--jobs", "1",
            "--max-utility-loss", "0.5", "--attack"],
            {"-o": "people.json", "--report": "r.html"})  # fmt: skip
        put("minimise --model", "minimise", [data, *task, "--model", here["model.joblib"],
            "--trust-model", "--keep-accuracy", "0.5"],
            {"-o": "people.json", "--recoding": "recoding.json",
             "--questionnaire": "questions.json", "--report": "r.md"})  # fmt: skip
        put("attack", "attack", [here["people.json"], data], {"--report": "r.json"})
        put("assess", "assess", [here["people.json"], data, "--json"], {})
        put("assess in words", "assess", [here["people.json"], data], {})
        put("apply", "apply", [here["people.json"], data, "--keep", names[TARGET]],
            {"-o": f"new{evil}.parquet"})  # fmt: skip
        put("apply a mask", "apply", [here["mask.npz"], data], {"-o": "retained.csv.gz"})
        put("anonymise", "anonymise", [data, "--quasi-identifiers",
            ",".join(names[one] for one in COLUMNS[:3]), "--k", "5", *task],
            {"-o": f"release{evil}{ending}", "--report": "r.html"})  # fmt: skip
        self.outputs["anonymise"].append(f"release{evil}.certificate.json")
        put("verify", "verify", [here[f"release{ending}"], here["release.certificate.json"]], {})
        put("individual", "individual", [data, *task, "--keep", "0.3", "--compare", "none",
            "--references", "2", "--runs", "0"],
            {"-o": "mask.npz", "--report": "r.html"})  # fmt: skip
        for kind in ("people.json", "mask.npz", "a.ledger"):
            put(f"describe {kind}", "describe", [here[kind]], {})
        put("describe a table", "describe", [data], {})
        put("ledger template", "ledger template", [data], {"-o": "roles.toml"})
        put("ledger template printed", "ledger template", [data], {})
        put("ledger create", "ledger create", [str(self.out / "new.ledger"), data, "--epsilon",
            "4", *roles, "--note", f"for a test{evil}"], {"--witness": "witness.json"})  # fmt: skip
        self.outputs["ledger create"].append("new.ledger")
        put("ledger show", "ledger show", [ledger], {})
        put("ledger verify", "ledger verify", [ledger], {})
        put("ledger statement", "ledger statement", [ledger], {"-o": "statement.html"})
        put("ledger statement printed", "ledger statement", [ledger], {})
        put("explore plan", "explore plan", [data, "--ledger", ledger, "--epsilon", "1"], {})
        put("explore run", "explore run", [data, "--ledger", ledger, "--epsilon", "0.5",
            "--purpose", f"a look{evil}"],
            {"-o": "answers.json", "--report": "r.html", "--synthetic": "made.csv",
             "--witness": "seen.json"})  # fmt: skip

    def _add(self, name: str, words: str, more: list[str], outputs: dict[str, str]) -> None:
        given = [
            word for option, file in outputs.items() for word in (option, str(self.out / file))
        ]
        self.commands[name] = [*words.split(), *more, *given]
        self.outputs[name] = list(outputs.values())


def in_a_process(words: list[str]) -> None:
    """Run a command that must succeed."""
    done = subprocess.run([*INTERPRETER, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{words[0]}: {done.stderr}")


def _people(names: dict[str, str], evil: str, rows: int) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    age = rng.integers(18, 80, rows)
    education = rng.choice(["none", "school", "college"], rows)
    works = (age < 65) & ((education != "none") | (rng.random(rows) < 0.5))
    columns = {
        "age": age,
        "education": [f"{one}{evil}" for one in education],
        "sex": rng.choice(["f", "m"], rows),
        "town": [f"{one}{evil}" for one in rng.choice(["Ulm", "Jena", "Bonn"], rows)],
        TARGET: np.where(works, f"yes{evil}", f"no{evil}"),
    }
    return pd.DataFrame({names[name]: values for name, values in columns.items()})


def _model(people: pd.DataFrame, names: dict[str, str], place: Path) -> None:
    texts = [names[name] for name in COLUMNS[1:]]
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), texts), remainder="passthrough"
    )
    model = make_pipeline(encode, DecisionTreeClassifier(max_depth=3, random_state=0))
    columns = [names[name] for name in COLUMNS]
    joblib.dump(model.fit(people[columns], people[names[TARGET]]), place)


def _roles(people: pd.DataFrame, names: dict[str, str], place: Path) -> None:
    """Declare what the columns may hold, as TOML."""
    parts = []
    for column in people:
        parts.append(f"[attributes.{json.dumps(column)}]".replace("\x7f", "\\u007f"))
        if column == names["age"]:
            parts.append('kind = "numeric"\nlow = 0\nhigh = 99\ninteger = true')
        else:
            listed = json.dumps(sorted(set(people[column]))).replace("\x7f", "\\u007f")
            parts.append(f'kind = "categorical"\ncategories = {listed}')
    place.write_text("\n".join(parts), encoding="utf-8")
