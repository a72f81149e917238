"""The statements of sql/tools/reconcile: what lies in what, and the counts that add up."""

import pytest

from tests.literal_tables import literal_table
from tests.sql.published_tables import LADDER_ROWS, LADDER_STATISTICS, STATISTIC_CELLS
from tests.sql.reconciled_tables import (
    MEASURED_GROUPS,
    NESTED_GROUPS,
    NO_NESTING,
    RECONCILED_COUNTS,
    REGION_PARENTS,
    REGIONS,
    T1,
    T2,
    TREE_REGIONS,
)

# --- iterations ---

# The regional group (0011, 0012) has codes 1000 and 1010; the detailed one (0021, 0022) has 1000 alone.
ORDERED = {
    "iterations": """
        iteration_id | iteration_code | iteration_level | iteration_kind
                   1 |           0011 |               1 |    combination
                   2 |           0012 |               1 |          alone
                   3 |           0021 |               2 |    combination
                   4 |           0022 |               2 |          alone
                   5 |           0031 |               1 |      ethnicity
                   6 |           0041 |               2 |      ethnicity
    """,
    "code_iterations": """
        code | iteration_id | iteration_kind
        1000 |            1 |    combination
        1010 |            1 |    combination
        1000 |            2 |          alone
        1010 |            2 |          alone
        1000 |            3 |    combination
        1000 |            4 |          alone
        2000 |            5 |      ethnicity
        2010 |            5 |      ethnicity
        2010 |            6 |      ethnicity
    """,
}


def test_alone_lies_in_alone_or_in_combination_a_detailed_group_in_its_regional_one_and_no_more(run_sql):
    assert {(row[0], row[3]) for row in run_sql("implied_orders", given=ORDERED)} == {
        *(("0012", "0011"), ("0022", "0021"), ("0021", "0011")),
        *(("0022", "0012"), ("0022", "0011"), ("0041", "0031")),
    }


def test_pairs_are_compared_where_both_totals_are_published_and_equal_ones_are_in_order(run_sql):
    """Levels of equal kind stay apart."""
    orders = """
        narrow_code | narrow_level | narrow_kind | wide_code | wide_level |   wide_kind
               0012 |            1 |       alone |      0011 |          1 | combination
               0022 |            2 |       alone |      0021 |          2 | combination
               0022 |            2 |       alone |      0012 |          1 |       alone
    """
    totals = """
        REGION_ID | REGION_TYPE | ITERATION_CODE | COUNT | NOISY_COUNT
            44007 |      COUNTY |           0011 |  10.0 |          10
            44007 |      COUNTY |           0012 |  10.5 |           9
            44007 |      COUNTY |           0021 |   5.0 |           4
            44007 |      COUNTY |           0022 |   5.0 |           6
            44009 |      COUNTY |           0022 |  90.0 |          90
    """
    assert run_sql("broken_orders", given={"implied_orders": orders, "reconciled_t1": totals}) == [
        ("COUNTY", "1", "alone", "1", "combination", 1, 0, 1),
        ("COUNTY", "2", "alone", "1", "alone", 1, 0, 0),
        ("COUNTY", "2", "alone", "2", "combination", 1, 1, 0),
    ]


def test_iterations_among_which_codes_are_split_make_up_another_and_alone_only_equal_ones(run_sql):
    """4016 is made up of 4017 and 4018; 4020 has all codes of 4024 and one that no iteration of level 2 has.

    1001 and 1101 have the same codes; 1002 is larger than its parts: somebody with a code of each is alone in neither.
    """
    codes = {"4016": (1, 2, 3), "4017": (1, 2), "4018": (3,), "4020": (4, 5), "4024": (4,)}
    codes |= {"1001": (6,), "1101": (6,), "1002": (7, 8), "1102": (7,), "1103": (8,)}
    rows, links = ["iteration_id | iteration_code | iteration_level | iteration_kind"], []
    for number, (iteration, held) in enumerate(codes.items()):
        kind = "ethnicity" if iteration.startswith("4") else "alone"
        rows.append(f"{number} | {iteration} | {1 if iteration in ('4016', '4020', '1001', '1002') else 2} | {kind}")
        links += [f"{code} | {number} | {kind}" for code in held]
    links = "\n".join(["code | iteration_id | iteration_kind", *links])
    pairs = run_sql("nested_iterations", given={"iterations": "\n".join(rows), "code_iterations": links})
    assert pairs == [("1101", "1001", 1, 1), ("4017", "4016", 2, 3), ("4018", "4016", 2, 3)]


