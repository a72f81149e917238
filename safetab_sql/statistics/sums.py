"""Sums and differences of published counts that conditions choose, and how far the noise may have moved them.

A sum over rows is taken apart into independent noisy counts, its atoms (see release/ladder_tables.py): an atom that is
in several rows counts several times, an atom that is added and subtracted cancels. The atoms that are left are
independent, so their variances add. Each ladder of each release has atoms of its own.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from itertools import chain, product
from math import ceil, fsum
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import pyarrow as pa
from pyarrow import compute

from safetab_sql.kit.arrays import Floats
from safetab_sql.kit.database import stacked_table
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.kit.words import paragraphs, printed, words
from safetab_sql.public.values import rows_of
from safetab_sql.published.margins import MarginMethod, margin_of_terms, variance_of_terms
from safetab_sql.release.folder import RELEASE_FIX, ReleaseFacts
from safetab_sql.settings.budgets import PrivacyDefinition
from safetab_sql.settings.ladders import Ladder, attributes_of
from safetab_sql.settings.unit import Unit
from safetab_sql.statistics.evaluator import LEVEL, Asked, Form, Known, Side, evaluated, known_of, level_problems
from safetab_sql.statistics.intervals import Intervals, Reconciled, deviations_of_rows, margins, noise_terms, p_values
from safetab_sql.statistics.matched_rows import AbsentGroups, Matched, matched_rows
from safetab_sql.statistics.names import TOTAL_ROW, NamedReleases, cells_of_rows, with_values
from safetab_sql.statistics.wanted import GROUP, LadderTerms
from safetab_sql.statistics.wanted_statistics import Counts, ShownLadder, counts_of, from_both_stages, shown_ladders

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
class PublishedSum:
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

    def _repr_pretty_(self, printer: Any, _: bool) -> None:
        printer.text(str(self))  # in notebooks

    def __str__(self) -> str:
        """The sum for people to read."""
        return printed(__file__, "published_sum", {"found": self})


Wanted = Mapping[Use, Sequence[str]]  # conditions by what is done with the rows that they match
_Shown = Mapping[tuple[int, str], ShownLadder]  # by release and name


class _Asked(NamedTuple):
    """The rows that a condition matches, in a count of a statistic. times: 1 or -1: subtracted."""

    statistic: int
    is_other: bool
    times: int
    text: str


class _Sum(NamedTuple):
    """A sum in two ways, each with `times`. rows: of `Matched`; atoms: of wanted_cells. estimate: persons."""

    rows: pa.Table
    atoms: pa.Table
    estimate: float


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
    refuse(list(_unfit(wanted, level, releases)))
    used = [(use, text) for use, listed in wanted.items() for text in listed]
    with ExitStack() as stack:
        shown: dict[tuple[int, str], ShownLadder] = {}
        opened = (shown.setdefault(key, stack.enter_context(own)) for key, own in shown_ladders(releases).items())
        found = matched_rows(releases, opened, list(dict.fromkeys(text for _, text in used)))
        units = _units(used, found, shown)
        asked = [_Asked(0, False, -1 if use == "minus" else 1, text) for use, text in used if use != "of"]
        asked += [_Asked(1, use == "of", 1, text) for use, text in used if wanted["of"]]
        size = 1 + bool(wanted["of"])
        alone = [_Asked(size + number, False, 1, text) for number, (_, text) in enumerate(used)]
        rows = _added_rows([*asked, *alone], found)
        counts = counts_of(_terms(rows, found, shown), {at: nullcontext(of) for at, of in shown.items()}, cells="true")
    unit, decimals = units.get("sum") or units["minus"]
    unit_of, decimals_of = units.get("of", (unit, decimals))
    terms = counts["wanted_terms"].to_pylist()
    sums = _sums(asked, rows, found, counts["wanted_cells"], size)
    answer, noise = _evaluated(sums, counts, releases, level)
    ends = answer.lows[-1].item(), _number(answer.highs[-1])
    ratio = PublishedRatio(_number(answer.estimates[-1]), *ends, float(sums[-1][1].estimate))
    drawn = [sum(each["draws"] for each in terms if each["statistic_number"] == one.statistic) for one in alone]
    signs: dict[Use, int] = {"sum": 1, "minus": -1, "of": 0}
    selections = tuple(
        Selection(signs[use], use, text, found[text].rows.num_rows, atoms, found[text].absent)
        for (use, text), atoms in zip(used, drawn, strict=True)
    )
    net = [each for each in terms if each["statistic_number"] == 0]
    of_all = [each for each in terms if each["statistic_number"] == size - 1 and (each["one"] or each["other"])]
    caveats = [release_caveats(of_all, own, list(found.values()), number) for number, own in enumerate(facts)]
    caveats += [condition_caveats(each.condition.name, each.ladders, unit.people) for each in found.values()]
    is_measured = any(each.parameters.publish_stage_1 and not each.reconciled for each in facts)
    caveats.append(paragraphs(_WORDS["of_noise"], {"method": noise.method, "is_measured": is_measured}))
    for one in selections:
        values = {"name": found[one.predicate].condition.name, "absent": one.absent, "people": unit.people}
        caveats.append(paragraphs(_WORDS["absence"], values))
    return PublishedSum(
        answer.estimates[0].item() if noise.method == "both stages" else sums[0][0].estimate,
        **{**noise._asdict(), "p_value": noise.p_value if wanted["minus"] else None, "level": float(level)},
        low=answer.lows[0].item(),
        high=answer.highs[0].item(),
        atoms=sum(each["draws"] for each in net if each["one"]),
        cancelled_atoms=sum(each["draws"] for each in net if not each["one"]),
        selections=selections,
        caveats=tuple(dict.fromkeys(chain.from_iterable(caveats))),
        ratio=ratio if wanted["of"] else None,
        unit=unit,
        unit_of=unit_of,
        decimals=(decimals, decimals_of),
    )


def _units(used: Sequence[tuple[Use, str]], found: Mapping[str, Matched], shown: _Shown) -> dict[Use, tuple[Unit, int]]:
    """What the rows of each use count or add up, and its decimals. found: by condition.

    Raises: InputError where sums of a column meet counts, or sums of another column, but for a ratio.
    """
    firsts: dict[Use, tuple[Unit, Ladder]] = {}
    problems = []
    for use, text in used:
        own = [(shown[each].facts.parameters.unit, shown[each].ladder) for each in found[text].ladders]
        _, first = firsts.setdefault(use, firsts.get("sum", own[0]) if use == "minus" else own[0])
        for ladder in [ladder for _, ladder in own if ladder.sum != first.sum][:1]:
            fix = f"name one table, TABLE = '{first.name}'; a mean is a sum, divided by a count: --sum, --of"
            problems.append(Problem(found[text].condition.name, f"adds {_measured(ladder)} to {_measured(first)}", fix))
    refuse(problems)
    sums = {use: (unit, ladder.sum) for use, (unit, ladder) in firsts.items()}
    named = {
        use: (replace(unit, many=f"units of {own.column}"), own.decimals) for use, (unit, own) in sums.items() if own
    }
    return {use: (unit, 0) for use, (unit, _) in sums.items()} | named


def _measured(ladder: Ladder) -> str:
    return f"{ladder.name}, {'counts' if ladder.sum is None else f'a {ladder.sum.words}'},"


def _terms(rows: pa.Table, found: Mapping[str, Matched], shown: _Shown) -> Iterator[LadderTerms]:
    """The counts of each ladder: one of each row that a condition matches. rows: of `_added_rows`."""
    for at in dict.fromkeys(each for matched in found.values() for each in matched.ladders):
        own = _having(rows, dict(zip(("release", "ladder"), at, strict=True)))
        wanted = *(own[name] for name in ("statistic_number", "is_other", *GROUP)), compute.add(own["row_id"], 1)
        of_group = [TOTAL_ROW] * own.num_rows  # what stage 1 measured is of the group, and not of the row
        terms = stacked_table("asked_terms", [(*wanted, of_group, own["times"], range(own.num_rows))])
        yield LadderTerms(*at, terms, cells_of_rows(shown[at].facts.parameters, shown[at].ladder))


def _added_rows(asked: Iterable[_Asked], found: Mapping[str, Matched]) -> pa.Table:
    """The rows of conditions, each with its statistic and how often it is in it."""
    parts = [
        with_values(found[text].rows, {"statistic_number": number, "is_other": is_other, "times": times})
        for number, is_other, times, text in asked
    ]
    return pa.concat_tables(parts, promote_options="permissive")


def _having(rows: pa.Table, values: Mapping[str, object]) -> pa.Table:
    """The rows with these values."""
    return rows.filter(reduce(compute.and_, (compute.equal(rows[name], value) for name, value in values.items())))


def _sums(
    asked: Sequence[_Asked], rows: pa.Table, found: Mapping[str, Matched], cells: pa.Table, size: int
) -> list[tuple[_Sum, _Sum]]:
    """Both sums of each statistic. cells: `wanted_cells`. Raises: InputError where rows are not the sums of cells."""
    counts = {text: each.rows["COUNT"] for text, each in found.items()}
    added = {text: (fsum if own.type == pa.float64() else sum)(own.to_pylist()) for text, own in counts.items()}
    sums, wrong = [], False
    for number, is_other in product(range(size), (False, True)):
        side = {"statistic_number": number, "is_other": is_other}
        own, atoms = _having(rows, side), _having(cells, side)
        estimate = sum(each.times * added[each.text] for each in asked if each[:2] == (number, is_other))
        rounding = 0 if isinstance(estimate, int) else 1e-9 * sum(map(abs, added.values()))
        wrong |= abs(estimate - (atoms["times"].to_numpy() @ atoms["noisy_count"].to_numpy()).item()) > rounding
        sums.append(_Sum(own, atoms, estimate))
    refuse([Problem("T1, T2", "the totals are not the sums of their cells", RELEASE_FIX)] if wrong else [])
    return list(zip(sums[::2], sums[1::2], strict=True))


def _evaluated(
    sums: Sequence[tuple[_Sum, _Sum]], counts: Counts, releases: NamedReleases, level: Fraction
) -> tuple[Intervals, _Noise]:
    """The sum and the ratio; the noise of the sum. Where a release is reconciled, deviations bound all counts."""
    facts, size, none = releases.given, len(sums), np.zeros(0, dtype=np.int64)
    asked, usable = Asked(["count", "ratio"][:size], [None] * size, none, none), np.ones(size, dtype=np.bool_)
    terms = counts["wanted_terms"].filter(compute.field("statistic_number") < size)
    terms = terms.filter((compute.field("one") != 0) | (compute.field("other") != 0))
    if all(each.reconciled is None for each in facts):
        known = known_of(terms, size, facts)
        if size == 1 and (best := _best_total(sums[0][0], known, counts, facts, level)):
            return best
        return evaluated(asked, known, {}, usable, level), _noise(known, level)
    # Margins of pure DP are the wider ones at 95 %, and there are no others of reconciled counts.
    definition: PrivacyDefinition = "puredp" if any(each.definition == "puredp" for each in facts) else "zcdp"
    noises = [[reconciled_noise(each.rows, each.atoms, definition) for each in both] for both in sums]
    estimates = np.array([[each.estimate for each in both] for both in sums], dtype=np.float64).T
    spreads, moe95s = (np.array([[each[n] for each in both] for both in noises], dtype=np.float64).T for n in (0, 1))
    deviations, nothing = deviations_of_rows(spreads, moe95s, definition), np.full(size, np.nan)
    one, other = (Reconciled(*both, nothing, nothing) for both in zip(estimates, deviations, strict=True))
    side, zero = Side(definition), np.zeros(size, dtype=np.int64)
    known = Known([Form(None, side, side)] * size, zero, zero, [()] * size, (one, other))
    answer = evaluated(asked, known, {}, usable, level)
    wider = {*terms.filter(compute.field("one") > compute.field("other"))["statistic_number"].to_pylist()}
    most = [np.inf if number in wider else 1 for number in range(size)]
    answer = Intervals(answer.estimates, answer.lows.clip(0, most), answer.highs.clip(0, most))
    estimate, (spread, margin, method) = sums[0][0].estimate, noises[0][0]
    answer.lows[0], answer.highs[0] = estimate - margin, estimate + margin
    return answer, _Noise(spread, margin, method, margin)


def _best_total(
    wanted: _Sum, known: Known, counts: Counts, facts: Sequence[ReleaseFacts], level: Fraction
) -> tuple[Intervals, _Noise] | None:
    """What `statistics` says of the total of one group, from both stages of noise; None of any other sum."""
    (group, *others) = wanted.rows.group_by(["release", "ladder", *GROUP]).aggregate([]).to_pylist()
    parameters = facts[group["release"]].parameters
    measured = _having(counts["wanted_measurements"], {"statistic_number": 0}).slice(0, 1)
    if others or facts[group["release"]].is_clipped or not measured.num_rows:
        return None
    (ladder,) = (each for each in parameters.ladders if each.name == group["ladder"])
    size = (1, *rows_of(parameters, ladder).sizes)[wanted.atoms["stat_level"][0].as_py()]
    if [(term.one, term.draws) for term in known.counted(np.zeros(1, dtype=np.int64)).shape.terms] != [(1, size)]:
        return None
    one = np.ones(1, dtype=np.bool_)
    made = [found for at in (LEVEL, level) for _, found in from_both_stages(measured, known, one, facts, at)]
    margins = [ceil(max(each.highs[0] - each.estimates[0], each.estimates[0] - each.lows[0])) for each in made]
    return (made[1], _Noise(None, margins[0], "both stages", margins[1])) if made else None


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


def _number(value: np.float64) -> float | None:
    """None where it is not known, or without end."""
    return value.item() if np.isfinite(value) else None


def reconciled_noise(rows: pa.Table, atoms: pa.Table, definition: PrivacyDefinition) -> tuple[float, float, SumMethod]:
    """Variance, MOE95 and how it was found, of reconciled counts: of one row as it is published, of several a bound.

    rows, atoms: two ways to write the sum, each with `times`: rows of `Matched`, and of wanted_cells. How their errors
    go together is in no file. Standard deviations add at most (Cauchy and Schwarz): sd(sum of c_i X_i) is at most the
    sum of |c_i| sd(X_i). That holds for every way to write a sum, and the smallest bound is the best: over the rows
    that were chosen, or over atoms, which leave nothing where rows that contain one another cancel. Deviations are
    those that MOE95 was made from: VARIANCE is right on average alone, and no margin rests on it.
    """
    by_row = _netted(rows, ["release", "ladder", *GROUP, "row_id"], ("VARIANCE", "MOE95"))
    by_atom = _netted(atoms, ["release", "ladder", "atom"], ("variance", "moe95"))
    if not by_atom[0].size:
        return 0.0, 0, "no noise"
    if by_row[0].size == 1:
        time, spread, margin = (abs(each[0].item()) for each in by_row)
        return time**2 * spread, time * margin, "as published"
    ways = [(abs(times), deviations_of_rows(spread, moe95, definition)) for times, spread, moe95 in (by_row, by_atom)]
    deviation, times = min(((float(times @ own), times) for times, own in ways), key=lambda way: way[0])
    scale = max(1.0, float(times.max(initial=0)))  # as if it were a single row, a weighted sum of the same noises
    margin = scale * float(margins(np.array([deviation / scale]), definition)[0])
    return deviation**2, ceil(margin - 1e-9), "bound"


def _netted(counts: pa.Table, keys: list[str], of_each: Sequence[str]) -> list[Floats]:
    """How often each distinct count is in a sum, where it is, and numbers of it, in the order of their keys."""
    found = counts.group_by([*keys, *of_each]).aggregate([("times", "sum")])
    left = found.filter(compute.not_equal(found["times_sum"], 0)).sort_by([(key, "ascending") for key in keys])
    return [left[name].to_numpy().astype(np.float64) for name in ("times_sum", *of_each)]


def _unfit(wanted: Wanted, level: Fraction, releases: NamedReleases) -> Iterator[Problem]:
    """What cannot be asked for together, and why there is no margin at this level."""
    facts = releases.given
    if len(facts) > len(releases.folders):
        yield Problem(str(facts[0].where), "is named twice", "name each folder once")
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
    of_all: Sequence[Mapping[str, Any]], facts: ReleaseFacts, found: Sequence[Matched], number: int
) -> tuple[str, ...]:
    """Of the counts of a release in a sum or a ratio. of_all: rows of wanted_terms. number: of the release."""
    terms = [each for each in of_all if each["release"] == number]
    most = max((abs(each[side]) for each in terms for side in ("one", "other")), default=0)
    totals = [each for each in terms if each["is_total"]]
    types = [facts.level_called(each["ladder"], each["level_name"]).region_type for each in totals]
    values = {
        "people": facts.parameters.unit.people,
        "most": most,
        "kinds": _kinds_of_rows(facts) if most > 1 else "",
        "is_mixed": any(number in each.mixed for each in found),
        "is_clipped": terms and facts.is_clipped,
        "suppressible": sum(
            each["draws"] for each, name in zip(totals, types, strict=True) if name in facts.suppressed_types()
        ),
        "is_reconciled": facts.reconciled is not None,
        "reads_count": any(each.condition.reads_count for each in found),
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


def condition_caveats(name: str, found: Sequence[tuple[int, str]], people: str) -> tuple[str, ...]:
    """Of a condition that matches rows of several releases, or ladders of one. found: releases from 0, and ladders."""
    by_release: dict[int, list[str]] = {}
    for release, ladder in found:
        by_release.setdefault(release, []).append(ladder)
    releases = [str(release + 1) for release in by_release]
    values = {"name": name, "releases": releases, "by_release": list(by_release.values()), "people": people}
    return paragraphs(_WORDS["of_condition"], values)
