"""The checks of quality of releases, beside those of the exact counts of the same rows: what is ours, what is true."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from safetab_sql.evaluation.measured import Measurement
from safetab_sql.kit.database import Resources, open_database, scratch_folder
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.kit.text_tables import aligned
from safetab_sql.published.manifest import parameters_from_json
from safetab_sql.published.quality import Check, has_nation, quality_checks
from safetab_sql.release.folder import table_files

_COLUMNS = pa.schema(
    [
        *(("run", pa.int64()), ("cases", pa.string()), ("pattern", pa.string()), ("looked", pa.int64())),
        *(("found", pa.int64()), ("found_in_truth", pa.int64()), ("expected", pa.float64())),
        *(("is_flagged", pa.bool_()), ("means", pa.string())),
    ]
)


def quality_table(releases: Measurement, resources: Resources) -> pa.Table:
    """Table `quality` of an evaluation: one row per run and check; none where tables are not sex by age."""
    parameters = parameters_from_json(releases.parameters, releases.truth)
    if not parameters.is_sex_by_age:
        return _COLUMNS.empty_table()
    is_as_drawn = not any(noise.is_clipped or noise.is_reconciled for noise in releases.noises)
    options = (is_as_drawn, has_nation(parameters.region_types))
    rows: list[dict[str, object]] = []
    for run, folder in enumerate(releases.folders, start=1):
        ours, true = _checks(folder, releases.truth, options, resources)
        rows += [
            {
                "run": run,
                "cases": check.question.looked,
                "pattern": check.question.found,
                "looked": check.looked,
                "found": check.found,
                "found_in_truth": of_truth.found,
                "expected": check.expected,
                "is_flagged": check.is_flagged,
                "means": check.question.means,
            }
            for check, of_truth in zip(ours, true, strict=True)
        ]
    return pa.Table.from_pylist(rows, _COLUMNS)


def _checks(
    release: Path, truth: Path, options: tuple[bool, bool], resources: Resources
) -> tuple[Sequence[Check], Sequence[Check]]:
    """The checks of a release, and of the exact counts of its rows. options: see quality_checks."""
    files = {name: [file.resolve() for file in table_files(release / name)] for name in ("t1", "t2")}
    files |= {f"exact_{name}": [(truth / f"{name}.parquet").resolve()] for name in ("t1", "t2")}
    readable = [file for group in files.values() for file in group]
    with scratch_folder(resources.scratch) as scratch:
        with open_database(scratch, readable, [], resources) as database:
            for name, found in files.items():
                database.show(name, found)
            ours = quality_checks(database, *options)
            for name in ("true_t1", "true_t2"):
                database.create(sql_files()[name])
            exact = {name: database.table(f"true_{name}") for name in ("t1", "t2")}
        with open_database(scratch, [], [], resources) as database:
            for name, table in exact.items():
                database.hand_over(name, table)
            return ours, quality_checks(database, *options)


def quality_text(table: pa.Table) -> str:
    """The rows of `quality` as text, all runs below one another."""
    head = ("run", "cases", "pattern", "found", "in the truth", "noise, at most", "")
    rows = [
        (
            str(row["run"]),
            f"{row['looked']:,} {row['cases']}",
            row["pattern"],
            f"{row['found']:,}",
            f"{row['found_in_truth']:,}",
            "-" if row["expected"] is None else f"{row['expected']:,.1f}",
            _verdict(row),
        )
        for row in table.to_pylist()
    ]
    return aligned([head, *rows])


def _verdict(row: dict[str, object]) -> str:
    """What a flag says: exact counts that have as many cases as the published ones are where these come from."""
    if not row["is_flagged"]:
        return ""
    found, true = row["found"], row["found_in_truth"]
    is_ours = isinstance(found, int) and isinstance(true, int) and 2 * true < found
    return "MORE than noise explains: " + ("not in the truth, so made by us" if is_ours else "so has the truth")
