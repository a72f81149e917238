"""Texts that commands print, and parameter files that they write: templates beside the code, filled in.

A table for people to read stands in `{% filter aligned %}`: a row is a line, whose cells ¦ parts.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from jinja2 import Environment, FunctionLoader, StrictUndefined

from safetab_sql.kit.text_tables import aligned, exact_text

_PLAIN_KEY = re.compile(r"[A-Za-z0-9_-]+")
_BAR, _CELL = "¦", "\x1f"  # as templates have it, and as values can never have it
_LINE = "\x1e"  # the end of a line within a cell


def filled(module: str, template: str, values: Mapping[str, object]) -> str:
    """The text of the template in the folder templates beside a module. module: its __file__.

    Filters write text, a key, a fraction, a number, a list of points, a sentence, a cell of any text, and align rows.
    """
    return _environment(Path(module).parent / "templates").get_template(f"{template}.jinja").render(values)


def printed(module: str, template: str, values: Mapping[str, object]) -> str:
    """The same for people to read: without the last end of a line."""
    return filled(module, f"{template}.txt", values).removesuffix("\n")


@cache
def _environment(folder: Path) -> Environment:
    environment = Environment(  # noqa: S701  (no HTML)
        loader=FunctionLoader(lambda name: (folder / name).read_text(encoding="utf-8").replace(_BAR, _CELL)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    key = lambda name: name if _PLAIN_KEY.fullmatch(name) else _text(name)  # noqa: E731
    begun = lambda text: f"{text[:1].upper()}{text[1:]}"  # noqa: E731
    environment.filters |= {"text": _text, "key": key, "exact": exact_text, "points": _points, "begun": begun}
    environment.filters |= {"aligned": _aligned, "shown": _shown, "cell": lambda text: text.replace("\n", _LINE)}
    return environment


def _aligned(text: str) -> str:
    rows = [[cell.strip(" ") for cell in line.split(_CELL)] for line in text.split("\n") if line]
    return aligned(rows).replace(_LINE, "\n") + "\n"


def _shown(number: float | None, how: str = ",", none: str = "none") -> str:
    return none if number is None else format(number, how)


def _points(text: str) -> str:
    """Sentences that blank lines part, as a list; one alone as it is."""
    said = [" ".join(each.split()) for each in text.split("\n\n") if each.strip()]
    return said[0] if len(said) == 1 else "\n".join(f"- {each}" for each in said)


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
