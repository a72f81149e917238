"""Sums and differences of published counts that conditions choose, and how far the noise may have moved them.

A sum over rows is taken apart into independent noisy counts, its atoms (see release/ladder_tables.py): an atom that is
in several rows counts several times, an atom that is added and subtracted cancels. The atoms that are left are
independent, so their variances add. Each ladder of each release has atoms of its own.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from math import ceil, isclose
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import numpy as np
import pyarrow as pa
from pyarrow import compute

from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.words import Readable, paragraphs, printed, words
from safetab_sql.laws.cumulative import variance
from safetab_sql.published.intervals import MarginMethod, margin_of_terms, variance_of_terms
from safetab_sql.release.facts import RELEASE_FIX, ReleaseFacts
from safetab_sql.settings.budgets import PrivacyDefinition
from safetab_sql.settings.ladders import Ladder, attributes_of
from safetab_sql.settings.unit import Unit
from safetab_sql.statistics.evaluator import (
    LEVEL,
    Asked,
    Form,
    Known,
    Side,
    evaluated,
    known_of,
    level_law,
)
from safetab_sql.statistics.intervals import (
    Intervals,
    Reconciled,
    deviations_of_rows,
    margins,
    noise_terms,
    p_values,
)
from safetab_sql.statistics.matched_rows import AbsentGroups, Part, Predicate, matched_rows, one_line
from safetab_sql.statistics.releases import NamedReleases
from safetab_sql.statistics.wanted import GROUP, TABLE
from safetab_sql.statistics.wanted_statistics import BOTH_STAGES, level_problems, statistics_of

_WORDS = words(Path(__file__).parent / "words.toml")  # what the margin of error of a sum does not cover

Use = Literal["sum", "minus", "of"]
USES: tuple[Use, ...] = get_args(Use)
SumMethod = MarginMethod | Literal["as published", "bound", "no margin", "both stages"]


@dataclass(frozen=True, slots=True)
class PublishedRatio:
    """A sum of published counts by another. other: the sum that it is divided by, persons.

    low, high: interval at the level of the sum; numbers, 0.5 for 50 %. high: None where there is no upper end, as the
    other sum may be 0. estimate: None where the other sum is not above 0.
    """

    estimate: float | None
    low: float
    high: float | None
    other: float


@dataclass(frozen=True, slots=True)
class Selection:
    """One predicate of a sum. sign: 1 added, -1 subtracted, 0 neither. rows: published rows it matched.

    use: "sum", "minus"; "of", divided by. atoms: of those rows. absent: the population groups that it asks for and
    that have no row among those.
    """

    sign: int
    use: Use
    predicate: str
    rows: int
    atoms: int
    absent: AbsentGroups


@dataclass(frozen=True, slots=True)
class PublishedSum(Readable):
    """A sum or difference of published counts.

    estimate: persons; whole unless counts are reconciled. variance: of its noise, persons squared. moe95: half-width,
    persons: the smallest m such that the noise is within m with a chance of at least 95 %; method: how it was found; of
    a "bound", variance and moe95 are at most that. atoms: independent noisy counts in it; cancelled_atoms: those that
    were added as often as subtracted. caveats: what the margin does not cover. margin: half-width at `level`, persons.
    low, high: interval of the true sum at `level`, persons, given that the counts were published. p_value: of a
    difference, the chance that noise alone is as far from 0; None where it is not known, or nothing is subtracted.
    Of "both stages", estimate, low and high are those that `statistics` gives a total, and margins hold both ends.
    Where a total in the sum was published for its size, or several counts were cut at 0, there are low and high, and no
    margins; where several were cut at 0, no variance. ratio: of the sum to another one; None where none was asked for.
    unit: what a record is, or what is added up; unit_of: the same of what the ratio divides by. decimals: of amounts.
    """

    estimate: float
    variance: float | None
    moe95: float | None
    method: SumMethod
    atoms: int
    cancelled_atoms: int
    selections: tuple[Selection, ...]
    caveats: tuple[str, ...]
    level: float
    margin: float | None
    low: float
    high: float
    p_value: float | None
    ratio: PublishedRatio | None = None
    unit: Unit = Unit()  # noqa: RUF009  (frozen)
    unit_of: Unit = Unit()  # noqa: RUF009  (frozen)
    decimals: tuple[int, int] = (0, 0)

    @property
    def is_mean(self) -> bool:
        """Whether the ratio is of one thing to another, such as days to stays, and no percentage."""
        return self.ratio is not None and self.unit.many != self.unit_of.many

    def __str__(self) -> str:
        """The sum for people to read."""
        return printed(__file__, "published_sum", {"found": self})


Wanted = Mapping[Use, Sequence[str]]  # conditions by what is done with the rows that they match
Pair = tuple[Int64s, Int64s]  # how often each condition, or each atom, is in either sum of a statistic


class _Noise(NamedTuple):
    """What is known of the noise of a sum: see `PublishedSum`."""

    variance: float | None
    moe95: float | None
    method: SumMethod
    margin: float | None
    p_value: float | None = None


def wanted_rows(*given: str | Sequence[str]) -> Wanted:
    """What is added, subtracted, divided by: conditions, one alone or several, by use."""
    listed = [[each] if isinstance(each, str) else each for each in given]
    return dict(zip(USES, [*listed, *[()] * len(USES)], strict=False))


def published_sum(releases: NamedReleases, wanted: Wanted, level: Fraction = LEVEL) -> PublishedSum:
    """The sum that conditions ask for, of rows of one release or several.

    Raises: InputError with every problem of the conditions, and where one of them matches no row.
    """
    facts = releases.given
    refuse(list(_unfit(wanted, level, facts)))
    used = [(use, text) for use, listed in wanted.items() for text in listed]
    texts = list(dict.fromkeys(text for _, text in used))
    conditions, part = matched_rows(releases, texts)
    ladders = dict(zip(texts, part.ladders, strict=True))
    fix = "a suppressed total is no row, and no row is not zero; see which rows there are in the published tables"
    refuse([Problem(one_line(text), "matches no published row", fix) for text, found in ladders.items() if not found])
    units = _units(used, ladders, facts)
    unit, decimals = units.get("sum") or units["minus"]
    unit_of, decimals_of = units.get("of", (unit, decimals))
    places = np.array([texts.index(text) for _, text in used])
    uses = {use: np.array([each == use for each, _ in used], dtype=np.int64) for use in wanted}
    signs, times = uses["sum"] - uses["minus"], part.times[places]
    net = signs @ times
    chosen = zip(signs.tolist(), used, times, places.tolist(), strict=True)
    selections = tuple(
        Selection(sign, use, text, part.matched[place].num_rows, int(np.count_nonzero(row)), part.absent[place])
        for sign, (use, text), row, place in chosen
    )
    by_condition: list[Pair] = [(signs, 0 * signs), *[(uses["sum"], uses["of"])] * bool(wanted["of"])]
    estimates = [[_estimate(side, part, places) for side in pair] for pair in by_condition]
    found, noise = _evaluated(part, places, by_condition, estimates, releases, level)
    ends = found.lows[-1].item(), _number(found.highs[-1])
    ratio = PublishedRatio(_number(found.estimates[-1]), *ends, float(estimates[-1][1]))
    most = np.maximum(abs(net), uses["of"] @ times)
    caveats = [
        release_caveats(most[own], part.atoms.take(own), each, conditions, is_mixed=number in part.mixed)
        for number, each in enumerate(facts)
        for own in [np.flatnonzero(part.atoms["release"].to_numpy() == number)]
    ]
    caveats += [condition_caveats(text, matched, unit.people) for text, matched in ladders.items()]
    is_measured = any(each.parameters.publish_stage_1 and not each.reconciled for each in facts)
    caveats.append(paragraphs(_WORDS["of_noise"], {"method": noise.method, "is_measured": is_measured}))
    caveats += [absence_caveats(one.predicate, one.absent, unit.people) for one in selections]
    return PublishedSum(
        found.estimates[0].item() if noise.method == "both stages" else estimates[0][0],
        **{**noise._asdict(), "p_value": noise.p_value if wanted["minus"] else None, "level": float(level)},
        low=found.lows[0].item(),
        high=found.highs[0].item(),
        atoms=int(np.count_nonzero(net)),
        cancelled_atoms=int(np.count_nonzero((net == 0) & times[signs != 0].any(axis=0))),
        selections=selections,
        caveats=tuple(dict.fromkeys(chain.from_iterable(caveats))),
        ratio=ratio if wanted["of"] else None,
        unit=unit,
        unit_of=unit_of,
        decimals=(decimals, decimals_of),
    )


def _units(
    used: Sequence[tuple[Use, str]], found: Mapping[str, Sequence[tuple[int, str]]], facts: Sequence[ReleaseFacts]
) -> dict[Use, tuple[Unit, int]]:
    """What the rows of each use count or add up, and its decimals. found: by condition, their releases and ladders.

    Raises: InputError where sums of a column meet counts, or sums of another column, but for a ratio.
    """
    ladders = {
        (release, ladder.name): (own.parameters.unit, ladder)
        for release, own in enumerate(facts)
        for ladder in own.parameters.ladders
    }
    firsts: dict[Use, tuple[Unit, Ladder]] = {}
    problems = []
    for use, text in used:
        own = [ladders[each] for each in found[text]]
        _, first = firsts.setdefault(use, firsts.get("sum", own[0]) if use == "minus" else own[0])
        for ladder in [ladder for _, ladder in own if ladder.sum != first.sum][:1]:
            fix = f"name one table, TABLE = '{first.name}'; a mean is a sum, divided by a count: --sum, --of"
            problems.append(Problem(one_line(text), f"adds {_measured(ladder)} to {_measured(first)}", fix))
    refuse(problems)
    sums = {use: (unit, ladder.sum) for use, (unit, ladder) in firsts.items()}
    named = {
        use: (replace(unit, many=f"units of {own.column}"), own.decimals) for use, (unit, own) in sums.items() if own
    }
    return {use: (unit, 0) for use, (unit, _) in sums.items()} | named


def _measured(ladder: Ladder) -> str:
    return f"{ladder.name}, {'counts' if ladder.sum is None else f'a {ladder.sum.words}'},"


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
    releases: NamedReleases,
    level: Fraction,
) -> tuple[Intervals, _Noise]:
    """The sum and the ratio; the noise of the sum.

    Where a release is reconciled, all counts are bounded by their deviations.
    """
    facts = releases.given
    size, times = len(by_condition), part.times[places]
    none, nothing = np.zeros(0, dtype=np.int64), np.zeros(size, dtype=np.int64)
    nets = [(one @ times, other @ times) for one, other in by_condition]
    asked = Asked(["count"] + ["ratio"] * (size - 1), [None] * size, none, none)
    usable = np.ones(size, dtype=np.bool_)
    if size == 1 and (best := _best_total(nets[0][0], part, releases, level)):
        return best
    if all(each.reconciled is None for each in facts):
        known = known_of(_terms(nets, part.atoms, facts), size, facts)
        return evaluated(asked, known, {}, usable, level), _noise(known, level)
    # Margins of pure DP are the wider ones at 95 %, and there are no others of reconciled counts.
    definition: PrivacyDefinition = "puredp" if any(each.definition == "puredp" for each in facts) else "zcdp"
    matched = [part.matched[place] for place in places.tolist()]
    noises = [
        [reconciled_noise(side, matched, net, part.atoms, definition) for side, net in zip(*both, strict=True)]
        for both in zip(by_condition, nets, strict=True)
    ]
    one, other = (_reconciled(side, estimates, noises, definition) for side in (0, 1))
    form = Form(None, Side(definition), Side(definition))
    known = Known([form] * size, nothing, nothing, [()] * size, (one, other))
    found = evaluated(asked, known, {}, usable, level)
    most = [1 if (net <= whole).all() else np.inf for net, whole in nets]  # of a part
    found = Intervals(found.estimates, found.lows.clip(0, most), found.highs.clip(0, most), found.p_values)
    (estimate, _), ((spread, margin, method), _) = estimates[0], noises[0]
    found.lows[0], found.highs[0] = estimate - margin, estimate + margin
    return found, _Noise(spread, margin, method, margin)


def _best_total(net: Int64s, part: Part, releases: NamedReleases, level: Fraction) -> tuple[Intervals, _Noise] | None:
    """What `statistics` says of the total of one group, from both stages of noise; None of any other sum."""
    keys = ["release", "ladder", *GROUP]  # of all counts of the groups
    (group, *others) = part.atoms.select(keys).group_by(keys).aggregate([]).to_pylist()
    folder = releases.folders[releases.places[group["release"]]]
    is_measured = folder.facts.parameters.publish_stage_1 and not (folder.facts.reconciled or folder.facts.is_clipped)
    if others or set(net.tolist()) != {1} or not is_measured:
        return None
    rows = pa.Table.from_pylist([{"KIND": "count", TABLE: group["ladder"], **{name: group[name] for name in GROUP}}])
    usual, own = (statistics_of(folder.folder, rows, level=each).to_pylist()[0] for each in (LEVEL, level))
    if own["NOTE"] != BOTH_STAGES:
        return None
    margins = [ceil(max(each["HIGH"] - each["ESTIMATE"], each["ESTIMATE"] - each["LOW"])) for each in (usual, own)]
    estimates, lows, highs = (np.array([own[name]]) for name in ("ESTIMATE", "LOW", "HIGH"))
    found = Intervals(estimates, lows, highs, np.full(1, np.nan))
    return found, _Noise(None, margins[0], "both stages", margins[1])


def _noise(known: Known, level: Fraction) -> _Noise:
    """The noise of the first sum, of a release. No margin where a count was published for its size, or cut at 0."""
    counted = known.counted(np.zeros(1, dtype=np.int64))
    shape, terms = counted.shape, noise_terms(counted.shape)
    is_one = [term.draws for term in terms] == [1]
    spread = None if shape.is_clipped and not is_one else float(variance_of_terms(terms))
    if not (shape.is_as_drawn or (is_one and shape.terms[0].above is None)):
        return _Noise(spread, None, "no margin", None)
    found, margin = margin_of_terms(terms), margin_of_terms(terms, level).moe95
    return _Noise(spread, found.moe95, found.method, margin, _number(p_values(shape, counted.one)[0]))


def _terms(nets: Sequence[Pair], atoms: pa.Table, facts: Sequence[ReleaseFacts]) -> pa.Table:
    """The terms of statistics: see `sums_of`. nets: how often each atom is in either sum.

    Raises: InputError where an atom is of no level of the manifest, or has another variance than its law.
    """
    of_kind = ["release", "ladder", "level_name", "is_total_only", "is_total", "VARIANCE"]
    kinds = [*of_kind, "statistic_number", "one", "other"]
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
        is_so = isclose(kind["VARIANCE"], variance(level_law(facts[kind["release"]], kind)[0]))
        refuse([] if is_so else [Problem("t1, t2", what, RELEASE_FIX)])
    names = {"COUNT_sum": "noisy_count", "COUNT_count": "draws", "COUNT_list": "chosen_counts"}
    return found.rename_columns([names.get(name, name) for name in found.column_names])


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
    float64[n] both. Estimates are weighted sums of the same noises as a single one, so the margin is made alike.
    """
    sums = [float(np.abs(coefficients) @ deviations) for coefficients, deviations in weighted_deviations]
    best = int(np.argmin(sums))
    scale = max(1.0, float(np.abs(weighted_deviations[best][0]).max(initial=0)))
    margin = scale * float(margins(np.array([sums[best] / scale]), definition)[0])
    return sums[best] ** 2, ceil(margin - 1e-9)


