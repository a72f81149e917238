"""The summaries of an evaluation for people to read."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from safetab_sql.accounting.plan import level_name
from safetab_sql.evaluation.evaluate import Evaluation
from safetab_sql.kit.text_tables import aligned
from safetab_sql.published.manifest import parameters_from_json
from safetab_sql.settings.ladders import Ladder
from safetab_sql.settings.parameters import Parameters

_NOTHING = "-"


def evaluation_text(found: Evaluation) -> str:
    """The summaries for people to read."""
    quality = found.tables["quality"]
    parameters = parameters_from_json(found.manifest["parameters"], found.out)
    return "\n\n".join(
        [
            f"Margins of error ({parameters.unit.many}), and their coverage; 99.9 % of honest runs lie in the range",
            _margins(found.tables["by_statistic"]),
            *(text for ladder in parameters.ladders for text in _ladder(found.tables["by_level"], parameters, ladder)),
            "Small counts, which suppression or clipping may have changed, so that their coverage differs",
            _small(found.tables["by_level"]),
            *(["Checks of quality: strange patterns", _quality(quality)] if quality.num_rows else []),
        ]
    )


def _margins(table: pa.Table) -> str:
    head = ("level", "statistic", "counts", "MOE95", "observed", "covered", "expected", "range", "")
    rows = [
        (
            row["population_group_level"],
            row["statistic"],
            f"{row['counts']:,}",
            f"±{row['stated_moe95']:,.0f}",
            f"±{row['observed_moe95']:,}",
            *_covered(row),
        )
        for row in table.to_pylist()
    ]
    return aligned([head, *rows])


def _ladder(table: pa.Table, parameters: Parameters, ladder: Ladder) -> tuple[str, str]:
    """What became of the groups of each level of a ladder."""
    names = {level_name(parameters, ladder, level) for level in ladder.levels}
    rows = [row for row in table.to_pylist() if row["population_group_level"] in names]
    title = "Population groups of each level, all runs together"
    return title, _levels(rows, [statistic.name for statistic in ladder.statistics])


def _levels(levels: Sequence[Mapping[str, Any]], statistics: Sequence[str]) -> str:
    head = (
        *("level", "groups", "suppressed", "total", *statistics, "error/size"),
        *("counts", "covered", "expected", "range", ""),
    )
    rows = [
        (
            row["population_group_level"],
            f"{row['population_groups']:,}",
            _percent(row["share_suppressed"]),
            _percent(row["share_total_only"] + row["share_stat_level_0"]),
            *(_percent(row[f"share_stat_level_{number}"]) for number, _ in enumerate(statistics, start=1)),
            _percent(row["relative_error"]),
            f"{row['counts']:,}",
            *_covered(row),
        )
        for row in levels
    ]
    return aligned([head, *rows])


def _covered(row: Mapping[str, object]) -> tuple[str, ...]:
    """The coverage, the expected coverage, the range of honest runs, and a verdict."""
    if not row["counts"]:
        return (_NOTHING,) * 3 + ("",)
    lower, upper = _percent(row["coverage_lower"]), _percent(row["coverage_upper"])
    verdict = "" if row["is_as_expected"] else "NOT as expected"
    return _percent(row["coverage"]), _percent(row["expected_coverage"]), f"{lower} to {upper}", verdict


def _small(table: pa.Table) -> str:
    head = ("level", "counts", "covered", "expected")
    rows = [
        (
            row["population_group_level"],
            f"{row['small_counts']:,}",
            _percent(row["small_coverage"]),
            _percent(row["small_expected_coverage"]),
        )
        for row in table.to_pylist()
        if row["small_counts"]
    ]
    return aligned([head, *rows]) if rows else "none"


def _quality(table: pa.Table) -> str:
    """The rows of `quality` as text, all runs below one another."""
    head = ("run", "cases", "pattern", "found", "in the truth", "noise, at most", "")
    rows = [
        (
            str(row["run"]),
            f"{row['looked']:,} {row['cases']}",
            row["pattern"],
            f"{row['found']:,}",
            f"{row['found_in_truth']:,}",
            "-" if row["expected"] is None else f"{row['expected']:,.1f}",
            _verdict(row),
        )
        for row in table.to_pylist()
    ]
    return aligned([head, *rows])


def _verdict(row: dict[str, object]) -> str:
    """What a flag says: exact counts that have as many cases as the published ones are where these come from."""
    if not row["is_flagged"]:
        return ""
    found, true = row["found"], row["found_in_truth"]
    is_ours = isinstance(found, int) and isinstance(true, int) and 2 * true < found
    return "MORE than noise explains: " + ("not in the truth, so made by us" if is_ours else "so has the truth")


def _percent(share: object) -> str:
    return f"{share:.2%}" if isinstance(share, float) else _NOTHING
