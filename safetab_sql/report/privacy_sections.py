"""The sections on what a release cost and where it comes from: its ledger, and its inputs and software."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from safetab_sql.accounting.conversions import rounded_up
from safetab_sql.accounting.loss import loss_members, person_rule, said_loss
from safetab_sql.accounting.statement import LossStatement
from safetab_sql.accounting.written import decimal_text
from safetab_sql.laws.noise import margin_of_error
from safetab_sql.report import marks
from safetab_sql.report.release import Reported
from safetab_sql.report.sections import Cell, Chart, Section, Table, chart, section, tips
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


def privacy_section(release: Reported) -> Section:
    """The ledger, level by level, and its conversions to (epsilon, delta)."""
    ledger, levels, unit = release.facts.run.ledger.loss, release.facts.levels, release.unit
    values = {
        **{"unit": unit, "ledger": ledger, "budget": ledger.budget_unit, "many": unit.many},
        "loss": said_loss(unit, release.facts.loss),
        "total": decimal_text(ledger.of_record),
        "has_parts": len({level.part for level in levels}) > 1,
        "quoted": release.facts.quoted,
    }
    return section(
        "privacy",
        values,
        tables=(_totals_table(ledger, unit), *_ledger_tables(release, ledger.budget_unit)),
        figures=(_budget_chart(release, values),),
    )


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


def _budget_chart(release: Reported, values: Mapping[str, object]) -> Chart:
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
