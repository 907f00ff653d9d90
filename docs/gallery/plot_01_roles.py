"""
What is in the table, and what is it for?
=========================================

Before anything is minimised, somebody has to say what each column *is* (a number, a category, a
date) and what it is *for*: what the model predicts, what is personal, by what people could be
recognised, what must never be used. sparsam proposes all of it, with its reasons, and decides
nothing.

The example: 20,000 census records come with the package; we take 4,000 of them. The model is to
predict whether somebody is employed.
"""

import sparsam as sp
from sparsam.data import propose_roles

people = sp.load_example().take(range(4000))
proposed = propose_roles(people.to_frame("pandas"), target="employed")

# %%
# The proposal is a file to read, to correct and to hand to every command (``--roles roles.toml``).
# A column called *age* or *education* is something that others may know of a person, so that it is
# proposed as a quasi-identifier; the reason stands behind each line.

print("\n".join(proposed.to_toml().splitlines()[:40]))

# %%
# In Python the same is one line. What is not declared is personal if it is categorical.

roles = sp.Roles(target="employed", personal="categorical")
task = sp.resolve(people, roles)
print(f"{task.n_rows:,} people, {len(task.names)} attributes, target {task.target_name!r}")

# %%
# This is what would be collected today: everything, at full resolution. Every bar is an attribute,
# every cell a value, or a range of values, that is told apart from all others.

everything = sp.Generalization.identity(task.table)
everything.plot(title="Everything collected: what we start from")

# %%
# **What it does not mean.** A proposed role is a guess from names and values. That a column is not
# proposed as a quasi-identifier does not make it harmless, and nobody but you can say what others
# know. Special categories of the GDPR (Art. 9) are never guessed: they are declared in the file.
