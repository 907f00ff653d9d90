"""
How does it stay so? A gate in continuous integration
=====================================================

A promise that nobody checks is forgotten. A *gate* is a limit that a build fails on: a saved
generalization is measured on a fresh sample at full resolution, and where the risk, the loss or
the smallest group is beyond its limit, the exit code is 1.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import sparsam as sp
from sparsam.assess import assess_generalization, check_gates, measure_limits

people = sp.load_example().take(range(4000))
roles = sp.Roles(target="employed", personal="categorical")
tree = sp.PrivacyTree(roles, max_leaves=8, privacy=0.5).fit(people.take(range(2000)))

# %%
# In Python a gate is a line of a test. We allow an adversary to recover a third of what guessing
# gets wrong over all attributes, half of any single one, and a loss of five points.

sample = sp.split(sp.resolve(people.take(range(2000, 4000)), roles))
assessment = assess_generalization(tree.generalization_, sample)
limits = measure_limits(sample)
gates = check_gates(
    assessment, limits, max_risk=0.33, max_attribute_risk=0.5, max_utility_loss=0.05
)
for gate in gates:
    print(f"{gate.verdict:>6}  {gate.gate} {gate.limit}: {gate.to_dict()['value']}")

# %%
# Which attribute fails? The picture shows what an attacker gets wrong. We draw the limit into it
# ourselves, as the axes are ordinary axes: half of what guessing gets wrong. Where the dot is left
# of its cross, the gate is closed: the attribute is collected, or follows from what is.

axes = assessment.risk.plot(title="The gate: half of what guessing gets wrong")
parts = {part.attribute: part for part in assessment.risk.parts}
names = [label.get_text() for label in axes.get_yticklabels()]
allowed = [0.5 * parts[name].to_dict()["baseline"] for name in names]
axes.plot(allowed, range(len(names)), "x", color="black", zorder=5, label="limit of the gate")
axes.legend(loc="lower right")

# %%
# On the command line the same is one command, here with a limit that is too strict. ``--json`` is
# for the pipeline, the exit code for the build: 0 where every gate is passed, 1 where one fails, 3
# where too few people can tell.

with tempfile.TemporaryDirectory() as folder:
    artifact, table = Path(folder) / "people.json", Path(folder) / "sample.csv"
    tree.generalization_.save(artifact)
    people.take(range(2000, 4000)).to_frame("pandas").to_csv(table, index=False)
    command = ["assess", str(artifact), str(table), "--target", "employed", "--max-risk", "0.05"]
    run = [sys.executable, "-m", "sparsam", *command, "--quiet"]
    result = subprocess.run(run, capture_output=True, text=True, check=False)
print(*(line for line in result.stdout.splitlines() if line.startswith(("Risk", "Gate"))), sep="\n")
print(f"exit code {result.returncode}")

# %%
# **What it does not mean.** A gate that is passed says that this sample gives no reason to stop.
# It is as good as the sample: take a fresh one, at full resolution, of the people that the artifact
# is used for, and keep it apart from what the artifact was learned on.
