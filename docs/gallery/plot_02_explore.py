"""
How much can one see without seeing anybody?
============================================

Somebody looks at the data before a model is trained, and every look leaks a little. Here the look
is paid for: every answer has noise that hides any single person, a *ledger* on disk pays for it,
and when the budget is spent, nothing is answered any more.

The question: what do 4,000 people look like, for a budget of epsilon 1, of which we spend half?
"""

import tempfile
from pathlib import Path

import sparsam as sp
from sparsam.explore import declared

people = sp.load_example().take(range(4000))

# %%
# Ranges and categories are *declared*, from what is known without looking: reading them from the
# table would already tell of single people. ``sparsam ledger template`` writes a file to fill in.

domains = declared(
    {
        "age": (0, 99, "integer"),
        "sex": ["female", "male"],
        "employed": ["no", "yes"],
        "marital_status": ["married", "never married", "divorced", "separated", "widowed"],
        "disability": ["no", "yes"],
    }
)

# %%
# All tables are paid for once; everything else is worked out from them. The same question again
# is free.

with tempfile.TemporaryDirectory() as folder:
    place = Path(folder) / "people.ledger"
    budget = {"epsilon": 1, "delta": 1e-6, "analyst": "A. Nalyst"}
    with sp.Ledger.create(place, domains=domains, **budget) as ledger:
        eda = sp.explore_table(people, ledger, epsilon=0.5, purpose="a first look")
        print(ledger.statement())

# %%
# Bars are noisy counts, and the thin lines are 95 % intervals of the noise. Large groups stand
# clear of it; single years of age are drowned, as they should be, so that years are put together.

eda.plot()

# %%
# What goes together? Numbers in bold are beyond what noise makes; the others may be nothing at
# all. Marital status and employment go together here, and sex tells little of either.

eda.plot(matrix="cramers_v")

# %%
# **What it does not mean.** The intervals are about the noise: they say where the figure of *this*
# table lies, not how sure it is of people who are not in it. A count near zero with a wide line
# tells nothing of anybody, which is why nothing needs to be hidden here. And a ledger binds those
# who can only ask; whoever has the table needs none.
