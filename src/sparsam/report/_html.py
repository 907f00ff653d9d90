"""The report as one HTML file that needs nothing but itself."""

from __future__ import annotations

import base64
import functools
import hashlib

import jinja2
from markupsafe import Markup, escape

from sparsam.report import _words as words
from sparsam.report._data import ReportData
from sparsam.report._front_figure import NARROW, WIDE, front_figure
from sparsam.report._prose import accuracy_of, data_words, interval_words, limit_words
from sparsam.report._risk_figure import risk_scale, risk_strip
from sparsam.report._view import MANY_BUCKETS, as_before, chosen_view, front_views


def html_page(data: ReportData) -> str:
    """Write the whole report as one page.

    No script, style, font or picture is loaded from anywhere, and the page forbids it. Every point
    of the front is on the page; the chosen one shows, the others wait until a reader picks them.

    Parameters
    ----------
    data : ReportData
        The report's data, fit to be published.
    """
    script = _script()
    return _environment().get_template("report.html.j2").render(
        data=data,
        views=front_views(data),
        figure_wide=front_figure(data, WIDE),
        figure_narrow=front_figure(data, NARROW),
        split=data_words(data["points"][0]["utility"]["split"]),
        interval=interval_words(data),
        limit_words=limit_words(data),
        script=Markup(script),
        policy=_policy(script),
        most=MANY_BUCKETS,
        thin=words.THIN,
    )  # fmt: skip


def html_summary(data: ReportData) -> str:
    """Write the chosen point as a fragment for a notebook."""
    template = _environment().get_template("summary.html.j2")
    return template.render(data=data, view=chosen_view(data), most=MANY_BUCKETS)


def _policy(script: str) -> str:
    """Allow our one script by its hash: a script that slips in through a name cannot run."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _script() -> str:
    return _environment().get_template("report.js").render()


@functools.cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("sparsam.report", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "percent": words.percent,
        "short_percent": words.short_percent,
        "percent_range": words.percent_range,
        "plain_number": words.plain_number,
        "whole": words.whole,
        "counted": words.counted,
        "accuracy": accuracy_of,
        "as_before": as_before,
        "risk_scale": risk_scale,
        "strip": risk_strip,
        "setting": words.setting,
        "foldable": foldable,
    }
    return environment


def foldable(name: str) -> Markup:
    """Let a long name break after an underscore rather than anywhere.

    Examples
    --------
    >>> print(foldable("marital_status"))
    marital_<wbr>status
    """
    return Markup("_<wbr>").join(escape(part) for part in name.split("_"))
