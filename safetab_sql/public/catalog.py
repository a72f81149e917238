"""What a run tabulates, from public files alone: levels, their regions and iterations, and their stability."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from safetab_sql.kit.database import Database
from safetab_sql.kit.sqlfiles import folder_files
from safetab_sql.public.published_totals import BY_TOTALS
from safetab_sql.public.values import ladder_id, rows_of
from safetab_sql.settings.ladders import PopulationGroupLevel, first_statistic
from safetab_sql.settings.parameters import Parameters, tabulated_levels

PARENTS = "region_parents"  # made where remainders are published


@dataclass(frozen=True, slots=True)
class LevelCatalog:
    """One population group level: what it tabulates and how many groups one record can be in.

    Population groups are numbered: first_population_group_id + region position * iterations + iteration position.
    total_only: by the number of a ladder, bool[iterations], by iteration position: whether its groups get a total alone
    there. stability: s, no record is in more population groups of the level. is_exact: whether one can be in as many.
    shared_combinations: of a level of alone iterations, the most iterations in combination that somebody in one of them
    can be in. parents: key of the region that each region divides with others, -1 where there is none, int64[regions];
    empty where nobody asks.
    """

    level_id: int
    level: PopulationGroupLevel
    regions: int
    iterations: int
    first_population_group_id: int
    total_only: Mapping[int, npt.NDArray[np.bool_]]
    stability: int
    is_exact: bool
    shared_combinations: int = 0
    parents: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    @property
    def population_groups(self) -> int:
        """Number of population groups of the level, with or without people."""
        return self.regions * self.iterations

    @property
    def end_population_group_id(self) -> int:
        """One more than the id of the level's last population group."""
        return self.first_population_group_id + self.population_groups


def members_of_families(level: LevelCatalog, with_table: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The groups of all families of a level in which some group has a table: their ids, sorted."""
    wanted = np.unique(families(level, with_table))
    parents, iterations = np.divmod(wanted[wanted >= 0], level.iterations)
    order = np.argsort(level.parents, kind="stable")  # the regions of each parent, together
    firsts, ends = (np.searchsorted(level.parents[order], parents, side=side) for side in ("left", "right"))
    sizes = ends - firsts
    within = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    regions = order[np.repeat(firsts, sizes) + within]
    return np.sort(level.first_population_group_id + regions * level.iterations + np.repeat(iterations, sizes))


def families(level: LevelCatalog, ids: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """A number for the family of each group: key of the parent * iterations + position; below 0 where there is none."""
    regions, iterations = np.divmod(ids - level.first_population_group_id, level.iterations)
    return np.where(level.parents[regions] < 0, -1, level.parents[regions] * level.iterations + iterations)


@dataclass(frozen=True, slots=True)
class StatisticCatalog:
    """A table of a ladder. cells: how many it has."""

    statistic_id: int
    ladder_id: int
    name: str
    cells: int


@dataclass(frozen=True, slots=True)
class Catalog:
    """levels: in the order of their ids. statistics: of all ladders, in the order of their ids."""

    levels: tuple[LevelCatalog, ...]
    statistics: tuple[StatisticCatalog, ...]


def build_catalog(database: Database, parameters: Parameters) -> Catalog:
    """Make the public tables in `database` and return the catalog. The input tables must exist.

    Tables of groups that published totals pick: see `select_groups`.
    """
    for file in folder_files("run/2_catalog"):
        if file.name not in BY_TOTALS and (file.name != PARENTS or parameters.publish_remainders):
            database.create(file)
    return Catalog(tuple(_levels(database, parameters)), tuple(_statistics(parameters)))


def tally_slots(database: Database) -> Sequence[int]:
    """1, 2, ...: as many as the most sets of codes that a code is in. The catalog must have been built."""
    sets = map(len, database.table("code_tallies", columns=["tally_ids"])["tally_ids"].to_pylist())
    return range(1, 1 + max(sets, default=0))


def _statistics(parameters: Parameters) -> Iterator[StatisticCatalog]:
    for ladder in parameters.ladders:
        sizes = enumerate(rows_of(parameters, ladder).sizes, start=first_statistic(parameters.ladders, ladder))
        for (number, cells), statistic in zip(sizes, ladder.statistics, strict=True):
            yield StatisticCatalog(number, ladder_id(parameters, ladder), statistic.name, cells)


def _levels(database: Database, parameters: Parameters) -> Iterator[LevelCatalog]:
    levels = database.table("levels", order_by=["level_id"]).to_pylist()
    sizes = database.table("level_sizes", order_by=["level_id"]).to_pylist()
    stabilities = database.table("level_stability", order_by=["level_id"]).to_pylist()
    iterations = database.table("ladder_iterations", order_by=["ladder_id", "level_id", "iteration_position"])
    overlaps = {
        (row["region_type"], row["iteration_level"]): int(row["combinations"])
        for row in database.table("level_overlaps").to_pylist()
    }
    ladder_ids, level_ids = iterations["ladder_id"].to_numpy(), iterations["level_id"].to_numpy()
    is_total_only = iterations["is_total_only"].to_numpy()
    parents = _parents(database) if parameters.publish_remainders else {}
    for named, level, size, stability in zip(tabulated_levels(parameters), levels, sizes, stabilities, strict=True):
        yield LevelCatalog(
            level_id=level["level_id"],
            level=named,
            regions=size["regions"],
            iterations=size["iterations"],
            first_population_group_id=size["first_population_group_id"],
            total_only={
                ladder: is_total_only[(ladder_ids == ladder) & (level_ids == level["level_id"])]
                for ladder in range(1, len(parameters.ladders) + 1)
            },
            stability=stability["stability"],
            is_exact=stability["is_exact"],
            shared_combinations=overlaps.get((named.region_type, named.iteration_level), 0),
            parents=parents.get(level["level_id"], np.empty(0, dtype=np.int64)),
        )


def _parents(database: Database) -> dict[int, npt.NDArray[np.int64]]:
    """By level, the key of the region that each of its regions divides, in the order of their groups."""
    above = database.table(PARENTS, order_by=["region_key"])
    keys, parents = above["region_key"].to_numpy(), above["parent_region_key"].fill_null(-1).to_numpy()
    regions = database.table("level_regions", order_by=["level_id", "first_population_group_id", "region_key"])
    level_ids, places = regions["level_id"].to_numpy(), np.searchsorted(keys, regions["region_key"].to_numpy())
    return {level: parents[places[level_ids == level]].astype(np.int64) for level in np.unique(level_ids).tolist()}
