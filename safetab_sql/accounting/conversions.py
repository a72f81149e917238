"""Conversions between privacy definitions, one function per equation; and losses as text, and as JSON of files.

Every approximate figure is an upper bound on the privacy loss. It is computed with 60-digit decimals, whose errors are
far below the slack that is added before the result is rounded up to a float.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import Annotated, Any

from safetab_sql.settings.budgets import PrivacyDefinition
from safetab_sql.settings.markers import otherwise, text
from safetab_sql.settings.tables import INLINE, Marker, key_of, marks_of, table, via

Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]

PRECISE = Context(prec=60)  # the arithmetic of every conversion
_SLACK = Decimal("1e-30")  # relative to the largest term; the error of the arithmetic is below 1e-55
# Source: paper Appendix F.2: "alpha in {1.01, 1.02, ..., 10.00}".
_PAPER_ORDERS = tuple((hundredths / 100, Fraction(hundredths, 100)) for hundredths in range(101, 1001))


@dataclass(frozen=True, slots=True)
class Total:
    """An (epsilon, delta) guarantee, and the rule that proves it: the result of one accountant.

    epsilon: None if the accountant has no result. caveat: why epsilon is not an upper bound; '' if it is. exact: the
    exact value that epsilon bounds, if it is rational.
    """

    rule: str
    epsilon: float | None
    delta: Fraction
    caveat: str = ""
    exact: Fraction | None = None

    @property
    def size(self) -> float:
        """Epsilon, or infinity where there is no result."""
        return math.inf if self.epsilon is None else self.epsilon


def pure_dp_to_approximate_dp(epsilon: Fraction) -> Total:
    """(epsilon, 0): pure DP is approximate DP with delta 0. Source: paper Definition 2."""
    return Total("pure DP, delta 0", _float_above(as_decimal(epsilon), 0), Fraction(0), exact=epsilon)


def secrecy_of_the_sample(epsilon: Fraction, rate: Fraction) -> float:
    """The loss log(1 + rate (e^epsilon - 1)) of pure DP on records that are a secret sample, rounded up.

    rate: the chance of each record of the population to be in the sample, independently of all other records. In a
    sample of fixed size one record replaces another: two records differ, and the loss may be larger. Neighbours are
    populations; the losses of several releases from one sample are added before they are amplified. Source:
    histograms.md section 2.5; Kasiviswanathan et al. 2011, Li, Qardaji and Su 2012.
    """
    if not 0 < rate <= 1:
        raise ValueError(f"the sampling rate has to lie above 0 and not above 1, it is {rate}")
    with localcontext(PRECISE):
        # The factor e^epsilon is taken out of the sum, so that nothing overflows; e^-epsilon may be 0 to all digits.
        share = as_decimal(rate)
        loss = as_decimal(epsilon) + (share + as_decimal(1 - rate) * (-as_decimal(epsilon)).exp()).ln()
        slack = 1 + as_decimal(epsilon) - share.ln()
        return _float_above(loss, slack)


def zcdp_to_approximate_dp_analytic(rho: Fraction, delta: Fraction) -> float:
    """The loss epsilon = rho + sqrt(4 rho log(1 / delta)), rounded up. Source: paper eq. 8."""
    _check(rho, delta)
    with localcontext(PRECISE):
        root = (4 * as_decimal(rho) * -as_decimal(delta).ln()).sqrt()
        return _float_above(as_decimal(rho) + root, root)


def rdp_to_approximate_dp(tau: Fraction, alpha: Fraction, delta: Fraction) -> float:
    """The epsilon of a mechanism with Renyi divergence at most `tau` at order `alpha` > 1, rounded up.

    epsilon = tau + [log(1 / delta) + (alpha - 1) log(1 - 1 / alpha) - log(alpha)] / (alpha - 1), or 0 if
    that is negative. Source: paper eq. 6.
    """
    _check(tau, delta)
    if alpha <= 1:
        raise ValueError(f"the order alpha has to be above 1, it is {alpha}")
    with localcontext(PRECISE):
        excess = as_decimal(alpha - 1)
        of_delta, of_order = -as_decimal(delta).ln() / excess, -as_decimal(alpha).ln() / excess
        terms = (as_decimal(tau), of_delta, as_decimal((alpha - 1) / alpha).ln(), of_order)
        return max(0.0, _float_above(sum(terms, Decimal(0)), max(map(abs, terms))))


@lru_cache(maxsize=64)  # a ledger asks for each part and for one person, which are often the same
def zcdp_to_approximate_dp_paper(rho: Fraction, delta: Fraction) -> float:
    """The least epsilon of eq. 6 over the paper's orders 1.01 to 10.00; tau = rho * alpha. Source: eq. 7."""
    _check(rho, delta)
    alpha = best_paper_order(lambda order: float(rho) * order, delta)[1]
    return rdp_to_approximate_dp(rho * alpha, alpha, delta)


