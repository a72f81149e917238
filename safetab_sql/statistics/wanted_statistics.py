"""The statistics that a table asks for: read as terms, by release and ladder, evaluated, and noted."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import compute

from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.kit.database import Resources, declared_schema, reading_connection, scratch_folder
from safetab_sql.kit.errors import Problem, nearest, refuse
from safetab_sql.laws.noise import variance
from safetab_sql.public.values import rows_of
from safetab_sql.published.measurements import TotalLaw, combined_totals, table_limits
from safetab_sql.release.folder import ReleaseFacts, ReleaseFolder, table_files
from safetab_sql.release.ladder_tables import LadderTables, create_sums, created, show_ladder, tables_of_release
from safetab_sql.settings.ladders import MEASUREMENTS, SUPPRESSED, Ladder
from safetab_sql.statistics import evaluator
from safetab_sql.statistics.evaluator import LEVEL, Adjust, Asked, Bools, Form, Known, Limit, Side
from safetab_sql.statistics.intervals import Intervals, Reconciled, deviations_of_rows
from safetab_sql.statistics.names import NamedReleases, Paths, opened_releases, with_values
from safetab_sql.statistics.ratios import Shape
from safetab_sql.statistics.wanted import ADJUSTED, ANSWERS, LadderTerms, WantedStatistics, wanted_statistics

_NO_ROW = "no such row: the group was suppressed, is unknown, or has no table"
_PART = "the table of the group has no such cells, or has them in larger ones alone"
_TOTAL_ONLY = "the group has a total alone, and no cells"
UNDIVIDED = "the table of the group does not divide these numbers into ranges"
SHARED_NOISE = "reconciled counts share noise: the interval holds whatever their errors have in common"
_NO_END = "the other count may be 0: LOW and HIGH have no end where they are NULL"
_ANY = "the interval rules out no share"
_SELECTED = "a count was published for its size: the interval allows for it, each count by itself"
BOTH_STAGES = "both stages of noise were used"
_MAY_SHARE = "both ratios are of counts of one group, whose noise they may share: the interval allows for it"
_SAME = "both counts are of the same people in one run: they are equal, whatever the noise"
_SUPPRESSED = "a group without a row is too small to be published: the interval holds every size that it may have"

# What releases say of the counts that wanted statistics consist of, read ladder by ladder.

_OF_QUANTILES = "bin_start is not null"  # of wanted_cells


@dataclass(frozen=True, slots=True)
class ShownLadder:
    """A ladder of a release, the tables of which a connection of its own shows. values: of statements on these."""

    release: int
    facts: ReleaseFacts
    ladder: Ladder
    connection: duckdb.DuckDBPyConnection
    values: Mapping[str, object]


# By release and name; tables are read once, where it is entered.
Shown = Mapping[tuple[int, str], AbstractContextManager[ShownLadder]]
# By statement of sql/tools/statistics, with `release` and `ladder` of each row; wanted_cells with `deviation`, of those
# with the values of an attribute; wanted_measurements and wanted_reconciled where a release has either.
Counts = Mapping[str, pa.Table]


def shown_ladders(releases: NamedReleases, resources: Resources = Resources()) -> Shown:  # noqa: B008  (frozen)
    """All ladders of releases, none of them entered."""
    return {
        (number, tables.ladder.name): _shown(number, folder, tables, resources)
        for number, folder in enumerate(releases.folders)
        for tables in tables_of_release(folder)
    }


@contextmanager
def _shown(number: int, folder: ReleaseFolder, tables: LadderTables, resources: Resources) -> Iterator[ShownLadder]:
    beside = {
        name: [file for file in table_files(folder.folder / place) if file.stem in tables.ladder.folders]
        for name, place in (("measured_groups", MEASUREMENTS), ("suppressed", SUPPRESSED))
    }
    files = [*tables.files, *(file for listed in beside.values() for file in listed)]
    with (
        scratch_folder(resources.scratch) as scratch,
        reading_connection(files, scratch / "spill", resources) as connection,
    ):
        for name, listed in beside.items():
            if listed:
                connection.read_parquet([str(file) for file in listed]).create_view(name)
            else:
                connection.register(name, declared_schema(name).empty_table())
        values = show_ladder(connection, tables, folder.facts.parameters)
        yield ShownLadder(number, folder.facts, tables.ladder, connection, values)


def counts_of(wanted: Iterable[LadderTerms], ladders: Shown, *, cells: str = _OF_QUANTILES) -> Counts:
    """The wanted counts of ladders. cells: which of wanted_cells. Raises: InputError where tables are not whole."""
    found: dict[str, list[pa.Table]] = {}
    for own in wanted:
        with ladders[own.release, own.ladder] as shown:
            counts = _ladder_counts(shown, own, cells)
        for name, rows in counts.items():
            found.setdefault(name, []).append(with_values(rows, {"ladder": own.ladder, "release": own.release}))
    return {name: pa.concat_tables(listed, promote_options="permissive") for name, listed in found.items()}


def _ladder_counts(shown: ShownLadder, own: LadderTerms, cells: str) -> dict[str, pa.Table]:
    """The counts of one ladder, by statement of sql/tools/statistics."""
    connection, facts, values = shown.connection, shown.facts, shown.values
    connection.register("asked_terms", own.terms)
    connection.register("asked_cells", own.cells)
    groups = connection.view("asked_terms").project("region_type, region_id, iteration_code").distinct()
    groups.insert_into("asked_groups")
    rows = create_sums(connection, shown.ladder, values)
    if facts.reconciled is None:
        evaluator.check_variances(rows, own.ladder, facts)
    created(connection, "wanted_cells", values)
    last = "wanted_measurements" if facts.reconciled is None else "wanted_reconciled"
    names = ("wanted_terms", "wanted_groups", last)
    made = {name: created(connection, name, values).to_arrow_table() for name in names}
    found = connection.table("wanted_cells").filter(cells).to_arrow_table()
    deviations = np.zeros(found.num_rows)
    if facts.reconciled is not None:
        deviations = deviations_of_rows(found["variance"].to_numpy(), found["moe95"].to_numpy(), facts.definition)
    return {**made, "wanted_cells": found.append_column("deviation", pa.array(deviations, pa.float64()))}


# --- the statistics of a table ---


def statistics_of(
    given: Paths | NamedReleases,
    wanted: object,
    *,
    adjust: Adjust | None = None,
    level: Fraction = LEVEL,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
) -> pa.Table:
    """The wanted statistics with ESTIMATE, LOW, HIGH, P_VALUE and NOTE, and with `adjust` what ADJUSTED names.

    given: folders of releases, or what is open of them. wanted: CSV or Parquet, one row a statistic, or a table that
    Python holds (see wanted.py). adjust: how comparisons allow for their number. level: of the intervals.
    Raises: InputError with every problem.
    """
    releases = given if isinstance(given, NamedReleases) else opened_releases(given)
    refuse([problem for facts in releases.facts for problem in release_problems(facts, level)])
    statistics = wanted_statistics(wanted, releases)
    refuse([*_unknown_types(statistics, releases), *_number_problems(statistics, releases, adjust, level)])
    counts = counts_of(statistics.ladders, shown_ladders(releases, resources))

    answers_at = partial(answers_to, statistics.asked, counts, releases.facts)
    (found, notes), table = answers_at(level), statistics.table  # second ratios stand behind all of its rows
    for name, values in zip(ANSWERS, (found.estimates, found.lows, found.highs, found.p_values), strict=False):
        table = _with_column(table, name, values[: table.num_rows])
    table = table.append_column("NOTE", pa.array(notes[: table.num_rows], pa.string()))
    if adjust is None:
        return table
    return _adjusted(table, adjust, level, lambda own: answers_at(own)[0])


def release_problems(facts: ReleaseFacts, level: Fraction) -> Iterator[Problem]:
    """Why a release has no statistics at this level."""
    yield from evaluator.level_problems(level)
    if facts.is_clipped:
        what = "counts below 0 became 0 (allow_negative_counts = false), so the noise of what is computed is not known"
        fix = "T1 and T2 have intervals of each count, LOW95 and HIGH95; `moe` has intervals of sums and their ratios"
        yield Problem(str(facts.where), what, fix)


def _unknown_types(wanted: WantedStatistics, releases: NamedReleases) -> Iterator[Problem]:
    """The region types that are wanted and that a release has not."""
    for own in wanted.ladders:
        levels = releases.facts[own.release].levels_of(own.ladder)
        known = list(dict.fromkeys(each.region_type for each in levels))
        types = [name for name in compute.unique(own.terms["region_type"]).to_pylist() if name not in known]
        for name in types[:5]:
            near = nearest(name, known)
            guess = f"did you mean {near}? " if near else ""
            what = f"{own.ladder}{releases.label(own.release)} has no region type '{name}'"
            yield Problem(f"{wanted.where} REGION_TYPE", what, f"{guess}It has {', '.join(known)}")


def _number_problems(
    wanted: WantedStatistics, releases: NamedReleases, adjust: Adjust | None, level: Fraction
) -> Iterator[Problem]:
    """Why comparisons cannot be adjusted, or counts not be ranked: margins are not known so far out."""
    taken = [name for name in ADJUSTED if adjust and name in wanted.table.column_names]
    if taken:
        yield Problem(wanted.where, f"has columns {', '.join(taken)}, which the answers will have", "rename them")
    is_joint = adjust is not None or bool(wanted.asked.ranked)
    if is_joint and any(facts.reconciled is not None for facts in releases.facts):
        what = "reconciled counts have no margins for --adjust and for ranks, which reach far out"
        yield Problem(wanted.where, what, "name the folder of the release, whose noise is known exactly")
    most = int((1 - level) / evaluator.RAREST)
    size = evaluator.comparisons(wanted.table["KIND"].to_pylist()).size if adjust else 0
    if size > most:
        what = f"{size:,} comparisons are adjusted; at most {most:,} can be"
        yield Problem(wanted.where, what, "ask for fewer at once")
    for rows in wanted.asked.ranked:
        if rows.size * (rows.size - 1) // 2 > most:
            what = f"{rows.size:,} counts are ranked together, in {rows.size * (rows.size - 1) // 2:,} pairs"
            yield Problem(wanted.where, f"{what}; at most {most:,} can be", "rank fewer: AMONG names sets")


def answers_to(
    asked: Asked, counts: Counts, facts: Sequence[ReleaseFacts], level: Fraction
) -> tuple[Intervals, list[str | None]]:
    """The intervals of statistics, and what is to be known of each, if anything. facts: of each release.

    The difference of two ratios stands in the place of the first.
    """
    terms, groups = counts["wanted_terms"], counts["wanted_groups"]
    known = _known(asked, counts, facts)
    usable = _is_found(asked, groups, known)
    usable[terms["statistic_number"].filter(compute.invert(terms["is_whole"])).to_numpy()] = False
    found = evaluator.evaluated(asked, known, evaluator.bins_of(counts["wanted_cells"]), usable, level)
    notes = _notes(asked, found, counts, known)
    of_ratios = evaluator.differences_of_ratios(asked, known, found, level)
    may_share = set(asked.firsts[~np.isnan(of_ratios.p_values)].tolist()) - asked.apart
    for place, note in [*_added(asked, found, counts, facts), *((place, _MAY_SHARE) for place in may_share)]:
        notes[place] = f"{notes[place]}; {note}" if notes[place] else note
    if "wanted_measurements" in counts:
        is_one = np.bincount(groups["statistic_number"].to_numpy(), minlength=len(asked.kinds)) == 1
        is_count = usable & (np.array(asked.kinds) == "count") & is_one
        for places, both in from_both_stages(counts["wanted_measurements"], known, is_count, facts, level):
            evaluator.put(found, places, both)
            notes[places] = BOTH_STAGES
    is_second = np.isnan(found.lows[asked.seconds]) & ~np.isnan(found.lows[asked.firsts])
    first, second = notes[asked.firsts], notes[asked.seconds]
    notes[asked.firsts] = np.where(is_second | (first == None), second, first)  # noqa: E711  (of each)
    evaluator.put(found, asked.firsts, of_ratios)
    return found, notes.tolist()


def _known(asked: Asked, counts: Counts, facts: Sequence[ReleaseFacts]) -> Known:
    """What is known of the counts of all statistics."""
    size, terms, groups = len(asked.kinds), counts["wanted_terms"], counts["wanted_groups"]
    definitions = [None if each.reconciled is None else each.definition for each in facts]
    is_drawn = pa.array([definition is None for definition in definitions]).take(terms["release"])
    limit, sides = cache(lambda release, *kind: limit_of(facts[release], *kind)), dict[int, list[Side]]()
    of_kind = ("ladder", "region_type", "suppressed_up_to")
    names = ("statistic_number", "is_other", "stat_level", "high95", "release", *of_kind)
    columns = (groups[name].to_pylist() for name in names)
    for number, is_other, stat_level, most, release, *kind in zip(*columns, strict=True):
        missing = limit(release, *kind) if stat_level is None and most is not None else None
        if missing or definitions[release]:
            own = sides.setdefault(number, [Side(), Side()])
            limits = own[is_other].limits + ((missing,) if missing else ())
            own[is_other] = Side(definitions[release] or own[is_other].definition, limits)
    none = [Side(), Side()]
    both = {number: sides.get(number, none) for number in {*sides, *asked.same}}
    beside = {number: Form(None, one, other, number in asked.same) for number, (one, other) in both.items()}
    reconciled = None
    if (rows := counts.get("wanted_reconciled")) is not None:  # quantiles need none
        masks = (compute.invert(rows["is_other"]), rows["is_other"])
        one, other = (_reconciled_side(rows.filter(mask), size, facts) for mask in masks)
        reconciled = one, other
    return evaluator.known_of(terms.filter(is_drawn), size, facts, beside, reconciled)


def limit_of(facts: ReleaseFacts, ladder: str, region_type: str, suppressed_up_to: int) -> Limit | None:
    """The law and the limit of the totals of a kind that are not published, as its release states them.

    Where several levels state the same, the widest law. None where no level does.
    """
    found = [
        (level.measured_law(is_total_only=is_total_only), threshold)
        for level in facts.levels_of(ladder)
        if level.region_type == region_type
        for is_total_only, threshold in ((True, level.total_only_threshold), (False, level.suppression_threshold))
        if threshold is not None and threshold == suppressed_up_to
    ]
    return max(found, key=lambda limit: variance(limit[0]), default=None)


def _is_found(asked: Asked, groups: pa.Table, known: Known) -> Bools:
    """Which statistics have all of their counts, or a bound of those that have no row; a quantile needs its counts."""
    numbers = groups["statistic_number"].filter(compute.is_null(groups["stat_level"])).to_numpy()
    missing = np.bincount(numbers, minlength=len(asked.kinds))
    bounded = np.array([len(form.limits) for form in known.forms], dtype=np.int64)
    return np.asarray((missing == bounded) & ~((np.array(asked.kinds) == "quantile") & (bounded > 0)))


def _notes(asked: Asked, found: Intervals, counts: Counts, known: Known) -> npt.NDArray[np.object_]:
    """The note of each statistic, or None: the last that is true of it."""
    notes, terms = np.full(len(asked.kinds), None, dtype=object), counts["wanted_terms"]
    is_quantile = np.array(asked.kinds) == "quantile"
    notes[_are(known, lambda form: form.shape and any(term.above is not None for term in form.shape.terms))] = _SELECTED
    is_bound = _are(known, lambda form: form.one.definition or form.other.definition)
    notes[is_bound & (asked.is_pair | is_quantile)] = SHARED_NOISE
    notes[_are(known, lambda form: form.limits)] = _SUPPRESSED
    notes[_are(known, lambda form: form.is_same)] = _SAME
    notes[is_quantile & np.isnan(found.lows)] = UNDIVIDED
    numbers, is_part = terms["statistic_number"].to_numpy(), ~terms["is_whole"].to_numpy()
    notes[numbers[is_part]] = _PART
    is_total = terms["is_total"].to_numpy()
    notes[numbers[is_total & (is_part | is_quantile[numbers])]] = _TOTAL_ONLY
    notes[~_is_found(asked, counts["wanted_groups"], known)] = _NO_ROW
    return notes


def _are(known: Known, is_so: Callable[[Form], object]) -> Bools:
    """Which statistics have such a form."""
    return np.array([bool(is_so(form)) for form in known.forms], dtype=np.bool_)


def _added(asked: Asked, found: Intervals, counts: Counts, facts: Sequence[ReleaseFacts]) -> Iterator[tuple[int, str]]:
    """What is said of pairs behind their notes: of ends that say little, of two tables, and of two kinds of records."""
    kinds, terms, groups = np.array(asked.kinds), counts["wanted_terms"], counts["wanted_groups"]
    has_no_end = np.isin(kinds, ("ratio", "growth")) & np.isposinf(found.highs)
    says_nothing = (kinds == "ratio") & (found.lows == 0) & (found.highs == 1)
    for is_so, note in ((has_no_end, _NO_END), (says_nothing, _ANY)):
        yield from ((place, note) for place in np.flatnonzero(is_so).tolist())
    in_part = set(terms["statistic_number"].to_numpy()[~terms["is_whole"].to_numpy()].tolist())
    tables, units = dict[int, dict[str, None]](), dict[int, dict[bool, str]]()
    names = ("statistic_number", "is_other", "release", "ladder", "stat_level")
    columns = (groups[name].to_pylist() for name in names)
    for number, is_other, release, ladder, stat_level in zip(*columns, strict=True):
        parameters = facts[release].parameters
        units.setdefault(number, {})[is_other] = parameters.unit.many
        if stat_level and number in in_part:
            own = next(each for each in parameters.ladders if each.name == ladder)
            tables.setdefault(number, {})[own.statistics[stat_level - 1].name] = None
    for number, divided in tables.items():
        if len(divided) > 1 and asked.is_pair[number]:
            yield number, f"the tables are {' and '.join(divided)}: ask for what both divide"
    for number, counted in units.items():
        if asked.kinds[number] in ("difference", "growth") and len(set(counted.values())) > 1:
            yield number, f"the one count is of {counted[False]}, the other one of {counted[True]}"


def _reconciled_side(rows: pa.Table, size: int, facts: Sequence[ReleaseFacts]) -> Reconciled:
    names = ("statistic_number", "estimate", "variance", "moe95", "low95", "high95", "release")
    numbers, estimates, variances, moe95s, *own_ends, releases = (rows[name].to_numpy() for name in names)
    is_found, ends, deviations = np.zeros(size, dtype=np.bool_), np.full((2, size), np.nan), np.zeros(numbers.size)
    is_found[numbers], ends[:, numbers] = True, own_ends
    ends[:, np.bincount(numbers, minlength=size) > 1] = np.nan  # of a sum of several rows
    for release in np.unique(releases).tolist():
        own = releases == release
        deviations[own] = deviations_of_rows(variances[own], moe95s[own], facts[release].definition)
    added = (np.where(is_found, np.bincount(numbers, each, size), np.nan) for each in (estimates, deviations))
    return Reconciled(*added, *ends)


def from_both_stages(
    measured: pa.Table, known: Known, is_count: Bools, facts: Sequence[ReleaseFacts], level: Fraction
) -> Iterator[tuple[Int64s, Intervals]]:
    """The places and intervals of totals that stage 1 measured too. measured: table wanted_measurements."""
    alike: dict[tuple[int, str, str, Shape], list[tuple[int, int]]] = {}
    names = ("statistic_number", "stage_1", "release", "ladder", "level_name")
    for number, stage_1, *own in zip(*(measured[name].to_pylist() for name in names), strict=True):
        if is_count[number]:
            alike.setdefault((*own, known.forms[number].shape), []).append((number, stage_1))
    for (release, ladder, name, shape), listed in alike.items():
        parameters, released = facts[release].parameters, facts[release].level_called(ladder, name)
        (found,) = (each for each in parameters.ladders if each.name == ladder)
        sizes, (term,) = (1, *rows_of(parameters, found).sizes), shape.terms
        if released.calls.stage_1 is None or term.draws not in sizes:  # no total of a table
            continue
        limits = table_limits(released.thresholds, sizes.index(term.draws))
        law = TotalLaw(released.calls.stage_1.law, term.law, term.draws, *limits, term.above, level)
        places, stage_1 = np.array(listed, dtype=np.int64).T
        made = combined_totals(law, stage_1, known.one[places])
        yield places, Intervals(made.estimates, made.lows.astype(np.float64), made.highs.astype(np.float64))


def _with_column(table: pa.Table, name: str, values: Floats) -> pa.Table:
    known = np.where(np.isfinite(values), values, np.nan)  # an interval without an end has NULL there
    return table.append_column(name, pa.array(known, pa.float64(), from_pandas=True))


def _adjusted(table: pa.Table, adjust: Adjust, level: Fraction, at_level: Callable[[Fraction], Intervals]) -> pa.Table:
    """The answers with P_ADJUSTED, and intervals that allow for the number of comparisons. at_level: all answers."""
    rows = evaluator.comparisons(table["KIND"].to_pylist())
    adjusted, lows, highs = np.full((3, table.num_rows), np.nan)
    if rows.size:
        p_values = table["P_VALUE"].to_numpy()
        adjusted[rows] = evaluator.adjusted_p_values(p_values[rows], adjust)
        stated = rows if adjust == "holm" else rows[adjusted[rows] <= float(1 - level)]
        answers = at_level(evaluator.adjusted_level(adjusted[rows], adjust, level))
        lows[stated], highs[stated] = answers.lows[stated], answers.highs[stated]
    for name, values in zip(ADJUSTED, (adjusted, lows, highs), strict=True):
        table = _with_column(table, name, values)
    return table
