"""How Sphinx builds the documentation: `make docs`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

project = "Reaffirm"
author = "The Reaffirm developers"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["screenshots"]
html_theme = "furo"
html_title = "Reaffirm"
html_show_copyright = False
myst_heading_anchors = 3
autodoc_class_signature = "separated"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"exclude-members": "model_config, model_post_init, __init__, __new__"}
napoleon_use_ivar = True
