"""What the margin of error of a sum does not cover, in sentences."""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import compute

from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.text_tables import counted
from safetab_sql.release.facts import ReleaseFacts
from safetab_sql.settings.ladders import attributes_of
from safetab_sql.statistics.absent_groups import AbsentGroups
from safetab_sql.statistics.predicates import Predicate, shortened

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
