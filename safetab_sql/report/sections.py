"""The parts of a report: sections of plain text, tables and charts.

Nothing here is HTML: the page shows every text as it is, whatever characters are in it. A section without data is not
made at all.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from safetab_sql.kit.figures import Figure

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


def chart(
    name: str,
    figure: Figure,
    caption: str,
    columns: Mapping[str, str] | None = None,
    *,
    percents: Collection[str] = (),
) -> Chart:
    """The chart of `figure`, with a table of the rows it draws.

    columns: the fields of the rows to show and the heads they get, such as {"moe95": "MOE95, persons"}; all, under
    their own names, where it is None. percents: the fields that are shares, and shown in per cent.
    """
    rows = figure["data"]["values"]
    heads = columns or {name: name for row in rows[:1] for name in row}
    table = Table(
        caption=str(figure["title"]),
        columns=tuple(heads.values()),
        rows=tuple(
            tuple(percent_text(row.get(field)) if field in percents else row.get(field) for field in heads)
            for row in rows
        ),
    )
    return Chart(name, figure, caption, table)


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


def listed(names: Sequence[str]) -> str:
    """A, B and C."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
