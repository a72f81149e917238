"""Words and numbers for people: sentences that stand in a TOML file, templates beside the code, aligned tables.

A table for people to read stands in `{% filter aligned %}`: a row is a line, whose cells ¦ parts. Jinja is imported
when something is filled in.
"""

import json
import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from decimal import Context, Decimal, Inexact
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

_SMALL = {"æ": "ae", "œ": "oe", "ø": "o", "ð": "d", "þ": "th", "ł": "l", "đ": "d", "ı": "i"}
_LETTERS = str.maketrans({"ß": "ss", **_SMALL, **{one.upper(): two.upper() for one, two in _SMALL.items()}})
_PLAIN_KEY = re.compile(r"[A-Za-z0-9_-]+")
_BAR, _CELL = "¦", "\x1f"  # as templates have it, and as values can never have it
_LINE = "\x1e"  # the end of a line within a cell


@cache
def words(file: Path) -> Mapping[str, Any]:
    """The sentences of a TOML file, under their names."""
    return tomllib.loads(file.read_text(encoding="utf-8"))


def said(text: str, values: Mapping[str, object]) -> str:
    """A sentence with its values; the lines of the file are one line."""
    return str(_template(" ".join(text.split())).render(values))


def paragraphs(text: str, values: Mapping[str, object]) -> tuple[str, ...]:
    """Paragraphs with their values, which blank lines separate; a paragraph of which nothing is left is left out."""
    source = "\n\n".join(" ".join(each.split()) for each in text.split("\n\n"))
    return tuple(filter(None, (each.strip() for each in _template(source).render(values).split("\n\n"))))


@cache
def _template(text: str) -> Any:
    from jinja2 import Environment, StrictUndefined  # noqa: PLC0415

    return Environment(undefined=StrictUndefined, autoescape=False).from_string(text)  # noqa: S701  (no HTML)


def filled(module: str, template: str, values: Mapping[str, object]) -> str:
    """The text of the template in the folder templates beside a module. module: its __file__.

    Filters write text, a key, a fraction, a number, a sentence, a cell of any text, and align rows.
    """
    return str(_environment(Path(module).parent / "templates").get_template(f"{template}.jinja").render(values))


def printed(module: str, template: str, values: Mapping[str, object]) -> str:
    """The same for people to read: without the last end of a line."""
    return filled(module, f"{template}.txt", values).removesuffix("\n")


@cache
def _environment(folder: Path) -> Any:
    from jinja2 import Environment, FunctionLoader, StrictUndefined  # noqa: PLC0415

    loader = FunctionLoader(lambda name: (folder / name).read_text(encoding="utf-8").replace(_BAR, _CELL))
    options = {"trim_blocks": True, "lstrip_blocks": True, "keep_trailing_newline": True}
    environment = Environment(loader=loader, undefined=StrictUndefined, **options)  # type: ignore[arg-type]  # noqa: S701  (no HTML)
    text: Any = lambda value: json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # noqa: E731
    key = lambda name: name if _PLAIN_KEY.fullmatch(name) else text(name)  # noqa: E731
    begun = lambda said: f"{said[:1].upper()}{said[1:]}"  # noqa: E731
    shown = lambda number, how=",", none="none": none if number is None else format(number, how)  # noqa: E731
    environment.filters |= {"text": text, "key": key, "exact": exact_text, "begun": begun}
    environment.filters |= {"aligned": _aligned, "shown": shown, "cell": lambda said: said.replace("\n", _LINE)}
    return environment


def _aligned(text: str) -> str:
    rows = [[cell.strip(" ") for cell in line.split(_CELL)] for line in text.split("\n") if line]
    return aligned(rows).replace(_LINE, "\n") + "\n"


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """The rows as lines, columns two spaces apart; columns of numbers are aligned right, all others left."""
    columns = []
    for column in zip(*rows, strict=True):
        is_number, width = all(text[:1].isdigit() or text[:1] in "-±" for text in column[1:]), max(map(len, column))
        columns.append([text.rjust(width) if is_number else text.ljust(width) for text in column])
    return "\n".join("  ".join(row).rstrip() for row in zip(*columns, strict=True))


def listed(names: Sequence[str]) -> str:
    """A, B and C."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def counted(number: int, one: str, many: str) -> str:
    """The number with its noun, and what else depends on it: `one` or `many`."""
    return f"{number:,} {one if number == 1 else many}"


def exact_text(value: Fraction) -> str:
    """The exact value as text: a decimal if it has one of at most 300 digits, otherwise numerator/denominator."""
    try:
        decimal = Context(prec=300, traps=[Inexact]).divide(Decimal(value.numerator), Decimal(value.denominator))
    except Inexact:
        return str(value)
    return f"{decimal:f}"


def plain(name: str) -> str:
    """A name in small letters without accents: district_name of DistrictName, situacao of Situação and SITUAÇÃO."""
    ascii_name = unicodedata.normalize("NFKD", name.translate(_LETTERS)).encode("ascii", "ignore").decode()
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", ascii_name).lower()
