"""Parameter files that commands write, with comments: the templates beside this module, filled in."""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from safetab_sql.accounting.charges import exact_text

_PLAIN_KEY = re.compile(r"[A-Za-z0-9_-]+")


def toml_text(template: str, values: Mapping[str, object]) -> str:
    """The text of a file. Filters of its template write text, a key, a fraction, a list of points, a sentence."""
    return _environment().get_template(f"{template}.toml.jinja").render(values)


@cache
def _environment() -> Environment:
    environment = Environment(  # noqa: S701  (TOML, no HTML)
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    key = lambda name: name if _PLAIN_KEY.fullmatch(name) else _text(name)  # noqa: E731
    begun = lambda text: f"{text[:1].upper()}{text[1:]}"  # noqa: E731
    environment.filters |= {"text": _text, "key": key, "exact": exact_text, "points": _points, "begun": begun}
    return environment


def _points(text: str) -> str:
    """Sentences that blank lines part, as a list; one alone as it is."""
    said = [" ".join(each.split()) for each in text.split("\n\n") if each.strip()]
    return said[0] if len(said) == 1 else "\n".join(f"- {each}" for each in said)


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
