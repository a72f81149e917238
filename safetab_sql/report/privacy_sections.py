"""The sections on what a release cost, what that means for people, and where it comes from: its inputs and software."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial

from safetab_sql.accounting.conversions import decimal_text, rounded_up
from safetab_sql.accounting.statement import LossStatement, RunStatement, loss_members, person_rule, said_loss
from safetab_sql.kit.figures import INK, PALETTE, SOFT_INK, Figure
from safetab_sql.laws.noise import margin_of_error
from safetab_sql.report import marks
from safetab_sql.report.release import Reported
from safetab_sql.report.sections import Cell, Chart, Rows, Section, Table, Values, chart, section, tips
from safetab_sql.semantics.profiles import run_profile
from safetab_sql.semantics.summary import BudgetRow, Summary, percent, power_at, record_of, sentences, summary
from safetab_sql.settings.budgets import UNITS
from safetab_sql.settings.ladders import COARSER, Cells
from safetab_sql.settings.parameters import Parameters
from safetab_sql.settings.unit import Unit

_PARTS = {"us": "United States", "pr": "Puerto Rico", "sum": "sum of the parts"}
_CHOSEN_BY = {
    "always": "every group gets its table",
    "beside": "another ladder picks groups and tables",
    "published": "thresholds are totals that were published before",
    "stage 1": "thresholds are noisy totals",
}
ANY, GAUSSIAN, NOISE, GUESS = "any mechanism (bound)", "Gaussian noise", "this noise", "blind guess"
_FIXED = "any one record, others known"
_TRUE_GAUSSIAN = "true record, others known, Gaussian"
_TRUE = "true record, right about others"
_HEIGHT = 300
FIGURES = ("privacy-power", "privacy-epsilon-delta", "privacy-beliefs", "privacy-attributes")  # names of the charts
_DASHES = [[1, 0], [6, 3], [2, 3], [1, 5]]
_POWERS: Figure = {"format": ".0e", "tickCount": 7}
_PERCENT: Figure = {"format": "%"}
_SERIES = {ANY: PALETTE[1], NOISE: PALETTE[2], GAUSSIAN: PALETTE[0], GUESS: INK}
_SERIES |= {_TRUE: PALETTE[1], _TRUE_GAUSSIAN: PALETTE[0], _FIXED: PALETTE[3]}
_LEGEND: Figure = {"columns": 2, "labelLimit": 420, "symbolType": "stroke"}


def privacy_section(release: Reported) -> Section:
    """The ledger, level by level, and its conversions to (epsilon, delta)."""
    ledger, levels, unit = release.facts.run.ledger.loss, release.facts.levels, release.unit
    values = {
        **{"unit": unit, "ledger": ledger, "budget": ledger.budget_unit, "many": unit.many},
        "loss": said_loss(release.facts.loss),
        "total": decimal_text(ledger.of_record),
        "has_parts": len({level.part for level in levels}) > 1,
        "quoted": release.facts.quoted,
    }
    tables = (_totals_table(ledger, unit), *_ledger_tables(release, ledger.budget_unit))
    return section("privacy", values, tables=tables, figures=(_budget_chart(release, values),))


def provenance_section(release: Reported) -> Section:
    """The public inputs, the parameters and the software of the release."""
    run = release.facts.run
    inputs = tuple(
        (name.replace("_", " "), file.file, file.sha256) for name, files in run.public_inputs.items() for file in files
    )
    own_texts = _texts(release.facts.parameters)
    parameters = tuple(
        (name.replace("_", " "), own_texts.get(name) or _parameter_text(value))
        for name, value in run.parameters.items()
        if name not in ("levels", "region_types", "attributes", "ladders")
    )
    software = tuple(release.facts.manifest.published.made.software.items())
    tables = (
        Table("Parameters", ("Parameter", "Value"), parameters),
        *_attribute_tables(release),
        Table("Public inputs", ("Input", "File", "SHA-256"), inputs),
        Table("Software", ("Package", "Version"), software),
    )
    return section("provenance", release.values, tables=tables)


def _totals_table(ledger: LossStatement, record: Unit) -> Table:
    """The (epsilon, delta) guarantees of the manifest; a guarantee of one part alone is not said twice."""
    rows: list[tuple[Cell, ...]] = []
    said: list[object] = []
    whole = "one person" if record.person is None else record.protected
    members = loss_members(record, f"one {record.one}, in one part alone", whole)
    of = "" if record.is_person else f", one {record.holder}"
    for name, totals in ledger.approximate_dp.items():
        if totals is None or totals in said:
            continue
        said.append(totals)
        title = members[name] if name in members else f"{_PARTS.get(name, name)}{of}"
        for row in totals:
            found = row.epsilon_not_a_bound if row.epsilon_upper_bound is None else row.epsilon_upper_bound
            epsilon = None if found is None else rounded_up(found)
            rows.append((title, row.rule, epsilon, decimal_text(row.delta).lower(), row.caveat or "upper bound"))
    return Table("Conversions to (epsilon, delta)", ("Part", "Rule", "epsilon", "delta", ""), tuple(rows))


def _ledger_tables(release: Reported, unit: str) -> Iterator[Table]:
    """The ledger, one table for each ladder, with the names of its tables."""
    levels = release.facts.levels
    parts = {
        part: sum((level.budget for level in levels if level.part == part), Fraction(0))
        for part in {level.part for level in levels}
    }
    ladders = (*release.tables, *release.sums)
    for each in ladders:
        of = f" of {each.ladder.name}" if len(ladders) > 1 else ""
        tables = [each.words[statistic.name] for statistic in each.ladder.statistics]
        heads = [] if each.ladder.choose in ("always", "beside") else [f"{name} from" for name in tables]
        rows: list[tuple[Cell, ...]] = [
            (
                level.name,
                level.stability,
                rounded_up(level.budget),
                f"{100 * float(level.budget / parts[level.part]):.1f} %",
                f"±{margin_of_error(level.total_call.law):,}",
                *(level.thresholds or ["never"] * len(heads))[: len(heads)],
            )
            for level in levels
            if level.ladder in (None, each.ladder.name)
        ]
        margin = f"MOE95 of a {each.ladder.counted.lower()}, {each.ladder.called(release.unit).many}"
        head = ("Level", "Stability", f"Budget, {unit}", "Share of its part", margin, *heads)
        yield Table(f"The ledger{of}: {_CHOSEN_BY[each.ladder.choose]}", head, tuple(rows))


def _budget_chart(release: Reported, values: Values) -> Chart:
    rows = [
        {
            **{"level": level.name, "budget": float(level.budget), "shown": rounded_up(level.budget)},
            "moe95": margin_of_error(level.total_call.law),
        }
        for level in release.facts.levels
    ]
    x = marks.amount("budget", f"budget, {values['budget']}", {"tickCount": 5})
    bars = marks.layer(marks.BAR, {"tooltip": tips("budget-by-level", rows, values)})
    return chart("budget-by-level", rows, marks.by_level({"x": x}, bars, marks.texts("shown")), values)


def _parameter_text(value: object) -> str:
    if isinstance(value, Mapping) and "decimal" in value:
        return str(value["decimal"])
    if isinstance(value, Mapping):
        said = {name: _parameter_text(each) for name, each in value.items() if each not in (None, [], "")}
        return "; ".join(f"{name}: {text}" for name, text in said.items())
    if isinstance(value, list):
        return ", ".join(map(_parameter_text, value))
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)


def _texts(parameters: Parameters) -> dict[str, str]:
    """What a page says of those parameters that are more than a number or a list, by their names in a manifest."""
    unit, geography = parameters.unit, parameters.geography
    said = [f"{unit.one}, {unit.many}"]
    said += [f"counted where {_conditions(unit.where)}"] if unit.where else []
    said += [f"one record for each {unit.id}"] if unit.id else []
    said += (
        [f"{unit.person} names the person: {person_rule(unit, parameters.privacy_definition)}"] if unit.person else []
    )
    said += [f"left out without a usable {', '.join(unit.leave_out)}"] if unit.leave_out else []
    return {
        "unit": "; ".join(said),
        "questions": "; ".join(f"{each.name}: {', '.join(each.columns)}" for each in parameters.questions.asked),
        "parts": "; ".join(
            f"{part.name} where {_conditions(part.where)}" if part.where else part.name for part in geography.parts
        ),
    }


def _conditions(where: Mapping[str, Sequence[str]]) -> str:
    return " and ".join(f"{column} is {' or '.join(values)}" for column, values in where.items())


def _attribute_tables(release: Reported) -> Iterator[Table]:
    rows: list[tuple[Cell, ...]] = []
    for each in release.facts.parameters.attributes:
        values = ", ".join(each.values) if each.is_listed else f"{each.minimum} to {each.maximum}"
        rows.append((each.name, each.column, values, ", ".join(each.publish)))
    yield Table("Attributes", ("Attribute", "Column of records", "Values", "Published as"), tuple(rows))
    rows = []
    for ladder in (each.ladder for each in release.tables):
        coarser = "the cells of coarser tables"
        sums = coarser if ladder.subtotals == COARSER else "; ".join(map(_cells, ladder.subtotals))
        rows += [(ladder.name, each.name, _cells(each.cells), sums or "none") for each in ladder.statistics]
    yield Table("Tables, from coarse to fine", ("Ladder", "Table", "Cells", "Sums beside them"), tuple(rows))


def _cells(cells: Cells) -> str:
    return " by ".join(f"{name} ({grouping})" for name, grouping in cells)


# --- what that means for people ---


def semantics_section(ledger: RunStatement, parameters: Parameters, title: str) -> Section:
    """The section of a run: level by level and by attribute. title: of the run, such as its folder."""
    found = summary(run_profile(ledger, parameters, title))
    made = section("privacy-semantics", _values(found), tables=semantics_tables(found), figures=semantics_charts(found))
    return replace(made, paragraphs=(*made.paragraphs, *sentences(found)))


def _values(found: Summary) -> dict[str, object]:
    """What the words of the section and of its charts say."""
    unit = found.profile.unit
    was = "was" if unit.person is None else "were"
    return {"one": unit.holder, "record": record_of(unit), "was": was, "level": percent(found.level)}


def semantics_tables(found: Summary) -> tuple[Table, ...]:
    """The powers, the beliefs, and the budgets of levels and secrets, where there are any. Bounds are rounded up."""
    unit = UNITS[found.profile.definition]
    tests = f"power at {percent(found.level)} of wrong accusations"
    made = [_power_table(found), *([_belief_table(found)] if found.beliefs else [])]
    if found.levels:
        caption = f"Level by level: {unit} of {found.profile.compared}, and {tests}"
        made.append(_budget_table(caption, ("level", unit), found.levels, found.level))
    if found.secrets:
        holder = found.profile.unit
        changed = f"all records of one {holder.holder} changed in these attributes (any may decide what is kept)"
        changed = "one record changed in these attributes alone" if holder.person is None else changed
        caption = f"By attribute: {unit} of {changed}, and {tests}"
        made.append(_budget_table(caption, ("secret", unit), found.secrets, found.level))
    return tuple(made)


def chance_text(chance: float) -> str:
    """A chance with four decimals, below 0.0005 with two digits and an exponent; rounded up."""
    if chance == 0:
        return "0"
    if chance < 5e-4:
        exponent = math.floor(math.log10(chance))
        return f"{math.ceil(chance / 10.0**exponent * 10) / 10:.1f}e{exponent}"
    return f"{min(1.0, math.ceil(chance * 10_000 - 1e-9) / 10_000):.4f}"


def _power_table(found: Summary) -> Table:
    caption = "Power of the best test: the share that is rightly accused, at most"
    noises = [row.noise for row in found.powers]
    if any(noises):
        caption += f"; {NOISE}: what a test attains, to what none exceeds"
    columns: dict[str, Sequence[str | None]] = {
        "wrongly accused": [f"{row.level:g}" for row in found.powers],
        GAUSSIAN: [_digits(row.gaussian) for row in found.powers],
        NOISE: [
            None if noise is None else f"{math.floor(noise.lower * 1e4) / 1e4:.4f} to {chance_text(noise.upper)}"
            for noise in noises
        ],
        ANY: [chance_text(row.bound) for row in found.powers],
    }
    return _without_empty(caption, columns)


def _belief_table(found: Summary) -> Table:
    caption = "Chance that an attacker's belief becomes so many times what it would be without the record, at most"
    times = {"times": [f"{row.ratio:,.0f}" for row in found.beliefs]}
    true = [chance_text(row.true_record) for row in found.beliefs]
    if found.profile.guarantee == "puredp":
        return _without_empty(caption, {**times, "any record, any prior": true})
    gaussian = [None if row.gaussian is None else chance_text(row.gaussian) for row in found.beliefs]
    fixed = [chance_text(row.fixed_record) for row in found.beliefs]
    return _without_empty(caption, {**times, _FIXED: fixed, _TRUE_GAUSSIAN: gaussian, _TRUE: true})


def _budget_table(caption: str, heads: tuple[str, str], budgets: Sequence[BudgetRow], level: float) -> Table:
    powers = [power_at(row.powers, level) for row in budgets]
    columns: dict[str, Sequence[str | None]] = {
        heads[0]: [row.name for row in budgets],
        heads[1]: [rounded_up(row.budget) for row in budgets],
        GAUSSIAN: [_digits(power.gaussian) for power in powers],
        ANY: [chance_text(power.bound) for power in powers],
    }
    return _without_empty(caption, columns)


def _without_empty(caption: str, columns: Mapping[str, Sequence[str | None]]) -> Table:
    """The table without its empty columns; a dash in the place of an empty cell."""
    kept = {head: ["-" if cell is None else cell for cell in cells] for head, cells in columns.items() if any(cells)}
    return Table(caption, tuple(kept), tuple(zip(*kept.values(), strict=True)))


def _digits(chance: float | None) -> str | None:
    return None if chance is None else f"{chance:.4f}"


def semantics_charts(found: Summary) -> tuple[Chart, ...]:
    """The power curve, the (epsilon, delta) curve, the belief curves, and the attributes, where there are any."""
    rows = found.deltas, found.belief_curve, found.secrets
    makers = zip(rows, (_delta_chart, _belief_chart, _secrets_chart), strict=True)
    return (_power_chart(found), *(make(found) for rows, make in makers if rows))


def _power_chart(found: Summary) -> Chart:
    x = marks.amount("level", "wrongly accused (level)", _PERCENT)
    y = marks.amount("chance", "rightly accused (power)", _PERCENT)
    curves = []
    for row in found.curve:
        noise = None if row.noise is None else row.noise.upper
        curves.append((row.level, {ANY: row.bound, NOISE: noise, GAUSSIAN: row.gaussian, GUESS: row.level}))
    return chart("privacy-power", *_lines(x, y, curves), _values(found), _power_table(found))


def _delta_chart(found: Summary) -> Chart:
    x, y = marks.amount("epsilon", "epsilon"), marks.amount("chance", "delta", _POWERS, {"type": "log"})
    chances = (_visible({ANY: row.bound, NOISE: row.noise, GAUSSIAN: row.gaussian}) for row in found.deltas)
    curves = [(row.epsilon, each) for row, each in zip(found.deltas, chances, strict=True)]
    some = found.deltas[:: (len(found.deltas) - 1) // 10]
    members = {"epsilon": "epsilon", GAUSSIAN: "gaussian", NOISE: "noise", ANY: "bound"}
    numbers = {head: [getattr(row, name) for row in some] for head, name in members.items()}
    columns = {head: [None if each is None else rounded_up(each, 3) for each in own] for head, own in numbers.items()}
    table = _without_empty("Deltas, upper bounds but for the Gaussian's", columns)
    return chart("privacy-epsilon-delta", *_lines(x, y, curves), _values(found), table)


def _belief_chart(found: Summary) -> Chart:
    x = marks.amount("epsilon", "epsilon: log of the factor (2.3: 10-fold, 6.9: 1000-fold)")
    y = marks.amount("chance", "chance, at most", _POWERS, {"type": "log"})
    curves = []
    for row in found.belief_curve:
        chances = {_TRUE: row.true_record, _TRUE_GAUSSIAN: row.gaussian, _FIXED: row.fixed_record}
        curves.append((math.log(row.ratio), _visible(chances)))
    return chart("privacy-beliefs", *_lines(x, y, curves), _values(found), _belief_table(found))


def _secrets_chart(found: Summary) -> Chart:
    rows: list[dict[str, object]] = []
    for row in found.secrets:
        power = power_at(row.powers, found.level)
        rows += _long("secret", row.name, {ANY: power.bound, GAUSSIAN: power.gaussian})
    encoding = {
        "tooltip": _tooltip("part of a record", "rightly accused (power)"),
        "y": {**marks.LEVELS, "field": "secret", "axis": {"title": None, "labelLimit": 330}},
        "x": marks.amount("chance", "rightly accused (power)", _PERCENT, {"domain": [0, 1]}),
        "color": _colours((ANY, GAUSSIAN), "circle"),
    }
    guess = marks.layer(
        {"type": "rule", "color": SOFT_INK, "strokeDash": [4, 4]}, {"x": {"datum": found.level, "type": "quantitative"}}
    )
    drawn = {"height": marks.STEP, "layer": [marks.layer(marks.dot(80), encoding), guess]}
    return chart("privacy-attributes", rows, drawn, _values(found), semantics_tables(found)[-1])


def _long(key: str, value: str | float, values: Mapping[str, float | None]) -> list[dict[str, object]]:
    """One row for each series with a value; `shown` and `shown_chance` are the texts of its tooltip, rounded up."""
    text = percent if key in ("level", "secret") else partial(rounded_up, digits=4)
    shown = value if isinstance(value, str) else text(value)
    return [
        {key: value, "series": series, "chance": chance, "shown": shown, "shown_chance": text(chance)}
        for series, chance in values.items()
        if chance is not None
    ]


def _visible(chances: Mapping[str, float | None]) -> dict[str, float | None]:
    """None below 1e-8: the logarithmic axis ends there, and numerical slack of 1e-9 would bend the curve."""
    return {name: chance if chance is not None and chance >= 1e-8 else None for name, chance in chances.items()}


def _lines(x: Figure, y: Figure, curves: Sequence[tuple[float, Mapping[str, float | None]]]) -> tuple[Rows, Figure]:
    """One line for each series. curves: a number on the axis of x, and the chance of each series there."""
    series = list(curves[0][1])
    encoding: Figure = {
        **{"x": x, "y": y, "color": _colours(series)},
        "strokeDash": {**_colours(series), "scale": {"domain": series, "range": _DASHES[: len(series)]}},
        "tooltip": _tooltip(x["axis"]["title"], y["axis"]["title"]),
    }
    rows = [row for value, chances in curves for row in _long(x["field"], value, chances)]
    return rows, {"height": _HEIGHT, "mark": {"type": "line"}, "encoding": encoding}


def _tooltip(what: str, chance: str) -> list[Figure]:
    return [marks.tip("series", "curve"), marks.tip("shown", what), marks.tip("shown_chance", chance)]


def _colours(series: Sequence[str], symbol: str = "stroke") -> Figure:
    scale = {"domain": list(series), "range": [_SERIES[name] for name in series]}
    legend = {**_LEGEND, "symbolType": symbol}
    return {"field": "series", "type": "nominal", "title": None, "scale": scale, "legend": legend}
