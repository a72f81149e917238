"""A quantile of the ages of the people of one population group, such as their median age, with its interval."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import pyarrow as pa

from safetab_sql.jobs.statistic_answers import NO_QUANTILES
from safetab_sql.jobs.statistics import LEVEL, statistics_of
from safetab_sql.jobs.wanted import GROUP
from safetab_sql.kit.database import reading_connection
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.text_tables import Readable
from safetab_sql.public.values import published_columns
from safetab_sql.published.predicates import predicate, selection, shortened, unfit
from safetab_sql.published.release import open_folder, released_table, table_files
from safetab_sql.published.release_facts import ReleaseFacts
from safetab_sql.settings.decimals import exact_decimal

_CELL = ("SEX", "AGESTART", "AGEEND")
_BOTH = {"1", "2"}
_MOST_CELLS = 1_000  # more than any group has
_MEDIAN = 0.5
_FIX = "write a condition on T2 that matches one group, such as REGION_TYPE = 'USA' and ITERATION_CODE = '6004'"

Cell = Mapping[str, Any]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PublishedQuantile(Readable):
    """The age below which a share of the people of a group are; those of one sex or within some ages, if asked for.

    share: 0.5 for the median. group: region type, region id and iteration code. estimate, low, high: years; the
    interval is at `level`. None where there is none, and then `note` says why.
    """

    share: float
    group: tuple[str, str, str]
    estimate: float | None
    low: float | None
    high: float | None
    level: float
    note: str | None

    def __str__(self) -> str:
        """The quantile for people to read."""
        name = "median age" if self.share == _MEDIAN else f"quantile of age at {self.share:g}"
        where = " ".join(self.group)
        if self.estimate is None or self.low is None or self.high is None:
            return f"{name} of {where}: none; {self.note}"
        note = "" if self.note is None else f"; {self.note}"
        return (
            f"{name} of {where}: {self.estimate:.2f} years, {self.low:.2f} to {self.high:.2f} at {self.level:g}{note}"
        )


def quantile_of_release(
    release: str | Path, rows: str, share: float | str = _MEDIAN, *, level: Fraction = LEVEL
) -> PublishedQuantile:
    """The quantile of the ages in the rows of T2 that a condition of `moe` matches; marginal rows may be among them.

    share: of the people who are younger, such as 0.5. Raises: InputError where the rows are not those of one group with
    whole age groups that follow one another, alike of either sex, and as `statistics`.
    """
    wanted = exact_decimal(str(share))
    problem = Problem("share", f"{str(share)[:20]!r} is not between 0 and 1", "say it like 0.5")
    refuse([problem] if wanted is None or not 0 < wanted < 1 else [])
    folder = open_folder(Path(release), or_reconciled=True)
    parameters = folder.facts.parameters
    ladders = ", ".join(ladder.name for ladder in parameters.ladders)
    what = f"has tables of its own ({ladders}); conditions pick ages of T2 alone"
    own = [Problem(str(release), what, "ask `statistics` for it: KIND quantile, with TABLE and ATTRIBUTE")]
    reconciled = [Problem(str(release), NO_QUANTILES, "name the folder of the release that was reconciled")]
    refuse(
        [
            *folder.problems,
            *([] if parameters.is_sex_by_age else own),
            *(reconciled if folder.facts.reconciled is not None else []),
        ]
    )
    asked = _asked(_matched_cells(folder.folder / "t2", rows, folder.facts), rows)
    row = {"KIND": "quantile", **asked, "SHARE": str(share)}
    table = pa.Table.from_pylist([row])
    (found,) = statistics_of(release, table, level=level).to_pylist()
    ends = (found["ESTIMATE"], found["LOW"], found["HIGH"])
    group = (asked["REGION_TYPE"], asked["REGION_ID"], asked["ITERATION_CODE"])
    return PublishedQuantile(float(share), group, *ends, float(level), found["NOTE"])


def _matched_cells(table: Path, text: str, facts: ReleaseFacts) -> list[Cell]:
    """The cells that a condition matches, sums left out. Raises: InputError where it is none, or fails on the rows."""
    released_table(table, (*GROUP, *_CELL))  # refuses what is no such table
    files = table_files(table)
    with reading_connection(files) as connection:
        condition = _usable(predicate(connection.cursor(), text, published_columns(facts.parameters)))
        rows = connection.read_parquet([str(file) for file in files])
        matched = _usable(selection(rows.project("*, 'T2' as \"TABLE\""), condition, text))
        try:
            cells = matched.project(", ".join((*GROUP, *_CELL))).distinct().limit(_MOST_CELLS).to_arrow_table()
        except duckdb.Error as error:
            raise InputError([unfit(text, condition, error)]) from error
    return [row for row in cells.to_pylist() if str(row["AGESTART"]).isdigit()]


def _usable(found: T | Problem) -> T:
    if isinstance(found, Problem):
        raise InputError([found])
    return found


def _asked(cells: list[Cell], text: str) -> dict[str, str]:
    """The group, sex and ages of these cells. Raises: InputError where they are not those of one group in one piece."""
    refuse(list(_problems(cells, text)))
    sexes = {row["SEX"] for row in cells}
    return {
        **{name: cells[0][name] for name in GROUP},
        "SEX": "*" if sexes == _BOTH else sexes.pop(),
        "AGESTART": str(min(int(row["AGESTART"]) for row in cells)),
        "AGEEND": str(max(int(row["AGEEND"]) for row in cells)),
    }


def _problems(cells: list[Cell], text: str) -> Iterator[Problem]:
    groups = {tuple(row[name] for name in GROUP) for row in cells}
    if len(groups) != 1:
        yield Problem(shortened(text), f"matches the ages of {'several groups' if groups else 'no group'}", _FIX)
        return
    ages = {
        sex: sorted((int(row["AGESTART"]), int(row["AGEEND"])) for row in cells if row["SEX"] == sex)
        for sex in {row["SEX"] for row in cells}
    }
    one, *others = ages.values()
    if others and others != [one]:
        yield Problem(shortened(text), "matches other ages of men than of women", _FIX)
    if any(start != end + 1 for (_, end), (start, _) in pairwise(one)):
        yield Problem(shortened(text), "matches ages with a gap between them", _FIX)
