"""A sum of published counts with its margin of error, as `moe` returns it and as people read it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import pyarrow as pa
from pyarrow import compute

from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.templates import printed
from safetab_sql.kit.text_tables import Readable
from safetab_sql.kit.words import paragraphs, words
from safetab_sql.published.intervals import MarginMethod
from safetab_sql.release.facts import ReleaseFacts
from safetab_sql.settings.ladders import attributes_of
from safetab_sql.settings.unit import Unit
from safetab_sql.statistics.absent_groups import AbsentGroups
from safetab_sql.statistics.predicates import Predicate, shortened

_WORDS = words(Path(__file__).parent / "words.toml")  # what the margin of error of a sum does not cover


def release_caveats(
    net: Int64s, atoms: pa.Table, facts: ReleaseFacts, conditions: Sequence[Predicate], *, is_mixed: bool
) -> tuple[str, ...]:
    """Of the atoms of a release. net: how often each is in a sum."""
    chosen, most = np.flatnonzero(net), int(np.abs(net).max(initial=0))
    totals = atoms.take(chosen).filter(compute.equal(atoms["stat_level"].take(chosen), 0))
    suppressed = pa.array(sorted(facts.suppressed_types), pa.string())
    values = {
        "people": facts.parameters.unit.people,
        "most": most,
        "kinds": _kinds_of_rows(facts) if most > 1 else "",
        "is_mixed": is_mixed,
        "is_clipped": chosen.size and facts.is_clipped,
        "suppressible": compute.sum(compute.is_in(totals["REGION_TYPE"], value_set=suppressed)).as_py(),
        "is_reconciled": facts.reconciled is not None,
        "reads_count": any(condition.reads_count for condition in conditions),
    }
    return paragraphs(_WORDS["of_release"], values)


def _kinds_of_rows(facts: ReleaseFacts) -> str:
    """Conditions on the totals of the last ladder, and on the cells of its finest table."""
    parameters = facts.parameters
    ladder, finest = parameters.ladders[-1], parameters.ladders[-1].statistics[-1]
    used = [(each.name, each.publish[0], each.total) for each in attributes_of(ladder, parameters.attributes)]
    of_table = [f"TABLE = '{ladder.name}'", f"STATISTIC = '{finest.name}'"]
    of_finest = {name for name, _ in finest.cells}
    cells = [f"{column} <> '{total}'" for name, column, total in used if name in of_finest]
    totals = [of_table[0], *(f"{column} = '{total}'" for _, column, total in used)]
    condition = f"TABLE = '{ladder.totals}'" if ladder.totals else " and ".join(totals)
    same = all({name for name, _ in each.cells} == of_finest for each in ladder.statistics)
    return f"{condition}, the totals; or {' and '.join([*of_table[: 1 if same else 2], *cells])}, the cells"


def condition_caveats(predicate: str, found: Sequence[tuple[int, str]], people: str) -> tuple[str, ...]:
    """Of a condition that matches rows of several releases, or ladders of one. found: releases from 0, and ladders."""
    by_release: dict[int, list[str]] = {}
    for release, ladder in found:
        by_release.setdefault(release, []).append(ladder)
    releases = [str(release + 1) for release in by_release]
    values = {"releases": releases, "by_release": list(by_release.values()), "people": people}
    return paragraphs(_WORDS["of_condition"], {"name": shortened(" ".join(predicate.split())), **values})


def bound_caveats(method: str) -> tuple[str, ...]:
    """Of the bound of a sum of reconciled counts."""
    return paragraphs(_WORDS["bound"], {}) if method == "bound" else ()


def absence_caveats(predicate: str, absent: AbsentGroups, people: str) -> tuple[str, ...]:
    """Which population groups that were asked for are not in a sum. people: what is counted."""
    return paragraphs(
        _WORDS["absence"], {"name": shortened(" ".join(predicate.split())), "absent": absent, "people": people}
    )


Use = Literal["sum", "minus", "of"]
USES: tuple[Use, ...] = get_args(Use)
SumMethod = MarginMethod | Literal["as published", "bound", "no margin"]


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
class Selection:
    """One predicate of a sum. sign: 1 added, -1 subtracted, 0 neither. rows: published rows it matched.

    use: "sum", "minus"; "of", divided by. atoms: of those rows. absent: the population groups that it asks for and
    that have no row among those.
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
    margins; where several were cut at 0, no variance. ratio: of the sum to another one; None where none was asked for.
    unit: what a record is, or what is added up; unit_of: the same of what the ratio divides by. decimals: of amounts.
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
    unit: Unit = Unit()  # noqa: RUF009  (frozen)
    unit_of: Unit = Unit()  # noqa: RUF009  (frozen)
    decimals: tuple[int, int] = (0, 0)

    @property
    def is_mean(self) -> bool:
        """Whether the ratio is of one thing to another, such as days to stays, and no percentage."""
        return self.ratio is not None and self.unit.many != self.unit_of.many

    def __str__(self) -> str:
        """The sum for people to read."""
        return printed(__file__, "published_sum", {"found": self})
