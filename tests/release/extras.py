"""For each extra a script that uses what it brings, in an environment without the other extras."""

from __future__ import annotations

_PEOPLE = """
import sparsam as sp
people = sp.load_example().select(["age", "sex", "disability", "employed"]).take(range(400))
tree = sp.PrivacyTree(sp.Roles("employed"), max_leaves=3, min_leaf=20).fit(people)
made = tree.generalization_
"""

EXTRAS: dict[str, str] = {
    "frames": f"""{_PEOPLE}
for library in ("pandas", "polars", "pyarrow"):
    frame = people.to_frame(library)
    print(type(made.apply(frame)).__module__.split(".")[0] == library)
""",
    "excel": """
import openpyxl
import sparsam as sp
book = openpyxl.Workbook()
book.active.append(["age", "employed"])
for age in range(30):
    book.active.append([age, "yes" if age > 20 else "no"])
book.save("people.xlsx")
print(len(sp.read("people.xlsx")) == 30)
""",
    "models": """
import numpy as np, onnxruntime, skops.io
from sklearn.linear_model import LogisticRegression
from sparsam.data import load_model
model = LogisticRegression().fit(np.array([[1.0], [2.0], [3.0]]), ["no", "yes", "yes"])
skops.io.dump(model, "model.skops")
print(load_model("model.skops").predict(np.array([[0.0]])).tolist() == ["no"])
try:
    open("model.onnx", "wb").write(b"no model")
    load_model("model.onnx")
except ValueError as error:
    print("model.onnx" in str(error))
""",
    "neural": """
import sparsam as sp
people = sp.load_example().select(["age", "sex", "employed"]).take(range(400))
found = sp.minimise.Adversarial(sp.Roles("employed"), epochs=1).fit(people)
print("age" in found.generalization_.names)
""",
    "dp-training": """
import numpy as np
from sparsam.anonymise import PrivateNetwork
from sparsam.data import NumericDomain
ages, adult = {"age": np.arange(100)}, np.where(np.arange(100) < 18, "no", "yes")
network = PrivateNetwork(
    domains={"age": NumericDomain(0, 99)}, classes=["no", "yes"], delta=1e-3, epochs=1, batch=50
)
print(network.fit(ages, adult).predict(ages).shape == (100,))
""",
    "dp": """
import sparsam as sp
domains = sp.explore.declared({"sex": ["female", "male"], "employed": ["no", "yes"]})
with sp.Ledger.create("people.ledger", epsilon=1, domains=domains) as ledger:
    people = sp.load_example().take(range(400))
    eda = sp.explore_table(people, ledger, epsilon=1, purpose="to see whether it works")
print("female" in eda.answer("value_counts", "sex").values)
""",
    "accounting": """
from sparsam.explore import gaussian_cost
from sparsam.explore.ledger._accounts import pld_epsilon
print(0 < pld_epsilon(gaussian_cost(0.01).events, 1e-6) < 1)
""",
    "serve": f"""{_PEOPLE}
made.save("people.json")
import subprocess, sys
words = "collect people.json --database people.db --keep-days 1 --check".split()
done = subprocess.run([sys.executable, "-m", "sparsam", *words], capture_output=True, text=True)
print("Everything is there" in done.stderr)
""",
    "postgres": f"""{_PEOPLE}
import psycopg
from sparsam.collect import Store
try:
    Store.open("postgresql://nobody@127.0.0.1:1/none", made, keep_days=1, key="0" * 64)
except sp.SparsamError as error:
    print(type(error).__name__ == "StoreError")
""",
    "sql": f"""{_PEOPLE}
print(made.to_sql("people", dialect="snowflake").startswith("SELECT"))
""",
    "plot": """
from pathlib import Path
from matplotlib.figure import Figure
Figure().add_subplot().figure.savefig("picture.png")
print(Path("picture.png").stat().st_size > 1000)
""",
    "docs": """
import myst_parser, numpydoc, pydata_sphinx_theme, sphinx, sphinx_gallery
print(True)
""",
    "browser": """
from playwright.sync_api import sync_playwright
print(callable(sync_playwright))
""",
    "test": """
import hypothesis, jsonschema, pytest, xdist
print(True)
""",
}
