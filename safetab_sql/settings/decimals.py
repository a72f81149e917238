"""Decimal numbers, exactly as they are written."""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from safetab_sql.settings.wrong import core, wrong_value

# Long enough for every sensible number, and short enough that no exponent makes a rational of gigabytes.
_LONGEST_NUMBER = 50
_LARGEST_EXPONENT = 40
_DECIMAL = re.compile(r"[+-]?[0-9](?:_?[0-9])*(?:\.[0-9](?:_?[0-9])*)?(?:[eE]([+-]?[0-9]+))?")
_DECIMAL_TEXT = r"^[+-]?[0-9](_?[0-9])*(\.[0-9](_?[0-9])*)?([eE][+-]?[0-9]+)?$"


def exact_decimal(value: object) -> Fraction | None:
    """The exact value of an integer or of the text of a decimal number; None if it is neither.

    Binary floats, booleans, "nan", "inf" and "1/3" are not decimals. Readers pass the *text* of a decimal literal:
    turning a literal such as 1e999999999 into a rational directly would never end.
    """
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    if isinstance(value, int):
        return Fraction(value) if abs(value) < 10**_LONGEST_NUMBER else None
    match = _DECIMAL.fullmatch(value) if len(value) <= _LONGEST_NUMBER else None
    if match is None or abs(int(match[1] or 0)) > _LARGEST_EXPONENT:
        return None
    return Fraction(value.replace("_", ""))


@dataclass(frozen=True, slots=True)
class Decimal:
    """Marker of an exact decimal number from `least` to `most`; the two may be left out of the range."""

    least: int
    most: int
    fix: str
    without_least: bool = False
    without_most: bool = False

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return core().no_info_plain_validator_function(self._read)

    def _read(self, value: object) -> Fraction:
        number = value if isinstance(value, Fraction) else exact_decimal(value)
        left_out = [self.least] * self.without_least + [self.most] * self.without_most
        if number is None or not self.least <= number <= self.most or number in left_out:
            raise wrong_value(self.fix)
        return number

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        """A number in the range, or the text of a number."""
        lower = {"exclusiveMinimum" if self.without_least else "minimum": self.least}
        upper = {"exclusiveMaximum" if self.without_most else "maximum": self.most}
        return {"anyOf": [{"type": "number", **lower, **upper}, {"type": "string", "pattern": _DECIMAL_TEXT}]}
