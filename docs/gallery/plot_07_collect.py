"""
How do we collect only that, from now on?
=========================================

A generalization is not a rule on paper: it becomes a form that can send nothing finer than a
bucket, and a store that keeps *counts* of buckets by day, with no row for a person. This example
walks the whole way: a form, a thousand answers, one of them taken back, and a model that learns
from the counts.
"""

import tempfile
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import sparsam as sp
from sparsam.collect import Store, Target

people = sp.load_example().take(range(4000))
roles = sp.Roles("employed")
learned = sp.PrivacyTree(roles, max_leaves=6, privacy=0.5).fit(people.take(range(2000)))
asked = learned.generalization_

# %%
# What people will be asked. The form is one static file of some kilobytes: no library, no network,
# no cookie; what will be sent stands below the questions, word for word.

asked.plot(collected=True, title="What the form asks")
page = asked.form(labels={"title": "About you"})
print(f"{len(page.html):,} characters; sends to one address, by this policy:")
print(page.content_security_policy)

# %%
# Two thousand others answer. What comes in is a number of a bucket for each question, and the
# target, which a model is to learn. Whoever sends a record gets a receipt, and can have it deleted
# with it, without saying who they are. The store is a file; here it is gone at the end.

target = Target("employed", ("no", "yes"))
others = people.take(range(2000, 4000)).to_frame("pandas")
records = [
    [*asked.apply_record(row, output="codes").values(), target.classes.index(row["employed"])]
    for row in others.to_dict("records")
]
with tempfile.TemporaryDirectory() as folder:
    place = Path(folder) / "people.db"
    with Store.open(place, asked, keep_days=90, target=target) as store:
        receipts = store.add(records)
        store.forget(receipts[0])
        print(f"{store.count():,} records are kept, of {len(records):,}")
        rows, employed, weights = store.training()

# %%
# A model learns from the counts: every combination of buckets once, with its weight.

door = sp.GeneralizationStep(asked, accept="generalized")
model = make_pipeline(door, LogisticRegression(max_iter=1000))
model.fit(rows, employed, logisticregression__sample_weight=weights)
print(f"{len(weights)} combinations of buckets and target stand for {weights.sum():,.0f} people")

# %%
# How many people share a combination? That is what the store holds: a few dozen counts. Records of
# fewer than five people are put together here, as in every report.

shared = np.sort(np.asarray(weights))[::-1]
common, rare = shared[shared >= 5], shared[shared < 5].sum()
figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
ax.bar(range(1, len(common) + 1), common, color="#9dbfba", edgecolor="#1c2024", linewidth=0.6)
ax.set_title(f"{len(common)} combinations of five people or more", loc="left")
ax.set_xlabel(f"Combinations of answers, the most common first ({rare:.0f} people in rarer ones)")
ax.set_ylabel("People")

# %%
# **What it does not mean.** The form keeps a person from sending more than is needed. Who runs the
# server can still see from where it came, unless the server is told not to look: the guide says
# how. And a rare combination of buckets may still point at somebody who is known to have answered.
