"""What a run tabulates, from public files alone: levels, their regions and iterations, and their stability."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from safetab_sql.kit.database import Database
from safetab_sql.kit.sqlfiles import folder_files
from safetab_sql.public.parameters import LevelParameters, Parameters, tabulated_levels


@dataclass(frozen=True, slots=True)
class LevelCatalog:
    """One population group level: what it tabulates and how many groups one person can be in.

    Population groups are numbered: first_population_group_id + region position * iterations + iteration position.
    is_total_only: bool[iterations], by iteration position. stability: s, nobody is in more population groups of the
    level. is_exact: whether somebody can be in as many.
    """

    level_id: int
    parameters: LevelParameters
    regions: int
    iterations: int
    first_population_group_id: int
    is_total_only: npt.NDArray[np.bool_]
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


@dataclass(frozen=True, slots=True)
class Catalog:
    """levels: in the order of their ids. cells: number of sex-by-age cells of stat levels 1, 2 and 3."""

    levels: tuple[LevelCatalog, ...]
    cells: tuple[int, int, int]


def build_catalog(database: Database, parameters: Parameters) -> Catalog:
    """Make the public tables in `database` and return the catalog. The input tables must exist."""
    for file in folder_files("run/2_catalog"):
        database.create(file)
    cells = database.table("statistic_cells")["stat_level"].to_numpy()
    return Catalog(
        levels=tuple(_levels(database, parameters)),
        cells=(int((cells == 1).sum()), int((cells == 2).sum()), int((cells == 3).sum())),
    )


def _levels(database: Database, parameters: Parameters) -> Iterator[LevelCatalog]:
    levels = database.table("levels", order_by=["level_id"]).to_pylist()
    sizes = database.table("level_sizes", order_by=["level_id"]).to_pylist()
    stabilities = database.table("level_stability", order_by=["level_id"]).to_pylist()
    iterations = database.table("level_iterations", order_by=["level_id", "iteration_position"])
    level_ids = iterations["level_id"].to_numpy()
    is_total_only = iterations["is_total_only"].to_numpy()
    for budgeted, level, size, stability in zip(tabulated_levels(parameters), levels, sizes, stabilities, strict=True):
        yield LevelCatalog(
            level_id=level["level_id"],
            parameters=budgeted,
            regions=size["regions"],
            iterations=size["iterations"],
            first_population_group_id=size["first_population_group_id"],
            is_total_only=is_total_only[level_ids == level["level_id"]],
            stability=stability["stability"],
            is_exact=stability["is_exact"],
        )
