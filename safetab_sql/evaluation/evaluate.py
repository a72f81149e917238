"""`evaluate`: how far releases are from the truth, in the files that safetab_sql/evaluation/__init__.py describes."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from safetab_sql.accounting.plan import level_name
from safetab_sql.accounting.statement import sum_notes
from safetab_sql.algorithm import noise_again
from safetab_sql.confidential.counts import counts_set_aside, set_aside
from safetab_sql.confidential.inputs import checked_inputs
from safetab_sql.evaluation.compared import Comparison, compared_ladders, find_releases
from safetab_sql.evaluation.coverage import coverage_interval, published_noises
from safetab_sql.evaluation.epl import Estimator, LossAudit, LossTest, audit_losses, curve_table, loss_table, loss_tests
from safetab_sql.evaluation.ground_truth import exact_tables
from safetab_sql.evaluation.quality import has_nation, quality_checks
from safetab_sql.kit.database import Resources, claimed_folder, open_database, scratch_folder
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.kit.whole_folders import marked_json, marked_table, today, whole_folder
from safetab_sql.kit.words import aligned
from safetab_sql.public.inputs import InputPaths, Intake
from safetab_sql.published.manifest import Made, parameters_from_json, parameters_json, source_digests, write_manifest
from safetab_sql.published.tables import PUBLIC_TABLES, write_tables
from safetab_sql.release.folder import table_files
from safetab_sql.settings.ladders import Ladder, amounts
from safetab_sql.settings.parameters import Parameters

TABLES = ("by_level", "by_size", "by_statistic", "epl", "epl_curve", "quality")
ERRORS = "errors.parquet"
CONTENTS = (ERRORS, *(f"{name}.parquet" for name in TABLES), "manifest.json")
_STATEMENTS = ("tabulated_groups", "group_sizes", "group_shares", "count_coverages", "accuracy", "by_statistic")
_CHECKED = ("t1", "t2")  # the tables whose quality is checked
_ROWS_AT_A_TIME = 2**17  # of the errors of a nation

_QUALITY = pa.schema(
    [
        *(("run", pa.int64()), ("cases", pa.string()), ("pattern", pa.string()), ("looked", pa.int64())),
        *(("found", pa.int64()), ("found_in_truth", pa.int64()), ("expected", pa.float64())),
        *(("is_flagged", pa.bool_()), ("means", pa.string())),
    ]
)
_ENDS = (("coverage_lower", pa.float64()), ("coverage_upper", pa.float64()))
_INTERVALS = pa.schema([*_ENDS, ("is_as_expected", pa.bool_())])


@dataclass(frozen=True, slots=True)
class Evaluation(Made):
    """The results: the tables of the output folder by name, and the audits behind two of them.

    The errors of each population group are not among the tables: a nation has millions.
    """

    tables: Mapping[str, pa.Table]
    losses: tuple[LossAudit, ...]

    @property
    def errors(self) -> pa.Table:
        """The errors of each population group, read from the output folder."""
        return pq.read_table(self.out / ERRORS)


def evaluate(
    inputs: InputPaths | Sequence[str | Path],
    out: str | Path,
    *,
    runs: int = 20,
    ground_truth: str | Path | None = None,
    code_lists: str | Path | None = None,
    overwrite: bool = False,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
    progress: Progress = SILENT,
) -> Evaluation:
    """Compare releases with their exact counts, and write what was found to folder `out`, files of mode 0600.

    For public or synthetic data only. inputs: releases of the same people with the same parameters, with their
    `ground_truth` and `code_lists`; or the inputs of a run, which is counted once, and gets noise so many `runs` times.
    Raises: InputError with every problem of the inputs; nothing is written then.
    """
    out, day = Path(out), today()
    with ExitStack() as stack:
        problems = stack.enter_context(claimed_folder(out, CONTENTS, resources, overwrite=overwrite))
        if isinstance(inputs, InputPaths):
            problems += [Problem("--runs", f"{runs} is not a number of runs", "give at least 1")] if runs < 1 else []
            intake = stack.enter_context(checked_inputs(inputs, resources, progress, problems))
            releases = _repeated(intake, runs, resources)
        else:
            lacking = Problem("evaluate", "releases need ground_truth", "name the folder that ground_truth made")
            refuse(problems + ([lacking] if ground_truth is None else []))
            lists = None if code_lists is None else Path(code_lists)
            releases = find_releases(list(map(Path, inputs)), Path(ground_truth or ""), lists)
        return _written(releases, out, day, overwrite=overwrite, resources=resources, progress=progress)


def _repeated(intake: Intake, runs: int, resources: Resources) -> Comparison:
    """`runs` releases and their exact tables, in the scratch folder. The database of the intake is closed."""
    allow_negative = intake.parameters.allow_negative_counts
    exact = exact_tables(intake, SILENT.warn)  # the checks have told what is left out
    plans, questions = exact.plans, intake.parameters.questions.all
    set_aside(intake.database, intake.scratch)
    public = {name: intake.database.table(name) for name in PUBLIC_TABLES}
    intake.database.close()
    folders = [intake.scratch / f"run-{run}" for run in range(1, runs + 1)]
    for folder in folders:
        intake.stage(f"adding noise: {folder.name} of {runs}")
        folder.mkdir()
        # Read for each run, so that nothing exact takes up memory while the tables of a nation are written.
        exact_counts = counts_set_aside(intake.scratch, plans)
        noisy = noise_again(intake.parameters, plans, *exact_counts, exact.selected)
        del exact_counts
        write_tables(folder, intake.parameters, public, noisy, None, resources, intake.scratch)
    return Comparison(
        folders=tuple(folders),
        truth=intake.scratch,
        table_floors=exact.floors,
        lists={each.source: intake.sources[each.source] for each in questions if each.source in intake.sources},
        noises=tuple(published_noises(plans, is_clipped=not allow_negative)),
        parameters=intake.parameters,
        public_inputs={name: source_digests(each) for name, each in intake.public.items()},
        digests=(),
    )


def _written(
    releases: Comparison, out: Path, day: date, *, overwrite: bool, resources: Resources, progress: Progress
) -> Evaluation:
    names = [folder.name for folder in releases.folders]
    manifest = {
        **{"command": "evaluate", "releases": names, "release_manifests": list(releases.digests)},
        **{"runs": len(names), "reconciled": releases.is_reconciled},
        **{"parameters": parameters_json(releases.parameters), "public_inputs": releases.public_inputs},
    }
    with whole_folder(out, CONTENTS, overwrite=overwrite, day=day, is_exact=True) as folder:
        progress.stage("comparing noisy and exact counts")
        accuracy, by_statistic, tests = _compared(releases, folder / ERRORS, resources)
        progress.stage("empirical privacy loss")
        losses = tuple(audit_losses(tests, Estimator()))
        is_level = accuracy["size_start"].is_null()
        of_levels = accuracy.filter(is_level).drop_columns(["size_bucket", "size_start"])
        covered = {"by_level": of_levels, "by_size": accuracy.filter(pc.invert(is_level)), "by_statistic": by_statistic}
        tables = {name: _with_intervals(table, is_reconciled=releases.is_reconciled) for name, table in covered.items()}
        progress.stage("checks of quality")
        tables |= {"epl": loss_table(losses), "epl_curve": curve_table(losses)}
        tables |= {"quality": _quality(releases, resources)}
        for name in TABLES:
            pq.write_table(marked_table(tables[name]), folder / f"{name}.parquet", compression="zstd")
        written = write_manifest(folder / "manifest.json", marked_json(manifest), day)
    return Evaluation(out, written, tables, losses)


def _compared(releases: Comparison, errors: Path, resources: Resources) -> tuple[pa.Table, pa.Table, list[LossTest]]:
    """Tables `accuracy` and `by_statistic` of sql/tools/evaluate, of all ladders, and the residuals to be audited.

    The errors of population groups are written to the file `errors`.
    """
    accuracy, by_statistic, tests = [], [], list[LossTest]()
    with ExitStack() as stack:
        file: pq.ParquetWriter | None = None
        for database in stack.enter_context(compared_ladders(releases, resources)):
            database.set_values({"runs": len(releases.folders)})
            for name in _STATEMENTS:
                database.create(sql_files()[name])
            accuracy.append(database.table("accuracy"))
            by_statistic.append(database.table("by_statistic"))
            tests += loss_tests(database, releases.noises)
            rows = database.batches("group_errors", [], _ROWS_AT_A_TIME)
            schema = marked_table(rows.schema.empty_table()).schema
            file = file or stack.enter_context(pq.ParquetWriter(errors, schema, compression="zstd"))
            for batch in rows:
                file.write_batch(batch)
    return _in_order(accuracy, releases, "size_start"), _in_order(by_statistic, releases, "statistic"), tests


def _in_order(tables: Sequence[pa.Table], releases: Comparison, second: str) -> pa.Table:
    """The rows of all tables by level, in the order of the parameters, then by column `second`."""
    table = pa.concat_tables(tables)
    levels = pa.array(list(dict.fromkeys(noise.level for noise in releases.noises)))
    numbered = table.append_column("place", pc.index_in(table["population_group_level"], levels))
    return numbered.sort_by([("place", "ascending"), (second, "ascending")]).drop_columns(["place"])


def _with_intervals(table: pa.Table, *, is_reconciled: bool) -> pa.Table:
    """`table` with coverage_lower, coverage_upper and is_as_expected after expected_coverage.

    The margins of reconciled counts are upper bounds, so they may cover any larger share.
    """
    rows = table.to_pylist()
    for row in rows:
        if row["counts"]:
            lower, upper = coverage_interval(row["counts"], row["expected_coverage"])
            upper = 1.0 if is_reconciled else upper
            row["coverage_lower"], row["coverage_upper"] = lower, upper
            row["is_as_expected"] = lower <= row["coverage"] <= upper
    fields = list(table.schema)
    place = table.schema.get_field_index("expected_coverage") + 1
    return pa.Table.from_pylist(rows, pa.schema([*fields[:place], *_INTERVALS, *fields[place:]]))


def _quality(releases: Comparison, resources: Resources) -> pa.Table:
    """Table `quality` of an evaluation: one row per run and check; none where tables are not sex by age."""
    if not releases.parameters.is_sex_by_age:
        return _QUALITY.empty_table()
    is_as_drawn = not any(noise.is_clipped or noise.is_reconciled for noise in releases.noises)
    options = (is_as_drawn, has_nation(releases.parameters.region_types))
    exact = {f"exact_{name}": [(releases.truth / f"{name}.parquet").resolve()] for name in _CHECKED}
    runs = [{name: table_files(folder / name) for name in _CHECKED} for folder in releases.folders]
    readable = [file for files in (exact, *runs) for group in files.values() for file in group]
    rows: list[tuple[object, ...]] = []
    with scratch_folder(resources.scratch) as scratch, open_database(scratch, readable, [], resources) as database:
        for run, files in enumerate(runs, start=1):
            for name, shown in (exact | files).items():
                database.show(name, shown)
            ours = quality_checks(database, *options)
            for name in _CHECKED:
                database.create(sql_files()[f"true_{name}"])
            for name in _CHECKED:  # from here on they are the exact counts
                database.call(name, f"true_{name}")
            for check, true in zip(ours, quality_checks(database, *options), strict=True):
                asked, found = check.question, (check.looked, check.found, true.found, check.expected, check.is_flagged)
                rows.append((run, asked.looked, asked.found, *found, asked.means))
    return pa.Table.from_pylist([dict(zip(_QUALITY.names, row, strict=True)) for row in rows], _QUALITY)


# The summaries of an evaluation for people to read: of each column its title, and how it shows a row of a table.

_Columns = Sequence[tuple[str, str]]
_LEVEL, _COUNTS, _VERDICT = ("level", "{population_group_level}"), ("counts", "{counts:,}"), ("", "{verdict}")
_EXPECTED = ("covered", "{coverage:.2%}"), ("expected", "{expected_coverage:.2%}")
_COVERED: _Columns = (*_EXPECTED, ("range", "{range}"), _VERDICT)
_MARGINS: _Columns = (
    *(_LEVEL, ("statistic", "{statistic}"), _COUNTS),
    *(("MOE95", "±{stated_moe95:,.0f}"), ("observed", "±{observed_moe95:,}"), *_COVERED),
)
_SMALL: _Columns = (
    *(_LEVEL, ("counts", "{small_counts:,}")),
    *(("covered", "{small_coverage:.2%}"), ("expected", "{small_expected_coverage:.2%}")),
)
_PATTERNS: _Columns = (
    *(("run", "{run}"), ("cases", "{looked:,} {cases}"), ("pattern", "{pattern}"), ("found", "{found:,}")),
    *(("in the truth", "{found_in_truth:,}"), ("noise, at most", "{expected:,.1f}"), _VERDICT),
)


class _Nothing:
    """What is shown in place of NULL."""

    def __format__(self, _: str) -> str:
        return "-"


def _shown(rows: Sequence[Mapping[str, Any]], columns: _Columns) -> str:
    known = [{name: _Nothing() if value is None else value for name, value in row.items()} for row in rows]
    return aligned([[title for title, _ in columns], *([how.format(**row) for _, how in columns] for row in known)])


def evaluation_text(found: Evaluation) -> str:
    """The summaries for people to read."""
    parameters = parameters_from_json(found.manifest["parameters"], found.out)
    levels, statistics, quality = (found.tables[name].to_pylist() for name in ("by_level", "by_statistic", "quality"))
    small = [row for row in levels if row["small_counts"]]
    return "\n\n".join(
        [
            f"Margins of error ({parameters.unit.many}), and their coverage; 99.9 % of honest runs lie in the range",
            _shown(list(map(_with_verdict, statistics)), _MARGINS),
            *sum_notes(amount.ladder for amount in amounts(parameters.ladders)),
            *(text for ladder in parameters.ladders for text in _ladder(levels, parameters, ladder)),
            "Small counts, which suppression or clipping may have changed, so that their coverage differs",
            _shown(small, _SMALL) if small else "none",
            *(["Checks of quality: strange patterns", _shown([*map(_judged, quality)], _PATTERNS)] if quality else []),
        ]
    )


def _ladder(levels: Sequence[Mapping[str, Any]], parameters: Parameters, ladder: Ladder) -> tuple[str, str]:
    names = {level_name(parameters, ladder, level) for level in ladder.levels}
    rows = [_with_verdict(row) for row in levels if row["population_group_level"] in names]
    for row in rows:
        row["share_total"] = row["share_total_only"] + row["share_stat_level_0"]
    columns = (
        *(_LEVEL, ("groups", "{population_groups:,}"), ("suppressed", "{share_suppressed:.2%}")),
        ("total", "{share_total:.2%}"),
        *((each.name, f"{{share_stat_level_{place}:.2%}}") for place, each in enumerate(ladder.statistics, start=1)),
        *(("error/size", "{relative_error:.2%}"), _COUNTS, *_COVERED),
    )
    return "Population groups of each level, all runs together", _shown(rows, columns)


def _with_verdict(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with the range of honest runs, and a verdict; nothing of its coverage where there is no count."""
    if not row["counts"]:
        return {**row, "coverage": None, "expected_coverage": None, "range": None, "verdict": ""}
    honest = "{coverage_lower:.2%} to {coverage_upper:.2%}".format(**row)
    return {**row, "range": honest, "verdict": "" if row["is_as_expected"] else "NOT as expected"}


def _judged(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with what its flag says: if the truth has as many cases as the published counts, these come from it."""
    is_ours = 2 * row["found_in_truth"] < row["found"]
    why = "not in the truth, so made by us" if is_ours else "so has the truth"
    return {**row, "verdict": f"MORE than noise explains: {why}" if row["is_flagged"] else ""}
