"""The statements of sql/tools/statistics: the cells and rows that statistics are of."""

from tests.sql.evaluated_tables import LADDER_ROWS
from tests.sql.reconciled_tables import MEASURED_GROUPS, T1, T2
from tests.sql.wanted_tables import GIVEN, GROUPS, WANTED_CELLS

COUNTY = ("COUNTY-2", False)


def test_cells_are_found_by_wanted_values_in_part_by_totals_and_by_ranges(run_sql):
    found = {key: [] for key in ((0, False), (0, True), (1, False), (2, False), (3, False), (5, False))}
    for row in run_sql("wanted_cells", given=GIVEN):
        found[row[:2]].append(row[4:-2])
    assert found[0, False] == [(1, 7, 10, 4.0, 4.0, True, None, None), (1, 8, 20, 4.0, 4.0, True, None, None)]
    assert [row[1] for row in found[0, True]] == [8, 10]
    assert found[2, False] == [(1, 9, 11, 4.0, 4.0, False, None, None)]
    for number, is_whole in ((1, True), (3, False)):
        assert found[number, False] == [(0, 11, 40, 4.0, 4.0, is_whole, None, None)]
    assert [row[-2:] for row in found[5, False]] == [(0, 17), (18, 115)] * 2


def test_a_group_has_its_table_or_the_limit_of_its_kind_or_nothing_is_known(run_sql):
    groups = ("COUNTY | 01003 | 0102", "COUNTY | 44007 | 0102", "COUNTY | 01003 | 0103", "COUNTY | 09999 | 0103")
    terms = "statistic_number | is_other | region_type | region_id | iteration_code | condition_number | row_id\n"
    terms += "\n".join(f"{n} | {n % 2 == 1} | {group} | 0 | -1" for n, group in enumerate((*groups, "USA|1|0103")))
    index = "REGION_TYPE | REGION_ID\nCOUNTY | 01003\nCOUNTY | 01003\nCOUNTY | 44007\nUSA | 1"
    suppressed = "REGION_TYPE | ITERATION_CODE | SUPPRESSED_UP_TO | HIGH95\nCOUNTY | 0102 | 20 | 29"
    given = {"asked_terms": terms, "summed_groups": GROUPS, "group_index": index}
    rows = run_sql("wanted_groups", given={**given, "suppressed": f"{suppressed}\nCOUNTY | 0103 | 21 | 31"})
    assert [(*row[:2], *row[3:]) for row in rows] == [
        *((0, False, 1, None, None), (1, True, 0, None, None), (2, False, None, 21, 31)),
        *((number, number == 3, None, None, None) for number in (3, 4)),
    ]


ASKED = """
    statistic_number | is_other | region_type | region_id | iteration_code | condition_number | row_id | term_number
                   0 |    false |      COUNTY |     01001 |           2210 |                0 |     -1 |           0
                   1 |    false |      COUNTY |     01001 |           2210 |                1 |      3 |           1
                   2 |     true |      COUNTY |     01001 |           2210 |                0 |     -1 |           2
                   3 |    false |      COUNTY |     01003 |           2210 |                0 |     -1 |           3
"""


def test_totals_of_measured_groups_have_a_measurement_and_nothing_else_has(run_sql):
    levels = "region_type | iteration_code | level_name | is_total_only\nCOUNTY | 2210 | COUNTY-2 | false"
    given = {"asked_terms": ASKED, "measured_groups": MEASURED_GROUPS, "group_levels": levels}
    assert run_sql("wanted_measurements", given=given) == [(0, 12, "COUNTY-2")]


def test_totals_and_sexes_are_single_rows_and_other_counts_the_cells_that_they_add_up(run_sql):
    terms = ASKED + "4 | false | COUNTY | 01001 | 2210 | 2 | NULL | 4\n"
    cells = ("0 | false | 10 | 8.0 | 6.0 | 0", "1 | false | 1 | 2.0 | 5.5 | 1", "1 | false | 2 | 2.0 | 3.0 | 1")
    cells = (*cells, "4 | false | 1 | 2.0 | 5.5 | 4", "4 | false | 3 | 2.0 | 2.0 | 4")
    wanted = "\n".join(["statistic_number | is_other | noisy_count | variance | moe95 | term_number", *cells])
    given = {"asked_terms": terms, "wanted_cells": wanted, "ladder_rows": LADDER_ROWS, "t1": T1, "t2": T2}
    rows = run_sql("wanted_reconciled", given=given)
    assert sorted(row for row in rows if row[0] in (0, 1, 4)) == [
        *((0, False, 10, 8, 6, 4, 16), (1, False, 3, 4, 4, -1, 7)),
        *((4, False, 1, 2, 5.5, None, None), (4, False, 3, 2, 2, None, None)),
    ]


def test_cells_in_either_count_or_in_both_are_added_up_and_a_total_stands_for_a_table(run_sql):
    found = {number: [] for number in range(6)}
    for number, *row in sorted(run_sql("wanted_terms", given={"wanted_cells": WANTED_CELLS}), key=lambda row: row[:6]):
        found[number].append(tuple(row))
    assert found[0] == [
        *((*COUNTY, False, 0, 1, 1, 21, None, True), (*COUNTY, False, 1, 0, 1, 10, None, True)),
        (*COUNTY, False, 1, 1, 1, 20, None, True),
    ]
    assert found[5] == [(*COUNTY, False, 1, 0, 4, 62, None, True)]
    assert [row[-1] for row in found[2]] == [False]
    for number, is_whole in ((1, True), (3, False)):
        assert found[number] == [(*COUNTY, True, 1, 0, 1, 40, [40], is_whole)]
