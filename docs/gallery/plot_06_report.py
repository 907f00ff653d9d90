"""
How is it written down?
=======================

A choice comes with its evidence: a report in one HTML file, as Markdown or as JSON, for whoever
has to sign. And sometimes a picture is needed for a paper or a slide: every chart is an ordinary
axes of matplotlib, to combine and to restyle.
"""

import tempfile
from pathlib import Path

from matplotlib import pyplot as plt

import sparsam as sp

people = sp.load_example().take(range(2500))
front = sp.sweep(people, sp.Roles("employed"), minimisers=["merging"], repeats=1)
best = front.choose()

# %%
# The report says its content once. The same data become a page that needs no network, text, and
# JSON that other programs read. Counts of fewer than five people are in none of them.

report = best.report(source="people.csv", author="A. Nalyst", purpose="an example")
with tempfile.TemporaryDirectory() as folder:
    for kind in ("html", "md", "json"):
        report.save(Path(folder) / f"minimisation.{kind}")
    sizes = {path.name: path.stat().st_size for path in sorted(Path(folder).iterdir())}
print(sizes)
print(report.to_markdown()[:700])

# %%
# A figure of one's own from three charts. ``figsize``, ``title``, ``colors`` and what matplotlib
# knows of markers go straight to ``plot``; everything else is changed on the axes afterwards.

figure = plt.figure(figsize=(11, 6.4), layout="constrained")
grid = figure.add_gridspec(2, 2, width_ratios=[1.1, 1], height_ratios=[0.3, 1])
left = best.plot(figure.add_subplot(grid[:, 0]), title="a  The choice")
best.generalization.plot(figure.add_subplot(grid[0, 1]), collected=True, title="b  Collected")
right = best.assessment.risk.plot(figure.add_subplot(grid[1, 1]), title="c  Given away")
left.get_legend().set_loc("lower right")
right.get_legend().remove()
right.tick_params(axis="y", labelsize=8)

# %%
# The same chart in black and white, for print: series differ by their shapes and lines, so that
# nothing is lost.

best.plot(colors=["black"], title="For print")

# %%
# **What it does not mean.** A chart shows figures as they are published: shares in steps of five
# people or more. So a point may lie a little off what an own calculation from the exact numbers
# gives; the report lies off by the same.
