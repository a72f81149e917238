"""How totals differ from earlier totals, with the noise of both, and a section on it. Source: change.md."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor, log10
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import pyarrow as pa

from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.kit.figures import INK, PALETTE, SOFT_INK
from safetab_sql.kit.words import said
from safetab_sql.release.folder import ReleaseFacts
from safetab_sql.report import marks
from safetab_sql.report.groups import as_shown
from safetab_sql.report.release import Reported, Total, folder_names, opened_tables
from safetab_sql.report.sections import WORDS, Chart, Section, Table, Values, chart, section, tips
from safetab_sql.settings.ladders import Ladder
from safetab_sql.statistics.evaluator import LEVEL, RAREST
from safetab_sql.statistics.names import NamedReleases, opened_releases
from safetab_sql.statistics.wanted_statistics import release_problems, statistics_of

_MOST_DRAWN = 12  # totals of a ladder
_COLUMNS = ("KIND", "RELEASE", "OTHER_RELEASE", "TABLE", "REGION_TYPE", "REGION_ID", "ITERATION_CODE")
_FIX = "name releases of the same kind: of the same records, with the same tables, region types and codes"

_MARKS = {"up": ("triangle-up", PALETTE[0]), "down": ("triangle-down", PALETTE[1]), "none": ("circle", SOFT_INK)}
_LEAST_REACH = 0.05  # of the axis of growth
_NAMES = {"title": None, "labelAngle": 0, "labelOverlap": True, "ticks": False}  # of releases, below panels
_PANEL = {"width": 190, "height": 90}  # pixels, of the series of a group

Kind = tuple[str, str]  # of totals: ladder and region type
_Asked = tuple[str, int, Total]  # kind of statistic, place of its release, and what it is of


class Interval(NamedTuple):
    """An estimate and its 95 % interval. None: no estimate, as of a group without a row; no end of the interval."""

    estimate: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def is_known(self) -> bool:
        """Whether it has an end."""
        return self.low is not None or self.high is not None

    @property
    def direction(self) -> str:
        """Whether it is surely above 0, or below."""
        if self.low is not None and self.low > 0:
            return "up"
        return "down" if self.high is not None and self.high < 0 else "none"


@dataclass(frozen=True, slots=True)
class Changes:
    """Totals in several releases. names: of the releases; the last is reported, and compared with the one before it.

    totals: in each release, of every group with a total in one of these two. differences, growths: of each. drawn: the
    totals that are drawn, by ladder: noise is in the choice. joint: so these are their growths with intervals that hold
    all at once for all totals; none where margins are not known so far out. is_shared: whether the two have the noise
    of one run.
    """

    names: tuple[str, ...]
    totals: Mapping[Total, Sequence[Interval]]
    differences: Mapping[Total, Interval]
    growths: Mapping[Total, Interval]
    drawn: Mapping[str, Sequence[Total]]
    joint: Mapping[Total, Interval]
    is_shared: bool


def change_problems(out: Path, earlier: Sequence[Path]) -> list[Problem]:
    """Why releases cannot be compared with the one in `out`. Raises: InputError where a folder holds none."""
    opened = opened_releases([*earlier, out])
    *others, own = opened.given
    problems = [problem for facts in (*others, own) for problem in release_problems(facts, LEVEL)]
    for facts in others:
        many, counted = (each.parameters.unit.many for each in (facts, own))
        what = f"counts {many}, and {own.where} counts {counted}"
        problems += [Problem(str(facts.where), what, _FIX)] if many != counted else []
        if not _kinds(facts) & _kinds(own):
            ladders = ", ".join(sorted({name for name, _ in _kinds(facts)}))
            what = f"no table and region type of {ladders} is in {own.where} too"
            problems.append(Problem(str(facts.where), what, _FIX))
    return problems


def changes_of(release: Reported, opened: NamedReleases, folders: Sequence[Path]) -> Changes:
    """The changes of the totals of `release`, the last of what is opened in `folders`, since those before it.

    These have no `change_problems`. Raises: InputError where there is no total that could be compared.
    """
    facts, last = opened.given, len(folders) - 1
    shown = {kind for kind in _kinds(facts[-1]) if kind[1] not in release.hidden_types}
    kinds = [shown & _kinds(each) for each in facts]
    published = [_published(*each) for each in zip(folders, facts, kinds, strict=True)]
    then, now = published[-2:]
    if not then.keys() & now.keys():
        raise InputError(
            [Problem(str(folders[-2]), f"no population group has a total here and in {folders[-1]}", _FIX)]
        )
    totals = [total for total in dict.fromkeys([*now, *then]) if total[:2] in kinds[-2]]
    compared: list[_Asked] = [(kind, last, total) for kind in ("difference", "growth") for total in totals]
    absent = [("count", place, total) for total in totals for place, own in enumerate(published) if total not in own]
    asked = [*compared, *(each for each in absent if each[2][:2] in kinds[each[1]])]
    found = _answers(opened, asked)
    series = {
        total: [own.get(total) or found.get(("count", place, total), Interval()) for place, own in enumerate(published)]
        for total in totals
    }
    known = {total: series[total] for total in totals if found["difference", last, total].is_known}
    drawn = {each.ladder.name: _drawn(each.ladder, known) for each in release.tables}
    growths: list[_Asked] = [("growth", last, total) for own in drawn.values() for total in own]
    miss = (1 - LEVEL) / max(1, len(totals))  # Bonferroni's: any total might have been drawn
    is_joint = miss >= RAREST and all(each.reconciled is None for each in facts)
    joint = _answers(opened, growths, 1 - miss) if is_joint else {}
    return Changes(
        names_of(facts, folders),
        series,
        {total: found["difference", last, total] for total in totals},
        {total: found["growth", last, total] for total in totals},
        {name: own for name, own in drawn.items() if own},
        {total: interval for (_, _, total), interval in joint.items()},
        is_shared=opened.places[-1] == opened.places[-2],
    )


def _published(out: Path, facts: ReleaseFacts, kinds: Collection[Kind]) -> dict[Total, Interval]:
    """The totals of some ladders and region types in a release, with their 95 % intervals."""
    found, columns = {}, ("region_type", "region_id", "iteration_code", "noisy_count", "total_low95", "total_high95")
    with opened_tables(out, facts) as tables:
        for ladder in facts.parameters.ladders:
            tables.show(ladder, [name for own, name in kinds if own == ladder.name])
            rows = tables.database.table("reported_tables", columns=columns)
            for *group, count, low, high in zip(*(rows[name].to_pylist() for name in columns), strict=True):
                found[ladder.name, *group] = Interval(count, low, high)
    return found


def _kinds(facts: ReleaseFacts) -> set[Kind]:
    """The ladders and region types of which there are totals."""
    ladders = [ladder.name for ladder in facts.parameters.ladders]
    return {(name, level.region_type) for name in ladders for level in facts.levels_of(name)}


def names_of(facts: Sequence[ReleaseFacts], folders: Sequence[Path]) -> tuple[str, ...]:
    """What each release is called: its title or its day, and its folder where others are called so too."""
    texts = [each.about.title or each.day for each in facts]
    times = Counter(texts)
    named = zip(texts, folder_names(folders), strict=True)
    return tuple(text if times[text] == 1 else f"{text} ({folder})" for text, folder in named)


def _drawn(ladder: Ladder, series: Mapping[Total, Sequence[Interval]]) -> list[Total]:
    """The totals of a ladder that are drawn: the largest in either release, of the first region type before others."""
    first_type = ladder.levels[0].level.region_type

    def order(total: Total) -> tuple[bool, float]:
        return total[1] != first_type, -max(each.estimate or 0 for each in series[total][-2:])

    return sorted((total for total in series if total[0] == ladder.name), key=order)[:_MOST_DRAWN]


def _answers(opened: NamedReleases, asked: Sequence[_Asked], level: Fraction = LEVEL) -> dict[_Asked, Interval]:
    """Counts of totals in the releases at some places, and their changes from the release before to it."""
    rows = [(kind, str(place + 1), None if kind == "count" else str(place), *total) for kind, place, total in asked]
    columns = [pa.array(column, pa.string()) for column in zip(*rows, strict=True)]
    answers = statistics_of(opened, pa.table(columns, names=list(_COLUMNS)), level=level)
    ends = (answers[name].to_pylist() for name in ("ESTIMATE", "LOW", "HIGH"))
    return dict(zip(asked, map(Interval, *ends), strict=True))


# --- the section ---


def change_section(release: Reported, changes: Changes) -> Section:
    """How the largest totals of each ladder changed since the release before, and how many of all totals did."""
    values = {
        **{"changes": changes, "drawn": sum(map(len, changes.drawn.values()))},
        **{"compared": f"{len(changes.differences):,}", "then": changes.names[-2]},
        **{"by_noise": f"{ceil(len(changes.differences) / 20):,}", "now": changes.names[-1], **release.values},
    }
    is_only = len(changes.drawn) == 1
    charts = []
    for ladder in [each.ladder for each in release.tables]:
        labels = _labels(release, changes.drawn.get(ladder.name, ()))
        for make in ((_growths, _series) if len(changes.names) > 2 else (_growths,)) if labels else ():
            drawn = make(changes, labels, {**values, "ladder": "" if is_only else ladder.name})
            charts.append(drawn if is_only else replace(drawn, name=f"{drawn.name}-{ladder.folder}"))
    words = WORDS["charts"]["change"]
    table = Table(said(words["counted"], values), tuple(words["counts"].values()), tuple(_directions(release, changes)))
    return section("change", values, tables=(table,), figures=charts)


def _directions(release: Reported, changes: Changes) -> Iterator[tuple[str | int, ...]]:
    """Of each ladder and region type how many totals went up, down, neither, and stand in one release alone."""
    found: dict[tuple[str, str], Counter[str]] = {}
    for total, difference in changes.differences.items():
        then, now = (each.estimate for each in changes.totals[total][-2:])
        counter = found.setdefault(total[:2], Counter())
        direction = difference.direction if difference.is_known else "unknown"
        counter.update([direction, *["gone"] * (now is None), *["new"] * (then is None)])
    types = release.facts.region_types
    for (ladder, region_type), counter in sorted(found.items(), key=lambda each: types.index(each[0][1])):
        name = f"{ladder}: {region_type}" if len(release.tables) > 1 else region_type
        yield name, *(counter[each] for each in ("up", "down", "none", "unknown", "new", "gone"))


def _labels(release: Reported, totals: Sequence[Total]) -> dict[Total, str]:
    """What each total is of, in words that no other has."""
    names = {total: (release.names.iteration(total[3]), release.names.region(*total[1:3])) for total in totals}
    is_one = len({region for _, region in names.values()}) == 1
    labels = {total: name if is_one else f"{name}, {region}" for total, (name, region) in names.items()}
    times = Counter(labels.values())
    return {total: label if times[label] == 1 else f"{label} · {total[3]}" for total, label in labels.items()}


# --- growth ---


def _growths(changes: Changes, labels: Mapping[Total, str], values: Values) -> Chart:
    """A bar for the interval of the growth of each total, on a line for the interval that holds of all at once."""
    domain = _domain([changes.joint.get(total, changes.growths[total]) for total in labels])
    words = WORDS["charts"]["change"]
    rows = [_growth_row(changes, total, label, domain) for total, label in labels.items()]
    percents = {"labelExpr": "datum.value ? format(datum.value, '+~%') : '0%'", "values": _ticks(*domain)}
    x = marks.amount("low", said(words["axis"], values), percents, {"domain": list(domain), "nice": False})
    others = {"tooltip": tips("change", rows, values)}
    present = {row["direction"] for row in rows}
    named = {words["directions"][name]: mark for name, mark in _MARKS.items() if words["directions"][name] in present}
    shapes, colors = (
        {**marks.series("direction", {"symbolOpacity": 1}), "scale": {"domain": list(named), "range": list(own)}}
        for own in zip(*named.values(), strict=True)
    )
    bar, line = {"type": "bar", "height": 9, "cornerRadius": 2, "opacity": 0.35}, {"type": "rule", "strokeWidth": 1.4}
    arrow = {"type": "text", "color": SOFT_INK, "fontSize": 13}
    drawn = marks.by_level(
        {},
        marks.layer({"type": "rule", "strokeWidth": 1}, {"x": {"datum": 0, "type": "quantitative"}, "y": None}),
        marks.across(line, x, "joint_low", "joint_high", {"color": colors}),
        marks.across(bar, x, "low", "high", {**others, "color": colors}),
        marks.across(marks.dot(90), x, "at", None, {**others, "shape": shapes, "color": colors}),
        *(marks.across({**arrow, "text": text}, x, field) for field, text in (("below", "◂"), ("above", "▸"))),
    )
    return chart("change", rows, drawn, values)


def _growth_row(changes: Changes, total: Total, label: str, domain: tuple[float, float]) -> dict[str, Any]:
    least, most = domain
    growth = changes.growths[total]
    joint = changes.joint.get(total, growth)

    def inside(value: float | None, end: float) -> float:
        return end if value is None else min(max(value, least), most)

    return {
        **{"level": label, **_texts(changes, total)},
        **{"low": inside(growth.low, least), "high": inside(growth.high, most)},
        **{"joint_low": inside(joint.low, least), "joint_high": inside(joint.high, most)},
        "direction": WORDS["charts"]["change"]["directions"][joint.direction],
        "at": None if growth.estimate is None else inside(growth.estimate, most),
        "below": least if joint.low is None or joint.low < least else None,
        "above": most if joint.high is None or joint.high > most else None,
    }


def _domain(growths: Sequence[Interval]) -> tuple[float, float]:
    """The ends of the axis: the ends of all intervals that are not far longer than most."""
    ends = [[each.low for each in growths], [each.high for each in growths]]
    known = [[end for end in own if end is not None] for own in ends]
    sizes = [abs(end) for own in known for end in own]
    reach = max([_LEAST_REACH, 3 * median(sizes or [0]), *(1.2 * abs(each.estimate or 0) for each in growths)])
    is_open = [None in own for own in ends]
    least = -reach if is_open[0] else max(-reach, min([0.0, *known[0]]))
    most = reach if is_open[1] else min(reach, max([0.0, *known[1]]))
    return max(-1.0, least - 0.04 * reach), most + 0.04 * reach


def _ticks(least: float, most: float) -> list[float]:
    """Some round numbers on an axis, at most seven, 0 among them."""
    wanted = (most - least) / 3
    unit = 10.0 ** floor(log10(wanted))
    step = next(size * unit for size in (10, 5, 2, 1) if size * unit <= wanted)
    return [round(step * place, 9) for place in range(ceil(least / step), floor(most / step) + 1)]


# --- series ---


def _series(changes: Changes, labels: Mapping[Total, str], values: Values) -> Chart:
    """A small panel for each total: its count and interval in every release."""
    rows = [
        {"level": label, "release": name, "count": own.estimate, "low": own.low, "high": own.high}
        for total, label in labels.items()
        for name, own in zip(_short(changes.names), changes.totals[total], strict=True)
        if own.low is not None and own.high is not None
    ]
    x = {"field": "release", "type": "nominal", "sort": None, "axis": _NAMES}
    y = marks.amount("low", "", {"tickCount": 3, "format": ",~f"}, {"zero": False})
    tooltip = tips("series", rows, values)
    line = marks.layer({"type": "line", "color": PALETTE[0], "opacity": 0.35}, {"x": x, "y": {**y, "field": "count"}})
    rule = {"type": "rule", "strokeWidth": 2.5, "color": PALETTE[0]}
    spans = marks.layer(rule, {"x": x, "y": y, "y2": {"field": "high"}, "tooltip": tooltip})
    ends = [
        marks.layer({**marks.tick(PALETTE[0], 2, 9), "orient": "horizontal"}, {"x": x, "y": {**y, "field": field}})
        for field in ("low", "high")
    ]
    dots = marks.layer(marks.dot(40, PALETTE[0]), {"x": x, "y": {**y, "field": "count"}, "tooltip": tooltip})
    header = {"title": None, "labelAnchor": "start", "labelColor": INK, "labelFontSize": 11, "labelLimit": 240}
    specification = {
        "facet": {"field": "level", "type": "nominal", "sort": list(labels.values()), "header": header},
        "columns": 2,
        "spec": {**_PANEL, "layer": [line, spans, *ends, dots]},
        "resolve": {"scale": {"y": "independent"}},
    }
    return chart("series", rows, specification, values)


def _short(names: Sequence[str]) -> Sequence[str]:
    """The names without the words with which all begin; numbers, where that leaves little of one, or too much."""
    words = [name.split() for name in names]
    start = next((place for place, each in enumerate(zip(*words, strict=False)) if len(set(each)) > 1), 0)
    rest = [" ".join(each[start:]) for each in words]
    is_usable = all(rest) and max(map(len, rest)) <= 10
    return rest if is_usable else [str(place) for place in range(1, len(names) + 1)]


# --- texts ---


def _texts(changes: Changes, total: Total) -> dict[str, str | None]:
    """The counts, the difference and the growth of a total, with their intervals, in words."""
    then, now = (_count(each) for each in changes.totals[total][-2:])
    difference, growth = changes.differences[total], changes.growths[total]
    difference_ends = (_signed(end) for end in difference[1:])
    low, high = growth.low, growth.high  # to a tenth of a per cent, outwards
    growth_ends = _percent(low and floor(1000 * low) / 1000), _percent(high and ceil(1000 * high) / 1000)
    return {
        **{"then": then, "now": now, "difference": _signed(difference.estimate)},
        "growth": _percent(growth.estimate),
        "difference_span": _span(*difference_ends),
        "growth_span": _span(*growth_ends),
    }


def _count(total: Interval) -> str:
    if total.estimate is not None:
        return f"{as_shown(total.estimate):,}"
    most = None if total.high is None else f"{as_shown(total.high):,}"
    return "–" if most is None else said(WORDS["charts"]["change"]["at_most"], {"most": most})


def _signed(value: float | None) -> str | None:
    return None if value is None else format(as_shown(value), "+," if value else ",")


def _percent(value: float | None) -> str | None:
    if value is None:
        return None
    rounded = round(100 * value, 1) + 0.0  # no 0 below 0
    return f"{format(rounded, '+,.1f' if rounded else ',.1f')}\u00a0%"


def _span(low: str | None, high: str | None) -> str:
    """An interval in words, which may have one end."""
    name = "span" if low and high else "from" if low else "to" if high else "nothing"
    return said(WORDS["charts"]["change"]["spans"][name], {"low": low, "high": high})
