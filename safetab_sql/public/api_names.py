"""The names that the Census API gives to the tables of the 2020 Detailed DHC-A, and which releases have them.

T01001 holds totals, T02001 to T02003 sex by 4, 9 and 23 age groups. A variable is its table, a number of three digits
and N; its margin of error ends in M. The total comes first, then all men, men by age, all women, women by age.
"""

from collections.abc import Sequence

from safetab_sql.kit.errors import Problem
from safetab_sql.kit.sqlfiles import quoted_name
from safetab_sql.public.parameters import Parameters, census

TOTALS_TABLE = "T01001"
_TABLES = ("T02001", "T02002", "T02003")
_SEXES = 2
_FIX = "use --format parquet"


def api_problems(parameters: Parameters) -> list[Problem]:
    """Why the Census API has no names for tables with these parameters."""
    problems = []
    if not parameters.is_sex_by_age:
        ladders = ", ".join(ladder.name for ladder in parameters.ladders)
        what = f"has names for totals and sex by age, and none for {ladders}"
        problems.append(Problem("--format api", what, _FIX))
    levels = {level.level.region_type for level in parameters.levels}
    own = [kind.name for kind in parameters.region_types if kind.name in levels and kind not in census().region_types]
    if own:
        what = f"has no summary level for the region types {', '.join(own)}"
        problems.append(Problem("--format api", what, f"{_FIX}, or leave out their levels"))
    return problems


def api_values(statistics: Sequence[str], cells: Sequence[int]) -> dict[str, dict[str, object]]:
    """By table, the values of statement t2_api. statistics: age4, age9, age23. cells: how many each has, both sexes."""
    return {
        table: {
            "published_statistic": statistic,
            "api_counts": _variables(table, "N", 1 + _SEXES + size),
            "api_margins": _variables(table, "M", 1 + _SEXES + size),
        }
        for table, statistic, size in zip(_TABLES, statistics, cells, strict=True)
    }


def _variables(table: str, ending: str, number: int) -> list[dict[str, str]]:
    """The variables of a table, each with its place in it."""
    names = [(f"{table}_{place:03}{ending}", place) for place in range(1, 1 + number)]
    return [{"name": name, "quoted": quoted_name(name), "place": str(place)} for name, place in names]
