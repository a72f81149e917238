"""What releases say of the counts that wanted statistics consist of, read ladder by ladder."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from safetab_sql.kit.database import Resources, reading_connection, scratch_folder
from safetab_sql.release.folder import MEASURED, NOT_PUBLISHED, ReleaseFolder, empty_table, released_table, table_files
from safetab_sql.release.ladder_tables import LadderTables, create_sums, created, show_ladder, tables_of_release
from safetab_sql.settings.ladders import MEASUREMENTS, SUPPRESSED
from safetab_sql.statistics.intervals import deviations_of_rows
from safetab_sql.statistics.releases import NamedReleases
from safetab_sql.statistics.wanted import LadderTerms, WantedStatistics

_ENDS = ("LOW95", "HIGH95")


@dataclass(frozen=True, slots=True)
class Counts:
    """What releases say of the counts that wanted statistics consist of, with `release` and `ladder` of each row.

    terms: table wanted_terms of sql/tools/statistics. cells: wanted_cells with the values of an attribute, and
    `deviation`. groups: wanted_groups. measured: wanted_measurements. reconciled: wanted_reconciled.
    """

    terms: pa.Table
    cells: pa.Table
    groups: pa.Table
    measured: pa.Table | None = None
    reconciled: pa.Table | None = None


def counts_of(releases: NamedReleases, wanted: WantedStatistics, resources: Resources) -> Counts:
    """The counts of all ladders. Raises: InputError where tables are not whole."""
    tables = [_tables(folder) for folder in releases.folders]
    found: dict[str, list[pa.Table]] = {}
    for own in wanted.ladders:
        folder = releases.folders[own.release]
        for name, rows in _ladder_counts(folder, tables[own.release][own.ladder], own, resources).items():
            marked = rows.append_column("ladder", pa.repeat(own.ladder, rows.num_rows))
            marked = marked.append_column("release", pa.repeat(own.release, rows.num_rows))
            found.setdefault(name, []).append(marked)
    made = {name: pa.concat_tables(listed, promote_options="permissive") for name, listed in found.items()}
    more = made.get("wanted_measurements"), made.get("wanted_reconciled")
    return Counts(made["wanted_terms"], made["wanted_cells"], made["wanted_groups"], *more)


def _tables(folder: ReleaseFolder) -> dict[str, LadderTables]:
    """The tables of a release by ladder. Raises: InputError where there is no such table."""
    is_reconciled = folder.facts.reconciled is not None
    if not is_reconciled and folder.facts.parameters.publish_stage_1:
        released_table(folder.folder / MEASUREMENTS, MEASURED)  # refuses what is no such table
    return {tables.ladder.name: tables for tables in tables_of_release(folder, _ENDS if is_reconciled else ())}


def _ladder_counts(
    folder: ReleaseFolder, tables: LadderTables, own: LadderTerms, resources: Resources
) -> dict[str, pa.Table]:
    """The counts of one ladder, by statement of sql/tools/statistics."""
    facts, names = folder.facts, tables.ladder.folders
    beside = {
        name: [file for file in table_files(folder.folder / place) if file.stem in names]
        for name, place in (("measured_groups", MEASUREMENTS), ("suppressed", SUPPRESSED))
    }
    files = [*tables.files, *(file for listed in beside.values() for file in listed)]
    with (
        scratch_folder(resources.scratch) as scratch,
        reading_connection(files, scratch / "spill", resources) as connection,
    ):
        values = show_ladder(connection, tables, facts.parameters)
        connection.register("asked_terms", own.terms)
        connection.register("asked_cells", own.cells)
        for name, columns in (("measured_groups", MEASURED), ("suppressed", NOT_PUBLISHED)):
            if beside[name]:
                connection.read_parquet([str(file) for file in beside[name]]).create_view(name)
            else:
                connection.register(name, empty_table(columns))
        groups = connection.view("asked_terms").project("region_type, region_id, iteration_code").distinct()
        groups.insert_into("asked_groups")
        create_sums(connection, tables.ladder, values)
        created(connection, "wanted_cells", values)
        last = "wanted_measurements" if facts.reconciled is None else "wanted_reconciled"
        made = {
            name: created(connection, name, values).to_arrow_table() for name in ("wanted_terms", "wanted_groups", last)
        }
        cells = connection.table("wanted_cells").filter("bin_start is not null").to_arrow_table()
    deviations = np.zeros(cells.num_rows)
    if facts.reconciled is not None:
        deviations = deviations_of_rows(cells["variance"].to_numpy(), cells["moe95"].to_numpy(), facts.definition)
    return {**made, "wanted_cells": cells.append_column("deviation", pa.array(deviations, pa.float64()))}