def best_paper_order(tau: Callable[[float], float], delta: Fraction) -> tuple[float, Fraction]:
    """The least epsilon of eq. 6 over the paper's orders 1.01 to 10.00, in floats, and its order, which gives a bound.

    tau: the Renyi divergence by its order, in floats.
    """
    log, orders = log_inverse(delta), _PAPER_ORDERS
    return min((tau(at) + ((log - math.log(at)) / (at - 1) + math.log1p(-1 / at)), alpha) for at, alpha in orders)


def zcdp_to_approximate_dp(rho: Fraction, delta: Fraction) -> float:
    """The least epsilon of eq. 6 over all orders alpha > 1; tau = rho * alpha. Source: paper eq. 7.

    The search for alpha uses floats; any alpha it finds is a valid order, so the result is a bound.
    """
    _check(rho, delta)
    if rho == 0:
        return 0.0
    # The order of the closed form is 1 + sqrt(log(1 / delta) / rho); the best order is near it.
    log_rho = math.log(rho.numerator) - math.log(rho.denominator)
    log_center = (math.log(log_inverse(delta)) - log_rho) / 2
    alpha = 1 + best_excess_order(lambda order: math.exp(log_rho) * order, delta, log_center - 5, log_center + 5)
    return rdp_to_approximate_dp(rho * alpha, alpha, delta)


def rho_within(epsilon: Fraction, delta: Fraction) -> Fraction:
    """A rho of 5 digits, nearly the largest, whose best conversion to (epsilon, delta) is at most that epsilon."""
    unit = epsilon / 10**9  # rho is hardly ever above the epsilon that it implies
    most = bisect_left(range(1, 10**9), True, key=lambda units: zcdp_to_approximate_dp(unit * units, delta) > epsilon)
    return rounded_down(unit * most, 5)


def zcdp_totals(rho: Fraction, delta: Fraction, name: str) -> tuple[Total, Total, Total]:
    """The guarantees of a total rho: by the best order, by the paper's orders, and by the closed form."""
    return (
        Total(f"{name}, best Renyi order (paper eq. 7)", zcdp_to_approximate_dp(rho, delta), delta),
        Total(f"{name}, paper's orders (eq. 7)", zcdp_to_approximate_dp_paper(rho, delta), delta),
        Total(f"{name}, closed form (paper eq. 8)", zcdp_to_approximate_dp_analytic(rho, delta), delta),
    )


def totals_of_a_loss(definition: PrivacyDefinition, loss: Fraction, delta: Fraction) -> tuple[Total, ...]:
    """The results of the accountants that rest on the loss alone: it may be of several records. The first is quoted."""
    return (pure_dp_to_approximate_dp(loss),) if definition == "puredp" else zcdp_totals(loss, delta, "zCDP")


def best_excess_order(tau: Callable[[float], float], delta: Fraction, low: float, high: float) -> Fraction:
    """The alpha - 1 that makes eq. 6 about smallest, by ternary search on its logarithm between `low` and `high`.

    tau: the Renyi divergence by its order, in floats.
    """
    log_inverse_delta = log_inverse(delta)

    def epsilon(log_excess: float) -> float:
        excess = math.exp(log_excess)
        constant = log_inverse_delta - math.log1p(excess)
        return tau(1 + excess) + constant / excess - math.log1p(1 / excess)

    for _ in range(120):
        third = (high - low) / 3
        if epsilon(low + third) <= epsilon(high - third):
            high -= third
        else:
            low += third
    return Fraction(math.exp((low + high) / 2))


def log_inverse(delta: Fraction) -> float:
    """log(1 / delta) in floats, however small delta is."""
    return math.log(delta.denominator) - math.log(delta.numerator)


