"""The parts of a report: sections of plain text, tables and charts.

Nothing here is HTML: the page shows every text as it is, whatever characters are in it. A section without data is not
made at all.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from safetab_sql.kit.figures import Figure, figure
from safetab_sql.kit.words import paragraphs, said, words

WORDS = words(Path(__file__).parent / "words.toml")
LABELS: Mapping[str, str] = WORDS["labels"]  # of tables, axes and tooltips

Row = Mapping[str, Any]
Rows = Sequence[Row]
Values = Mapping[str, object]  # what words say
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

    name: of the chart in the page and of its files in `--figures`, such as moe-by-level, unique in a report. figure:
    made by `figures.figure`, with a title that says what is drawn, and a description of what there is to see. It has a
    height, or `{"step": n}`, and no width: it fills the page, and is 560 pixels wide in files. Its colours are from
    PALETTE, so that they change with light and dark. caption: how to read it, and what to notice. table: its data.
    """

    name: str
    figure: Figure
    caption: str
    table: Table


@dataclass(frozen=True, slots=True)
class Section:
    """One section of the report: a heading, paragraphs, charts and tables.

    id: its anchor in the page, such as privacy-semantics. paragraphs: plain text, no HTML. Below them stand the figures
    in their order, then the tables.
    """

    id: str
    title: str
    paragraphs: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    figures: tuple[Chart, ...] = ()


def section(name: str, values: Values, *, tables: Sequence[Table] = (), figures: Sequence[Chart] = ()) -> Section:
    """The section of this name. values: what its sentences say."""
    own = WORDS["sections"][name]
    return Section(name, said(own["title"], values), paragraphs(own["text"], values), tuple(tables), tuple(figures))


def chart(name: str, rows: Rows, specification: Figure, values: Values, table: Table | None = None) -> Chart:
    """The chart of this name. values: what its words say. table: its data; None for the rows that it draws."""
    own = WORDS["charts"][name]
    title, description, caption = (said(own[part], values) for part in ("title", "description", "caption"))
    drawn = figure(title, description, rows, specification)
    return Chart(name, drawn, caption, table_of_rows(name, title, rows, values) if table is None else table)


def table_of_rows(name: str, title: str, rows: Rows, values: Values) -> Table:
    """The rows of a chart of this title as a table, with the heads that its words give it."""
    heads, shares = WORDS["charts"][name]["heads"], WORDS["charts"][name].get("percents", ())
    cells = (tuple(percent_text(row[field]) if field in shares else row[field] for field in heads) for row in rows)
    return Table(title, tuple(said(head, values) for head in heads.values()), tuple(cells))


def tips(name: str, rows: Rows, values: Values) -> list[Figure]:
    """What a tooltip of the chart of this name says of a row: what the table of the chart says."""
    own = WORDS["charts"][name]
    numbers = {field for row in rows for field, value in row.items() if isinstance(value, int | float)}
    formats = {**dict.fromkeys(numbers, ",.3~f"), **dict.fromkeys(own.get("percents", ()), ".2~%")}
    return [
        {"field": field, "title": said(head, values), **({"format": formats[field]} if field in formats else {})}
        for field, head in own["heads"].items()
    ]


def relabelled(made: Section, names: Mapping[str, str]) -> Section:
    """The section with other names in the cells of its tables and the data of its drawings, alone or in lists."""

    def renamed(text: str) -> str:
        return ", ".join(names.get(each, each) for each in text.split(", "))

    def told(table: Table) -> Table:
        return replace(table, rows=exchanged(table.rows, renamed))

    figures = (replace(each, figure=exchanged(each.figure, renamed), table=told(each.table)) for each in made.figures)
    return replace(made, tables=tuple(map(told, made.tables)), figures=tuple(figures))


def exchanged(part: Any, said: Callable[[str], str], kept: str = "") -> Any:
    """Part of a figure or of a table with each text as `said` has it, but for what is called `kept`."""
    if isinstance(part, Mapping):
        return {name: value if name == kept else exchanged(value, said, kept) for name, value in part.items()}
    if isinstance(part, list | tuple):
        return type(part)(exchanged(item, said, kept) for item in part)
    return said(part) if isinstance(part, str) else part


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
