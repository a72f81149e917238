"""The statistics that a table asks for: read as terms, ladder by ladder, evaluated, and noted."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import compress, pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import compute

from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.database import Resources, reading_connection, scratch_folder
from safetab_sql.kit.errors import InputError, Problem, nearest, refuse
from safetab_sql.kit.text_tables import Readable
from safetab_sql.public.values import rows_of
from safetab_sql.published.intervals import margin_of_terms
from safetab_sql.published.measurements import TotalLaw, combined_totals, table_limits
from safetab_sql.release.facts import ReleaseFacts
from safetab_sql.release.folder import MEASURED, ReleaseFolder, empty_table, open_folder, released_table, table_files
from safetab_sql.release.ladder_tables import create_sums, created, show_ladder, tables_of_release
from safetab_sql.settings.attributes import Attribute
from safetab_sql.settings.decimals import exact_decimal
from safetab_sql.settings.ladders import MEASUREMENTS, Ladder, attributes_of
from safetab_sql.settings.parameters import Parameters
from safetab_sql.statistics.evaluator import (
    LEVEL,
    Asked,
    Bools,
    ReconciledSums,
    Sums,
    at,
    bins_of,
    differences_of_ratios,
    evaluated,
    put,
    sums_of,
)
from safetab_sql.statistics.intervals import Intervals, Reconciled, deviations_of_rows, noise_terms
from safetab_sql.statistics.predicates import shortened
from safetab_sql.statistics.ratios import Shape
from safetab_sql.statistics.sums import matched_rows
from safetab_sql.statistics.wanted import ANSWERS, GROUP, MOST_BINS_SHARE, WantedStatistics, wanted_statistics

_NO_ROW = "no such row: the group was suppressed, is unknown, or has no table"
_PART = "the table of the group has no such cells, or has them in larger ones alone"
_TOTAL_ONLY = "the group has a total alone, and no cells"
_UNDIVIDED = "the table of the group does not divide these numbers into ranges"
_SHARED_NOISE = "reconciled counts share noise: the interval holds whatever their errors have in common"
_NO_END = "the other count may be 0: LOW and HIGH have no end where they are NULL"
_ANY = "the interval rules out no share"
_SELECTED = "a count was published for its size: the interval allows for it, each count by itself"
_BOTH_STAGES = "both stages of noise were used"
_ENDS = ("LOW95", "HIGH95")


@dataclass(frozen=True, slots=True)
class Counts:
    """What a release says of the counts that wanted statistics consist of, of all ladders.

    terms: table wanted_terms of sql/tools/statistics. cells: wanted_cells with the values of an attribute. measured:
    wanted_measurements. reconciled: wanted_reconciled, of a reconciled folder.
    """

    terms: pa.Table
    cells: pa.Table
    measured: pa.Table | None = None
    reconciled: pa.Table | None = None


def statistics_of(
    release: str | Path,
    wanted: object,
    *,
    level: Fraction = LEVEL,
    from_zero: bool = False,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
) -> pa.Table:
    """The wanted statistics with ESTIMATE, LOW, HIGH, P_VALUE and NOTE.

    wanted: CSV or Parquet, one row a statistic, or a table that Python holds (see kit/arrow_tables.py). level: of the
    intervals. from_zero: cut intervals of counts at 0. Raises: InputError with every problem of the inputs.
    """
    made = open_folder(Path(release), or_reconciled=True)
    refuse([*made.problems, *release_problems(made.facts, level)])
    statistics = wanted_statistics(wanted, made.facts.parameters)
    refuse(list(_unknown_types(statistics, made.facts)))
    counts = _counts(made, statistics, resources)
    return _with_answers(statistics, *answers_to(statistics.asked, counts, made.facts, level, from_zero=from_zero))


def release_problems(facts: ReleaseFacts, level: Fraction) -> Iterator[Problem]:
    """Why a release has no statistics at this level."""
    if not 0 < level < 1:
        yield Problem("--level", f"{float(level):g} is not between 0 and 1", "say it like 0.9")
    if facts.is_clipped:
        what = "counts below 0 became 0 (allow_negative_counts = false), so the noise of what is computed is not known"
        fix = "T1 and T2 have intervals of each count, LOW95 and HIGH95; `moe` has intervals of sums and their ratios"
        yield Problem(str(facts.where), what, fix)


def _unknown_types(wanted: WantedStatistics, facts: ReleaseFacts) -> Iterator[Problem]:
    """The region types that are wanted and that the release has not."""
    for own in wanted.ladders:
        known = list(dict.fromkeys(each.region_type for each in facts.levels if each.ladder in (None, own.ladder)))
        types = [name for name in compute.unique(own.terms["region_type"]).to_pylist() if name not in known]
        for name in types[:5]:
            near = nearest(name, known)
            guess = f"did you mean {near}? " if near else ""
            what = f"{own.ladder} has no region type '{name}'"
            yield Problem(f"{wanted.where} REGION_TYPE", what, f"{guess}It has {', '.join(known)}")


def _counts(release: ReleaseFolder, wanted: WantedStatistics, resources: Resources) -> Counts:
    """The counts of all ladders. Raises: InputError where tables are not whole."""
    is_reconciled = release.facts.reconciled is not None
    names = ("wanted_terms", "wanted_cells", "wanted_reconciled" if is_reconciled else "wanted_measurements")
    if not is_reconciled and release.facts.parameters.publish_stage_1:
        released_table(release.folder / MEASUREMENTS, MEASURED)  # refuses what is no such table
    all_tables = {tables.ladder.name: tables for tables in tables_of_release(release, _ENDS if is_reconciled else ())}
    found: list[list[pa.Table]] = [[], [], []]
    for own in wanted.ladders:
        tables = all_tables[own.ladder]
        measured = [file for file in table_files(release.folder / MEASUREMENTS) if file.stem in tables.ladder.folders]
        with (
            scratch_folder(resources.scratch) as scratch,
            reading_connection([*tables.files, *measured], scratch / "spill", resources) as connection,
        ):
            values = show_ladder(connection, tables, release.facts.parameters)
            connection.register("asked_terms", own.terms)
            connection.register("asked_cells", own.cells)
            if measured:
                connection.read_parquet([str(file) for file in measured]).create_view("measured_groups")
            else:
                connection.register("measured_groups", empty_table(MEASURED))
            groups = connection.view("asked_terms").project("region_type, region_id, iteration_code").distinct()
            groups.insert_into("asked_groups")
            create_sums(connection, tables.ladder, values)
            created(connection, "wanted_cells", values)
            bins = connection.table("wanted_cells").filter("bin_start is not null")
            made = (created(connection, names[0], values), bins, created(connection, names[2], values))
            for listed, rows in zip(found, made, strict=True):
                table = rows.to_arrow_table()
                listed.append(table.append_column("ladder", pa.repeat(own.ladder, table.num_rows)))
    terms, cells, more = map(pa.concat_tables, found)
    return Counts(terms, cells, None, more) if is_reconciled else Counts(terms, cells, more)


def answers_to(
    asked: Asked, counts: Counts, facts: ReleaseFacts, level: Fraction, *, from_zero: bool = False
) -> tuple[Intervals, list[str | None]]:
    """The intervals of statistics, and what is to be known of each, if anything."""
    size, cells = len(asked.kinds), counts.cells
    usable = _is_found(asked, counts.terms)
    usable[counts.terms["statistic_number"].filter(compute.invert(counts.terms["is_whole"])).to_numpy()] = False
    sums: Sums | ReconciledSums
    if facts.reconciled is None:
        sums, deviations = sums_of(counts.terms, size, facts), np.zeros(cells.num_rows)
    else:
        sums = _reconciled(counts.reconciled, size, facts)
        deviations = deviations_of_rows(cells["variance"].to_numpy(), cells["moe95"].to_numpy(), facts.definition)
    bins = bins_of(cells.append_column("deviation", pa.array(deviations, pa.float64())))
    found = evaluated(asked, sums, bins, usable, level, from_zero=from_zero)
    notes = _notes(asked, found, counts.terms, sums)
    if isinstance(sums, Sums) and counts.measured is not None:
        is_count = usable & (np.array(asked.kinds) == "count")
        for places, both in _from_both_stages(counts.measured, sums, is_count, facts, level):
            put(found, places, both, least=0.0 if from_zero else -np.inf)
            notes[places] = _BOTH_STAGES
    return found, notes.tolist()


def _is_found(asked: Asked, terms: pa.Table) -> Bools:
    """Which statistics have all of their counts."""
    found = {name: np.zeros(len(asked.kinds), dtype=np.bool_) for name in ("one", "other")}
    for name, side in found.items():
        side[terms["statistic_number"].filter(compute.greater(terms[name], 0)).to_numpy()] = True
    return found["one"] & (~asked.is_pair | found["other"])


def _notes(asked: Asked, found: Intervals, terms: pa.Table, sums: Sums | ReconciledSums) -> npt.NDArray[np.object_]:
    """The note of each statistic, or None."""
    kinds, notes = np.array(asked.kinds), np.full(len(asked.kinds), None, dtype=object)
    is_quantile, is_ratio = kinds == "quantile", kinds == "ratio"
    if isinstance(sums, Sums):
        is_chosen = [shape is not None and any(term.above is not None for term in shape.terms) for shape in sums.shapes]
        notes[np.array(is_chosen, dtype=np.bool_)] = _SELECTED
    else:
        notes[asked.is_pair | is_quantile] = _SHARED_NOISE
    says_nothing = is_ratio & (found.lows == 0) & (found.highs == 1)
    for is_so, note in ((is_ratio & np.isposinf(found.highs), _NO_END), (says_nothing, _ANY)):
        notes[is_so] = [note if before is None else f"{before}; {note}" for before in notes[is_so]]
    notes[is_quantile & np.isnan(found.lows)] = _UNDIVIDED
    numbers, is_part = terms["statistic_number"].to_numpy(), ~terms["is_whole"].to_numpy()
    notes[numbers[is_part]] = _PART
    is_total = terms["is_total"].to_numpy()
    notes[numbers[is_total & (is_part | is_quantile[numbers])]] = _TOTAL_ONLY
    notes[~_is_found(asked, terms)] = _NO_ROW
    return notes


def _reconciled(rows: pa.Table | None, size: int, facts: ReleaseFacts) -> ReconciledSums:
    """The sums of reconciled counts. rows: table wanted_reconciled; quantiles need none."""
    if rows is None:
        none = Reconciled(*(np.full(size, np.nan) for _ in range(4)))
        return ReconciledSums(none, none, facts.definition)
    is_other = rows["is_other"]
    one, other = (_reconciled_side(rows.filter(mask), size, facts) for mask in (compute.invert(is_other), is_other))
    return ReconciledSums(one, other, facts.definition)


def _reconciled_side(rows: pa.Table, size: int, facts: ReleaseFacts) -> Reconciled:
    names = ("statistic_number", "estimate", "variance", "moe95", "low95", "high95")
    numbers, estimates, variances, moe95s, *own_ends = (rows[name].to_numpy() for name in names)
    is_found, ends = np.zeros(size, dtype=np.bool_), np.full((2, size), np.nan)
    is_found[numbers], ends[:, numbers] = True, own_ends
    added = (estimates, deviations_of_rows(variances, moe95s, facts.definition))
    return Reconciled(*(np.where(is_found, np.bincount(numbers, each, size), np.nan) for each in added), *ends)


def _from_both_stages(
    measured: pa.Table, sums: Sums, is_count: Bools, facts: ReleaseFacts, level: Fraction
) -> Iterator[tuple[Int64s, Intervals]]:
    """The places and intervals of totals that stage 1 measured too. measured: table wanted_measurements."""
    alike: dict[tuple[str, str, Shape], list[tuple[int, int]]] = {}
    names = ("statistic_number", "stage_1", "ladder", "level_name")
    for number, stage_1, *own in zip(*(measured[name].to_pylist() for name in names), strict=True):
        if is_count[number]:
            alike.setdefault((*own, sums.shapes[number]), []).append((number, stage_1))
    ladders = {ladder.name: ladder for ladder in facts.parameters.ladders}
    for (ladder, name, shape), listed in alike.items():
        places, stage_1 = np.array(listed, dtype=np.int64).T
        if (law := _total_law(facts, ladders[ladder], name, shape, level)) is not None:
            made = combined_totals(law, stage_1, sums.one[places])
            ends = (made.lows.astype(np.float64), made.highs.astype(np.float64))
            yield places, Intervals(made.estimates, *ends, np.full(places.size, np.nan))


def _total_law(facts: ReleaseFacts, ladder: Ladder, level_name: str, shape: Shape, level: Fraction) -> TotalLaw | None:
    """The laws of both stages of totals of a level; None where the count is no total of a table."""
    released, (term,) = facts.level_called(ladder.name, level_name), shape.terms
    stage_1, sizes = released.calls.stage_1, (1, *rows_of(facts.parameters, ladder).sizes)
    if stage_1 is None or term.draws not in sizes:
        return None
    limits = table_limits(released.thresholds, sizes.index(term.draws))
    margin = margin_of_terms(noise_terms(shape), level).moe95
    return TotalLaw(stage_1.law, term.law, term.draws, *limits, term.above, margin, level)


def _with_answers(wanted: WantedStatistics, found: Intervals, all_notes: Sequence[str | None]) -> pa.Table:
    """The wanted table with the answers behind its own columns; second ratios are behind all rows in `found`."""
    asked, table, notes = wanted.asked, wanted.table, list(all_notes[: wanted.table.num_rows])
    answers = at(found, np.arange(table.num_rows))
    put(answers, asked.firsts, differences_of_ratios(asked, found))
    is_second = np.isnan(found.lows[asked.seconds]) & ~np.isnan(found.lows[asked.firsts])
    for row, place, why_second in zip(asked.firsts.tolist(), asked.seconds.tolist(), is_second.tolist(), strict=True):
        notes[row] = all_notes[place] if why_second else all_notes[row] or all_notes[place]
    columns = (answers.estimates, answers.lows, answers.highs, answers.p_values)
    for name, values in zip(ANSWERS, columns, strict=False):
        known = np.where(np.isfinite(values), values, np.nan)  # an interval without an end has NULL there
        table = table.append_column(name, pa.array(known, pa.float64(), from_pandas=True))
    return table.append_column("NOTE", pa.array(notes, pa.string()))


# A quantile of the values of people of one population group, such as their median age, with its interval.

_MEDIAN = 0.5
_UNITS = {"AGE": " years"}
_FIX = (
    "write a condition that matches cells of one group, such as TABLE = 'T2' and REGION_TYPE = 'USA' and "
    "ITERATION_CODE = '6004'"
)


@dataclass(frozen=True, slots=True)
class PublishedQuantile(Readable):
    """The value, such as an age, below which a share of the people of a group are, or of those in some cells.

    share: 0.5 for the median. group: region type, region id and iteration code. estimate, low, high: values of
    `attribute`, such as years of AGE; the interval is at `level`. None where there is none; `note` says why, or what to
    know.
    """

    share: float
    group: tuple[str, str, str]
    estimate: float | None
    low: float | None
    high: float | None
    level: float
    note: str | None
    attribute: str = "AGE"

    def __str__(self) -> str:
        """The quantile for people to read."""
        what = self.attribute.lower()
        name = f"median {what}" if self.share == _MEDIAN else f"quantile of {what} at {self.share:g}"
        where = " ".join(self.group)
        if self.estimate is None or self.low is None or self.high is None:
            return f"{name} of {where}: none; {self.note}"
        note, unit = "" if self.note is None else f"; {self.note}", _UNITS.get(self.attribute, "")
        return (
            f"{name} of {where}: {self.estimate:.2f}{unit}, {self.low:.2f} to {self.high:.2f} at {self.level:g}{note}"
        )


def quantile_of_release(
    release: str | Path,
    rows: str,
    share: float | str = _MEDIAN,
    *,
    attribute: str | None = None,
    level: Fraction = LEVEL,
) -> PublishedQuantile:
    """The quantile of an attribute of whole numbers in the cells that a condition of `moe` matches.

    Rows that are sums may be among them. share: of the people with smaller values, such as 0.5. attribute: by its name
    in the parameters; by default the only one of the ladder. Raises: InputError where the cells are not of one
    group, with values that follow one another, alike for all other values; and as `statistics`.
    """
    folder = open_folder(Path(release), or_reconciled=True)
    facts = folder.facts
    refuse([*_share_problems(share), *folder.problems, *release_problems(facts, level)])
    _, part = matched_rows(tables_of_release(folder), facts, [rows], None)
    found = _attribute(facts.parameters, part.ladders[0], attribute)
    atoms = part.atoms.take(part.matched[0]["atom"].drop_null())
    cells = atoms.join(_values(facts.parameters, found), ["ladder", "row_id"], join_type="inner")
    refuse(list(_problems(cells, rows, found)))
    none = np.zeros(0, dtype=np.int64)
    made, (note,) = answers_to(
        Asked(["quantile"], [exact_decimal(str(share))], none, none), _counts_of_quantile(cells), facts, level
    )
    estimate, low, high = (
        None if np.isnan(each[0]) else each[0].item() for each in (made.estimates, made.lows, made.highs)
    )
    region_type, region_id, iteration = (cells[name][0].as_py() for name in GROUP)
    group = (region_type, region_id, iteration)
    return PublishedQuantile(float(share), group, estimate, low, high, float(level), note, found.name)


def _share_problems(share: float | str) -> Iterator[Problem]:
    wanted = exact_decimal(str(share))
    if wanted is None or not 0 < wanted < 1:
        yield Problem("share", f"{str(share)[:20]!r} is not between 0 and 1", "say it like 0.5")
    elif wanted.denominator > MOST_BINS_SHARE:
        yield Problem("share", f"{str(share)[:20]!r} has more than three digits", "say it like 0.5")


def _attribute(parameters: Parameters, ladders: Sequence[str], name: str | None) -> Attribute:
    """The attribute of whole numbers of which a quantile is wanted, of these ladders. Raises: InputError if unclear."""
    found = {
        attribute.name: attribute
        for ladder in parameters.ladders
        for attribute in attributes_of(ladder, parameters.attributes)
        if not attribute.is_listed and (ladder.name in ladders or not ladders)
    }
    if name is None and len(found) == 1:
        return next(iter(found.values()))
    if name not in found:
        what = "not named" if name is None else f"{name[:40]!r} is no attribute of whole numbers of these rows"
        fix = f"name the attribute of which a quantile is wanted: {', '.join(found) or 'there is none'}"
        raise InputError([Problem("attribute", what, fix)])
    return found[name]


def _values(parameters: Parameters, attribute: Attribute) -> pa.Table:
    """The rows of ladders that hold some values of the attribute and not all: first and last one, and other codes."""
    found: list[tuple[str, int, int, int, str]] = []
    for ladder in parameters.ladders:
        used = attributes_of(ladder, parameters.attributes)
        numbers = [each.name for each in used if not each.is_listed]
        if attribute.name not in numbers:
            continue
        place, rows = 2 * numbers.index(attribute.name), rows_of(parameters, ladder)
        columns = [each.name != attribute.name for each in used for _ in each.publish]
        for row_id, (codes, ends) in enumerate(zip(rows.codes, rows.numbers, strict=True)):
            first, last = ends[place : place + 2]
            if first is not None and last is not None:
                found.append((ladder.name, row_id, first, last, ", ".join(compress(codes, columns))))
    kinds = {
        "ladder": pa.string(),
        "row_id": pa.int32(),
        "first": pa.int64(),
        "last": pa.int64(),
        "others": pa.string(),
    }
    columns_of_rows = zip(kinds.items(), zip(*found, strict=True), strict=True)
    return pa.table({name: pa.array(values, kind) for (name, kind), values in columns_of_rows})


def _problems(cells: pa.Table, text: str, attribute: Attribute) -> Iterator[Problem]:
    group = ["ladder", *GROUP]
    if (groups := cells.select(group).group_by(group).aggregate([]).num_rows) != 1:
        what = f"matches values of {attribute.name} of {'several groups' if groups else 'no group'}"
        yield Problem(shortened(text), what, _FIX)
        return
    values: dict[str, list[tuple[int, int]]] = {}
    for others, first, last in zip(*(cells[name].to_pylist() for name in ("others", "first", "last")), strict=True):
        values.setdefault(others, []).append((first, last))
    one, *rest = (sorted(each) for each in values.values())
    if any(each != one for each in rest):
        shown = " and ".join(sorted(values)[:2])
        yield Problem(shortened(text), f"does not match the same values of {attribute.name} of {shown}", _FIX)
    if any(start != end + 1 for (_, end), (start, _) in pairwise(one)):
        yield Problem(shortened(text), f"matches values of {attribute.name} with a gap between them", _FIX)


def _counts_of_quantile(cells: pa.Table) -> Counts:
    """The counts of one quantile, of cells of one group."""
    size = cells.num_rows
    terms = cells.slice(0, 1).select(["ladder", "level_name", "is_total_only"])
    one = {"statistic_number": 0, "is_total": False, "one": 1, "other": 0, "draws": size, "noisy_count": 0}
    for name, value in {**one, "chosen_counts": None, "is_whole": True}.items():
        terms = terms.append_column(name, pa.array([value]))
    bins = cells.select(["first", "last", "COUNT", "VARIANCE", "MOE95"])
    bins = bins.rename_columns(["bin_start", "bin_end", "noisy_count", "variance", "moe95"])
    return Counts(terms, bins.append_column("statistic_number", pa.array(np.zeros(size, dtype=np.int64))))