def _check(loss: Fraction, delta: Fraction) -> None:
    if loss < 0:
        raise ValueError(f"a privacy loss cannot be negative, it is {loss}")
    if not 0 < delta < 1:
        raise ValueError(f"delta has to lie strictly between 0 and 1, it is {delta}")


def as_decimal(value: Fraction, context: Context = PRECISE) -> Decimal:
    """A rational to the digits of a context, 60 by default."""
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))


def decimal_above(value: Decimal, largest_term: Decimal | int) -> Decimal:
    """`value` plus slack for the rounding of the decimals that it was computed from; `largest_term` was the largest."""
    return Context(prec=PRECISE.prec, rounding=ROUND_CEILING).add(value, abs(Decimal(largest_term)) * _SLACK)


def _float_above(value: Decimal, largest_term: Decimal | int) -> float:
    """The least float that is at least `value` plus slack for rounding, both as a float and as it is printed.

    A float is printed as the shortest decimal that reads back as the same float, and that may be a little smaller.
    """
    bound = decimal_above(value, largest_term)
    found = float(bound)
    while min(Decimal(found), Decimal(repr(found))) < bound:
        found = math.nextafter(found, math.inf)
    return found


def rounded_up(value: Fraction | float, digits: int = 6) -> str:
    """A number of at least 0 as text, with so many significant digits, rounded up: 0.334 for 1/3 and 3 digits.

    A float is used as it is printed: `_float_above` ensures that the printed decimal is a bound too.
    """
    exact = Fraction(repr(value)) if isinstance(value, float) else value
    rounded = as_decimal(exact, Context(prec=digits, rounding=ROUND_CEILING)).normalize()
    return f"{rounded:f}" if 1e-4 <= exact < 10**digits or not exact else f"{rounded:e}"


def rounded_down(value: Fraction, digits: int = 12) -> Fraction:
    """A decimal of so many significant digits that is at most `value`: one that a parameter file can hold."""
    return Fraction(as_decimal(value, Context(prec=digits, rounding=ROUND_FLOOR)))


def stated(bound: float | None, exact: Fraction | None) -> str:
    """An epsilon as text: the exact value rounded up, or the bound if there is no exact value; - without a bound."""
    return "-" if bound is None else rounded_up(bound if exact is None else exact)


# Values as the JSON of the files that commands write; the same dataclasses read them (`settings/tables.py`).


@table
class ExactText:
    """A rational as text, and a decimal that is not below it. Fraction("1e999999999") would never end."""

    exact: Annotated[str, text("[0-9]{1,300}(/[1-9][0-9]{0,299})?")]
    decimal: str


Exact = Annotated[Fraction, via(ExactText, lambda read: Fraction(read.exact)), otherwise("write it as a run does")]


def exact_json(value: Fraction) -> Json:
    """A rational as text, numerator/denominator, and as a decimal for people."""
    return {"exact": str(value), "decimal": decimal_text(value)}


def as_json(value: Any) -> Any:
    """The value as JSON. A dataclass has its fields as members, without those that hold what they hold by default."""
    if value is None or isinstance(value, (str, int, float)):
        return value
    if is_dataclass(value):
        return members_of(value)
    if isinstance(value, list | tuple):
        return [as_json(each) for each in value]
    return {key: as_json(each) for key, each in value.items()} if isinstance(value, Mapping) else exact_json(value)


def members_of(value: Any) -> dict[str, Json]:
    """The members of a dataclass as JSON: see `as_json`."""
    found, kind = dict[str, Json](), type(value)
    for each, marks in zip(fields(value), marks_of(kind).values(), strict=True):  # type: ignore[arg-type]  # a hash
        inner = getattr(value, each.name)
        usual = each.default if each.default_factory is MISSING else each.default_factory()
        if INLINE in marks:
            found |= members_of(inner)
        elif inner != usual:
            said = next((mark.said for mark in marks if isinstance(mark, Marker) and mark.said), as_json)
            found[key_of(each.name, marks)] = as_json(said(inner))
    return found


def decimal_text(value: Fraction) -> str:
    """The decimal that stands beside a rational in JSON: of 12 digits, rounded up."""
    return str(as_decimal(value, Context(prec=12, rounding=ROUND_CEILING)))