@pytest.mark.parametrize(
    ("nested", "found"),
    [
        (
            ("B | A | 1 | 9", "C | B | 1 | 4", "C | A | 3 | 9"),
            [("A", None, "A", 0, 1), ("B", "A", "A", 1, 1), ("C", "B", "A", 2, 0)],
        ),
        (
            ("B | A | 2 | 9", "C | A | 2 | 9", "D | A | 3 | 9", "E | A | 3 | 9", "F | A | 3 | 9"),
            [("A", None, "A", 0, 2), ("B", "A", "A", 1, 0), ("C", "A", "A", 1, 0)],
        ),
    ],
    ids=["a part of a part lies two below its root", "a whole that two levels split is made up of the fewer parts"],
)
def test_each_part_is_in_one_whole(run_sql, nested, found):
    pairs = "\n".join(["iteration_code | parent_code | parts:bigint | codes:bigint", *nested])
    assert run_sql("iteration_nesting", given={"nested_iterations": pairs}) == found


# --- regions ---

NATION = """
    region_key | region_type | region_id
             1 |      COUNTY |     01001
             2 |      COUNTY |     01003
             3 |      COUNTY |     02001
             4 |       STATE |        01
             5 |       STATE |        02
             6 |         USA |         1
"""
NESTED = {1: {1, 4, 6}, 2: {2, 4, 6}, 3: {3, 5, 6}}  # cell -> the regions it lies in
# Further regions (from 7 on), the regions of each cell, and the parents of some.
DIVIDED = {
    "none": ((), NESTED, {1: 4, 2: 4, 3: 5, 4: 6, 5: 6, 6: None}),
    "places leave gaps": (("PLACE", "PLACE"), {1: {1, 4, 6, 7}, 2: {2, 4, 6}, 3: {3, 5, 6, 8}}, {7: None, 8: None}),
    "areas cross states": (("AREA", "AREA"), {1: {1, 4, 6, 7}, 2: {2, 4, 6, 8}, 3: {3, 5, 6, 8}}, {7: 6, 8: 6}),
    "districts cross counties": (
        ("DISTRICT",) * 3,
        {1: {1, 4, 6, 7}, 2: {2, 4, 6, 8}, 3: {3, 5, 6, 9}, 4: {1, 4, 6, 8}},
        {1: 4, 2: 4, 3: 5, 7: 4, 8: 4, 9: 5},
    ),
    "doubles": (
        ("DOUBLE",) * 3,
        {cell: {*regions, cell + 6} for cell, regions in NESTED.items()},
        {1: 7, 2: 8, 3: 9, 7: 4, 8: 4, 9: 5},
    ),
}


@pytest.mark.parametrize(("more", "regions_of_cells", "parents"), DIVIDED.values(), ids=DIVIDED)
def test_regions_divide_what_holds_them_whole_without_a_gap_and_none_both_ways(
    run_sql, more, regions_of_cells, parents
):
    rows = [f"{cell} | {region}" for cell, regions in regions_of_cells.items() for region in sorted(regions)]
    regions = NATION + "\n".join(f"{key} | {kind} | {key}" for key, kind in enumerate(more, start=7))
    given = {"regions": regions, "geo_unit_regions": "\n".join(["geo_unit_id | region_key", *rows])}
    found = {key: parent for key, _, parent in run_sql("region_parents", given=given)}
    assert {key: found[key] for key in parents} == parents


def test_a_region_is_there_once_however_many_totals_it_has_and_after_those_of_a_tree_if_it_is_in_none(run_sql):
    found = run_sql("released_regions", given={"released_totals": T1})
    assert found == [("COUNTY", "01001"), ("COUNTY", "01003"), ("PLACE", "0100100"), ("STATE", "01")]
    given = {"regions": REGIONS, "region_parents": REGION_PARENTS, "released_totals": T1}
    assert run_sql("tree_regions", given=given) == [
        *((1, "COUNTY", "01001", 3), (2, "COUNTY", "01003", 3)),
        *((3, "STATE", "01", None), (4, "PLACE", "0100100", None)),
    ]


