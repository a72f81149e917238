"""Settings of the static site: `make docs` builds it into docs/_build.

Pages link to files of the repository by ordinary relative links, which work on any host of repositories too. On the
site such a link leads to SOURCE_URL (an environment variable, such as https://example.org/safetab_sql/blob/main), or,
where there is none, to the file in the checkout that the site was built in. A link to nowhere is a warning, and the
build takes every warning for an error.
"""

import os
import re
from importlib import metadata
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

DOCS = Path(__file__).parent
REPOSITORY = DOCS.parent
SOURCE_URL = os.environ.get("SOURCE_URL", "").rstrip("/")

project = "safetab_sql"
copyright = "the safetab_sql authors, Apache License 2.0"
release = metadata.version("safetab-sql")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
myst_heading_anchors = 4
myst_url_schemes = {"http": None, "https": None, "repository": "repository:{{path}}"}
default_role = "code"  # of docstrings
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
# Signatures name types that are documented elsewhere (the standard library, engines) or are not public.
nitpick_ignore_regex = [("py:class", ".*")]

html_theme = "furo"
html_static_path = ["site"]
html_css_files = ["site.css"]
html_title = "safetab_sql"
html_copy_source = False
html_search_scorer = str(DOCS / "site" / "scorer.js")
copybutton_prompt_text = "$ "
copybutton_line_continuation_character = "\\"
html_show_sphinx = False

_LINK = re.compile(r"(?P<open>\]\()(?P<target>\.{0,2}[^):#\s]+)(?P<anchor>#[^)\s]*)?\)")
_PAGE_OR_PICTURE = {".md", ".svg", ".png"}
_LOG = logging.getLogger(__name__)


def mark_repository_links(app: Sphinx, docname: str, source: list[str]) -> None:
    """Give links that leave the pages for a file or folder of the repository a scheme of their own."""
    folder = (DOCS / docname).parent

    def marked(link: re.Match[str]) -> str:
        target = (folder / link["target"]).resolve()
        if target.is_relative_to(DOCS) and target.suffix in _PAGE_OR_PICTURE:
            return link[0]  # Sphinx checks these itself
        if not (target.is_relative_to(REPOSITORY) and target.exists()):
            _LOG.warning("%s leads nowhere", link[0], location=docname)
            return link[0]
        return f"{link['open']}repository:{target.relative_to(REPOSITORY).as_posix()}{link['anchor'] or ''})"

    source[0] = _LINK.sub(marked, source[0])


def lead_repository_links(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Lead the marked links to SOURCE_URL, or to the checkout beside the built page."""
    for link in doctree.findall(nodes.reference):
        if link.get("refuri", "").startswith("repository:"):
            page = Path(app.builder.outdir) / app.builder.get_target_uri(docname)
            base = SOURCE_URL or os.path.relpath(REPOSITORY, page.parent)
            link["refuri"] = f"{base}/{link['refuri'].removeprefix('repository:')}"


def setup(app: Sphinx) -> None:
    """Hook the two functions in."""
    app.connect("source-read", mark_repository_links)
    app.connect("doctree-resolved", lead_repository_links)
