"""The sections on what a release cost and where it comes from: its ledger, and its inputs and software."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from safetab_sql.accounting.conversions import rounded_up, zcdp_to_approximate_dp
from safetab_sql.accounting.ledger_statement import LossStatement, ReleasedLevel, StatedTotal, budgets_by_level
from safetab_sql.accounting.loss import loss_members, person_rule, quoted_name, quoted_of, said_loss
from safetab_sql.accounting.written import decimal_text
from safetab_sql.kit.figures import PALETTE, figure
from safetab_sql.report.release import Reported
from safetab_sql.report.sections import BAR, LEVELS, STEP, Cell, Chart, Section, Table, amount, chart, layer, texts, tip
from safetab_sql.settings.attributes import Attribute
from safetab_sql.settings.ladders import COARSER, Cells, Ladder
from safetab_sql.settings.parameters import Parameters
from safetab_sql.settings.unit import Unit

_PARTS = {
    "us": "United States",
    "pr": "Puerto Rico",
    "sum": "sum of the parts",
}


def privacy_section(release: Reported) -> Section:
    """The ledger, level by level, and its conversions to (epsilon, delta)."""
    ledger = release.facts.run.ledger.loss
    unit, total = ledger.budget_unit, decimal_text(ledger.of_record)
    record = release.unit
    meaning = (
        "rho, of zero-concentrated differential privacy; the noise is discrete Gaussian, whole numbers on a bell curve"
        if unit == "rho"
        else "epsilon, of pure differential privacy; the noise is two-sided geometric, whole numbers"
    )
    return Section(
        id="privacy",
        title="What it cost in privacy",
        paragraphs=(
            *([] if record.is_person else [said_loss(record, release.facts.loss)]),
            f"The loss is stated in {meaning}. Counting any one {record.holder}, or leaving that {record.holder} out, "
            f"changes the chances of what is published by at most {unit} = {total}. The smaller the loss, the better "
            f"one {record.holder} is hidden. (Compared are {ledger.neighbours}.)",
            "How losses add up: at each level, there is a largest number of population groups that one "
            f"{record.record} can be in; the ledger below calls it the stability. Each group spends the budget of its "
            f"level divided by {_divisor(record, unit)}: on a total alone, or on a noisy total that chooses the detail "
            f"of a table and on that table. {_sum_of_levels(release)}",
            *share_paragraphs(release.facts.levels, unit, record),
            *_quoted_row(ledger, record),
            f"All of this holds where each row of the input is of one {record.holder} alone. Where answers were filled "
            f"in from another {record.holder}, or rows were edited together, {_edited(record, unit)}.",
        ),
        tables=(_totals_table(ledger, record), *_ledger_tables(release, unit)),
        figures=(_budget_chart(release, unit), *_conversion_chart(ledger, record)),
    )


def share_paragraphs(levels: Sequence[ReleasedLevel], unit: str, record: Unit) -> list[str]:
    """What shares by kind of iteration change: one paragraph, or none. unit: of budgets."""
    wholes = list(dict.fromkeys(level.whole for level in levels if level.whole is not None))
    if not wholes:
        return []
    losses = [
        f"{whole.name} {rounded_up(whole.alone)} of {rounded_up(whole.budget)} (with equal shares "
        f"{rounded_up(whole.equal_alone)})"
        for whole in wholes
    ]
    return [
        "At some levels the kinds of iterations share the budget unequally, and the ledger has a line for each kind. "
        f"The stated loss, of the {record.holder} that loses most, is as with equal shares. A {record.holder} in an "
        f"alone iteration loses another part of it, up to these {unit}: {', '.join(losses)}. The lines of the kinds of "
        f"one level do not add up to its budget, because no {record.record} is in the most groups of every kind."
    ]


def _sum_of_levels(release: Reported) -> str:
    if not _has_parts(release):
        return "The budgets of the levels add up."
    return f"The budgets of the levels of each part add up; no {release.unit.record} is in two parts."


def _divisor(record: Unit, unit: str) -> str:
    """What divides the budget of a level into the budgets of groups. unit: of budgets."""
    if record.person is None:
        return "the stability"
    squares = " squares of" if unit == "rho" else ""
    return f"the largest sum of the{squares} changes that all counted records of one {record.holder} make"


def _edited(record: Unit, unit: str) -> str:
    """What rows that were edited together cost. unit: of budgets."""
    if record.person is not None:
        return f"one {record.holder} stands in rows of others too, and loses more"
    times = "k^2" if unit == "rho" else "k"
    return f"one {record.one} stands in several rows; one {record.one} in k rows loses up to {times} times as much"


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
    return Section(
        id="provenance",
        title="Where it comes from",
        paragraphs=(
            f"The release was made on {release.facts.day}.",
            "All of this is from the manifest of the release, which is public. The digests show whether a public file "
            "is the one that the run used.",
        ),
        tables=(
            Table("Parameters", ("Parameter", "Value"), parameters),
            *_attribute_tables(release),
            Table("Public inputs", ("Input", "File", "SHA-256"), inputs),
            Table("Software", ("Package", "Version"), software),
        ),
    )


def epsilon_bound(ledger: LossStatement) -> tuple[float, str] | None:
    """The (epsilon, delta) bound to be quoted, of whom `quoted_name` says; None where the ledger states none."""
    quoted = _quoted(ledger)
    return None if quoted is None else (_epsilon(quoted), decimal_text(quoted.delta))


def _has_parts(release: Reported) -> bool:
    return len({level.part for level in release.facts.levels}) > 1


def _quoted_row(ledger: LossStatement, record: Unit) -> list[str]:
    """Which of several (epsilon, delta) guarantees is to be quoted: one sentence, or none."""
    quoted, bounds = _quoted(ledger), ledger.approximate_dp
    if quoted is None or len(bounds[quoted_name(bounds)] or ()) < 2:
        return []
    of = "" if record.is_person else f", {quoted_of(record, bounds)}"
    return [
        "The conversions of one loss below are by rules of different strength. Quote this one: "
        f"epsilon = {rounded_up(_epsilon(quoted))} at delta = {decimal_text(quoted.delta).lower()} "
        f"({quoted.rule}){of}."
    ]


def _quoted(ledger: LossStatement) -> StatedTotal | None:
    """The strongest of the guarantees to be quoted that the ledger states: without a delta, or of the least epsilon."""
    stated = ledger.approximate_dp.get(quoted_name(ledger.approximate_dp)) or ()
    bounds = [row for row in stated if row.epsilon_upper_bound is not None]
    return min(bounds, key=lambda row: (row.delta != 0, _epsilon(row)), default=None)


def _epsilon(bound: StatedTotal) -> float:
    return bound.epsilon_upper_bound or 0.0


def _totals_table(ledger: LossStatement, record: Unit) -> Table:
    """The (epsilon, delta) guarantees of the manifest; a guarantee of one part alone is not said twice."""
    rows: list[tuple[Cell, ...]] = []
    said: list[object] = []
    whole = "one person" if record.person is None else record.protected
    members = loss_members(record, f"one {record.one}, in one part alone", whole)
    titles = {**_PARTS, **members}
    of = "" if record.is_person else f", one {record.holder}"
    for name, totals in ledger.approximate_dp.items():
        if totals is not None and totals not in said:
            said.append(totals)
            title = titles.get(name) or name
            rows += [_conversion(title if name in members else f"{title}{of}", row) for row in totals]
    return Table("Conversions to (epsilon, delta)", ("Part", "Rule", "epsilon", "delta", ""), tuple(rows))


def _conversion(title: str, row: StatedTotal) -> tuple[Cell, ...]:
    found = row.epsilon_not_a_bound if row.epsilon_upper_bound is None else row.epsilon_upper_bound
    epsilon = None if found is None else rounded_up(found)
    return title, row.rule, epsilon, decimal_text(row.delta).lower(), row.caveat or "upper bound"


def _ledger_tables(release: Reported, unit: str) -> Iterator[Table]:
    """The ledger, one table for each ladder, with the names of its tables."""
    for each in release.tables:
        ladder = each.ladder
        levels = [level for level in release.facts.levels if level.ladder in (None, ladder.name)]
        of = f" of {ladder.name}" if len(release.tables) > 1 else ""
        totals = "totals that were published before" if ladder.choose == "published" else "noisy totals"
        is_fixed = ladder.choose == "always"
        caption = f"The ledger{of}: " + ("every group gets its table" if is_fixed else f"thresholds are {totals}")
        names = [] if is_fixed else [each.words[statistic.name] for statistic in ladder.statistics]
        yield _ledger_table(release, unit, caption, tuple(f"{name} from" for name in names), levels)


def _ledger_table(
    release: Reported, unit: str, caption: str, heads: tuple[str, ...], levels: Sequence[ReleasedLevel]
) -> Table:
    head = (
        "Level",
        "Stability",
        f"Budget, {unit}",
        "Share of its part",
        f"MOE95 of a count, {release.unit.many}",
        *heads,
    )
    parts = _part_budgets(release)
    rows: list[tuple[Cell, ...]] = [
        (
            level.name,
            level.stability,
            _budget(level),
            f"{100 * float(level.budget / parts[level.part]):.1f} %",
            f"±{level.count_moe95:,}",
            *(level.thresholds or ["never"] * len(heads))[: len(heads)],
        )
        for level in levels
    ]
    return Table(caption, head, tuple(rows))


def _part_budgets(release: Reported) -> dict[str, Fraction]:
    return {
        part: sum(
            budgets_by_level([level for level in release.facts.levels if level.part == part]).values(), Fraction(0)
        )
        for part in {level.part for level in release.facts.levels}
    }


def _budget_chart(release: Reported, unit: str) -> Chart:
    rows = [_budget_row(level) for level in release.facts.levels]
    tooltip = [
        tip("level"),
        tip("shown", f"budget, {unit}"),
        tip("moe95", f"MOE95 of a count, {release.unit.many}", ","),
    ]
    place = {"x": amount("budget", f"budget, {unit}", {"tickCount": 5}), "y": LEVELS}
    drawn = figure(
        "Where the privacy loss went: budget by level",
        f"Horizontal bars: the budget of each population group level, in {unit}. They add up to the loss of the run.",
        rows,
        {"height": STEP, "encoding": place, "layer": [layer(BAR, {"tooltip": tooltip}), texts("shown")]},
    )
    columns = {
        "level": "Population group level",
        "shown": f"Budget, {unit}",
        "moe95": f"MOE95 of a count, {release.unit.many}",
    }
    how = "A level's budget buys the precision of all its counts: four times as much halves the margin of error."
    if unit == "epsilon":
        how = "A level's budget buys the precision of all its counts: twice as much halves the margin of error."
    return chart("budget-by-level", drawn, how, columns)


def _budget_row(level: ReleasedLevel) -> dict[str, object]:
    shown = _budget(level)
    return {"level": level.name, "budget": float(level.budget), "shown": shown, "moe95": level.count_moe95}


def _budget(level: ReleasedLevel) -> str:
    """The budget with 6 digits, rounded up."""
    return rounded_up(level.budget)


def _conversion_chart(ledger: LossStatement, record: Unit) -> Iterator[Chart]:
    """Epsilon by delta, of a zCDP loss: one rho is a guarantee for every delta."""
    if ledger.budget_unit != "rho":
        return
    rho = ledger.totals[quoted_name(ledger.totals)] or Fraction(0)
    of = "" if record.is_person else f", {quoted_of(record, ledger.totals)}"
    deltas = [Fraction(digit, 10**power) for power in range(15, 3, -1) for digit in (1, 2, 5)] + [Fraction(1, 1000)]
    rows = [
        {"delta": float(delta), "epsilon": epsilon, "delta_shown": rounded_up(delta), "shown": rounded_up(epsilon)}
        for delta in deltas
        for epsilon in [zcdp_to_approximate_dp(rho, delta)]
    ]
    specification = {
        "height": 220,
        "mark": {"type": "line", "color": PALETTE[0], "strokeWidth": 2.5},
        "encoding": {
            "x": amount("delta", "delta", {"format": ".0e", "tickCount": 6}, {"type": "log"}),
            "y": {"field": "epsilon", "type": "quantitative", "title": "epsilon, upper bound"},
            "tooltip": [tip("delta_shown", "delta"), tip("shown", "epsilon, at most")],
        },
    }
    description = "A line that falls from left to right: the larger delta may be, the smaller the epsilon that holds."
    drawn = figure("One rho, every (epsilon, delta)", description, rows, specification)
    how = f"The conversion of rho = {decimal_text(rho)}{of}, by the best Renyi order, rounded up."
    yield chart("epsilon-by-delta", drawn, how, {"delta_shown": "delta", "shown": "epsilon, upper bound"})


def _parameter_text(value: object) -> str:
    """A parameter for people to read."""
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
        "questions": "; ".join(f"{each.name}: {', '.join(each.columns)}" for each in parameters.questions.all),
        "parts": "; ".join(
            f"{part.name} where {_conditions(part.where)}" if part.where else part.name for part in geography.parts
        ),
    }


def _conditions(where: Mapping[str, Sequence[str]]) -> str:
    return " and ".join(f"{column} is {' or '.join(values)}" for column, values in where.items())


def _attribute_tables(release: Reported) -> Iterator[Table]:
    """The attributes and the tables of a release."""
    attributes = release.facts.parameters.attributes
    yield Table(
        "Attributes",
        ("Attribute", "Column of records", "Values", "Published as"),
        tuple((each.name, each.column, _values(each), ", ".join(each.publish)) for each in attributes),
    )
    yield Table(
        "Tables, from coarse to fine",
        ("Ladder", "Table", "Cells", "Sums beside them"),
        tuple(
            (each.ladder.name, statistic.name, _cells(statistic.cells), _sums(each.ladder))
            for each in release.tables
            for statistic in each.ladder.statistics
        ),
    )


def _values(attribute: Attribute) -> str:
    if attribute.is_listed:
        return ", ".join(attribute.values)
    return f"{attribute.minimum} to {attribute.maximum}"


def _cells(cells: Cells) -> str:
    return " by ".join(f"{name} ({grouping})" for name, grouping in cells)


def _sums(ladder: Ladder) -> str:
    if ladder.subtotals == COARSER:
        return "the cells of coarser tables"
    return "; ".join(_cells(cells) for cells in ladder.subtotals) or "none"
