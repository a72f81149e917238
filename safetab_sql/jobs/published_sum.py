"""A sum of published counts with its margin of error, as `moe` returns it and as people read it."""

from dataclasses import dataclass
from typing import Literal, get_args

from safetab_sql.jobs.absent_groups import AbsentGroups
from safetab_sql.jobs.sum_noise import SumMethod
from safetab_sql.jobs.sum_ratio import PublishedRatio, RatioDifference
from safetab_sql.kit.text_tables import Readable, aligned
from safetab_sql.public.unit import Unit, in_words

Use = Literal["sum", "minus", "of", "second", "second of"]
USES: tuple[Use, ...] = get_args(Use)
_USUAL = 0.95
_SMALLEST = 1e-4  # of the p-values that are printed
_METHODS = {
    "no noise": "no noise is left",
    "exact quantile": "exact quantile of the noise of one count",
    "convolution": "exact convolution of the noise of the counts",
    "as published": "as published with the reconciled count",
    "bound": "an upper bound: the standard deviations added up",
    "coarser convolution": "an upper bound: convolution of the noise on a coarser lattice, rounded outward",
}


@dataclass(frozen=True, slots=True)
class Selection:
    """One predicate of a sum. sign: 1 added, -1 subtracted, 0 neither. rows: published rows it matched.

    use: "sum", "minus"; "of", divided by; "second" and "second of", of a second ratio. atoms: of those rows. absent:
    the population groups that it asks for and that have no row among those.
    """

    sign: int
    use: Use
    predicate: str
    rows: int
    atoms: int
    absent: AbsentGroups


@dataclass(frozen=True, slots=True)
class PublishedSum(Readable):
    """A sum or difference of published counts.

    estimate: persons; whole unless counts are reconciled. variance: of its noise, persons squared. moe95: half-width,
    persons: the smallest m such that the noise is within m with a chance of at least 95 %; method: how it was found; of
    a "bound", variance and moe95 are at most that. atoms: independent noisy counts in it; cancelled_atoms: those that
    were added as often as subtracted. caveats: what the margin does not cover. margin: half-width at `level`, persons.
    p_value: of a difference, the chance that noise alone is as far from 0; None where it is not known, or nothing is
    subtracted. ratio: of the sum to another one, and difference: of that to a second ratio; None where none was asked
    for. unit: what a record is.
    """

    estimate: float
    variance: float
    moe95: float
    method: SumMethod
    atoms: int
    cancelled_atoms: int
    selections: tuple[Selection, ...]
    caveats: tuple[str, ...]
    level: float
    margin: float
    p_value: float | None
    ratio: PublishedRatio | None = None
    difference: RatioDifference | None = None
    unit: Unit = Unit()  # noqa: RUF009  (frozen)

    def __str__(self) -> str:
        """The sum for people to read."""
        return in_words(self.unit, _text(self))


def _text(found: PublishedSum) -> str:
    figures = [
        ("estimate", _persons(found.estimate), "persons, the sum of the published rows"),
        ("MOE95", f"±{_persons(found.moe95)}", f"persons: {_METHODS[found.method]}"),
        *([(f"margin at {found.level:g}", f"±{_persons(found.margin)}", "persons")] if found.level != _USUAL else []),
        ("variance", f"{found.variance:,.6g}", "persons squared"),
        *_percentage("percentage", found.ratio, found.level),
        *_difference(found),
        *([] if found.p_value is None or not _is_difference(found) else [_p_value(found.p_value)]),
    ]
    selections = [
        ("", "rows", "counts", "predicate"),
        *(
            (part.use, f"{part.rows:,}", f"{part.atoms:,}", " ".join(part.predicate.split()))
            for part in found.selections
        ),
    ]
    counts = "reconciled counts" if found.method in ("as published", "bound") else "independent noisy counts"
    netted = f"{found.atoms:,} {counts} are left in the sum; {found.cancelled_atoms:,} cancelled."
    return "\n".join([aligned(figures), "", aligned(selections), netted, *found.caveats])


def _is_difference(found: PublishedSum) -> bool:
    return any(part.sign < 0 for part in found.selections)


def _percentage(name: str, ratio: PublishedRatio | None, level: float) -> list[tuple[str, str, str]]:
    if ratio is None:
        return []
    other = f"of {_persons(ratio.other)} persons"
    if ratio.estimate is None or ratio.low is None or ratio.high is None:
        return [(name, "none", f"{other}, which may be 0 as far as the noise goes")]
    ends = f"{_percent(ratio.low)} to {_percent(ratio.high)}"
    return [(name, _percent(ratio.estimate), other), (f"interval at {level:g}", ends, "")]


def _difference(found: PublishedSum) -> list[tuple[str, str, str]]:
    """The second percentage, and how far it is below the first."""
    difference = found.difference
    if difference is None:
        return []
    second = _percentage("second percentage", difference.second, found.level)
    if difference.estimate is None or difference.low is None or difference.high is None:
        return [*second, ("difference", "none", "as one of the percentages is none")]
    ends = f"{100 * difference.low:,.2f} to {100 * difference.high:,.2f}"
    return [
        *second,
        ("difference", f"{100 * difference.estimate:,.2f}", "percentage points"),
        (f"interval at {found.level:g}", ends, "percentage points"),
        *([] if difference.p_value is None else [_p_value(difference.p_value)]),
    ]


def _percent(share: float) -> str:
    return f"{100 * share:,.2f} %"


def _p_value(chance: float) -> tuple[str, str, str]:
    shown = f"{chance:.4f}" if chance >= _SMALLEST else f"below {_SMALLEST:g}"
    return "p-value", shown, "chance that noise alone makes such a difference"


def _persons(number: float) -> str:
    """Whole numbers as they are, reconciled ones to two decimals."""
    return f"{int(number):,}" if number == int(number) else f"{number:,.2f}"