def _unfit(wanted: Wanted, level: Fraction, facts: Sequence[ReleaseFacts]) -> Iterator[Problem]:
    """What cannot be asked for together, and why there is no margin at this level."""
    if not (wanted["sum"] or wanted["minus"]):
        yield Problem("sum", "nothing is added up", "give at least one condition")
    if wanted["minus"] and wanted["of"]:
        yield Problem("ratio", "rows are subtracted from the sum that is to be divided", "give ratios of added rows")
    if any(each.reconciled is not None for each in facts) and level != LEVEL:
        what = "reconciled counts have margins at 95 % alone"
        yield Problem("--level", what, "name the folder of the release, whose noise is known exactly")
    yield from level_problems(level)


# --- what the margin does not cover, and what a sum is of ---


def release_caveats(
    net: Int64s, atoms: pa.Table, facts: ReleaseFacts, conditions: Sequence[Predicate], *, is_mixed: bool
) -> tuple[str, ...]:
    """Of the atoms of a release. net: how often each is in a sum."""
    chosen, most = np.flatnonzero(net), int(np.abs(net).max(initial=0))
    totals = atoms.take(chosen).filter(compute.equal(atoms["stat_level"].take(chosen), 0))
    suppressed = pa.array(sorted(facts.suppressed_types), pa.string())
    values = {
        "people": facts.parameters.unit.people,
        "most": most,
        "kinds": _kinds_of_rows(facts) if most > 1 else "",
        "is_mixed": is_mixed,
        "is_clipped": chosen.size and facts.is_clipped,
        "suppressible": compute.sum(compute.is_in(totals["REGION_TYPE"], value_set=suppressed)).as_py(),
        "is_reconciled": facts.reconciled is not None,
        "reads_count": any(condition.reads_count for condition in conditions),
    }
    return paragraphs(_WORDS["of_release"], values)


