"""Give names to the buttons of the sidebar, which the theme draws as arrows only."""

from __future__ import annotations

from typing import Any

NAME = "Show or hide the pages below"
_LAST = 900  # after the theme has made the sidebar


def _name(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    draw = context.get("generate_toctree_html")

    def named(*args: Any, **options: Any) -> str:
        return str(draw(*args, **options)).replace("<summary>", f'<summary aria-label="{NAME}">')

    if draw is not None:
        context["generate_toctree_html"] = named


def setup(app: Any) -> dict[str, Any]:
    """Let Sphinx name the buttons of each page."""
    app.connect("html-page-context", _name, priority=_LAST)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
