"""
Does the promise still hold?
============================

A generalization is learned once and used for years, and people change. Who looks often enough will
see some change by chance, so each look has to allow for all figures that it compares and for all
looks before it. An alarm then means: a change that matters, beyond the noise.
"""

import numpy as np

import sparsam as sp
from sparsam.assess import drift, monitor

people = sp.load_example().take(range(8000))
roles = sp.Roles(target="employed", personal="categorical")
frame = people.to_frame("pandas")
then = frame.iloc[:4000]
tree = sp.PrivacyTree(roles, max_leaves=8, privacy=0.5).fit(then)

# %%
# A first look, at other people of the same year. Lines are then, shapes are now; an empty diamond
# has not changed by more than matters, as far as so many people can show.

same = monitor(tree.generalization_, frame.iloc[4000:6000], roles, baseline=then)
print(same.verdict, same.advice)
same.plot()

# %%
# Now the intake changes: a campaign brings in people over fifty. Filled circles are alarms, and
# the advice names the attributes that carry the change.

older = frame.iloc[6000:]
older = older[(older["age"] >= 50) | (np.arange(len(older)) % 3 == 0)]
changed = monitor(tree.generalization_, older, roles, baseline=then, look=2)
print(changed.verdict, changed.advice)
changed.plot()

# %%
# What does that do to the model and to the attacker, when both have learned in the first period?
# ``drift`` measures it period by period, here with fewer and fewer people under fifty. Who the
# people are may change a lot, and yet the errors may not: the picture says whether they do.

shares = [1.0, 0.7, 0.4, 0.1]
periods = []
for year, share in enumerate(shares, 2023):
    part = frame.iloc[2000 * (year - 2023) : 2000 * (year - 2022)]
    keep = (part["age"] >= 50) | (np.arange(len(part)) < share * len(part))
    periods.append(part[keep].assign(year=str(year)))
together = {name: np.concatenate([p[name].to_numpy() for p in periods]) for name in periods[0]}
drift(together, roles, "year", sp.PrivacyTree(roles, max_leaves=8)).plot()

# %%
# A new version is made from later people. What does it collect otherwise? Whoever has seen records
# of both versions knows more than either tells; ``sparsam diff`` says it in words.

refit = sp.PrivacyTree(roles, max_leaves=8, privacy=0.5).fit(older)
for change in tree.generalization_.diff(refit.generalization_):
    print(f"{change['attribute']}: {change['relation']}")

# %%
# **What it does not mean.** No sign is not a proof: a smaller change may be there all the same, and
# the report says how large a change so many people could show. People can also change in ways that
# the collected buckets do not tell.
