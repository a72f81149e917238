"""Sums and differences of published counts that conditions choose, and how far the noise may have moved them.

A sum over rows is taken apart into independent noisy counts, its atoms (see release/ladder_tables.py): an atom that is
in several rows counts several times, an atom that is added and subtracted cancels. The atoms that are left are
independent, so their variances add. Each ladder of each release has atoms of its own.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, compress, pairwise
from math import ceil, isclose
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyarrow import compute

from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.text_tables import Readable
from safetab_sql.laws.quantiles import variance
from safetab_sql.public.values import rows_of
from safetab_sql.published.intervals import margin_of_terms, variance_of_terms
from safetab_sql.release.facts import RELEASE_FIX, ReleaseFacts
from safetab_sql.release.folder import open_folder
from safetab_sql.settings.attributes import Attribute
from safetab_sql.settings.budgets import PrivacyDefinition
from safetab_sql.settings.ladders import Ladder, attributes_of
from safetab_sql.settings.markers import exact_decimal
from safetab_sql.settings.parameters import Parameters
from safetab_sql.settings.unit import Unit
from safetab_sql.statistics.absent_groups import NamedGroups
from safetab_sql.statistics.evaluator import (
    LEVEL,
    Asked,
    Definitions,
    Known,
    ReconciledSums,
    Sums,
    bins_of,
    evaluated,
    level_law,
    quantiles_of_bins,
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
from safetab_sql.statistics.matched_rows import Part, matched_rows, same_people
from safetab_sql.statistics.predicates import shortened
from safetab_sql.statistics.published_sum import (
    USES,
    PublishedRatio,
    PublishedSum,
    Selection,
    SumMethod,
    Use,
    absence_caveats,
    bound_caveats,
    condition_caveats,
    release_caveats,
)
from safetab_sql.statistics.releases import NamedReleases
from safetab_sql.statistics.wanted import GROUP, MOST_BINS_SHARE
from safetab_sql.statistics.wanted_statistics import SHARED_NOISE, UNDIVIDED, release_problems

Wanted = Mapping[Use, Sequence[str]]  # conditions by what is done with the rows that they match
Pair = tuple[Int64s, Int64s]  # how often each condition, or each atom, is in either sum of a statistic


class _Noise(NamedTuple):
    """What is known of the noise of a sum: see `PublishedSum`."""

    variance: float | None
    moe95: float | None
    method: SumMethod
    margin: float | None
    low: float
    high: float
    p_value: float | None


def wanted_rows(*given: str | Sequence[str]) -> Wanted:
    """What is added, subtracted, divided by: conditions, one alone or several, by use."""
    listed = [[each] if isinstance(each, str) else each for each in given]
    return dict(zip(USES, [*listed, *[()] * len(USES)], strict=False))


def published_sum(
    releases: NamedReleases, wanted: Wanted, level: Fraction = LEVEL, named: NamedGroups | None = None
) -> PublishedSum:
    """The sum that conditions ask for, of rows of one release or several. named: all groups that there are, if known.

    Raises: InputError with every problem of the conditions, and where one of them matches no row.
    """
    facts = releases.given
    refuse([*_unfit_conditions(wanted), *_level_problems(level, facts)])
    used = [(use, text) for use, listed in wanted.items() for text in listed]
    texts = list(dict.fromkeys(text for _, text in used))
    conditions, part = matched_rows(releases, texts, named)
    ladders = dict(zip(texts, part.ladders, strict=True))
    fix = "a suppressed total is no row, and no row is not zero; see which rows there are in the published tables"
    without = [text for text, found in ladders.items() if not found]
    refuse([Problem(shortened(text), "matches no published row", fix) for text in without])
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
    if _is_of_nobody(net, part, releases):
        net, estimates[0][0] = 0 * net, 0.0
    found, noise = _evaluated(part, places, by_condition, estimates, releases, level)
    most = np.maximum(abs(net), uses["of"] @ times)
    caveats = [
        release_caveats(most[own], part.atoms.take(own), each, conditions, is_mixed=number in part.mixed)
        for number, each in enumerate(facts)
        for own in [np.flatnonzero(part.atoms["release"].to_numpy() == number)]
    ]
    caveats += [condition_caveats(text, matched, unit.people) for text, matched in ladders.items()]
    absences = (absence_caveats(one.predicate, one.absent, unit.people) for one in selections)
    caveats += [bound_caveats(noise.method), *absences]
    return PublishedSum(
        estimates[0][0],
        **{**noise._asdict(), "p_value": noise.p_value if wanted["minus"] else None, "level": float(level)},
        atoms=int(np.count_nonzero(net)),
        cancelled_atoms=int(np.count_nonzero((net == 0) & times[signs != 0].any(axis=0))),
        selections=selections,
        caveats=tuple(dict.fromkeys(chain.from_iterable(caveats))),
        ratio=_ratio(found, 1, estimates) if wanted["of"] else None,
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
            problems.append(Problem(shortened(text), f"adds {_measured(ladder)} to {_measured(first)}", fix))
    refuse(problems)
    sums = {use: (unit, ladder.sum) for use, (unit, ladder) in firsts.items()}
    named = {
        use: (replace(unit, many=f"units of {own.column}"), own.decimals) for use, (unit, own) in sums.items() if own
    }
    return {use: (unit, 0) for use, (unit, _) in sums.items()} | named


def _measured(ladder: Ladder) -> str:
    return f"{ladder.name}, {'counts' if ladder.sum is None else f'a {ladder.sum.words}'},"


def _is_of_nobody(net: Int64s, part: Part, releases: NamedReleases) -> bool:
    """Whether what is added and what is subtracted are the same people of one run, some reconciled and some not."""
    if not net.any() or all(facts.reconciled is None for facts in releases.given):
        return False
    return not np.bincount(same_people(part, [releases.runs[place] for place in releases.places]), weights=net).any()


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
    none = np.zeros(0, dtype=np.int64)
    nets = [(one @ times, other @ times) for one, other in by_condition]
    asked = Asked(["count"] + ["ratio"] * (size - 1), [None] * size, none, none)
    usable = np.ones(size, dtype=np.bool_)
    if all(each.reconciled is None for each in facts):
        sums = sums_of(_terms(nets, part.atoms, facts), size, facts)
        return evaluated(asked, Known(sums), {}, usable, level), _noise(sums, level)
    # Margins of pure DP are the wider ones at 95 %, and there are no others of reconciled counts.
    definition: PrivacyDefinition = "puredp" if any(each.definition == "puredp" for each in facts) else "zcdp"
    matched = [part.matched[place] for place in places.tolist()]
    noises = [
        [reconciled_noise(side, matched, net, part.atoms, definition) for side, net in zip(*both, strict=True)]
        for both in zip(by_condition, nets, strict=True)
    ]
    if _is_of_nobody(nets[0][0], part, releases):
        noises[0][0] = (0.0, 0, "no noise")
    one, other = (_reconciled(side, estimates, noises, definition) for side in (0, 1))
    definitions = dict[int, Definitions].fromkeys(range(size), (definition, definition))
    known = Known(Sums([None] * size, none, none, []), ReconciledSums(one, other), definitions)
    found = evaluated(asked, known, {}, usable, level)
    most = [1 if (net <= whole).all() else np.inf for net, whole in nets]  # of a part
    found = Intervals(found.estimates, found.lows.clip(0, most), found.highs.clip(0, most), found.p_values)
    (estimate, _), ((spread, margin, method), _) = estimates[0], noises[0]
    return found, _Noise(spread, margin, method, margin, estimate - margin, estimate + margin, None)


def _noise(sums: Sums, level: Fraction) -> _Noise:
    """The noise of the first sum, of a release.

    No margin where a count was published for its size, or cut at 0; no p-value where noise is too wide to convolve.
    """
    counted = sums.counted(np.zeros(1, dtype=np.int64))
    shape, estimate, terms = counted.shape, counted.one[0].item(), noise_terms(counted.shape)
    is_one = [term.draws for term in terms] == [1]
    spread = None if shape.is_clipped and not is_one else float(variance_of_terms(terms))
    found, margin = margin_of_terms(terms), margin_of_terms(terms, level).moe95
    if shape.is_as_drawn:
        chance = _number(p_values(shape, counted.one)[0])
        return _Noise(spread, found.moe95, found.method, margin, estimate - margin, estimate + margin, chance)
    low, high = (end[0].item() for end in sum_ends(counted, level))
    if is_one and shape.terms[0].above is None:
        return _Noise(spread, found.moe95, found.method, margin, low, high, None)
    return _Noise(spread, None, "no margin", None, low, high, None)


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


def _ratio(found: Intervals, place: int, estimates: Sequence[Sequence[float]]) -> PublishedRatio:
    low = found.lows[place].item()
    return PublishedRatio(_number(found.estimates[place]), low, _number(found.highs[place]), float(estimates[place][1]))


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


def _unfit_conditions(wanted: Wanted) -> Iterator[Problem]:
    if not (wanted["sum"] or wanted["minus"]):
        yield Problem("sum", "nothing is added up", "give at least one condition")
    if wanted["minus"] and wanted["of"]:
        yield Problem("ratio", "rows are subtracted from the sum that is to be divided", "give ratios of added rows")


def _level_problems(level: Fraction, facts: Sequence[ReleaseFacts]) -> list[Problem]:
    """Why there is no margin at this level."""
    if not 0 < level < 1:
        return [Problem("--level", f"{float(level):g} is not between 0 and 1", "say it like 0.9")]
    if any(each.reconciled is not None for each in facts) and level != LEVEL:
        what = "reconciled counts have margins at 95 % alone"
        return [Problem("--level", what, "name the folder of the release, whose noise is known exactly")]
    return []


# A quantile of the values of people of one population group, such as their median age, with its interval.

_MEDIAN = 0.5
_UNITS = {"AGE": " years"}
_ONE_GROUP = (
    "write a condition that matches cells of one group, such as TABLE = 'T2' and REGION_TYPE = 'USA' and "
    "ITERATION_CODE = '6004'"
)


@dataclass(frozen=True, slots=True)
class PublishedQuantile(Readable):
    """The value, such as an age, below which a share of the people of a group are, or of those in some cells.

    share: 0.5 for the median. group: region type, region id and iteration code. estimate, low, high: values of
    `attribute`, such as years of AGE; the interval is at `level`. None where there is none: `note` says why.
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
    _, part = matched_rows(NamedReleases((folder,), (0,)), [rows])
    found = _attribute(facts.parameters, [name for _, name in part.ladders[0]], attribute)
    atoms = part.atoms.take(part.matched[0]["atom"].drop_null())
    cells = atoms.join(_values(facts.parameters, found), ["ladder", "row_id"], join_type="inner")
    refuse(list(_quantile_problems(cells, rows, found)))
    made, note = _quantile(cells, facts, exact_decimal(str(share)) or Fraction(1, 2), level)
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


