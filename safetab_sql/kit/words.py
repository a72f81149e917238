"""Sentences with values in them: Jinja templates of plain text, which stand in a TOML file beside the code."""

import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined, Template

_SMALL = {"æ": "ae", "œ": "oe", "ø": "o", "ð": "d", "þ": "th", "ł": "l", "đ": "d", "ı": "i"}
_LETTERS = str.maketrans({"ß": "ss", **_SMALL, **{one.upper(): two.upper() for one, two in _SMALL.items()}})


@cache
def words(file: Path) -> Mapping[str, Any]:
    """The sentences of a TOML file, under their names."""
    return tomllib.loads(file.read_text(encoding="utf-8"))


def said(text: str, values: Mapping[str, object]) -> str:
    """A sentence with its values; the lines of the file are one line."""
    return _template(" ".join(text.split())).render(values)


def paragraphs(text: str, values: Mapping[str, object]) -> tuple[str, ...]:
    """Paragraphs with their values, which blank lines separate; a paragraph of which nothing is left is left out."""
    source = "\n\n".join(" ".join(each.split()) for each in text.split("\n\n"))
    return tuple(filter(None, (each.strip() for each in _template(source).render(values).split("\n\n"))))


@cache
def _template(text: str) -> Template:
    return Environment(undefined=StrictUndefined, autoescape=False).from_string(text)  # noqa: S701  (no HTML)


def listed(names: Sequence[str]) -> str:
    """A, B and C."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def plain(name: str) -> str:
    """A name in small letters without accents: district_name of DistrictName, situacao of Situação and SITUAÇÃO."""
    ascii_name = unicodedata.normalize("NFKD", name.translate(_LETTERS)).encode("ascii", "ignore").decode()
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", ascii_name).lower()
