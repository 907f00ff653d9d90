"""
What does it cost to publish a table?
=====================================

Some tables must be passed on. Then at least *k* people have to share every combination of what
others may know of them, and the release should lose as little as possible of what a model would
learn from it. How large may k be?
"""

import tempfile
from pathlib import Path

import sparsam as sp
from sparsam.anonymise import Anonymiser, Hybrid, k_scores, k_sweep, verify

people = sp.load_example().take(range(2000)).to_frame("pandas")
known = ["age", "sex", "education", "marital_status"]

# %%
# The detail that is lost grows with k. It is measured from the published cells: how wide they are
# for the people in them.

costs = k_sweep(people[known], quasi_identifiers=known, ks=(5, 10, 20, 50, 100))
print(costs)
costs.plot()

# %%
# Detail is not the same as use. Here a model learns from each release, by three ways of dividing
# people, and is tested on raw rows of others. Much detail can go before the model notices. Two
# figures that lie a few points apart may differ by chance, as the words below say, and a release
# may even seem to teach more than the raw rows do.

table = people[[*known, "employed"]]
scores = k_scores(
    table,
    people["employed"],
    ks=(5, 20, 80),
    anonymiser=Anonymiser(quasi_identifiers=known, keep=["employed"]),
    learned="employment",
)
print(scores.scores["words"])
scores.plot()

# %%
# One release, with its certificate: the file is written, read again, and its classes are counted
# from its cells by code that had no part in making them. Anyone can check it without the raw data.

anonymiser = Anonymiser(Hybrid(), quasi_identifiers=known, k=20, keep=["employed"])
with tempfile.TemporaryDirectory() as folder:
    place = Path(folder) / "release.csv"
    release = anonymiser.fit_release(table, people["employed"], path=place)
    print(verify(release.path, Path(folder) / "release.certificate.json"))

# %%
# **What it does not mean.** k people who share a record can also share a secret: if all of them
# are ill, everybody knows. That takes more than k (``DistinctDiversity`` and its like). Publish one
# of these releases, not several: who sees two of them knows more of everybody. And what others may
# know of a person, the quasi-identifiers, is for you to say.