def _kinds_of_rows(facts: ReleaseFacts) -> str:
    """Conditions on the totals of the last ladder, and on the cells of its finest table."""
    parameters = facts.parameters
    ladder, finest = parameters.ladders[-1], parameters.ladders[-1].statistics[-1]
    used = [(each.name, each.publish[0], each.total) for each in attributes_of(ladder, parameters.attributes)]
    of_table = [f"TABLE = '{ladder.name}'", f"STATISTIC = '{finest.name}'"]
    of_finest = {name for name, _ in finest.cells}
    cells = [f"{column} <> '{total}'" for name, column, total in used if name in of_finest]
    totals = [of_table[0], *(f"{column} = '{total}'" for _, column, total in used)]
    condition = f"TABLE = '{ladder.totals}'" if ladder.totals else " and ".join(totals)
    same = all({name for name, _ in each.cells} == of_finest for each in ladder.statistics)
    return f"{condition}, the totals; or {' and '.join([*of_table[: 1 if same else 2], *cells])}, the cells"


def condition_caveats(predicate: str, found: Sequence[tuple[int, str]], people: str) -> tuple[str, ...]:
    """Of a condition that matches rows of several releases, or ladders of one. found: releases from 0, and ladders."""
    by_release: dict[int, list[str]] = {}
    for release, ladder in found:
        by_release.setdefault(release, []).append(ladder)
    releases = [str(release + 1) for release in by_release]
    values = {"releases": releases, "by_release": list(by_release.values()), "people": people}
    return paragraphs(_WORDS["of_condition"], {"name": one_line(predicate), **values})


def absence_caveats(predicate: str, absent: AbsentGroups, people: str) -> tuple[str, ...]:
    """Which population groups that were asked for are not in a sum. people: what is counted."""
    return paragraphs(_WORDS["absence"], {"name": one_line(predicate), "absent": absent, "people": people})
