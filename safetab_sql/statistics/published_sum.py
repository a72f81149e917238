"""A sum of published counts with its margin of error, as `moe` returns it and as people read it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import compute

from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.text_tables import Readable, aligned, counted
from safetab_sql.published.intervals import MarginMethod
from safetab_sql.release.facts import ReleaseFacts
from safetab_sql.settings.ladders import attributes_of
from safetab_sql.settings.unit import Unit
from safetab_sql.statistics.absent_groups import AbsentGroups
from safetab_sql.statistics.predicates import Predicate, shortened

# What the margin of error of a sum does not cover, in sentences.

Bools = npt.NDArray[np.bool_]


def caveats(
    net: Int64s,
    region_types: pa.ChunkedArray,
    is_total: Bools,
    facts: ReleaseFacts,
    conditions: Sequence[Predicate],
    *,
    is_mixed: bool,
) -> Iterator[str]:
    """What the margin of error of a sum does not cover. net: how often each atom is in it.

    region_types, is_total: of each atom.
    """
    people = facts.parameters.unit.people
    if (most := int(np.abs(net).max(initial=0))) > 1:
        yield (
            f"The same {people} are added up to {most} times: rows that are sums stand among the rows that they add "
            f"up. Choose one kind of rows: {_kinds_of_rows(facts)}."
        )
    if is_mixed:
        yield (
            f"Rows of several characteristic iterations or region types were added up. Their groups may share "
            f"{people}: these are counted more than once; the margin covers the noise alone."
        )
    chosen = np.flatnonzero(net)
    if chosen.size and facts.is_clipped:
        yield (
            "Counts below 0 were published as 0, so counts are too large on average: what is added is biased upwards "
            "and what is subtracted downwards. The interval allows for it; a sum has no margin and no p-value."
        )
    types = region_types.take(chosen[is_total[chosen]])
    suppressed = pa.array(sorted(facts.suppressed_types), pa.string())
    suppressible = compute.sum(compute.is_in(types, value_set=suppressed)).as_py()
    if suppressible:
        are = counted(suppressible, "of the counts is a total that is", "of the counts are totals that are")
        yield (
            f"{are} published only if large enough, so those near the limit are too large on average. "
            f"{_of_choice(facts)}"
        )
    if any(condition.reads_count for condition in conditions):
        yield "Rows were chosen by their noisy counts. The margin does not cover what that choice does."


def _of_choice(facts: ReleaseFacts) -> str:
    """What is done about the choice of totals for their size."""
    if facts.reconciled is not None:
        return "Variance and margin are of the noise before that choice."
    return "The interval allows for it; there is no margin and no p-value. Variance is of the noise before that choice."


def _kinds_of_rows(facts: ReleaseFacts) -> str:
    """Conditions on the totals of the last ladder, and on the cells of its finest table."""
    parameters = facts.parameters
    ladder, finest = parameters.ladders[-1], parameters.ladders[-1].statistics[-1]
    used = attributes_of(ladder, parameters.attributes)
    columns = [(attribute.publish[0], attribute.total) for attribute in used]
    of_table = [f"TABLE = '{ladder.name}'", f"STATISTIC = '{finest.name}'"]
    of_finest = {name for name, _ in finest.cells}
    cells = [
        f"{column} <> '{total}'"
        for attribute, (column, total) in zip(used, columns, strict=True)
        if attribute.name in of_finest
    ]
    totals = [of_table[0], *(f"{column} = '{total}'" for column, total in columns)]
    condition = f"TABLE = '{ladder.totals}'" if ladder.totals else " and ".join(totals)
    same = all({name for name, _ in each.cells} == of_finest for each in ladder.statistics)
    return f"{condition}, the totals; or {' and '.join([*of_table[: 1 if same else 2], *cells])}, the cells"


def ladder_caveats(predicate: str, ladders: Sequence[str], people: str) -> Iterator[str]:
    """What to know of a condition that matches rows of several ladders. people: what is counted."""
    if len(ladders) > 1:
        yield (
            f"`{shortened(' '.join(predicate.split()))}` adds up rows of several ladders ({', '.join(ladders)}), each "
            f"of which counts the same {people}. Choose one: TABLE = '...'."
        )


def release_caveats(predicate: str, releases: Sequence[int]) -> Iterator[str]:
    """What to know of a condition that matches rows of several releases, which are numbered from 0."""
    if len(releases) > 1:
        numbers = [str(release + 1) for release in releases]
        yield (
            f"`{shortened(' '.join(predicate.split()))}` adds up rows of releases {', '.join(numbers[:-1])} and "
            f"{numbers[-1]}. Choose one: RELEASE = '{numbers[0]}'."
        )


def bound_caveats(method: str) -> Iterator[str]:
    """What to know of the bound of a sum of reconciled counts."""
    if method == "bound":
        yield (
            "Reconciled counts have errors that go together in ways that no file tells. Variance and margin are upper "
            "bounds, as if all errors went the same way; the release itself gives a sum its own margin."
        )


def absence_caveats(predicate: str, absent: AbsentGroups, people: str) -> Iterator[str]:
    """Which population groups that were asked for are not in a sum. people: what is counted."""
    name = shortened(" ".join(predicate.split()))
    if absent.unnamed_types:
        yield (
            f"Suppressed totals are no rows: of {', '.join(absent.unnamed_types)}, at least "
            f"{_asked(absent.suppressed, name)} none, and the {people} in them are not in the sum. How many there are "
            "is known from the geography and the code lists of the run: --geography, --code-lists."
        )
    elif absent.suppressed:
        yield (
            f"Suppressed totals are no rows: {_asked(absent.suppressed, name)} none, and the {people} in them, if any, "
            "are not in the sum."
        )
    if absent.other:
        yield (
            f"{_asked(absent.other, name)} a total alone, or another table, and so no such row; the {people} in them "
            "are not in the sum."
        )


def _asked(groups: int, name: str) -> str:
    """So many groups, and what asks for them."""
    return f"{groups:,} population group{'s' * (groups != 1)} that `{name}` asks for {'have' if groups != 1 else 'has'}"


Use = Literal["sum", "minus", "of", "second", "second of"]
USES: tuple[Use, ...] = get_args(Use)
SumMethod = MarginMethod | Literal["as published", "bound", "no margin"]
_USUAL = 0.95
_SMALLEST = 1e-4  # of the p-values that are printed
_METHODS = {
    "no noise": "no noise is left",
    "exact quantile": "exact quantile of the noise of one count",
    "convolution": "exact convolution of the noise of the counts",
    "as published": "as published with the reconciled count",
    "bound": "an upper bound: the standard deviations added up",
    "no margin": "none: see the interval, which allows for what was chosen or cut",
    "coarser convolution": "an upper bound: convolution of the noise on a coarser lattice, rounded outward",
}


@dataclass(frozen=True, slots=True)
class PublishedRatio:
    """A sum of published counts by another. other: the sum that it is divided by, persons.

    low, high: interval at the level of the sum; numbers, 0.5 for 50 %. high: None where there is no upper end, as the
    other sum may be 0. estimate: None where the other sum is not above 0.
    """

    estimate: float | None
    low: float
    high: float | None
    other: float


@dataclass(frozen=True, slots=True)
class RatioDifference:
    """A ratio less a second one: numbers, 0.05 for five percentage points. low, high: interval at the level of the sum.

    low, high: None where there is no such end. p_value: at least the chance that noise alone makes two equal ratios
    differ as much; None where the error of a count is not the noise that was drawn: where it was reconciled, published
    for its size, or cut at 0.
    """

    second: PublishedRatio
    estimate: float | None
    low: float | None
    high: float | None
    p_value: float | None


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
    low, high: interval of the true sum at `level`, persons, given that the counts were published. p_value: of a
    difference, the chance that noise alone is as far from 0; None where it is not known, or nothing is subtracted.
    Where a total in the sum was published for its size, or several counts were cut at 0, there are low and high, and no
    margins; where several were cut at 0, no variance. ratio: of the sum to another one, and
    difference: of that to a second ratio; None where none was asked for. unit: what a record is, or what is added up;
    unit_of: the same of the sum that the ratio divides by.
    """

    estimate: float
    variance: float | None
    moe95: float | None
    method: SumMethod
    atoms: int
    cancelled_atoms: int
    selections: tuple[Selection, ...]
    caveats: tuple[str, ...]
    level: float
    margin: float | None
    low: float
    high: float
    p_value: float | None
    ratio: PublishedRatio | None = None
    difference: RatioDifference | None = None
    unit: Unit = Unit()  # noqa: RUF009  (frozen)
    unit_of: Unit = Unit()  # noqa: RUF009  (frozen)

    @property
    def is_mean(self) -> bool:
        """Whether the ratio is of one thing to another, such as days to stays, and no percentage."""
        return self.ratio is not None and self.unit.many != self.unit_of.many

    def __str__(self) -> str:
        """The sum for people to read."""
        return _text(self)


