"""The section on which table each published population group got: of sex by age, or of ladders of one's own."""

from collections.abc import Iterator, Mapping, Sequence

from safetab_sql.kit.figures import figure
from safetab_sql.report.kinds import Kind
from safetab_sql.report.level_bars import groups_by_level, share_bars
from safetab_sql.report.release import Reported
from safetab_sql.report.sections import Section, chart
from safetab_sql.settings.ladders import Ladder
from safetab_sql.settings.parameters import Parameters

Row = dict[str, object]

_DETAILS = (("total, by design", 0.06), ("total", 0.2), ("sex by 4 ages", 0.45), ("sex by 9", 0.7), ("sex by 23", 1.0))
_DETAIL_CAPTION = (
    "Each bar is all published groups of one level. A total by design belongs to iterations that are never tabulated "
    "by sex and age."
)
_DETAIL_OF_CELLS = {0: "total", 8: "sex by 4 ages", 18: "sex by 9", 46: "sex by 23"}


def stage_1_sentence(parameters: Parameters) -> str:
    """What became of the totals that decided how detailed tables are."""
    if parameters.publish_stage_1:
        return "These totals are published too, with estimates that use them: the folder measurements of the release."
    return "That total was drawn for this purpose and is never published."


def detail_section(release: Reported) -> Section:
    """The detail that was selected for each published population group."""
    rows = [
        {"level": kind.level, "statistic": _detail(kind), "order": order, "groups": groups, "share": share}
        for kind, order, groups, share in _details(release)
    ]
    specification = share_bars(rows, "statistic", [name for name, _ in _DETAILS], [opacity for _, opacity in _DETAILS])
    drawn = figure(
        "Detail of the published population groups, by level",
        "Stacked bars, one per population group level: the share of its published groups that have a total alone, "
        "or a table of sex by 4, 9 or 23 age groups.",
        rows,
        specification,
    )
    return Section(
        id="detail",
        title="How detailed the tables are",
        paragraphs=(
            "A noisy total of each group decided how detailed its table is: larger groups get more age groups. "
            f"{stage_1_sentence(release.facts.parameters)} The thresholds are in the ledger below.",
        ),
        figures=(
            chart(
                "detail-by-level",
                drawn,
                _DETAIL_CAPTION,
                {
                    "level": "Population group level",
                    "statistic": "Detail",
                    "groups": "Population groups",
                    "share": "Share of the level",
                },
                percents=("share",),
            ),
        ),
    )


def own_detail_section(release: Reported) -> Section:
    """Which tables of each ladder the published population groups got."""
    names = {
        own.ladder.name: [own.ladder.total_name, *(each.name for each in own.ladder.statistics)]
        for own in release.own_tables
    }
    rows = _own_details(release, names)
    shades = {
        name: 0.12 + 0.88 * place / max(1, len(listed) - 1)
        for listed in names.values()
        for place, name in enumerate(listed)
    }
    drawn = figure(
        "Tables of the published population groups, by level",
        "Stacked bars, one per population group level: the share of its published groups that got each table.",
        rows,
        share_bars(rows, "statistic", list(shades), list(shades.values())),
    )
    columns = {"level": "Population group level", "statistic": "Table", "groups": "Population groups"}
    return Section(
        id="detail",
        title="How detailed the tables are",
        paragraphs=tuple(f"{own.ladder.name}: {_choice(release, own.ladder)}" for own in release.own_tables),
        figures=(
            chart(
                "detail-by-level",
                drawn,
                "Each bar is all published groups of one level: the stronger the colour, the more detailed the table.",
                {**columns, "share": "Share of the level"},
                percents=("share",),
            ),
        ),
    )


def _own_details(release: Reported, names: Mapping[str, Sequence[str]]) -> list[Row]:
    """Every kind of published group. names: of the tables of each ladder, coarse to fine."""
    sizes = groups_by_level(release)
    return [
        {
            "level": kind.level,
            "statistic": kind.statistic,
            "order": names[own.ladder.name].index(kind.statistic),
            "groups": kind.population_groups,
            "share": kind.population_groups / sizes[kind.level],
        }
        for own in release.own_tables
        for kind in own.kinds
    ]


def _choice(release: Reported, ladder: Ladder) -> str:
    """What picked the table of a group."""
    if ladder.choose == "always":
        return "every tabulated group gets the same table, so nothing was spent on a choice."
    if ladder.choose == "published":
        return (
            "totals that were published before decided which table each group got, at no cost in privacy. The "
            "thresholds are in the ledger below."
        )
    return (
        "a noisy total of each group decided how detailed its table is: larger groups get more detail. "
        f"{stage_1_sentence(release.facts.parameters)} The thresholds are in the ledger below."
    )


def _detail(kind: Kind) -> str:
    return "total, by design" if kind.is_total_only else _DETAIL_OF_CELLS[kind.cells]


def _details(release: Reported) -> Iterator[tuple[Kind, int, int, float]]:
    """Every kind of published group: its place among the details, its groups, their share of its level's groups."""
    names = [name for name, _ in _DETAILS]
    sizes = groups_by_level(release)
    for kind in release.kinds:
        order, groups = names.index(_detail(kind)), kind.population_groups
        yield kind, order, groups, groups / sizes[kind.level]
