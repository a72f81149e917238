"""The statements of sql/tools/quality: what of published tables each looks at, what it finds, and what noise makes."""

import math
from collections.abc import Sequence

import pytest

from tests.sql.quality_tables import county, t1, t2

PAIR, OTHER = ((5, 7), (4, 8)), ((7, 5), (4, 8))  # the men and the women of a county, 24 in all
STATES = ("44 | STATE | 2210 | 50 | 2.0 | 3", "09 | STATE | 2210 | 60 | 2.0 | 3")
IN_PART = (*STATES, STATES[0].replace("2210", "1110"), "1 | USA | 1110 | 9 | 1.0 | 2", "1 | USA | 2210 | 9 | 1.0 | 2")


def of_ages(of_20: int, of_21: int) -> list[str]:
    return [f"44001 | COUNTY | 2210 | {age} | {age} | 1 | {n} | 4.0 | 4" for age, n in ((20, of_20), (21, of_21))]


def above(state: int) -> Sequence[str]:
    """The totals of a county of 24 people and of its state."""
    return "44001 | COUNTY | 2210 | 24 | 4.0 | 4", f"44 | STATE | 2210 | {state} | 1.0 | 2"


def in_all(total: float) -> Sequence[str]:
    return (f"44001 | COUNTY | 2210 | {total} | 16.0 | 8",)


def of_noise(cells: int, variance: int) -> float:
    """How many cells of so many are at one value by chance, of noise of that variance."""
    return cells / math.sqrt(1 + 2 * variance)


WRONG_SUM = [row.replace("| * | * | 1 | 12 |", "| * | * | 1 | 13 |") for row in county(1, *PAIR)]
REPEATED = [*county(1, *PAIR), *reversed(county(3, *PAIR)), *county(5, *OTHER)]
# Statement, published totals and tables; how many it looks at, how many it finds, and how many noise makes.
CASES = [
    *(("quality_ages", (), of_ages(n, 100), 1, n > 110, 0.5) for n in (100, 110, 111)),
    ("quality_ages", (), of_ages(5, 5)[:1], 0, 0, 0),
    *(  # 2 * sqrt(20 * 5) is 20
        ("quality_nation", (f"1 | USA | 2210 | {nation} | 1.0 | 2", *STATES), (), 1, nation in (131, 89), 1 / 400)
        for nation in (110, 130, 90, 131, 89)
    ),
    ("quality_nation", IN_PART, (), 1, 1, 1 / 400),
    ("quality_negatives", (), [*county(1, (-6, -6), (-6, -7)), *county(3, (99, 1), (0, 0))], 4, 1, 4 / 800),
    *(("quality_parts", above(state), county(1, *PAIR), 1, state < 4, 1 / 800) for state in (24, 4, 3)),
    ("quality_parts", above(1), (), 0, 0, 0),
    ("quality_repeats", (), REPEATED, 3, 1, 3 * of_noise(1, 4) ** 4),
    ("quality_repeats", (), (), 0, 0, 0),
    ("quality_round_counts", (), county(1, (0, -5), (14, 15)), 4, 3, 4 * 0.2 + of_noise(4, 4)),
    ("quality_round_counts", (), county(1, (1, 2), (3, 4), variance=0.001), 4, 0, 4),  # hardly any noise
    ("quality_sexes", (), [*county(1, *PAIR), *county(3, (5, 7), (4, 9))], 2, 1, of_noise(2, 16)),
    ("quality_sexes", (), (), 0, 0, 0),
    *(("quality_sums", in_all(total), county(1, *PAIR), 1, total > 24.5, 0) for total in (24, 24.001, 25)),
    ("quality_sums", in_all(24), WRONG_SUM, 1, 1, 0),
    ("quality_zeros", (), [*county(1, (0, 7), (-4, 4)), *county(3, (0, 0), (4, 9))], 8, 3, of_noise(8, 4)),
]
READS = {"quality_nation": ("t1",), "quality_parts": ("t1", "t2"), "quality_sums": ("t1", "t2")}


@pytest.mark.parametrize(("name", "totals", "cells", "looked", "found", "expected"), CASES)
def test_so_much_is_looked_at_and_so_much_is_found(run_sql, name, totals, cells, looked, found, expected):
    given = {table: t1(*totals) if table == "t1" else t2(*cells) for table in READS.get(name, ("t2",))}
    assert run_sql(name, given=given) == [(looked, found, pytest.approx(expected))]
