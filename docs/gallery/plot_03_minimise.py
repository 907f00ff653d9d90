"""
What is the least data that a task needs?
=========================================

A *generalization* says for every attribute which values need not be told apart: age in four
ranges, education in two groups, everything else not at all. A *minimiser* finds one. The privacy
tree (PAT) grows a decision tree that is rewarded for telling the target and charged for telling
people's personal attributes apart; the cuts of the tree are the cuts of the generalization.

The question: how does what is collected grow with the tree?
"""

from matplotlib import pyplot as plt

import sparsam as sp

people = sp.load_example().take(range(4000))
roles = sp.Roles(target="employed", personal="categorical")

# %%
# One growth gives every size: a tree of 20 leaves has the tree of 4 inside it. ``privacy`` weighs
# what an adversary would gain against what the task would lose.

trees = {
    leaves: sp.PrivacyTree(roles, max_leaves=leaves, privacy=0.5).fit(people) for leaves in (4, 20)
}
print(trees[20].generalization_)

# %%
# Two charts on one figure: every ``plot`` takes the axes that it is to draw on. With 4 leaves a few
# attributes are asked for, each in two groups; with 20 the age is cut more finely, and others join.

figure, axes = plt.subplots(2, figsize=(8.4, 6.4), height_ratios=[1, 2.2], layout="constrained")
for ax, (leaves, tree) in zip(axes, trees.items(), strict=True):
    title = f"{leaves} leaves: {len(tree.generalization_.collected)} attributes"
    tree.generalization_.plot(ax, collected=True, title=title)

# %%
# The same generalization for one person, in plain Python: this is all that a form would ask of
# somebody who is made up here.

person = {
    "age": 34,
    "education": "bachelor's degree",
    "relationship": "spouse",
    "disability": "no",
    "military_service": "never",
}
print(trees[4].generalization_.apply_record(person))

# %%
# **What it does not mean.** The bars show how wide a bucket is, not how many people are in it. And
# a tree that was learned is a proposal: whether the model can do with it, and what an attacker
# still learns, is measured on other people, in the next examples.
