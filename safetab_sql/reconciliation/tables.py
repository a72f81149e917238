"""From the tables of a release to reconciled tables: SQL reads and joins the rows, and arrays do the algebra."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import log, sqrt
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import dataset

from safetab_sql.kit.database import Database
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.public.budgets import PrivacyDefinition
from safetab_sql.public.ladder_values import publishing_values
from safetab_sql.public.parameters import Parameters
from safetab_sql.reconciliation.forest import Groups, RegionTree, forest
from safetab_sql.reconciliation.least_squares import solution
from safetab_sql.reconciliation.rounding import rounded_nodes, uniforms
from safetab_sql.reconciliation.rows import ReconciledRows, reconciled_rows, rounded_rows
from safetab_sql.reconciliation.statistics import Floats, Int64s, Statistics, statistics

# Half-width of the 95 % margin of error of a weighted sum of many wide noises, in standard deviations. For discrete
# Gaussian noises, the value of the normal law. For two-sided geometric noises, the value of one Laplace noise, which
# exceeds log(20) scales with chance 1/20; a sum of several Laplace noises exceeds as many of its standard deviations
# less often.
MARGINS = {"zcdp": 1.959963984540054, "puredp": log(20) / sqrt(2)}
_HALF = 0.5  # person
_CHEBYSHEV = sqrt(20)  # standard deviations that any noise exceeds with a chance of at most 1/20
_LARGEST_PART = 2 * 10**7  # numbers in the covariance matrices of the groups that are reconciled together: 160 MB
_LARGEST_GROUPS = 10**6
_GROUP_COLUMNS = ("iteration_number", "region_key", "stat_level", "variance", "is_evidence")


@dataclass(frozen=True, slots=True)
class _Part:
    """Whole iterations that are reconciled together: position of the first group, and the end."""

    first: int
    last: int


def reconciled_counts(
    database: Database,
    tree: RegionTree,
    spool: Path,
    *,
    parameters: Parameters,
    suppressed_types: frozenset[str],
    rounding_seed: str | None,
    step: Callable[[str], None],
) -> None:
    """Make table `reconciled_counts`, from t1 and t2 and the regions of `tree`.

    spool: an empty folder. suppressed_types: region types whose small totals are not published. rounding_seed: None if
    estimates are not rounded. step: called after each part.
    """
    database.set_values(
        {"suppressed_types": sorted(suppressed_types), **publishing_values(parameters, parameters.ladders[0])}
    )
    for name in ("ladder_rows", "statistic_cells", "nested_groups", "nested_counts"):
        database.create(sql_files()[name])
    known = statistics(database.table("statistic_cells"))
    definition = parameters.privacy_definition
    groups = database.table("nested_groups", ["group_id"], _GROUP_COLUMNS)
    stat_levels = groups["stat_level"].to_numpy()
    for number, part in enumerate(_parts(groups["iteration_number"].to_numpy(), stat_levels, known)):
        measured = _groups(database, groups, part, known)
        rows = list(_reconciled(measured, tree, known, rounding_seed, number))
        pq.write_table(counts_table(rows, part.first, definition), spool / f"{number:06}.parquet")
        step(f"part {number}")
    if not any(spool.iterdir()):
        pq.write_table(counts_table([], 0, definition), spool / "none.parquet")
    database.hand_over("reconciled_counts", dataset.dataset(spool, format="parquet"))


def _parts(iterations: Int64s, stat_levels: Int64s, known: Statistics) -> Iterator[_Part]:
    """The groups, sorted by iteration, in parts that fit into memory; a part has at least one whole iteration."""
    starts = np.append(np.flatnonzero(np.diff(iterations, prepend=-1)), iterations.size)
    cells = np.array(known.cells)[stat_levels]
    costs = np.append(0, np.cumsum(cells**2))
    first = 0
    for here, after in pairwise(starts[1:]):
        if costs[after] - costs[first] > _LARGEST_PART or after - first > _LARGEST_GROUPS:
            yield _Part(first, int(here))
            first = int(here)
    if first < iterations.size:
        yield _Part(first, int(iterations.size))


def _groups(database: Database, groups: pa.Table, part: _Part, known: Statistics) -> Groups:
    """The groups of one part with their counts."""
    database.set_values({"first_group": part.first, "last_group": part.last - 1})
    database.create(sql_files()["nested_part_counts"])
    counts = database.table("nested_part_counts", order_by=["group_id", "cell_position"])
    chosen = groups.slice(part.first, part.last - part.first)
    stat_levels = chosen["stat_level"].to_numpy()
    cells = np.array(known.cells)[stat_levels]
    return Groups(
        iterations=chosen["iteration_number"].to_numpy(),
        regions=chosen["region_key"].to_numpy().astype(np.int64) - 1,
        stat_levels=stat_levels,
        variances=chosen["variance"].to_numpy(),
        first_counts=np.cumsum(cells) - cells,
        counts=counts["noisy_count"].to_numpy().astype(np.float64),
        are_evidence=chosen["is_evidence"].to_numpy(),
    )


def _reconciled(
    groups: Groups, tree: RegionTree, known: Statistics, rounding_seed: str | None, number: int
) -> Iterator[ReconciledRows]:
    trees = forest(groups, tree)
    found = solution(groups, trees, known)
    if rounding_seed is None:
        yield from reconciled_rows(groups, trees, found, known)
    else:
        draw = uniforms(rounding_seed, str(number))
        yield from rounded_rows(groups, trees, found, known, rounded_nodes(trees, found, known, draw), draw)


def margins_of_rows(variances: Floats, definition: PrivacyDefinition) -> Floats:
    """MOE95 of reconciled rows, persons: a number of standard deviations plus half a person, or less.

    Half a person is added, and the margin is at least one person, because noise is in whole numbers: if one noise
    dominates, the error takes only a few values. Without this, 77 % would be covered in the worst case (a standard
    deviation of 0.25 persons), and 94 % at 1 person. If the bound of Chebyshev's inequality is smaller, it is used.
    """
    deviations = np.sqrt(variances)
    return np.minimum(_CHEBYSHEV * deviations, np.maximum(1, MARGINS[definition] * deviations + _HALF))


def counts_table(rows: list[ReconciledRows], first_group: int, definition: PrivacyDefinition) -> pa.Table:
    """Table `reconciled_counts`: see sql/tools/reconcile/reconciled_counts.sql."""

    def column(of: Callable[[ReconciledRows], Int64s | Floats], kind: type) -> Int64s | Floats:
        return np.concatenate([np.empty(0, dtype=kind), *(of(part) for part in rows)])

    variances = column(lambda part: part.variances, np.float64).astype(np.float64)
    return pa.table(
        {
            "group_id": column(lambda part: part.groups + first_group, np.int64),
            "cell_position": column(lambda part: part.cell_positions, np.int64).astype(np.int32),
            "estimate": column(lambda part: part.estimates, np.float64),
            "variance": variances,
            "moe95": margins_of_rows(variances, definition),
        }
    )
