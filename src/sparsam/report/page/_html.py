"""Any page as one HTML file that needs nothing but itself."""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from typing import Any

import jinja2
from markupsafe import Markup, escape

from sparsam.report.page._blocks import Cell, Drawn, Page, Span, Variant, Words, names

MANY_LABELS = 12
"""Labels shown at once; the rest unfolds."""

# Where a line may be broken without a reader seeing it, so that variants share more lines.
_SEAMS = re.compile(
    r"(?<=/>)(?=<)|(?=<title>)|(?<=</title>)(?=<)|(?<=</bdi>,) |(?<=[\w%)][.;]) (?=\w)"
)

# What is typed with two hyphens before it: a narrow column would break it after the first one.
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")

_SPANS = {
    "name": Markup("<bdi>{}</bdi>"),
    "strong": Markup("<b>{}</b>"),
    "stressed": Markup("<em>{}</em>"),
    "code": Markup("<code>{}</code>"),
    "badge": Markup('<span class="code">{}</span>'),
    "tag": Markup('<span class="tag">{}</span>'),
}


def html(page: Page) -> str:
    """Write a page as one HTML file.

    No script, style, font or picture is loaded from anywhere, and the page forbids it. It runs a
    script only where it has variants to pick from.

    Parameters
    ----------
    page : Page
    """
    template = _environment().get_template("page.html.j2")
    if not page.variants:
        return template.render(page=page, script="", policy=_policy(""))
    script = _environment().get_template("page.js").render()
    lines, variants = _packed(page)
    varied = page.variants[0].sections
    return template.render(
        page=page,
        script=Markup(script),
        policy=_policy(script),
        lines=lines,
        variants=variants,
        varied=[n for n, section in enumerate(page.sections, start=1) if section.id in varied],
    )


def summary(page: Page) -> str:
    """Write the head of a page, and what it says in brief, as a fragment for a notebook.

    Parameters
    ----------
    page : Page
    """
    return _environment().get_template("summary.html.j2").render(page=page)


def words_html(words: Words) -> Markup:
    """Write words, everything in them escaped.

    Examples
    --------
    >>> from sparsam.report.page._blocks import name, strong
    >>> print(words_html(("about ", name("marital_status"), strong(" <3"))))
    about <bdi>marital_<wbr>status</bdi><b> &lt;3</b>
    >>> print(words_html("or minimise --attack."))
    or minimise <span class="option">--attack</span>.
    """
    if isinstance(words, Span):
        inside = words_html(words.inside)
        if words.kind == "name":
            # A long name breaks after an underscore rather than anywhere.
            inside = Markup(inside.replace("_", Markup("_<wbr>")))
        return _SPANS[words.kind].format(inside)
    if isinstance(words, tuple):
        return Markup("").join(map(words_html, words))
    return Markup(_OPTION.sub(r'<span class="option">\g<0></span>', str(escape(words))))


def _packed(page: Page) -> tuple[Markup, Markup]:
    """Write the variants of a page, each line that they share once.

    The first text has the lines. The second has one line for each part of a variant: its id, the
    part of the page that it replaces, and the numbers of its lines, a run of them as ``3-7``;
    numbers have the digits 0 to 9 and a to z.
    """
    places: dict[str, int] = {}
    index = []
    for variant in page.variants:
        for part, written in _parts(variant).items():
            lines = _SEAMS.sub("\n", written).splitlines()
            numbers = [places.setdefault(line, len(places)) for line in lines if line]
            index.append(f"{variant.id} {part} {_runs(numbers)}")
    return Markup("\n").join(map(Markup, places)), Markup("\n".join(index))


def _parts(variant: Variant) -> dict[str, str]:
    blocks: Any = _environment().get_template("blocks.html.j2").module
    other = blocks.other(variant.label)
    return {
        "verdict": other + blocks.verdict(variant.verdict),
        "figures": blocks.key_figures(variant.figures),
        **{id: other + blocks.render(inside) for id, inside in variant.sections.items()},
    }


def _runs(numbers: list[int]) -> str:
    """Write numbers in base 36, those that follow each other as a run.

    Examples
    --------
    >>> _runs([4, 5, 6, 2, 36])
    '4-6 2 10'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return " ".join("-".join(map(_short, dict.fromkeys(run))) for run in runs)


def _short(number: int) -> str:
    digits = ""
    while number or not digits:
        number, digit = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return digits


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
        "kind": lambda block: type(block).__name__,
        "words": words_html,
        "names": names,
        "cell": as_cell,
        "mark": _mark,
    }
    environment.globals["most"] = MANY_LABELS
    return environment


def as_cell(cell: Words | Cell) -> Cell:
    """Take words for a cell that holds nothing else."""
    return cell if isinstance(cell, Cell) else Cell(cell)


def _mark(mark: Drawn | str) -> Markup:
    if hasattr(mark, "__html__"):
        return escape(mark)
    return Markup('<b aria-hidden="true">{}</b>').format(mark) if mark else Markup("")


def _policy(script: str) -> str:
    """Allow our own script by its hash: one that slips in through a name cannot run."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    allowed = f"script-src 'sha256-{digest}'; " if script else ""
    return (
        f"default-src 'none'; {allowed}style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
