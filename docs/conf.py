"""The site: `make docs` builds it into build/docs."""

import re

from docutils import nodes
from sphinx.ext.autosummary import AutoLink
from sphinx.util import inspect
from sphinx_gallery.sorting import ExplicitOrder

import wgboost

project = "wgboost"
copyright = "The wgboost developers, Apache-2.0"
version = release = wgboost.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
]
templates_path = ["_templates"]
exclude_patterns = ["_templates"]
default_role = "name"
myst_heading_anchors = 3

# --- reference -----------------------------------------------------------------------------------

autosummary_generate = True
autodoc_typehints = "none"  # the text of a docstring says more: "y : array (n,)"
numpydoc_show_class_members = False
python_maximum_signature_line_length = 90


class Name(AutoLink):
    """What stands between single backticks: a link where there is such a page, else code."""

    def run(self):
        """Called by docutils."""
        found, messages = super().run()
        if isinstance(found[0], nodes.emphasis):
            found = [nodes.literal(self.rawtext, self.text)]
        return found, messages


def signature_of_class(app, what, name, thing, options, signature, returns):  # noqa: ARG001
    """Return the parameters of `__init__` where a class also has `__new__`, as estimators do."""
    if what != "class":
        return None
    own = inspect.signature(thing)
    return inspect.stringify_signature(own, show_annotation=False, show_return_annotation=False), ""


def skip_foreign(app, what, name, member, skip, options):  # noqa: ARG001
    """Leave out what scikit-learn adds to its estimators, such as `set_fit_request`."""
    module = getattr(member, "__module__", None) or ""
    return True if module.startswith("sklearn.") else skip


# --- gallery -------------------------------------------------------------------------------------

EXAMPLES = (
    "demo",
    "regression",
    "classification",
    "counts",
    "censored",
    "decisions",
    "out_of_distribution",
    "calibration",
    "messy_frames",
    "priors",
    "responses",
    "several_columns",
    "own_density",
    "distribution_targets",
    "bayesian_evidential",
    "large_data",
    "pictures",
)
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "ignore_pattern": r"__main__\.py$",
    "within_subsection_order": ExplicitOrder([f"{name}.py" for name in EXAMPLES]),
    "abort_on_example_error": True,
    "doc_module": ("wgboost",),
    "reference_url": {"wgboost": None},
    "backreferences_dir": "gallery/backreferences",
    "download_all_examples": False,
    "image_srcset": ["2x"],
    "show_signature": False,
    "write_computation_times": False,
}

# --- look ----------------------------------------------------------------------------------------

html_theme = "pydata_sphinx_theme"
html_title = f"wgboost {release}"
html_show_sourcelink = False
html_static_path = ["_static"]
html_css_files = ["site.css"]
toc_object_entries_show_parents = "hide"
html_theme_options = {
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
}

# --- pages ---------------------------------------------------------------------------------------

OUTSIDE = {
    "../examples": "gallery/index.rst",
    "../CHANGELOG.md": "site/changelog.md",
    "../CONTRIBUTING.md": "site/contributing.md",
    "../paper/report.md": "site/paper.md",
}
"""Where files of the repository that lie outside of docs/ are on the site."""


def on_the_site(link: re.Match[str]) -> str:
    """Return a link between files of the repository as one between pages."""
    path = link[1]
    example = re.fullmatch(r"\.\./examples/(\w+)\.py", path)
    return f"](gallery/{example[1]}.rst" if example else f"]({OUTSIDE.get(path, path)}"


def rewrite_links(app, docname, source) -> None:  # noqa: ARG001
    """Let pages that are written for readers of the repository link to pages of the site."""
    source[0] = re.sub(r"\]\(([^)#:\s]+)", on_the_site, source[0])


def setup(app) -> None:
    """Called by Sphinx."""
    app.connect("source-read", rewrite_links)
    app.add_role("name", Name())
    app.connect("autodoc-process-signature", signature_of_class)
    app.connect("autodoc-skip-member", skip_foreign)