# --- groups and their counts ---

LEVELS = "region_type | iteration_code | level_name | is_total_only\n" + "\n".join(
    f"{group} | false" for group in ("COUNTY | 2210 | COUNTY-2", "STATE | 2210 | STATE-2", "STATE | 2220 | STATE-2")
)


@pytest.fixture
def groups(run_sql):
    def run(**others):
        given = {"released_totals": T1, "t2": T2, "tree_regions": TREE_REGIONS, "statistic_cells": STATISTIC_CELLS}
        given |= {"measured_groups": MEASURED_GROUPS, "iteration_nesting": NO_NESTING, "group_levels": LEVELS, **others}
        return run_sql("nested_groups", given=given, suppressed_types=["COUNTY", "PLACE"])

    return run


def test_groups_come_by_whole_and_region_with_their_variance_evidence_and_measurement(groups):
    expected = [tuple(None if value == "NULL" else value for value in row) for row in literal_table(NESTED_GROUPS).rows]
    found = [tuple(None if value is None else str(value).lower() for value in row) for row in groups()]
    assert found == [tuple(None if value is None else value.lower() for value in row) for row in expected]
    assert [row[8] for row in groups()][:2] == [2.0, 2.0]
    without_tables = groups(t2=T2.strip().splitlines()[0])
    assert [row[8] for row in without_tables][:2] == [8.0, 2.0]
    assert [row[9] for row in without_tables] == [False, False, True, False, True]
    nesting = f"{NO_NESTING}              2220 |        2100 |      2100 |     1 |     2\n"
    assert [row[2] for row in groups(iteration_nesting=nesting)] == ["2100", "2210", "2210", "2210", "2210"]


def test_a_table_whose_cells_are_among_the_sums_of_another_is_that_other(groups):
    """Stat level 1 is both sexes, whose rows the finer table has too."""
    coarser = "".join(f"1 | {sex} | {sex} | * | * | {sex + 1}\n" for sex in (0, 1))
    finer = STATISTIC_CELLS.replace("\n             1 |", "\n             2 |") + coarser
    assert [row[7] for row in groups(statistic_cells=finer)] == [2, 0, 0, 0, 0]


def test_cells_and_totals_of_groups_without_a_table_are_counts_and_no_sums_are_and_parts_have_both_ends(run_sql):
    given = {"released_totals": T1, "t2": T2, "nested_groups": NESTED_GROUPS, "statistic_cells": STATISTIC_CELLS}
    counts = run_sql("nested_counts", given=given)  # of group 0: boys, men, girls, women
    assert counts == [*((0, 0, 1), (0, 1, 2), (0, 2, 3), (0, 3, 4)), *((1, 0, 5), (2, 0, 18), (3, 0, 7), (4, 0, -1))]
    rows = "\n".join(["group_id | cell_position | noisy_count", *(" | ".join(map(str, row)) for row in counts)])
    found = run_sql("nested_part_counts", given={"nested_counts": rows}, first_group=1, last_group=3)
    assert found == [(1, 0, 5), (2, 0, 18), (3, 0, 7)]


def test_totals_are_a_table_or_else_rows_of_the_table(run_sql):
    given = {"t1": T1, "t2": T2, "statistic_cells": STATISTIC_CELLS}
    assert sorted(row[3] for row in run_sql("released_totals", given=given)) == [-1, 5, 7, 10, 18]
    given = {
        "t1": T1.strip().splitlines()[0],
        "t2": f"{T2}01003 | COUNTY | 2210 | * | * | * | 5 | 2.0 | 3.0 | 2 | 8",
        "statistic_cells": f"{STATISTIC_CELLS}0 | 0 | 6 | * | * | *",
    }
    assert run_sql("released_totals", given=given) == [("01003", "COUNTY", "2210", 5, 2.0, 3.0, 2, 8)]


# --- what is written ---


def test_reconciled_totals_stand_beside_those_released_in_their_order_and_others_stay(run_sql_in_order):
    given = {"released_totals": T1, "nested_groups": NESTED_GROUPS, "reconciled_counts": RECONCILED_COUNTS}
    assert run_sql_in_order("reconciled_t1", given=given, total_row=-1) == [
        ("01001", "COUNTY", "2210", 12.0, 5.0, 4.4, 8, 16, 10),
        ("01003", "COUNTY", "2210", 5.0, 2.0, 3.0, 2, 8, 5),
        ("0100100", "PLACE", "2210", 7.0, 2.0, 3.0, 4, 10, 7),
        ("01", "STATE", "2210", 17.5, 2.0, 2.8, 15, 20, 18),
        ("01", "STATE", "2220", -1.0, 3.0, 4.0, -5, 3, -1),
    ]