def _quantile_problems(cells: pa.Table, text: str, attribute: Attribute) -> Iterator[Problem]:
    group = ["ladder", *GROUP]
    if (groups := cells.select(group).group_by(group).aggregate([]).num_rows) != 1:
        what = f"matches values of {attribute.name} of {'several groups' if groups else 'no group'}"
        yield Problem(shortened(text), what, _ONE_GROUP)
        return
    values: dict[str, list[tuple[int, int]]] = {}
    for others, first, last in zip(*(cells[name].to_pylist() for name in ("others", "first", "last")), strict=True):
        values.setdefault(others, []).append((first, last))
    one, *rest = (sorted(each) for each in values.values())
    if any(each != one for each in rest):
        shown = " and ".join(sorted(values)[:2])
        yield Problem(shortened(text), f"does not match the same values of {attribute.name} of {shown}", _ONE_GROUP)
    if any(start != end + 1 for (_, end), (start, _) in pairwise(one)):
        yield Problem(shortened(text), f"matches values of {attribute.name} with a gap between them", _ONE_GROUP)


def _quantile(cells: pa.Table, facts: ReleaseFacts, share: Fraction, level: Fraction) -> tuple[Intervals, str | None]:
    """The quantile of cells of one group of a release, and what is to be known of it."""
    size, deviations = cells.num_rows, np.zeros(cells.num_rows)
    if facts.reconciled is not None:
        deviations = deviations_of_rows(cells["VARIANCE"].to_numpy(), cells["MOE95"].to_numpy(), facts.definition)
    rows = cells.select(["first", "last", "COUNT"]).rename_columns(["bin_start", "bin_end", "noisy_count"])
    rows = rows.append_column("deviation", pa.array(deviations, pa.float64()))
    bins = bins_of(rows.append_column("statistic_number", pa.array(np.zeros(size, dtype=np.int64))))[0]
    if len(bins.counts) == 1:
        return Intervals(*(np.full(1, np.nan) for _ in range(4))), UNDIVIDED
    if facts.reconciled is not None:
        return quantiles_of_bins([bins], share, facts.definition, level), SHARED_NOISE
    (kind,) = cells.select(["ladder", "level_name", "is_total_only"]).slice(0, 1).to_pylist()
    law, _ = level_law(facts, {**kind, "is_total": False})
    return quantiles_of_bins([bins], share, (law, size), level), None
