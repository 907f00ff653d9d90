"""Charts through matplotlib (extra `plot`), for whoever wants to restyle or combine them.

They show what a report shows: published figures only. Users call `plot` of what they have.
"""

from __future__ import annotations

from sparsam._lazy import load_lazily

__getattr__, __dir__ = load_lazily(
    __name__,
    {
        "plot_asked": "_model",
        "plot_attacks": "_risks",
        "plot_curve": "_curve",
        "plot_drift": "_over_time",
        "plot_exploration": "_exploration",
        "plot_front": "_front",
        "plot_generalization": "_generalization",
        "plot_groups": "_groups",
        "plot_k_scores": "_k_sweep",
        "plot_k_sweep": "_k_sweep",
        "plot_mask": "_mask",
        "plot_model": "_model",
        "plot_monitoring": "_over_time",
        "plot_purposes": "_purposes",
        "plot_risk": "_risks",
    },
)
