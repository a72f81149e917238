"""The numbers in sentences, for people who decide: no sentence claims more than a bound proves.

Chances are rounded up, so that "at most" stays true.
"""

import math

from safetab_sql.accounting.conversions import rounded_up
from safetab_sql.semantics.profiles import ADDED, CHANGED, UNSTATED
from safetab_sql.semantics.summary import BudgetRow, PowerRow, Summary, power_at
from safetab_sql.settings.budgets import UNITS
from safetab_sql.settings.unit import Unit

_RATIO = 100.0


def sentences(found: Summary) -> tuple[str, ...]:
    """Three or four sentences about one record: a test, a belief, the best and the least protected part of a record."""
    said = [_test(found, power_at(found.powers, found.level)), _belief(found)]
    measured = [each for each in found.secrets if 0 < each.budget < found.profile.changed]
    if measured:
        said.append(_secrets(found, measured))
    said.append(_neighbours(found))
    return tuple(said)


def percent(chance: float) -> str:
    """A chance from 0 to 1 in per cent, rounded up to a tenth; close to 0 or 1, to as many digits as it takes."""
    if chance >= 1:
        return "100 %"
    hundredths = max(100 * chance, 1e-7)
    digits = 1
    while digits < 7 and (_up(hundredths, digits) >= 100 or _up(hundredths, digits) > 1.5 * hundredths):
        digits += 1
    rounded = _up(hundredths, digits)
    return f"{rounded:.{digits}f}".rstrip("0").rstrip(".") + " %" if rounded < 100 else "100 %"


def _up(value: float, digits: int) -> float:
    # A level such as 5 % is 5.000000000000001 in binary, and is no more than 5.
    scale = 10.0**digits
    return math.ceil(value * scale - 1e-9) / scale


def record_of(unit: Unit, record: str = "record") -> str:
    """What is used of one unit: "a person's record"; "a record" where it is called so; "the records of a patient"."""
    if unit.person is not None:
        return f"the {record}s of a {unit.holder}"
    return f"a {record}" if unit.one == "record" else f"a {unit.one}'s {record}"


def _test(found: Summary, row: PowerRow) -> str:
    wrong = percent(row.level)
    unit = found.profile.unit
    whose, was = ("that", "were") if unit.one == "record" else ("whose record", "was")
    if unit.person is not None:
        whose, was = "whose records", "were"
    question = f"whether {record_of(unit)} {'was' if unit.person is None else 'were'} used"
    rightly, wrongly = f"{whose} {was} used", f"{whose} {was} not used"
    if found.profile.neighbours == CHANGED:
        question, wrongly = f"{question} or another put in its place", f"{whose} {was} replaced"
    start = (
        f"Somebody who knows every other record and everything that is published tests {question}. A test that wrongly "
        f"accuses {wrong} of the {unit.holders} {wrongly} rightly accuses at most"
    )
    end = f"Blind guessing rightly accuses {wrong}."
    if row.noise is not None:
        return f"{start} {percent(row.noise.upper)} of the {unit.holders} {rightly}. {end}"
    than = "" if row.gaussian is None else f", and {percent(row.gaussian)} if it is Gaussian"
    return f"{start} {percent(row.bound)} of the {unit.holders} {rightly}, whatever the noise{than}. {end}"


def _belief(found: Summary) -> str:
    counterfactual = "what it would be had the record been replaced by his own guess"
    if found.profile.definition == "puredp":
        exponent = float(found.profile.changed)
        factor = f"{_up(math.exp(exponent), 2):,.2f}" if exponent < 10 else f"e^{_up(exponent, 2):g}"
        return (
            "Whatever is published, and whatever an attacker believed before, rightly or wrongly: his belief in "
            f"anything about a {found.profile.unit.holder} is at most {factor} times {counterfactual}."
        )
    row = next(row for row in found.beliefs if row.ratio == _RATIO)
    what = f"his belief in {record_of(found.profile.unit, 'true record')} becomes {_RATIO:g} times {counterfactual}"
    start = "For an attacker whose beliefs about everybody else are right, however vague, "
    if row.true_record >= 1:
        return f"{start}this budget does not rule out that {what}."
    return f"{start}the chance that {what} is at most {percent(row.true_record)}."


def _secrets(found: Summary, rows: list[BudgetRow]) -> str:
    best, worst = min(rows, key=lambda row: row.budget), max(rows, key=lambda row: row.budget)
    least, most = (power_at(row.powers, found.level).bound for row in (best, worst))
    other = "" if best is worst else f", and at most {percent(most)} if it is {_quoted(worst)}"
    return (
        f"With {percent(found.level)} of wrong accusations, a test about only one part of a record rightly accuses at "
        f"most {percent(least)} if that part is {_quoted(best)}{other}, whatever the noise."
    )


def _quoted(row: BudgetRow) -> str:
    return f'"{row.name}"'


def _neighbours(found: Summary) -> str:
    unit = UNITS[found.profile.definition]
    budget, changed = rounded_up(found.profile.budget), rounded_up(found.profile.changed)
    if found.profile.neighbours == ADDED:
        return (
            f"The budget {unit} {budget} is for {found.profile.compared}. For {_replaced(found.profile.unit)} it is "
            f"{changed}, and the statements about beliefs and parts of a record use that budget."
        )
    if found.profile.neighbours == UNSTATED:
        return f"All this is about the neighbouring inputs for which {unit} {budget} was computed."
    what = _replaced(found.profile.unit)
    return f"The budget {unit} {budget} is for {what}: the number of records is not hidden."


def _replaced(unit: Unit) -> str:
    """What changes in the second kind of neighbours."""
    if unit.person is not None:
        return f"all records of one {unit.holder} replaced by others"
    return "one record replaced by another"