def test_reconciled_cells_stand_beside_those_released_in_their_order_and_others_stay(run_sql_in_order):
    given = {"t2": T2, "nested_groups": NESTED_GROUPS, "ladder_rows": LADDER_ROWS}
    given |= {"ladder_statistics": LADDER_STATISTICS, "statistic_cells": STATISTIC_CELLS}
    rows = run_sql_in_order("reconciled_t2", given={**given, "reconciled_counts": RECONCILED_COUNTS})
    assert [(row[4], row[6]) for row in rows] == [(age, sex) for age in ("*", "0", "18") for sex in "12"]
    assert [row[4:10] for row in rows if row[6] == "2"] == [
        *(("*", "*", "2", None, None, True), ("0", "17", "2", 0, 17, False), ("18", "115", "2", 18, 115, False))
    ]
    cells = {(row[4], row[6]): row[10:] for row in rows}
    assert (cells["18", "1"], cells["0", "1"]) == ((2.5, 1.5, 2.4, 1, 4, 2), (1.0, 2.0, 3.0, -2, 4, 1))
    assert (cells["*", "1"][0], cells["*", "2"][0]) == (3.5, 8.5)


def test_rows_changed_rows_and_mean_variances_are_told_by_table_and_region_type(run_sql):
    totals = """
        REGION_ID | REGION_TYPE | ITERATION_CODE | COUNT | VARIANCE | NOISY_COUNT
            01001 |      COUNTY |           2210 |  12.0 |      5.0 |          10
            01003 |      COUNTY |           2210 |   5.0 |      1.0 |           5
          0100100 |       PLACE |           2210 |   7.0 |      2.0 |           7
               01 |       STATE |           2210 |  17.5 |      2.0 |          18
               01 |       STATE |           2220 |  -1.0 |      3.0 |          -1
    """
    rows = """
        REGION_ID | REGION_TYPE | ITERATION_CODE | AGESTART | SEX | COUNT | VARIANCE | NOISY_COUNT
            01001 |      COUNTY |           2210 |        * |   1 |   3.5 |      2.0 |           3
            01001 |      COUNTY |           2210 |       18 |   1 |   2.0 |      1.0 |           2
    """
    given = {"released_totals": T1, "t2": T2, "reconciled_t1": totals, "reconciled_t2": rows}
    assert run_sql("reconciled_region_types", given=given) == [
        *(("T1", "COUNTY", 2, 1, 5.0, 3.0), ("T1", "PLACE", 1, 0, 2.0, 2.0)),
        *(("T1", "STATE", 2, 1, 3.0, 2.5), ("T2", "COUNTY", 2, 1, 16 / 6, 1.5)),
    ]


KEYS = "REGION_ID | REGION_TYPE | ITERATION_CODE"
NUMBERS = "COUNT | VARIANCE | MOE95 | LOW95 | HIGH95 | NOISY_COUNT"


@pytest.mark.parametrize(
    ("name", "columns", "row", "place"),
    [
        ("whole_t1", f"{KEYS} | {NUMBERS}", ("01001", "COUNTY", "2210", 12, 5.5, 3.7, 9, 15, 10), 3),
        (
            *(
                "whole_t2",
                f"{KEYS} | STATISTIC | AGESTART | AGEEND | SEX | AGE_START | AGE_END | IS_MARGINAL | {NUMBERS}",
            ),
            ("01001", "COUNTY", "2210", "age4", "*", "*", "1", None, None, True, 3, 2.5, 3.7, 0, 6, 3),
            10,
        ),
    ],
)
def test_counts_are_whole_numbers_and_all_else_stays(run_sql, name, columns, row, place):
    written = " | ".join("NULL" if value is None else str(value) for value in row)
    (found,) = run_sql(name, given={name.replace("whole", "reconciled"): f"{columns}\n{written}"})
    assert (found, type(found[place])) == (row, int)
