"""Sentences on the medians of groups whose tables have ranges of a number, such as their median age."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from safetab_sql.kit.words import said
from safetab_sql.report.groups import as_shown, words
from safetab_sql.report.release import LadderTables, Reported, Total
from safetab_sql.report.sections import WORDS
from safetab_sql.statistics.wanted_statistics import statistics_of

_MOST_VALUES = 3  # of a list, each with a median of its own

Asked = tuple[Total, str, str, str]  # a group, the number, and the column and the code of its part; empty for all


def medians_in_words(release: Reported, out: Path) -> dict[Total, str]:
    """The median of each group with a table of ranges, and of its two or three values; none of clipped counts."""
    asked = [one for each in release.tables for one in _asked(each)]
    if not asked or release.facts.is_clipped:
        return {}
    rows = [_wanted(*one) for one in asked]
    columns = dict.fromkeys(name for row in rows for name in row)
    table = pa.table({name: pa.array([row.get(name) for row in rows], pa.string()) for name in columns})
    answers = statistics_of(out, table)
    text = WORDS["sentences"]["medians"]
    found: dict[Total, list[dict[str, Any]]] = {}
    names = ("ESTIMATE", "LOW", "HIGH")
    for (total, number, column, code), *ends in zip(asked, *(answers[name].to_pylist() for name in names), strict=True):
        if None not in ends:
            value = release.facts.parameters.meanings.get(column, {}).get(code, code)
            texts = {name.lower(): f"{as_shown(end):,}" for name, end in zip(names, ends, strict=True)}
            found.setdefault(total, []).append({"number": words(number), "value": value, **texts})
    return {total: said(text, {"medians": medians}) for total, medians in found.items()}


def _asked(each: LadderTables) -> Iterator[Asked]:
    """The medians of the groups of a ladder."""
    by_name = {attribute.name: attribute for attribute in each.attributes}
    parts: dict[str, tuple[str, Sequence[tuple[str, str]]]] = {}
    for statistic in each.ladder.statistics:
        numbers = [name for name, _ in statistic.cells if not by_name[name].is_listed]
        lists = [cell for cell in statistic.cells if by_name[cell[0]].is_listed]
        codes = [
            (by_name[name].publish[0], code) for name, how in lists for (code,) in by_name[name].grouping(how).codes
        ]
        is_shown = len(lists) == 1 and len(codes) <= _MOST_VALUES
        if len(numbers) == 1:
            parts[statistic.name] = numbers[0], [("", ""), *(codes if is_shown else ())]
    for group in each.groups:
        number, values = parts.get(group["statistic"], ("", ()))
        total = (each.ladder.name, group["region_type"], group["region_id"], group["iteration_code"])
        yield from ((total, number, *value) for value in values)


def _wanted(total: Total, number: str, column: str, code: str) -> Mapping[str, str]:
    names = ("TABLE", "REGION_TYPE", "REGION_ID", "ITERATION_CODE")
    part = {column: code} if column else {}
    return {"KIND": "quantile", "ATTRIBUTE": number, **dict(zip(names, total, strict=True)), **part}
