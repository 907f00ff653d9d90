"""
Which single values can a training set do without?
==================================================

People have given their data already, and a model is trained again and again. Which values of whom
can go, so that the model learns the same? The answer is a *mask*: one bit for each person and
attribute, and never a value. It must see everything once, so it decides what to *retain*, not what
to ask for.
"""

import sparsam as sp
from sparsam.individual import read_people, retain

people = sp.load_example().take(range(1500)).to_frame("pandas")
rows = read_people(people, "employed")

# %%
# We keep a fifth of all values, and let other algorithms keep as much: whole attributes (feature
# selection), whole people (random rows), or values drawn at random.

retention = retain(
    rows,
    keep=0.2,
    shares=[0.05, 0.1, 0.4],
    algorithms=["feature selection", "random rows", "individualised random"],
    n_runs=0,
    n_references=4,
)
print(retention.mask)

# %%
# Accuracy on people apart, along the share that is kept. The chosen algorithm stays close to what
# every value gives; those that choose blindly fall behind the less they keep.

retention.plot()

# %%
# The mask itself. A row is ten people or more, most kept first; the darker, the more of them keep
# that value. Every person gives away something else, so that no attribute is kept of everybody.

retention.mask.plot()

# %%
# How recognisable is somebody by the few values that are left? The adversary here knows
# everything of the person it looks for, and weighs how many people a retained record fits. More
# values, more certainty: few values are not anonymous values.

retention.plot(measure="weighed")

# %%
# **What it does not mean.** The mask belongs to one model and one way of filling holes; for another
# model the same values may teach far less. Which value is kept depends on the values. And this is
# neither anonymity nor differential privacy.
