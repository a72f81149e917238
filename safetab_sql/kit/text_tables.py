"""Tables and numbers for the terminal and for notebooks."""

from collections.abc import Sequence
from decimal import Context, Decimal, Inexact
from fractions import Fraction
from typing import Any


class Readable:
    """Something whose text says it all: notebooks show the text."""

    __slots__ = ()

    def _repr_pretty_(self, printer: Any, _: bool) -> None:
        printer.text(str(self))


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


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """The rows as lines, columns two spaces apart; columns of numbers are aligned right, all others left."""
    columns = list(zip(*rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    to_the_right = [all(text[:1].isdigit() or text[:1] in "-±" for text in column[1:]) for column in columns]
    lines = [
        "  ".join(
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(row, widths, to_the_right, strict=True)
        )
        for row in rows
    ]
    return "\n".join(line.rstrip() for line in lines)
