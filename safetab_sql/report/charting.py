"""The script that draws the charts of a page: Vega, Vega-Lite and vega-embed, as the package that draws carries them.

Making one script of its modules takes as long as the rest of a report, so it is kept in the user's cache folder, whose
files may go at any time. It is the same for every release, and holds no data.
"""

import hashlib
import os
import stat
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

from safetab_sql.kit.figures import VEGA_LITE, converter


@cache
def javascript() -> str:
    """One script for a page; it defines `vegaEmbed`. About 0.9 MB.

    Raises: InputError where the package that holds it cannot be imported.
    """
    source = converter()
    kept = cache_folder() / f"charts-{source.__version__}-{VEGA_LITE}.js"
    if found := kept_text(kept):
        return found
    made = str(source.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=VEGA_LITE))
    keep_text(kept, made)
    return made


def cache_folder() -> Path:
    """Where programs of this user keep what they can make again."""
    named = os.environ.get("XDG_CACHE_HOME", "")
    return Path(named if named.startswith("/") else "~/.cache", "safetab-sql")


def kept_text(file: Path) -> str:
    """The text that `keep_text` wrote; empty where it is not there, not whole, or may be somebody else's."""
    with suppress(OSError, RuntimeError, ValueError):
        file = file.expanduser()
        found = file.lstat()
        if stat.S_ISREG(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077:
            digest, _, text = file.read_bytes().partition(b"\n")
            return text.decode() if hashlib.sha256(text).hexdigest().encode() == digest else ""
    return ""


def keep_text(file: Path, text: str) -> None:
    """Keep a text below its digest, for this user alone, whole or not at all; where that cannot be, it is not kept."""
    with suppress(OSError, RuntimeError):
        file = file.expanduser()
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as made:
            made.write(f"{hashlib.sha256(text.encode()).hexdigest()}\n{text}".encode())
        Path(made.name).replace(file)
