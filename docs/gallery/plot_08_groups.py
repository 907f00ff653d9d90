"""
For whom is something lost?
===========================

"Two points of accuracy" is an average. It may be nothing for most people, and a lot for a few: for
those whose answers the discarded details told. So the loss is looked at group by group, with
intervals that are wide enough to hold for all groups together.
"""

import sparsam as sp

people = sp.load_example().take(range(6000))
roles = sp.Roles(target="employed", personal="categorical")
front = sp.sweep(people, roles, minimisers=["merging"], repeats=1)
groups = ["sex", "disability", "age=25/65", "nativity"]

# %%
# At most four points of accuracy may be lost, on average. The age alone will do for that.

average = front.choose(max_utility_loss=0.04, groups=groups)
print(average)

# %%
# Each row is a group of the test people: what the model loses on them against everything
# collected, with its interval. A filled circle is a group that is *shown* to lose more than
# everyone does: people with a disability. Whether they work cannot be told from their age, and
# what would have told it is no longer asked. An empty diamond may lose more than others, or less,
# or the same: these people cannot tell.

average.groups.plot()

# %%
# So we make it a limit: no group may lose more than fifteen points, as far as can be shown. It
# costs one question more.

fair = front.choose(max_utility_loss=0.04, max_utility_loss_per_group=0.15, groups=groups)
print(fair)
fair.groups.plot(title="With a limit for each group")

# %%
# The price of fairness here is privacy: whether somebody has a disability is now known, and that is
# a special category of personal data (GDPR Art. 9). No picture decides that. It only shows that
# there is something to decide.

for name, choice in (("on average", average), ("for each group", fair)):
    risk = choice.assessment.risk.to_dict()["recovered"]
    print(f"{name}: {choice.generalization.collected}, adversary recovers {risk:.0%}")

# %%
# **What it does not mean.** A difference between groups says nothing about its cause. Groups of
# fewer than a hundred test people are left out: that they are not in the picture does not mean
# that they lose nothing. And nobody is looked at who was not named.