def _text(found: PublishedSum) -> str:
    many = found.unit.many
    figures = [
        ("estimate", _persons(found.estimate), f"{many}, the sum of the published rows"),
        *_margins(found),
        *([] if found.variance is None else [("variance", f"{found.variance:,.6g}", f"{many} squared")]),
        *_ratio(found, "", found.ratio),
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
    of_method = "reconciled" if found.method in ("as published", "bound") else "independent noisy"
    counts = counted(found.atoms, f"{of_method} count is", f"{of_method} counts are")
    netted = f"{counts} left in the sum; {found.cancelled_atoms:,} cancelled."
    return "\n".join([aligned(figures), "", aligned(selections), netted, *found.caveats])


def _is_difference(found: PublishedSum) -> bool:
    return any(part.sign < 0 for part in found.selections)


def _margins(found: PublishedSum) -> Iterator[tuple[str, str, str]]:
    """MOE95 and the margin at another level; the interval where there are none."""
    many, method = found.unit.many, _METHODS[found.method]
    moe95 = "none" if found.moe95 is None else f"±{_persons(found.moe95)}"
    yield ("MOE95", moe95, method if found.moe95 is None else f"{many}: {method}")
    if found.margin is None:
        yield (f"interval at {found.level:g}", f"{_persons(found.low)} to {_persons(found.high)}", many)
    elif found.level != _USUAL:
        yield (f"margin at {found.level:g}", f"±{_persons(found.margin)}", many)


def _ratio(found: PublishedSum, which: str, ratio: PublishedRatio | None) -> list[tuple[str, str, str]]:
    """A percentage; a ratio where one thing is divided by another, such as days by stays."""
    if ratio is None:
        return []
    name, shown, many = f"{which}{'ratio' if found.is_mean else 'percentage'}", _shown(found), found.unit_of.many
    estimate = "none" if ratio.estimate is None else shown(ratio.estimate)
    no_end = "which may be 0: no upper end" if ratio.high is None else ""
    ends = f"{shown(ratio.low)} and more" if ratio.high is None else f"{shown(ratio.low)} to {shown(ratio.high)}"
    of = (
        f"{found.unit.many} for each of {_persons(ratio.other)} {many}"
        if found.is_mean
        else f"of {_persons(ratio.other)} {many}"
    )
    return [(name, estimate, of), (f"interval at {found.level:g}", ends, no_end)]


def _shown(found: PublishedSum) -> Callable[[float], str]:
    return (lambda ratio: f"{ratio:,.4g}") if found.is_mean else _percent


def _difference(found: PublishedSum) -> list[tuple[str, str, str]]:
    """The second percentage, and how far it is below the first."""
    difference = found.difference
    if difference is None:
        return []
    times, unit = (1, found.unit.many) if found.is_mean else (100, "percentage points")
    estimate = "none" if difference.estimate is None else f"{times * difference.estimate:,.2f}"
    return [
        *_ratio(found, "second ", difference.second),
        ("difference", estimate, unit),
        (f"interval at {found.level:g}", _points(difference, times), unit),
        *([] if difference.p_value is None else [_p_value(difference.p_value)]),
    ]


def _points(difference: RatioDifference, times: int) -> str:
    """The interval of a difference of percentages; without an end where a percentage has none. times: 100 for these."""
    low, high = (None if end is None else f"{times * end:,.2f}" for end in (difference.low, difference.high))
    if low is None:
        return "any" if high is None else f"{high} and less"
    return f"{low} and more" if high is None else f"{low} to {high}"


def _percent(share: float) -> str:
    return f"{100 * share:,.2f} %"


def _p_value(chance: float) -> tuple[str, str, str]:
    shown = f"{chance:.4f}" if chance >= _SMALLEST else f"below {_SMALLEST:g}"
    return "p-value", shown, "chance that noise alone makes such a difference"


def _persons(number: float) -> str:
    """Whole numbers as they are, reconciled ones to two decimals."""
    return f"{int(number):,}" if number == int(number) else f"{number:,.2f}"
