"""Settings of the documentation site: `make docs` builds it into build/docs."""

project = "mddag"
author = "The mddag developers"
version = release = "0.1"

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "myst_parser",
    "numpydoc",
]
exclude_patterns = ["_templates"]
sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "auto_gallery",
    "filename_pattern": "plot_",
    "within_subsection_order": "FileNameSortKey",
    "capture_repr": (),
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "abort_on_example_error": True,
}
templates_path = ["_templates"]
numpydoc_show_class_members = False
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 4
autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"

# make docs takes warnings for errors. With this, a link to a name, page or heading that is missing
# is one (ref.*, myst.xref_missing): suppress none of them.
nitpicky = True

html_theme = "pydata_sphinx_theme"
html_title = "mddag"
html_show_sourcelink = False
html_sidebars = {"installing": []}  # it has no pages below it
html_theme_options = {"show_toc_level": 2, "navigation_with_keys": False}
