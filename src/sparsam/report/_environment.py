"""How templates are found and filled in."""

from __future__ import annotations

import base64
import functools
import hashlib

import jinja2
from markupsafe import Markup, escape

from sparsam.report import _words as words
from sparsam.report._attack_view import share_of
from sparsam.report._collected import as_before
from sparsam.report.pictures._attack import group_words, lanes, mark_key, people_bar
from sparsam.report.pictures._front import risk_scale, risk_strip


@functools.cache
def environment() -> jinja2.Environment:
    """Return the environment of all templates: escaping on, undefined names an error."""
    found = jinja2.Environment(
        loader=jinja2.PackageLoader("sparsam.report", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {
        "percent": words.percent,
        "short_percent": words.short_percent,
        "rough_percent": words.rough_percent,
        "percent_range": words.percent_range,
        "plain_number": words.plain_number,
        "whole": words.whole,
        "counted": words.counted,
        "setting": words.setting,
        "accuracy": words.complement,
        "data_words": words.data_words,
        "as_before": as_before,
        "risk_scale": risk_scale,
        "strip": risk_strip,
        "foldable": foldable,
        "lanes": lanes,
        "mark": mark_key,
        "share_of": share_of,
        "people_bar": people_bar,
        "group_words": group_words,
        "score": words.score_words,
    }
    return found


def script(name: str) -> str:
    """Return one of our own scripts."""
    return environment().get_template(name).render()


def policy(code: str) -> str:
    """Allow our one script by its hash: a script that slips in through a name cannot run."""
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def foldable(name: str) -> Markup:
    """Let a long name break after an underscore rather than anywhere.

    Examples
    --------
    >>> print(foldable("marital_status"))
    marital_<wbr>status
    """
    return Markup("_<wbr>").join(escape(part) for part in name.split("_"))
