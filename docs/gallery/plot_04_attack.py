"""
What could someone still learn about a person?
==============================================

Less is collected, but how much does it still give away? We do not argue, we attack: adversaries
who know the generalization and a full-resolution sample of other people guess everybody's personal
values, with more or less knowledge beside the record. Each is chosen as the strongest of several
attack models, and held against what it would get wrong *without* the records.
"""

import sparsam as sp

people = sp.load_example().take(range(2500))
data = sp.split(sp.resolve(people, sp.Roles("employed")))
tree = sp.PrivacyTree(max_leaves=8, privacy=0.5).fit_task(data.train)
print(tree.generalization_)

# %%
# A1 sees the record alone; A3 also knows everything that is not personal, A5 one personal value
# after the other, A4 all but the one that it guesses. A8 tries to describe one person so that the
# description fits nobody else.

attacks = sp.run_attacks(tree.generalization_, data, ["A1", "A2", "A3", "A5", "A4", "A8"])
print(attacks["A1"])

# %%
# A dot is what the attacker gets wrong, with its 95 % interval; the upright line is what it would
# get wrong without the records. The gap between the two is what the records give away. A dot on
# its line means: nothing. Those who act on their surest guesses alone (A2) are right more often,
# about few people.

attacks.plot()

# %%
# Attribute by attribute, the most exposed first. At the top is what was collected itself, or what
# is closely tied to it; at the bottom the dots sit on their lines: of race, say, these records
# tell nothing.

attacks["A1"].plot()

# %%
# All adversaries side by side, one shape for each. Knowing more of a person helps an attacker, but
# what counts here is the way from the upright line to the shape: what *these records* add.

axes = attacks.plot(by="attribute", title="Each adversary, attribute by attribute")
axes.set_xlim(right=0.9)

# %%
# **What it does not mean.** An attack that fails is no proof: a better one may succeed. So each
# risk names its adversary and its baseline, and ``attacks.bounds`` says what no attack on these
# records alone can exceed. And guessing right is not always harm: that most people were never in
# the army can be guessed without any record.
