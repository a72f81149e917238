"""What a run tabulates, from public files alone: levels, their regions and iterations, and their stability."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.database import Database
from safetab_sql.kit.sqlfiles import folder_files
from safetab_sql.public.values import tabulated_levels
from safetab_sql.settings.ladders import PopulationGroupLevel
from safetab_sql.settings.parameters import Parameters

SELECTED, UNSELECTED = "selected_groups", "unselected_totals"
# By ladder and level: groups whose tables published totals pick, sorted, and the stat level of each. int64[n] both.
Selected = dict[tuple[int, int], tuple[Int64s, Int64s]]
BY_TOTALS = ("total_rows", SELECTED, UNSELECTED)  # statements of a run that are made only where totals pick tables


@dataclass(frozen=True, slots=True)
class LevelCatalog:
    """One population group level: what it tabulates and how many groups one record can be in.

    Population groups are numbered: first_population_group_id + region position * iterations + iteration position.
    total_only: by the number of a ladder, bool[iterations], by iteration position: whether its groups get a total alone
    there. stability: s, no record is in more population groups of the level. is_exact: whether one can be in as many.
    """

    level_id: int
    level: PopulationGroupLevel
    regions: int
    iterations: int
    first_population_group_id: int
    total_only: Mapping[int, npt.NDArray[np.bool_]]
    stability: int
    is_exact: bool

    @property
    def population_groups(self) -> int:
        """Number of population groups of the level, with or without people."""
        return self.regions * self.iterations

    @property
    def end_population_group_id(self) -> int:
        """One more than the id of the level's last population group."""
        return self.first_population_group_id + self.population_groups


Catalog = tuple[LevelCatalog, ...]  # in the order of the ids


def is_by_totals(parameters: Parameters) -> bool:
    """Whether published totals pick the tables of some ladder."""
    return any(ladder.choose == "published" for ladder in parameters.ladders)


def build_catalog(database: Database, parameters: Parameters) -> Catalog:
    """Make the public tables in `database`, which holds the inputs; what published totals pick: see `select_groups`."""
    for file in folder_files("run/2_catalog"):
        if file.name not in BY_TOTALS:
            database.create(file)
    sizes, stability = (database.table(name, order_by=["level_id"]) for name in ("level_sizes", "level_stability"))
    iterations = database.table("ladder_iterations", order_by=["ladder_id", "level_id", "iteration_position"])
    ladder_ids, level_ids = iterations["ladder_id"].to_numpy(), iterations["level_id"].to_numpy()
    is_total_only = iterations["is_total_only"].to_numpy()
    rows = zip(tabulated_levels(parameters), sizes.to_pylist(), stability.to_pylist(), strict=True)
    return tuple(
        LevelCatalog(
            level=level,
            total_only={
                ladder: is_total_only[(ladder_ids == ladder) & (level_ids == size["level_id"])]
                for ladder in range(1, len(parameters.ladders) + 1)
            },
            **(size | stable),
        )
        for level, size, stable in rows
    )


def tally_slots(database: Database) -> dict[str, str]:
    """one_1, one_2, ...: as many as the most sets of codes that a code is in. The catalog must have been built."""
    sets = map(len, database.table("code_tallies", columns=["tally_ids"])["tally_ids"].to_pylist())
    return {f"one_{number}": f"code_tallies.tally_ids[{number}]" for number in range(1, 1 + max(sets, default=0))}
