"""The noisy counts that wanted statistics consist of, read from the tables of a release, ladder by ladder."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from safetab_sql.jobs.ladder_tables import create_sums, created, show_ladder, tables_of_release
from safetab_sql.jobs.wanted import WantedStatistics
from safetab_sql.kit.database import Resources, reading_connection, scratch_folder
from safetab_sql.published.empty_tables import MEASURED, empty_table
from safetab_sql.published.release import ReleaseFolder, released_table, table_files
from safetab_sql.settings.ladders import MEASUREMENTS, Ladder

_ENDS = ("LOW95", "HIGH95")


@dataclass(frozen=True, slots=True)
class LadderCounts:
    """What a release says of the counts of one ladder: tables of sql/tools/statistics of these names."""

    ladder: Ladder
    wanted_counts: pa.Table
    shared_counts: pa.Table
    wanted_bins: pa.Table
    wanted_measurements: pa.Table


def released_counts(release: ReleaseFolder, asked: WantedStatistics, resources: Resources) -> list[LadderCounts]:
    """The counts of each ladder that is asked for. Raises: InputError where its tables are not whole."""
    names = ("wanted_counts", "shared_counts", "wanted_bins", "wanted_measurements")
    if release.facts.parameters.publish_stage_1:
        released_table(release.folder / MEASUREMENTS, MEASURED)  # refuses what is no such table
    return [LadderCounts(ladder, *tables) for ladder, tables in _made(release, asked, names, (), resources)]


def reconciled_terms(release: ReleaseFolder, asked: WantedStatistics, resources: Resources) -> list[pa.Table]:
    """Table `wanted_reconciled` of each ladder that is asked for. Raises: as `released_counts`."""
    return [table for _, (table,) in _made(release, asked, ("wanted_reconciled",), _ENDS, resources)]


def _made(
    release: ReleaseFolder, asked: WantedStatistics, names: Sequence[str], more: Sequence[str], resources: Resources
) -> Iterator[tuple[Ladder, list[pa.Table]]]:
    """These tables of each ladder that is asked for. more: columns that its published tables must have."""
    all_tables = {tables.ladder.name: tables for tables in tables_of_release(release, more)}
    for own in asked.ladders:
        tables = all_tables[own.ladder]
        measured = [file for file in table_files(release.folder / MEASUREMENTS) if file.stem in tables.ladder.folders]
        with (
            scratch_folder(resources.scratch) as scratch,
            reading_connection([*tables.files, *measured], scratch / "spill", resources) as connection,
        ):
            values = show_ladder(connection, tables, release.facts.parameters)
            connection.register("asked_terms", own.terms)
            connection.register("asked_cells", own.cells)
            connection.register("measured_groups", empty_table(MEASURED))
            if measured:
                connection.unregister("measured_groups")
                connection.read_parquet([str(file) for file in measured]).create_view("measured_groups")
            groups = connection.view("asked_terms").project("region_type, region_id, iteration_code").distinct()
            groups.insert_into("asked_groups")
            create_sums(connection, tables.ladder, values)
            created(connection, "wanted_cells", values)
            yield tables.ladder, [created(connection, name, values).to_arrow_table() for name in names]
