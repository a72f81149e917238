"""Sums and differences of published counts that conditions choose, and how far the noise may have moved them.

A sum over rows is taken apart into independent noisy counts, its atoms (see release/ladder_tables.py): an atom that is
in several rows counts several times, an atom that is added and subtracted cancels. The atoms that are left are
independent, so their variances add. Each ladder has atoms of its own.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, isclose
from typing import TypeVar

import duckdb
import numpy as np
import pyarrow as pa
from pyarrow import compute

from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.kit.database import reading_connection, scratch_folder
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.laws.quantiles import variance
from safetab_sql.public.values import published_columns, rows_of
from safetab_sql.published.intervals import margin_of_terms, variance_of_terms
from safetab_sql.release.facts import RELEASE_FIX, ReleaseFacts
from safetab_sql.release.ladder_tables import LadderTables, create_sums, created, show_ladder
from safetab_sql.settings.budgets import PrivacyDefinition
from safetab_sql.settings.ladders import Ladder
from safetab_sql.settings.parameters import Parameters
from safetab_sql.statistics.absent_groups import AbsentGroups, NamedGroups, PossibleRows, groups_of_release, together
from safetab_sql.statistics.evaluator import (
    LEVEL,
    Asked,
    ReconciledSums,
    Sums,
    differences_of_ratios,
    evaluated,
    level_law,
    sums_of,
)
from safetab_sql.statistics.intervals import (
    Intervals,
    Reconciled,
    deviations_of_rows,
    margins,
    noise_terms,
    p_values,
    sum_ends,
)
from safetab_sql.statistics.predicates import Predicate, predicate, selection, shortened, unfit
from safetab_sql.statistics.published_sum import (
    USES,
    PublishedRatio,
    PublishedSum,
    RatioDifference,
    Selection,
    SumMethod,
    Use,
    absence_caveats,
    bound_caveats,
    caveats,
    ladder_caveats,
)

Found = TypeVar("Found")
Wanted = Mapping[Use, Sequence[str]]  # conditions by what is done with the rows that they match
Pair = tuple[Int64s, Int64s]  # how often each condition, or each atom, is in either sum of a statistic


@dataclass(frozen=True, slots=True)
class Part:
    """What one ladder, or all of them, give to a sum. atoms: in their order, columns of summed_rows, and `ladder`.

    matched: for each condition, the rows that it matches, columns of summed_rows. counts: the sums of these, persons.
    times: how often each atom is in them, int64[conditions, atoms]. ladders: the names of those that have such rows.
    is_mixed: whether they are of several characteristic iterations or region types. absent: the groups that each
    condition asks for and that have none.
    """

    atoms: pa.Table
    matched: tuple[pa.Table, ...]
    counts: tuple[float, ...]
    times: Int64s
    ladders: tuple[tuple[str, ...], ...]
    is_mixed: bool
    absent: tuple[AbsentGroups, ...]


@dataclass(frozen=True, slots=True)
class _Noise:
    """What is known of the noise of a sum: see `PublishedSum`."""

    variance: float | None
    moe95: float | None
    method: SumMethod
    margin: float | None
    low: float
    high: float
    p_value: float | None


def wanted_rows(*given: str | Sequence[str]) -> Wanted:
    """What is added, subtracted, divided by; the second ratio likewise: conditions, one alone or several, by use."""
    listed = [[each] if isinstance(each, str) else each for each in given]
    return dict(zip(USES, [*listed, *[()] * len(USES)], strict=False))


def published_sum(
    tables: Sequence[LadderTables],
    facts: ReleaseFacts,
    wanted: Wanted,
    named: NamedGroups | None = None,
    level: Fraction = LEVEL,
) -> PublishedSum:
    """The sum that conditions ask for. tables: of all ladders. named: all groups that there are.

    Raises: InputError with every problem of the conditions, and where one of them matches no row.
    """
    refuse([*_unfit_conditions(wanted), *_level_problems(level, facts)])
    used = [(use, text) for use, listed in wanted.items() for text in listed]
    texts = list(dict.fromkeys(text for _, text in used))
    conditions, part = matched_rows(tables, facts, texts, named)
    refuse([_unmatched(text) for text, ladders in zip(texts, part.ladders, strict=True) if not ladders])
    places = np.array([texts.index(text) for _, text in used])
    uses = {use: np.array([each == use for each, _ in used], dtype=np.int64) for use in wanted}
    signs, times = uses["sum"] - uses["minus"], part.times[places]
    net = signs @ times
    selections = tuple(
        Selection(sign, use, text, part.matched[place].num_rows, int(np.count_nonzero(row)), part.absent[place])
        for sign, (use, text), row, place in zip(signs.tolist(), used, times, places.tolist(), strict=True)
    )
    by_condition = _by_condition(uses)
    estimates = [[_estimate(side, part, places) for side in pair] for pair in by_condition]
    asked, found, noise = _evaluated(part, places, by_condition, estimates, facts, level)
    most = np.max([abs(net), *(uses[use] @ times for use in ("of", "second", "second of"))], axis=0)
    is_total = part.atoms["stat_level"].to_numpy() == 0
    people = facts.parameters.unit.people
    return PublishedSum(
        estimates[0][0],
        noise.variance,
        noise.moe95,
        noise.method,
        atoms=int(np.count_nonzero(net)),
        cancelled_atoms=int(np.count_nonzero((net == 0) & times[signs != 0].any(axis=0))),
        selections=selections,
        caveats=(
            *caveats(most, part.atoms["REGION_TYPE"], is_total, facts, conditions, is_mixed=part.is_mixed),
            *_caveats_of_rows(dict(zip(texts, part.ladders, strict=True)), selections, noise.method, people),
        ),
        level=float(level),
        margin=noise.margin,
        low=noise.low,
        high=noise.high,
        p_value=noise.p_value if wanted["minus"] else None,
        ratio=_ratio(found, 1, estimates) if wanted["of"] else None,
        difference=_difference(found, asked, estimates) if wanted["second"] else None,
        unit=facts.parameters.unit,
    )


def _by_condition(uses: Mapping[Use, Int64s]) -> list[Pair]:
    """How often each condition is in the sum; then in the ratio, in the second one, and in both of a difference."""
    pairs = ((uses["sum"], uses["of"]), (uses["second"], uses["second of"]))
    one, second = [pairs[0]] * bool(uses["of"].any()), [pairs[1], *pairs] * bool(uses["second"].any())
    return [(uses["sum"] - uses["minus"], 0 * uses["sum"]), *one, *second]


def _caveats_of_rows(
    ladders: Mapping[str, Sequence[str]], selections: Sequence[Selection], method: SumMethod, people: str
) -> Iterator[str]:
    """ladders: by condition, the ladders of which it matches rows."""
    for text, names in ladders.items():
        yield from ladder_caveats(text, names, people)
    yield from bound_caveats(method)
    for one in selections:
        yield from absence_caveats(one.predicate, one.absent, people)


def _estimate(times: Int64s, part: Part, places: Int64s) -> float:
    """The sum of rows, persons: a whole number of whole numbers. Raises: InputError where atoms say otherwise."""
    counts = [part.counts[place] for place in places.tolist()]
    estimate = sum(often * count for often, count in zip(times.tolist(), counts, strict=True))
    rounding = 0 if isinstance(estimate, int) else 1e-9 * sum(map(abs, counts))
    if abs(estimate - (times @ part.times[places] @ part.atoms["COUNT"].to_numpy()).item()) > rounding:
        raise InputError([Problem("T1, T2", "the totals are not the sums of their cells", RELEASE_FIX)])
    return float(estimate) if rounding else estimate


def _evaluated(
    part: Part,
    places: Int64s,
    by_condition: Sequence[Pair],
    estimates: Sequence[Sequence[float]],
    facts: ReleaseFacts,
    level: Fraction,
) -> tuple[Asked, Intervals, _Noise]:
    """The sum, the ratio and the second ratio, and behind them both ratios of a difference; the noise of the sum."""
    size, times = len(by_condition), part.times[places]
    firsts, seconds = (np.arange(size)[place : place + 1] for place in (3, 4))
    asked = Asked(["count"] + ["ratio"] * (size - 1), [None] * size, firsts, seconds)
    nets = [(one @ times, other @ times) for one, other in by_condition]
    usable = np.ones(size, dtype=np.bool_)
    if facts.reconciled is None:
        sums = sums_of(_terms(nets, part.atoms, facts), size, facts)
        return asked, evaluated(asked, sums, {}, usable, level), _noise(sums, facts, level)
    matched = [part.matched[place] for place in places.tolist()]
    noises = [
        [reconciled_noise(side, matched, net, part.atoms, facts.definition) for side, net in zip(*both, strict=True)]
        for both in zip(by_condition, nets, strict=True)
    ]
    one, other = (_reconciled(side, estimates, noises, facts.definition) for side in (0, 1))
    found = evaluated(asked, ReconciledSums(one, other, facts.definition), {}, usable, level)
    most = [1 if (net <= whole).all() else np.inf for net, whole in nets]  # of a part
    found = Intervals(found.estimates, found.lows.clip(0, most), found.highs.clip(0, most), found.p_values)
    (estimate, _), ((spread, margin, method), _) = estimates[0], noises[0]
    return asked, found, _Noise(spread, margin, method, margin, estimate - margin, estimate + margin, None)


def _noise(sums: Sums, facts: ReleaseFacts, level: Fraction) -> _Noise:
    """The noise of the first sum, of a release.

    There is no margin where a count was published for its size, or counts were cut at 0. Noise that is too wide to
    convolve has no p-value.
    """
    counted = sums.counted(np.zeros(1, dtype=np.int64))
    shape, estimate, terms = counted.shape, counted.one[0].item(), noise_terms(counted.shape)
    is_one = [term.draws for term in terms] == [1]
    spread = None if facts.is_clipped and not is_one else float(variance_of_terms(terms))
    found, margin = margin_of_terms(terms), margin_of_terms(terms, level).moe95
    if shape.is_as_drawn:
        chance = _number(p_values(shape, counted.one)[0])
        return _Noise(spread, found.moe95, found.method, margin, estimate - margin, estimate + margin, chance)
    low, high = (end[0].item() for end in sum_ends(counted, level))
    if is_one and shape.terms[0].above is None:
        return _Noise(spread, found.moe95, found.method, margin, low, high, None)
    return _Noise(spread, None, "no margin", None, low, high, None)


def _terms(nets: Sequence[Pair], atoms: pa.Table, facts: ReleaseFacts) -> pa.Table:
    """The terms of statistics: see `sums_of`. nets: how often each atom is in either sum.

    Raises: InputError where an atom is of no level of the manifest, or has another variance than its law.
    """
    kinds = ["ladder", "level_name", "is_total_only", "is_total", "VARIANCE", "statistic_number", "one", "other"]
    atoms = atoms.append_column("is_total", compute.equal(atoms["stat_level"], 0))
    parts = []
    for number, (one, other) in enumerate(nets):
        chosen = np.flatnonzero((one != 0) | (other != 0))
        values = {"statistic_number": np.full(chosen.size, number), "one": one[chosen], "other": other[chosen]}
        part = atoms.take(chosen)
        for name, column in values.items():
            part = part.append_column(name, pa.array(column, pa.int64()))
        parts.append(part)
    functions = ["sum", "count", "list"]
    found = pa.concat_tables(parts).group_by(kinds).aggregate([("COUNT", function) for function in functions])
    for kind in found.select(kinds).to_pylist():
        what = (
            f"{kind['level_name']} counts with variance {kind['VARIANCE']:g}, which the manifest does not say of them"
        )
        is_so = isclose(kind["VARIANCE"], variance(level_law(facts, kind)[0]))
        refuse([] if is_so else [Problem("t1, t2", what, RELEASE_FIX)])
    names = {"COUNT_sum": "noisy_count", "COUNT_count": "draws", "COUNT_list": "chosen_counts"}
    return found.rename_columns([names.get(name, name) for name in found.column_names])


def _ratio(found: Intervals, place: int, estimates: Sequence[Sequence[float]]) -> PublishedRatio:
    low = found.lows[place].item()
    return PublishedRatio(_number(found.estimates[place]), low, _number(found.highs[place]), float(estimates[place][1]))


def _difference(found: Intervals, asked: Asked, estimates: Sequence[Sequence[float]]) -> RatioDifference:
    made = differences_of_ratios(asked, found)
    stated = (_number(values[0]) for values in (made.estimates, made.lows, made.highs, made.p_values))
    return RatioDifference(_ratio(found, 2, estimates), *stated)


def _number(value: np.float64) -> float | None:
    """None where it is not known, or without end."""
    return value.item() if np.isfinite(value) else None


# --- reconciled counts ---


def _reconciled(
    side: int,
    estimates: Sequence[Sequence[float]],
    noises: Sequence[Sequence[tuple[float, float, SumMethod]]],
    definition: PrivacyDefinition,
) -> Reconciled:
    """The sums on one side of statistics."""
    variances, moe95s = (np.array([each[side][place] for each in noises], dtype=np.float64) for place in (0, 1))
    found, none = np.array([each[side] for each in estimates], dtype=np.float64), np.full(len(estimates), np.nan)
    return Reconciled(found, deviations_of_rows(variances, moe95s, definition), none, none)


def reconciled_noise(
    signs: Int64s, matched: Sequence[pa.Table], net: Int64s, atoms: pa.Table, definition: PrivacyDefinition
) -> tuple[float, float, SumMethod]:
    """Variance, MOE95 and how it was found, of reconciled counts: of one row as it is published, of several a bound.

    How their errors go together is in no file. Standard deviations add at most (Cauchy and Schwarz): sd(sum of c_i X_i)
    is at most the sum of |c_i| sd(X_i). That holds for every way to write a sum, and the smallest bound is the best:
    over the rows that were chosen, or over atoms, which leave nothing where rows that contain one another cancel.
    Deviations are those that MOE95 was made from: VARIANCE is right on average alone, and no margin rests on it.
    """
    firsts, row_ids, variances, moe95s = (
        np.concatenate([rows[name].to_numpy() for rows in matched])
        for name in ("first_atom", "row_id", "VARIANCE", "MOE95")
    )
    each = np.repeat(signs, [rows.num_rows for rows in matched])
    _, kinds, numbers = np.unique(np.stack([firsts, row_ids]), axis=1, return_index=True, return_inverse=True)
    times = np.bincount(numbers.ravel(), weights=each)
    chosen = np.flatnonzero(times)
    if not net.any():
        return 0.0, 0, "no noise"
    if chosen.size == 1:
        time, place = abs(float(times[chosen[0]])), kinds[chosen[0]]
        return time**2 * float(variances[place]), time * float(moe95s[place]), "as published"
    rows, of_atoms = kinds[chosen], (atoms["VARIANCE"].to_numpy(), atoms["MOE95"].to_numpy())
    by_row = times[chosen].astype(np.float64), deviations_of_rows(variances[rows], moe95s[rows], definition)
    by_atom = net.astype(np.float64), deviations_of_rows(*of_atoms, definition)
    return *bounded_sum((by_row, by_atom), definition), "bound"


def bounded_sum(
    weighted_deviations: tuple[tuple[Floats, Floats], ...], definition: PrivacyDefinition
) -> tuple[float, int]:
    """Variance and MOE95, both at most: persons squared, and persons.

    weighted_deviations: ways to write the sum: coefficients and deviations that margins are made from (persons),
    float64[n] both. The estimates are weighted sums of the same noises as any single one, so the margin is made in the
    same way.
    """
    sums = [float(np.abs(coefficients) @ deviations) for coefficients, deviations in weighted_deviations]
    best = int(np.argmin(sums))
    scale = max(1.0, float(np.abs(weighted_deviations[best][0]).max(initial=0)))
    margin = scale * float(margins(np.array([sums[best] / scale]), definition)[0])
    return sums[best] ** 2, ceil(margin - 1e-9)


# --- rows and their atoms ---


def matched_rows(
    tables: Sequence[LadderTables], facts: ReleaseFacts, texts: Sequence[str], named: NamedGroups | None
) -> tuple[list[Predicate], Part]:
    """The conditions that the texts say, and what all ladders give. Raises: InputError with all their problems."""
    columns = published_columns(facts.parameters)
    with scratch_folder(None) as scratch, ExitStack() as stack:
        connections = [stack.enter_context(reading_connection(one.files, scratch / "spill")) for one in tables]
        conditions = _all_or_problems(predicate(connections[0].cursor(), text, columns) for text in texts)
        by_text = dict(zip(texts, conditions, strict=True))
        parts = [
            _ladder_part(connection, one, facts, by_text, named)
            for connection, one in zip(connections, tables, strict=True)
        ]
    offsets = np.cumsum([0, *(one.atoms.num_rows for one in parts)]).tolist()
    matched = zip(*(_shifted(one.matched, offset) for one, offset in zip(parts, offsets, strict=False)), strict=True)
    return conditions, Part(
        pa.concat_tables([one.atoms for one in parts]),
        tuple(pa.concat_tables(rows) for rows in matched),
        tuple(map(sum, zip(*(one.counts for one in parts), strict=True))),
        np.concatenate([one.times for one in parts], axis=1),
        tuple(
            tuple(name for names in each for name in names)
            for each in zip(*(one.ladders for one in parts), strict=True)
        ),
        any(one.is_mixed for one in parts),
        tuple(together(each) for each in zip(*(one.absent for one in parts), strict=True)),
    )


def _shifted(matched: Sequence[pa.Table], offset: int) -> list[pa.Table]:
    """Rows with numbers of atoms that start at `offset`."""
    for name in ("first_atom", "atom"):
        place = matched[0].column_names.index(name)
        matched = [rows.set_column(place, name, compute.add(rows[name], offset)) for rows in matched]
    return list(matched)


def _ladder_part(
    connection: duckdb.DuckDBPyConnection,
    tables: LadderTables,
    facts: ReleaseFacts,
    conditions: Mapping[str, Predicate],
    named: NamedGroups | None,
) -> Part:
    """What one ladder gives. connection: of its own. conditions: by their texts. named: the groups that there are.

    Raises: InputError with every problem of the conditions on these rows, and where the tables are not whole.
    """
    ladder = tables.ladder
    values = show_ladder(connection, tables, facts.parameters)
    published = connection.view("published_rows")
    problems = [_ask(published, condition, text) for text, condition in conditions.items()]
    refuse([problem for problem in problems if problem is not None])
    rows = create_sums(connection, ladder, values)
    columns = (
        "COUNT, VARIANCE, MOE95, REGION_TYPE, REGION_ID, ITERATION_CODE, stat_level, row_id, level_name, is_total_only"
    )
    atoms = rows.filter("atom is not null").order("atom").project(columns).to_arrow_table()
    matched = _all_or_problems(_matched_rows(rows, condition, text) for text, condition in conditions.items())
    cells = _cells_of_rows(facts.parameters, ladder)
    created(connection, "row_shapes", values)
    own = _of_ladder(named, facts, ladder) or groups_of_release(connection.table("t1"))
    possible = PossibleRows(connection, rows, own, facts.suppressed_types_of(ladder.name), values)
    return Part(
        atoms.append_column("ladder", pa.repeat(ladder.name, atoms.num_rows)),
        tuple(matched),
        tuple(each["COUNT"].to_numpy().sum().item() for each in matched),
        np.array([coefficients(each, cells, atoms.num_rows) for each in matched]),
        tuple((ladder.name,) * bool(each.num_rows) for each in matched),
        any(_is_mixed(each) for each in matched),
        tuple(possible.absent(condition) for condition in conditions.values()),
    )


def _is_mixed(rows: pa.Table) -> bool:
    return any(compute.count_distinct(rows[name]).as_py() > 1 for name in ("ITERATION_CODE", "REGION_TYPE"))


def _of_ladder(named: NamedGroups | None, facts: ReleaseFacts, ladder: Ladder) -> NamedGroups | None:
    """The groups of the region types that a ladder tabulates."""
    if named is None:
        return None
    kinds = pa.array([level.level.region_type for level in ladder.levels], pa.string())
    if len(facts.parameters.ladders) == 1:
        return named
    regions, iterations = (
        table.filter(compute.is_in(table["REGION_TYPE"], value_set=kinds))
        for table in (named.regions, named.iterations)
    )
    return NamedGroups(regions, iterations, named.are_all)


def _ask(published: duckdb.DuckDBPyRelation, condition: Predicate, text: str) -> Problem | None:
    """Add the groups of the rows that a predicate matches to asked_groups; what is wrong with it where it fails."""
    chosen = selection(published, condition, text)
    if isinstance(chosen, Problem):
        return chosen
    try:
        chosen.project("REGION_TYPE, REGION_ID, ITERATION_CODE").distinct().insert_into("asked_groups")
    except duckdb.Error as error:
        return unfit(text, condition, error)
    return None


def _matched_rows(rows: duckdb.DuckDBPyRelation, condition: Predicate, text: str) -> pa.Table | Problem:
    """The rows that a predicate matches; what is wrong with it where it fails on them."""
    chosen = selection(rows, condition, text)
    if isinstance(chosen, Problem):
        return chosen
    columns = "first_atom, atom, stat_level, row_id, COUNT, VARIANCE, MOE95, ITERATION_CODE, REGION_TYPE"
    try:
        return chosen.project(columns).to_arrow_table()
    except duckdb.Error as error:
        return unfit(text, condition, error)


def _cells_of_rows(parameters: Parameters, ladder: Ladder) -> dict[tuple[int, int], tuple[int, ...]]:
    """The atoms of each row, by stat level and row, from the first of the group on; -1: totals that stand apart."""
    rows = rows_of(parameters, ladder)
    cells: dict[tuple[int, int], list[int]] = {(0, -1): [0]}
    for stat_level, size in enumerate(rows.sizes, start=1):
        cells[stat_level, -1] = list(range(size))
    for stat_level, cell, row in (*rows.measured, *rows.sums):
        cells.setdefault((stat_level, row), []).append(cell)
    return {key: tuple(listed) for key, listed in cells.items()}


def coefficients(rows: pa.Table, cells: Mapping[tuple[int, int], Sequence[int]], size: int) -> Int64s:
    """How often each of `size` atoms is in the rows: int64[size]. cells: of each row, by stat level and row."""
    found = np.zeros(size, dtype=np.int64)
    firsts, stat_levels, row_ids = (
        rows[name].to_numpy().astype(np.int64) for name in ("first_atom", "stat_level", "row_id")
    )
    order = np.lexsort((row_ids, stat_levels))
    kinds = np.stack([stat_levels[order], row_ids[order]])
    starts = np.flatnonzero(np.any(np.diff(kinds, axis=1), axis=0)) + 1
    for places in np.split(order, starts) if order.size else ():
        for cell in cells.get((int(stat_levels[places[0]]), int(row_ids[places[0]])), ()):
            np.add.at(found, firsts[places] + cell, 1)
    return found


def _unfit_conditions(wanted: Wanted) -> Iterator[Problem]:
    if not (wanted["sum"] or wanted["minus"]):
        yield Problem("sum", "nothing is added up", "give at least one condition")
    if wanted["minus"] and wanted["of"]:
        yield Problem("ratio", "rows are subtracted from the sum that is to be divided", "give ratios of added rows")
    ends = [use for use in ("of", "second", "second of") if wanted[use]]
    if ends not in ([], ["of"], ["of", "second", "second of"]):
        what = "a difference of two ratios has four sums: sum and of, second and second of"
        yield Problem("second ratio", what, "give rows for each")


def _level_problems(level: Fraction, facts: ReleaseFacts) -> list[Problem]:
    """Why there is no margin at this level."""
    if not 0 < level < 1:
        return [Problem("--level", f"{float(level):g} is not between 0 and 1", "say it like 0.9")]
    if facts.reconciled is not None and level != LEVEL:
        what = "reconciled counts have margins at 95 % alone"
        return [Problem("--level", what, "name the folder of the release, whose noise is known exactly")]
    return []


def _unmatched(text: str) -> Problem:
    fix = "a suppressed total is no row, and no row is not zero; see which rows there are in the published tables"
    return Problem(shortened(text), "matches no published row", fix)


def _all_or_problems(found: Iterable[Found | Problem]) -> list[Found]:
    """All that was found. Raises: InputError with every problem among it."""
    everything = list(found)
    refuse([item for item in everything if isinstance(item, Problem)])
    return [item for item in everything if not isinstance(item, Problem)]
