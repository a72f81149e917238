"""The parts of a report: sections of plain text, tables and charts.

Nothing here is HTML: the page shows every text as it is, whatever characters are in it. A section without data is not
made at all.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from safetab_sql.kit.figures import INK, PALETTE, Figure, figure
from safetab_sql.kit.words import paragraphs, said, words

WORDS = words(Path(__file__).parent / "words.toml")
LABELS: Mapping[str, str] = WORDS["labels"]  # of tables, axes and tooltips

# What charts share: axes of levels and of numbers, marks, tooltips, and bars of shares by level.

STEP: Figure = {"step": 26}  # pixels a row, of bars and dots
WIDE_STEP: Figure = {"step": 40, "for": "position"}  # of rows with a dot for each series
LEVELS: Figure = {"field": "level", "type": "nominal", "sort": None, "axis": {"title": None, "ticks": False}}
BAR: Figure = {"type": "bar", "color": PALETTE[0], "height": {"band": 0.72}}
_ROUND_MARGINS = [0, 0.3, 1, 3, 10, 30, 100, 300, 1000, 3000, 10000]  # persons


def amount(field: str, title: str, axis: Figure | None = None, scale: Figure | None = None) -> Figure:
    """A channel of numbers. title: of its axis. axis: what else is said of that."""
    scaled = {} if scale is None else {"scale": scale}
    return {"field": field, "type": "quantitative", **scaled, "axis": {"title": title, **(axis or {})}}


def margins(field: str, title: str) -> Figure:
    """A channel of half-widths of intervals, on a logarithmic axis that has a 0."""
    scale = {"type": "symlog", "zero": False, "nice": False, "padding": 14}
    return amount(field, title, {"values": _ROUND_MARGINS}, scale)


def series(field: str, legend: Figure | None = None) -> Figure:
    """A channel of texts in the order of the rows: what tells one series from another."""
    return {"field": field, "type": "nominal", "sort": None, "legend": {"title": None, **(legend or {})}}


def layer(mark: Figure, encoding: Figure) -> Figure:
    """A layer of a chart: a mark, and what its channels show."""
    return {"mark": mark, "encoding": encoding}


def across(mark: Figure, x: Figure, field: str, to: str | None = None, others: Figure | None = None) -> Figure:
    """A layer whose mark stands at a field on the axis of `x`, or goes from there to another field."""
    end = {} if to is None else {"x2": {"field": to}}
    return layer(mark, {"x": {**x, "field": field}, **end, **(others or {})})


def tick(color: str, thickness: int, size: int) -> Figure:
    """A mark: a short line across an axis."""
    return {"type": "tick", "color": color, "thickness": thickness, "size": size}


def dot(size: int, color: str | None = None) -> Figure:
    """A mark: a filled circle. size: its area, pixels. color: None where a channel has it."""
    return {"type": "point", "filled": True, "size": size, "opacity": 1} | ({} if color is None else {"color": color})


def texts(field: str, shown: str | None = None) -> Figure:
    """A layer of texts beside the ends of bars. shown: the format of numbers."""
    return layer({"type": "text", "align": "left", "dx": 6, "color": INK}, {"text": tip(field, shown=shown)})


def tip(field: str, title: str | None = None, shown: str | None = None) -> Figure:
    """An entry of a tooltip. shown: the format of its number."""
    said = {"title": title, "format": shown}
    return {"field": field} | {name: text for name, text in said.items() if text is not None}


def share_bars(rows: Sequence[Mapping[str, object]], field: str, shades: Mapping[str, float]) -> Figure:
    """Bars of shares that fill up to 100 %, one per level, one hue: the darker, the more; and the number of groups.

    shades: opacity of each value of the field. The legend has the values that have data.
    """
    sizes: dict[object, int] = {}
    for row in rows:
        sizes[row["level"]] = sizes.get(row["level"], 0) + int(str(row["groups"]))
    present = {row[field] for row in rows if row["groups"]}
    drawn = {name: opacity for name, opacity in shades.items() if name in present}
    axis = {"format": ".0%", "tickCount": 5, "grid": False}
    x = amount("share", LABELS["share_of_groups"], axis, {"domain": [0, 1]})
    opacity = {
        "field": field,
        "type": "ordinal",
        "sort": list(drawn),
        "scale": {"type": "ordinal", "domain": list(drawn), "range": list(drawn.values())},
        "legend": {"title": None, "symbolFillColor": PALETTE[0], "symbolStrokeWidth": 0},
    }
    shown = [tip("groups", LABELS["groups"], ","), tip("share", LABELS["share"], ".1%")]
    tooltip = [tip("level", LABELS["of_level"]), tip(field, LABELS["count"]), *shown]
    beside = texts("size") | {
        "data": {"values": [{"level": level, "share": 1, "size": f"{size:,}"} for level, size in sizes.items()]}
    }
    beside["encoding"] |= {"x": {name: x[name] for name in ("field", "type", "scale")}, "y": LEVELS}
    place = {"x": {**x, "stack": "zero"}, "y": LEVELS, "order": {"field": "order"}}
    bars = layer(BAR, {**place, "opacity": opacity, "tooltip": tooltip})
    return {"height": STEP, "layer": [bars, beside]}


Cell = str | int | float | None  # a whole number gets thousands separators, a float four digits, None a dash


@dataclass(frozen=True, slots=True)
class Table:
    """caption: what the table holds, with units. columns: their heads. rows: each as long as `columns`."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """A figure in its place. Make one with `chart`, which takes the table from the rows of the figure.

    name: of the chart in the page and of its files in `--figures`: lower-case words joined by hyphens, such as
    moe-by-level, unique in a report. figure: made by `figures.figure`: the title says what is drawn, the description
    what there is to see, for people who cannot see it. It has a height, or `{"step": n}`, and no width: it fills the
    page, and is 560 pixels wide in files. Its colours are from PALETTE, so that they change with light and dark.
    caption: a sentence or two below the chart: how to read it, what to notice. table: the data of the chart.
    """

    name: str
    figure: Figure
    caption: str
    table: Table


@dataclass(frozen=True, slots=True)
class Section:
    """One section of the report: a heading, paragraphs, charts and tables.

    id: its anchor in the page, lower-case words joined by hyphens: privacy-semantics. title: the heading, a few words.
    paragraphs: plain text, no HTML; one sentence of what this is before what it shows. figures: charts, then tables,
    in their order below the paragraphs.
    """

    id: str
    title: str
    paragraphs: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    figures: tuple[Chart, ...] = ()


def section(
    name: str, values: Mapping[str, object], *, tables: Sequence[Table] = (), figures: Sequence[Chart] = ()
) -> Section:
    """The section of this name. values: what its sentences say."""
    own = WORDS["sections"][name]
    return Section(name, said(own["title"], values), paragraphs(own["text"], values), tuple(tables), tuple(figures))


def chart(
    name: str, rows: Sequence[Mapping[str, object]], specification: Figure, values: Mapping[str, object]
) -> Chart:
    """The chart of this name, with a table of the rows that it draws. values: what its words say."""
    title, description, caption = chart_words(name, values)
    drawn = figure(title, description, rows, specification)
    return Chart(name, drawn, caption, table_of_rows(name, title, rows, values))


def chart_words(name: str, values: Mapping[str, object]) -> tuple[str, str, str]:
    """The title, the description and the caption of the chart of this name."""
    own = WORDS["charts"][name]
    return said(own["title"], values), said(own["description"], values), said(own["caption"], values)


def table_of_rows(name: str, title: str, rows: Sequence[Mapping[str, Any]], values: Mapping[str, object]) -> Table:
    """The rows of a chart of this title as a table, with the heads that its words give it."""
    own = WORDS["charts"][name]
    shares = own.get("percents", ())
    return Table(
        title,
        tuple(said(head, values) for head in own["heads"].values()),
        tuple(
            tuple(percent_text(row[field]) if field in shares else row[field] for field in own["heads"]) for row in rows
        ),
    )


def relabelled(made: Section, names: Mapping[str, str]) -> Section:
    """The section with other names in the cells of its tables and the data of its drawings, alone or in lists."""

    def told(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: told(own) for key, own in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(map(told, value))
        return ", ".join(names.get(each, each) for each in value.split(", ")) if isinstance(value, str) else value

    figures = (replace(each, figure=told(each.figure), table=told_of(each.table, told)) for each in made.figures)
    return replace(made, tables=tuple(told_of(each, told) for each in made.tables), figures=tuple(figures))


def told_of(table: Table, told: Callable[[Any], Any]) -> Table:
    """The table with other cells."""
    return replace(table, rows=told(table.rows))


def shown_amount(value: float, decimals: int) -> str:
    """A published amount in the unit of the file: 1,234.50 for 123,450 hundredths. A reconciled one has a decimal."""
    return f"{value / 10**decimals:,.{decimals or int(value != int(value))}f}"


def percent_text(value: Cell) -> Cell:
    """A share from 0 to 1 in per cent with two decimals: 91.56 %. None stays None.

    A share above 0 is never shown as 0 %, and a share below 1 never as 100 %.
    """
    if value is None:
        return None
    percent = 100 * float(value)
    if 0 < percent < 0.005:
        return f"{percent:.0e} %"
    rounded = round(percent, 2) if percent >= 100 else min(round(percent, 2), 99.99)
    return f"{rounded:.2f}".rstrip("0").rstrip(".") + " %"
