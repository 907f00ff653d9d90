"""
How much may be lost, and what is chosen then?
==============================================

Between "collect everything" and "collect nothing" lie many generalizations. A *sweep* makes them,
attacks each, and draws the *front*: those that no other one beats on both utility and risk, beyond
the noise. Then somebody says how much may be lost, and the least data that is *shown* to lose no
more is chosen.
"""

import sparsam as sp

people = sp.load_example().take(range(4000))
roles = sp.Roles(target="employed", personal="categorical")
front = sp.sweep(people, roles, minimisers=["merging"], repeats=1)
print(front)

# %%
# Further left the model is better, higher up the attacker is worse off: the upper left corner
# would be perfect. The dashed line is the model with everything collected, the dotted one an
# attacker who has no records at all. Between "everything" and the front there is a lot to spare at
# no cost.

front.plot()

# %%
# How many people are needed to show a loss? The front tells before anything is chosen.

print(f"smallest loss that these people can show: {front.smallest_loss():.3f}")
print(f"people it takes to show one point:        {front.people_needed(0.01):,}")

# %%
# So we ask for what 4,000 people can show: at most four points of accuracy, with 95 % confidence.
# The star is the choice; it is tested on people who took no part in anything before.

best = front.choose(max_utility_loss=0.04)
print(best)
print(best.proof.words)
best.plot()

# %%
# And this is what is collected from now on.

best.generalization.plot()

# %%
# **What it does not mean.** Every point on the front is measured with noise (the thin lines), and
# the best of many is partly lucky. That is why the promise is not read off the picture: it is
# tested, for the chosen one, on people held out for it. It holds for people like these; whether
# later people are like these is another example.
