"""`reconcile --series`: totals of several releases smoothed under a model, from published files alone."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa

from safetab_sql.jobs.statistics import written_table
from safetab_sql.kit.database import Resources, reading_connection, scratch_folder
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.kit.text_tables import Readable, counted
from safetab_sql.reconciliation.series import smoothed
from safetab_sql.release.facts import sum_problems
from safetab_sql.release.folder import ReleaseFolder
from safetab_sql.release.ladder_tables import LadderTables, show_ladder, statement, tables_of_release
from safetab_sql.settings.decimals import exact_decimal
from safetab_sql.statistics.releases import NamedReleases, Paths, opened_releases

_WIDTH = 1.96  # deviations in the margin of a model that is right
_MODEL = (
    "model: from one release to the next, each true total changes by {step} of itself (one standard deviation); "
    "MODEL_COUNT and MODEL_MOE95 rest on it, COUNT and MOE95 do not"
)


@dataclass(frozen=True, slots=True)
class SmoothedSeries(Readable):
    """What was written: `table`; `groups` with a smoothed total; of the model, `step`; else see `Smoothed`."""

    table: pa.Table
    groups: int
    compared: int
    surprising: int
    step: str

    def __str__(self) -> str:
        """The model, and what the counts say of it, for people to read."""
        share = f"{100 * self.surprising / self.compared:.1f} %" if self.compared else "none"
        changes = counted(self.compared, "change", "changes")
        return (
            f"{counted(self.groups, 'population group', 'population groups')} smoothed over years.\n"
            f"{_MODEL.format(step=self.step)}.\nOf {changes} between releases that follow one another, {share} are "
            "larger than noise and model let 5 % be: much more says that totals change more, much less that they "
            "change less."
        )


def smoothed_series(
    releases: Paths,
    step: str,
    out: str | Path,
    *,
    overwrite: bool = False,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
) -> SmoothedSeries:
    """The totals of several releases, in their order, with what a model of their changes makes of them; written.

    step: a decimal above 0: the standard deviation of a change of a total from one release to the next, as a part of
    it. out: CSV or Parquet, one row a ladder, population group and release with a published total. Post-processing: no
    privacy loss. Raises: InputError with every problem of the inputs. Source: reconciliation.md section 11.
    """
    opened, wanted = opened_releases(releases), exact_decimal(step)
    refuse([*_series_problems(opened), *_step_problems(step, wanted)])
    rows = _numbered(opened, resources).sort_by([("group_number", "ascending"), ("RELEASE_NUMBER", "ascending")])
    groups, numbers = rows["group_number"].to_numpy(), rows["RELEASE_NUMBER"].to_numpy() - 1
    is_evidence = rows["is_evidence"].to_numpy()
    shape = (int(groups.max(initial=-1)) + 1, len(opened.folders))
    counts, variances = np.full((2, *shape), np.nan)
    places = groups[is_evidence], numbers[is_evidence]
    counts[places], variances[places] = (rows[name].to_numpy()[is_evidence] for name in ("COUNT", "VARIANCE"))
    found = smoothed(counts, variances, float(wanted or Fraction(1)))
    table = rows.drop_columns(["group_number", "is_evidence"])
    for name, values in (("MODEL_COUNT", found.estimates), ("MODEL_MOE95", _WIDTH * found.deviations)):
        table = table.append_column(name, pa.array(values[groups, numbers], from_pandas=True))
    table = table.replace_schema_metadata({"model": _MODEL.format(step=step)})
    written_table(table, Path(out), overwrite=overwrite)
    smooth = int((~np.isnan(found.estimates)).any(axis=1).sum())
    return SmoothedSeries(table, smooth, found.compared, found.surprising, step)


def _series_problems(opened: NamedReleases) -> list[Problem]:
    """Why the folders are no series."""
    problems = [
        Problem(
            str(facts.where),
            "counts below 0 became 0 (allow_negative_counts = false), so they are too large on average",
            "smooth releases that were made with allow_negative_counts = true",
        )
        for facts in opened.facts
        if facts.is_clipped
    ]
    problems += [problem for facts in opened.facts for problem in sum_problems(facts)]
    runs = [opened.runs[place] for place in opened.places]
    if not 1 < len(runs) == len(set(runs)):
        what = "a series needs two releases or more, of which each has its own noise"
        problems.append(Problem("--series", what, "name every release of it once, in the order of their years"))
    return [*problems, *opened.unit_problems("name releases that count the same")]


def _step_problems(text: str, step: Fraction | None) -> list[Problem]:
    if step is not None and 0 < step <= 1:
        return []
    what = f"{text[:20]!r} is not above 0 and at most 1"
    return [Problem("--series", what, "say how much a total changes in a year, such as 0.05 for about 5 %")]


def _numbered(opened: NamedReleases, resources: Resources) -> pa.Table:
    """The table `numbered_series` of sql/tools/series."""
    parts = []
    for position, place in enumerate(opened.places, start=1):
        for tables in tables_of_release(opened.folders[place]):
            rows = _counts_of(opened.folders[place], tables, resources)
            parts.append(series_rows(rows, position, tables.ladder.name))
    with (
        scratch_folder(resources.scratch) as scratch,
        reading_connection([], scratch / "spill", resources) as connection,
    ):
        connection.register("series_rows", pa.concat_tables(parts))
        return connection.sql(statement("numbered_series", {})).to_arrow_table()


def series_rows(rows: pa.Table, position: int, ladder: str) -> pa.Table:
    """A part of the table `series_rows`. rows: table `series_counts` of a ladder of the release in this position."""
    named = rows.add_column(0, "LADDER", pa.repeat(pa.scalar(ladder), rows.num_rows))
    return named.add_column(0, "RELEASE_NUMBER", pa.repeat(pa.scalar(position, pa.int32()), rows.num_rows))


def _counts_of(folder: ReleaseFolder, tables: LadderTables, resources: Resources) -> pa.Table:
    """The table `series_counts` of a ladder of one release."""
    facts = folder.facts
    with (
        scratch_folder(resources.scratch) as scratch,
        reading_connection(tables.files, scratch / "spill", resources) as connection,
    ):
        values = show_ladder(connection, tables, facts.parameters)
        suppressed = sorted(facts.suppressed_types_of(tables.ladder.name))
        text = statement("series_counts", {**values, "suppressed_types": suppressed})
        return connection.sql(text).to_arrow_table()
