"""Shares of people, then and now: one strip for each bucket."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sparsam.report._words import pair, percent
from sparsam.report.plot._marks import Mark
from sparsam.report.plot._plot import Picture
from sparsam.report.plot._scale import Scale
from sparsam.report.plot._strip import Strip, strip_scale

NOW = Mark("circle", "a1")
_HEIGHT = 16.0


def change_scale(changes: Sequence[Mapping[str, Any]]) -> Scale:
    """Return one scale for all shares of a table, from nobody to the largest share drawn."""
    shares = [share for change in changes for share in (change["then"], change["now"])]
    for change in changes:
        ends = pair(change["interval"])
        if ends is not None:
            shares.append(change["then"] + ends[1])
    return strip_scale(shares)


def change_strip(change: Mapping[str, Any], scale: Scale) -> Picture:
    """Draw one share: an upright line for then, a dot with its interval for now."""
    strip, y = Strip(scale, _HEIGHT), _HEIGHT / 2
    strip.track(y)
    strip.tick(change["then"], "guess", margin=2)
    if change["now"] is not None:
        strip.span((change["then"], change["now"]), y, "reach a1")
        ends = pair(change["interval"])
        if ends is not None:
            low, high = (min(1.0, max(0.0, change["then"] + end)) for end in ends)
            strip.span((low, high), y, "whisker")
        strip.mark(NOW, change["now"], y)
    return strip.picture(f"then {percent(change['then'])}, now {percent(change['now'])}")
