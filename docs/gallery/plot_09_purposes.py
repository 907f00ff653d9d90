"""
Which purpose needs what?
=========================

Data are collected for a purpose, and often for several. Purpose limitation (GDPR Art. 5(1)(b)) asks
which purpose needs which attribute; minimisation asks how finely. ``minimise_for_purposes`` finds
one generalization that is shown to serve all of them, and beside it what each would need alone.

The people are made up, so that the right answer is known: whether somebody works hangs on the age,
whether somebody is ill on the part of town, and the sex tells nothing of either.
"""

import numpy as np

import sparsam as sp
from sparsam.assess import minimise_for_purposes

rng = np.random.default_rng(0)
n_people = 2000
age = rng.integers(18, 80, n_people)
district = rng.choice(["north", "south", "harbour", "old town", "hill", "mill"], n_people)
sex = rng.choice(["female", "male"], n_people)
works = (age < 62) ^ (rng.random(n_people) < 0.1)
ill = np.isin(district, ["harbour", "mill"]) ^ (rng.random(n_people) < 0.12)
people = {
    "age": age,
    "district": district,
    "sex": sex,
    "works": np.where(works, "yes", "no"),
    "ill": np.where(ill, "yes", "no"),
}

# %%
# Two targets, and one limit for both: no purpose may lose more than six points.

choice = minimise_for_purposes(
    people,
    sp.Roles(targets=["works", "ill"]),
    max_utility_loss=0.06,
    minimisers=["merging"],
)
print(choice)

# %%
# The rows are attributes, the columns purposes, the numbers buckets; a dash means that a purpose
# does not need the attribute at all. The last column is what is collected. It may be a little finer
# than one purpose alone needs, since one search has to serve both; and the sex is in none of them.

choice.plot()

# %%
# What that is, in words, and what is shown for each purpose.

print(choice.generalization)
for purpose, shown in choice.shown.items():
    print(f"{purpose}: loses at most {shown.bound:.3f} of a limit of {shown.limit}")

# %%
# **What it does not mean.** That a purpose needs an attribute is a finding about a model and these
# people, not a legal basis for collecting it. And data that serve two purposes are known to both:
# what would be known if each collected for itself is in ``choice.apart``.
