"""How Sphinx builds the site: `make docs`. Nothing is fetched; a warning is an error."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import jointbayes

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_ext"))

project = "jointbayes"
author = "the jointbayes developers"
copyright = author
release = version = jointbayes.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "reference",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "_ext", "conftest.py", "README.md"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
default_role = "literal"
suppress_warnings = ["config.cache"]

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4

autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_inherit_docstrings = True
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True

sphinx_gallery_conf = {
    "examples_dirs": [str(HERE.parent / "examples" / "gallery")],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"plot_",
    "within_subsection_order": "FileNameSortKey",
    "capture_repr": ("_repr_html_", "__repr__"),
    "image_scrapers": ("matplotlib",),
    "matplotlib_animations": False,
    "show_memory": False,
    "min_reported_time": 10_000,
    "plot_gallery": "True",
    "download_all_examples": False,
    "remove_config_comments": True,
    "abort_on_example_error": True,
    "show_signature": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "jointbayes"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {"index": [], "user_guide": []}
html_theme_options = {
    "navbar_align": "left",
    "show_nav_level": 1,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "header_links_before_dropdown": 6,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}

warnings.filterwarnings("ignore", category=jointbayes.errors.DataWarning)
