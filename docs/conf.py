"""How Sphinx builds the site: `make docs`. Nothing is fetched, and a warning is an error."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_extensions"))
# Examples of the gallery and figures are the same whenever the site is built.
os.environ.setdefault("SOURCE_DATE_EPOCH", "1767225600")

from sparsam import __version__  # noqa: E402

project = "sparsam"
author = "The sparsam developers"
release = version = __version__
language = "en"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "api_pages",
    "command_pages",
    "code_links",
    "named_buttons",
]
exclude_patterns = ["_build", "_diagrams", "_extensions", "gallery", "**/sg_execution_times.rst"]
nitpicky = True
# In docstrings `name` is code, as in Markdown.
default_role = "code"
highlight_language = "none"
# Options keep their two hyphens, and quotes can be pasted into a shell.
smartquotes = False

myst_enable_extensions = ["deflist", "colon_fence"]
myst_heading_anchors = 3

autodoc_typehints = "none"
autodoc_member_order = "groupwise"
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "examples",
    "filename_pattern": r"/\w+\.py",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_signature": False,
    "show_memory": False,
    "min_reported_time": 1e9,
    "plot_gallery": "True",
    "abort_on_example_error": True,
}

html_theme = "pydata_sphinx_theme"
html_title = "sparsam"
html_static_path = ["_static"]
html_favicon = "_static/favicon.svg"
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "logo": {"text": "sparsam"},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    # A field with its key beside it is called by another name than it shows.
    "navbar_persistent": ["search-button"],
    "collapse_navigation": True,
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_nav_level": 1,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
# A page without others below it needs no list of them.
ALONE = ("index", "start", "officers", "engineers", "papers", "security", "glossary", "changelog")
html_sidebars = {page: [] for page in ALONE}
html_context = {"default_mode": "auto"}
copyright = "The sparsam developers, Apache-2.0"
