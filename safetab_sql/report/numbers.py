"""Numbers as text that stay bounds: rounded up, never to the nearest."""

from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction


def bound_text(value: Fraction | float, digits: int = 6) -> str:
    """A number of at least 0 with so many significant digits, rounded up: 0.1235 of 0.123401, with 4.

    A float counts as the shortest decimal that stands for it, so that 0.05 is 0.05.
    """
    exact = Fraction(repr(value)) if isinstance(value, float) else value
    context = Context(prec=digits, rounding=ROUND_CEILING)
    rounded = context.divide(Decimal(exact.numerator), Decimal(exact.denominator))
    return f"{rounded.normalize():f}" if 1e-4 <= exact < 10**digits or not exact else f"{rounded.normalize():e}"
