"""The statements of sql/tools/evaluate: published counts beside exact ones."""

import pytest

from tests.sql.evaluated_tables import (
    EVALUATED_GROUPS,
    EVALUATED_ITERATIONS,
    EXACT_ITERATIONS,
    EXACT_REGIONS,
    EXACT_T1,
    ITERATIONS,
    LADDER_ITERATIONS,
    LADDER_LEVELS,
    LADDER_ROWS,
    LADDER_STATISTICS,
    LEVELS,
    NOISE_LAWS,
    STATISTIC_CELLS,
    STATISTIC_SUMS,
    count_errors,
)
from tests.sql.quality_tables import t1, t2

# --- groups ---


def test_an_iteration_has_the_level_of_its_region_type_in_this_ladder(run_sql):
    iterations = ITERATIONS.replace("Northern | 2 | alone", "N | 2 | combination")
    given = {"exact_iterations": EXACT_ITERATIONS, "iterations": iterations}
    given |= {"levels": LEVELS, "ladder_levels": LADDER_LEVELS}
    found = [run_sql("evaluated_iterations", ladder_id=each, level_prefix="T3 ", given=given) for each in (1, 2)]
    assert found == [
        [("COUNTY", "0102", 2, "T3 COUNTY-2", False), ("USA", "0101", 1, "T3 USA-2", False)],
        [("COUNTY", "0102", 2, "T3 COUNTY-2", True)],
    ]


@pytest.mark.parametrize(
    ("group", "size", "found"),
    [
        ("1 | USA | 0101", 7, [("1", "USA", "0101", "USA-2", True, False, True, 7, 1)]),
        *(
            (
                "01003 | COUNTY | 0102",
                size,
                [("01003", "COUNTY", "0102", "COUNTY-2", False, True, False, size or 0, start)],
            )
            for size, start in ((0, 0), (99, 10), (100, 100), (None, 0))
        ),
        *((group, None, []) for group in ("1 | USA | 9999", "01003 | COUNTY | 0101", "56001 | COUNTY | 0102")),
    ],
)
def test_a_tabulated_group_has_level_and_flags_and_the_bucket_of_its_size_which_may_be_nobody(
    run_sql, group, size, found
):
    """Two runs published the group; the exact tables may lack it."""
    head = "REGION_ID | REGION_TYPE | ITERATION_CODE | COUNT"
    given = {"released_t1": f"run | {head} | NOISY_COUNT | MOE95\n1 | {group} | 5 | 5 | 9\n2 | {group} | 7 | 7 | 9"}
    given["exact_t1"] = f"{head}\n56001 | COUNTY | 0102 | 8" + ("" if size is None else f"\n{group} | {size}")
    given |= {"exact_regions": EXACT_REGIONS, "evaluated_iterations": EVALUATED_ITERATIONS, "iterations": ITERATIONS}
    assert run_sql("evaluated_groups", ladder_id=1, given={**given, "ladder_iterations": LADDER_ITERATIONS}) == found


def test_every_region_is_tabulated_by_every_iteration_or_published_totals_list_groups(run_sql):
    given = {"exact_t1": EXACT_T1, "exact_regions": EXACT_REGIONS, "evaluated_iterations": EVALUATED_ITERATIONS}
    assert run_sql("tabulated_groups", given=given) == [("COUNTY-2", 2), ("USA-2", 1)]
    given["evaluated_iterations"] = EVALUATED_ITERATIONS.replace("false", "true")
    assert run_sql("tabulated_groups", given=given) == [("COUNTY-2", 1)]


@pytest.mark.parametrize("zeros", ["", "44007 | COUNTY | 0102 | 0\n"], ids=["sparse", "dense"])
def test_groups_without_people_are_those_that_are_tabulated_less_those_with_people(run_sql, zeros):
    groups = "population_group_level | population_groups\nUSA-2 | 1\nCOUNTY-2 | 2"
    given = {"exact_t1": EXACT_T1 + zeros, "tabulated_groups": groups, "evaluated_iterations": EVALUATED_ITERATIONS}
    assert run_sql("group_sizes", given=given) == [("COUNTY-2", 0, 1), ("COUNTY-2", 10, 1), ("USA-2", 0, 1)]


# --- counts ---

EXACT_T2 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | AGESTART | AGEEND | SEX | COUNT
        01003 |      COUNTY |           0102 |        0 |     17 |   1 |    30
        01003 |      COUNTY |           0102 |        0 |     17 |   2 |    60
        01003 |      COUNTY |           0102 |        * |      * |   1 |    30
        01003 |      COUNTY |           0102 |        * |      * |   2 |    60
"""
NO_TABLES = (
    "run | REGION_ID | REGION_TYPE | ITERATION_CODE | STATISTIC | AGESTART | AGEEND | SEX"
    " | COUNT | NOISY_COUNT | MOE95 | VARIANCE"
)
TABLE = f"""{NO_TABLES}
    1 | 01003 | COUNTY | 0102 | age4 |        0 |     17 |   1 |    33 |          34 |    11 |      7.5
    1 | 01003 | COUNTY | 0102 | age4 |        0 |     17 |   2 |    58 |          59 |    11 |      7.5
    1 | 01003 | COUNTY | 0102 | age4 |        * |      * |   1 |    33 |          34 |    15 |      7.5
    1 | 01003 | COUNTY | 0102 | age4 |        * |      * |   2 |    58 |          59 |    15 |      7.5
"""
TOTALS = """
    run | REGION_ID | REGION_TYPE | ITERATION_CODE | COUNT | NOISY_COUNT | MOE95 | VARIANCE
      1 |     01003 |      COUNTY |           0102 |    91 |          92 |    21 |      7.5
      1 |     44007 |      COUNTY |           0102 |    40 |          41 |    11 |      7.5
      2 |     01003 |      COUNTY |           0102 |    95 |          96 |    11 |      7.5
"""


@pytest.mark.parametrize(("named", "stat_level"), [("age4", 1), ("NULL", None), ("age5", None)])
def test_a_table_is_that_which_its_rows_name_and_a_total_is_none(run_sql, named, stat_level):
    total = "1 | 44007 | COUNTY | 0102 | total | * | * | * | 9 | 9 | 4 | 7.5"
    given = {"released_t2": TABLE.replace(" age4 |", f" {named} |") + total, "ladder_statistics": LADDER_STATISTICS}
    assert run_sql("released_tables", given=given) == [(1, "01003", "COUNTY", "0102", stat_level)]


@pytest.fixture
def measured(run_sql):
    def rows(t1, t2, *tables):
        exact = {"evaluated_groups": EVALUATED_GROUPS, "exact_t2": EXACT_T2}
        public = {"ladder_rows": LADDER_ROWS, "statistic_cells": STATISTIC_CELLS, "statistic_sums": STATISTIC_SUMS}
        listed = "\n".join(["run | region_id | region_type | iteration_code | stat_level", *tables])
        released = {"released_t1": t1, "released_t2": t2, "released_tables": listed}
        return run_sql("measured_counts", given={**released, **exact, **public})

    return rows


def test_cells_are_measured_and_neither_marginals_nor_the_total_of_a_table_are(measured):
    assert [row for row in measured(TOTALS, TABLE, "1 | 01003 | COUNTY | 0102 | 1") if row[:2] == (1, "01003")] == [
        (1, "01003", "COUNTY", "0102", 1, 33, 34, 30, 11.0, 7.5),
        (1, "01003", "COUNTY", "0102", 1, 58, 59, 60, 11.0, 7.5),
    ]


def test_a_total_is_measured_once_where_there_is_no_table_and_may_have_no_exact_count(measured):
    assert (1, "44007", "COUNTY", "0102", 0, 40, 41, 0, 11.0, 7.5) in measured(TOTALS, NO_TABLES)
    # It is in both tables that the statement reads, and no table of the release is listed for its group.
    total = NO_TABLES + "\n1 | 44007 | COUNTY | 0102 | total | * | * | * | 40 | 41 | 11 | 7.5"
    found = [row for row in measured(TOTALS, total) if row[1] == "44007"]
    assert found == [(1, "44007", "COUNTY", "0102", 0, 40, 41, 0, 11.0, 7.5)]
    unknown = f"{TOTALS.strip().splitlines()[0]}\n1 | 56001 | COUNTY | 0102 | 9 | 9 | 11 | 7.5"
    assert [row[7] for row in measured(unknown, NO_TABLES)] == [None]


def test_a_cell_that_the_exact_tables_lack_is_zero_if_it_is_a_cell_of_its_statistic(measured):
    without_people = TABLE.replace("01003", "44007")
    for table, exact in ((without_people, [0, 0]), (without_people.replace("17 |   2 |", "16 |   2 |"), [0, None])):
        rows = measured(TOTALS, table, "1 | 44007 | COUNTY | 0102 | 1")
        assert [row[7] for row in rows if row[4] == 1] == exact


MEASURED = "run | region_id | region_type | iteration_code | stat_level | noisy_count | exact_count | moe95"


@pytest.mark.parametrize(
    ("count", "floor", "problem"),
    [
        *(
            ("01003 | COUNTY | 0102 | 0 | 91 | 90 | 11", 90, []),
            ("01003 | COUNTY | 0102 | 0 | 91 | NULL | 11", 90, [True]),
        ),
        *(("01003 | COUNTY | 0102 | NULL | 91 | 90 | 11", 90, [True]), ("56001|COUNTY|0102|0|91|NULL|11", 90, [True])),
        *(
            ("01003 | COUNTY | 0102 | 1 | 91 | 90 | 11", 90, []),
            ("01003 | COUNTY | 0102 | 1 | 91 | 90 | 11", 91, [False]),
        ),
        ("44007 | COUNTY | 0102 | 0 | 3 | 0 | 11", 91, []),
    ],
    ids=[
        *("known", "without an exact count", "of an unknown statistic", "of an unknown group", "a table at the floor"),
        *("a table below it", "a total of few people"),
    ],
)
def test_what_is_unknown_and_tables_of_fewer_people_than_the_floor_are_returned(run_sql, count, floor, problem):
    given = {"measured_counts": f"{MEASURED}\n1 | {count}", "evaluated_groups": EVALUATED_GROUPS}
    given["table_floors"] = f"population_group_level | table_floor\nCOUNTY-2 | {floor}"
    assert [row[4] for row in run_sql("unmeasured_counts", given=given)] == problem


@pytest.mark.parametrize(("is_unknown", "region"), [(True, "01003"), (False, "44007")])
def test_counts_of_unknown_groups_or_of_groups_with_few_people_are_returned(run_sql, is_unknown, region):
    counts = "run | region_id | region_type | iteration_code | is_unknown\n1 | 01003 | COUNTY | 0102 | true"
    given = {"unmeasured_counts": f"{counts}\n1 | 44007 | COUNTY | 0102 | false"}
    assert run_sql("unmeasured_groups", given=given, is_unknown=is_unknown) == [(1, region, "COUNTY", "0102")]


def test_a_published_count_gets_its_exact_one_or_0(run_sql):
    totals = t1("01003 | COUNTY | 0102 | 91 | 4.0 | 4", "44007 | COUNTY | 0102 | 3 | 4.0 | 4")
    assert [row[3:] for row in run_sql("true_t1", given={"t1": totals, "exact_t1": EXACT_T1})] == [(90, 4.0), (0, 4.0)]
    rows = t2("01003 | COUNTY | 0102 | 0 | 17 | 1 | 33 | 4.0 | 4", "01003 | COUNTY | 0102 | 18 | 115 | 1 | 3 | 4.0 | 4")
    found = run_sql("true_t2", given={"t2": rows, "exact_t2": EXACT_T2})
    assert [row[3:7] for row in found] == [("0", "17", "1", 30), ("18", "115", "1", 0)]


# --- errors ---


@pytest.fixture
def error(run_sql):
    def row(stat_level, noisy, exact):
        head = MEASURED.replace("noisy_count", "noisy_count | drawn_count") + " | variance"
        counts = f"{head}\n1 | 01003 | COUNTY | 0102 | {stat_level} | {noisy} | {noisy + 1} | {exact} | 11 | 9.5"
        small = "population_group_level | noise | is_total | exact_count | expected_coverage"
        small += "".join(f"\nCOUNTY-2 | stage 2 | {each}" for each in ("true|49|0.91", "true|19|0.61", "false|19|0.81"))
        given = {"evaluated_groups": EVALUATED_GROUPS, "noise_laws": NOISE_LAWS, "small_coverages": small}
        (found,) = run_sql("count_errors", given={"measured_counts": counts, **given})
        return found

    return row


def test_an_error_is_noisy_minus_exact_and_a_residual_what_was_drawn_minus_exact(error):
    assert error(1, 80, 90) == (1, "COUNTY-2", 10, 1, "stage 2", -10, -9, True, True, 0.96, 9.5)


@pytest.mark.parametrize(("noisy", "is_covered"), [(101, True), (102, False), (79, True), (78, False)])
def test_a_count_is_covered_up_to_its_margin_and_no_further(error, noisy, is_covered):
    assert error(1, noisy, 90)[7] is is_covered


@pytest.mark.parametrize(
    ("stat_level", "exact", "is_free", "chance"),
    [(0, 50, True, 0.96), (0, 49, False, 0.91), (1, 20, True, 0.96), (1, 19, False, 0.81), (0, 19, False, 0.61)],
)
def test_small_counts_have_chances_of_their_own_and_cells_others_than_totals(error, stat_level, exact, is_free, chance):
    assert error(stat_level, exact, exact)[-3:-1] == (is_free, chance)


def test_errors_of_a_group_are_added_up_over_its_measured_counts_without_their_signs(run_sql_in_order):
    counts = ("44007 | COUNTY | 0102 | 0 | 30 | 0", "01003 | COUNTY | 0102 | 0 | 91 | 90")
    counts = (*counts, "01003 | COUNTY | 0102 | 1 | 27 | 30", "01003 | COUNTY | 0102 | 1 | 64 | 60")
    rows = [f"{run} | {count} | 11" for run, count in zip((1, 2, 1, 1), counts, strict=True)]
    given = {"measured_counts": "\n".join([MEASURED, *rows]), "evaluated_groups": EVALUATED_GROUPS}
    assert run_sql_in_order("group_errors", given=given) == [
        (1, "01003", "COUNTY", "0102", False, True, False, "COUNTY-2", 90, 1, 2, 7, 25),
        (2, "01003", "COUNTY", "0102", False, True, False, "COUNTY-2", 90, 0, 1, 1, 1),
        (1, "44007", "COUNTY", "0102", False, True, False, "COUNTY-2", 0, 0, 1, 30, 900),
    ]


def test_free_counts_of_one_law_are_pooled_whatever_their_size_and_statistic(run_sql):
    errors = count_errors(
        "COUNTY-2 | 10 | 1 | stage 2 | -3 | true | true | 0.96",
        "COUNTY-2 | 100 | 0 | stage 2 | -3 | true | true | 0.96",
        "COUNTY-2 | 100 | 0 | total only | -3 | true | true | 0.96",
        "COUNTY-2 | 0 | 0 | stage 2 | -3 | true | false | 0.5",
        "COUNTY-2 | 10 | 0 | stage 2 | 2 | true | true | 0.5",
    )
    assert run_sql("residuals", given={"count_errors": errors}) == [
        *(("COUNTY-2", "stage 2", -3, 2), ("COUNTY-2", "stage 2", 2, 1), ("COUNTY-2", "total only", -3, 1))
    ]


def test_free_counts_with_a_variance_are_counted_by_their_error_and_it(run_sql):
    errors = [(-3, "true", "20.5"), (-3, "true", "20.5"), (-3, "true", "21"), (4, "true", "20.5")]
    errors += [(5, "false", "20.5"), (6, "true", "19"), (7, "true", "NULL")]
    head, *rows = count_errors(
        *(f"COUNTY-2 | 10 | 0 | stage 2 | {each} | true | {free} | 0.95" for each, free, _ in errors)
    ).split("\n")
    varied = [f"{row} | {variance}" for row, (*_, variance) in zip(rows, errors, strict=True)]
    given = {"count_errors": "\n".join([f"{head} | variance", *varied])}
    assert run_sql("reconciled_residuals", given=given, least_variance=20) == [
        *(("COUNTY-2", -3, 20.5, 2), ("COUNTY-2", -3, 21.0, 1), ("COUNTY-2", 4, 20.5, 1))
    ]


# --- shares and coverages ---


def test_levels_sizes_and_statistics_have_coverages_of_their_own_free_counts_and_small_ones_apart(run_sql):
    errors = count_errors(
        "COUNTY-2 | 10 | 1 | stage 2 | -3 | true | true | 0.96",
        "COUNTY-2 | 10 | 1 | stage 2 | 4 | true | true | 0.96",
        "COUNTY-2 | 100 | 0 | stage 2 | 12 | false | true | 0.98",
        "COUNTY-2 | 0 | 0 | stage 2 | 30 | false | false | 0.5",
        "COUNTY-2 | 0 | 0 | stage 2 | 8 | true | false | 0.25",
    )
    rows = {row[1:4]: row[4:] for row in run_sql("count_coverages", given={"count_errors": errors})}
    counts, covered, expected, *_, small, small_covered, small_expected = rows[None, None, None]
    assert (counts, covered, expected) == (3, pytest.approx(2 / 3), pytest.approx(2.9 / 3))
    assert (small, small_covered, small_expected) == (2, 0.5, 0.375)
    assert (rows[10, None, None][:2], rows[100, None, None][:2]) == ((2, 1.0), (1, 0.0))
    assert rows[None, "stage 2", 1][3:5] == (4, pytest.approx((25 / 2) ** 0.5))
    assert rows[None, "stage 2", 0][3:5] == (12, 12.0)


def test_the_observed_margin_is_one_of_the_errors_that_95_percent_of_them_do_not_exceed(run_sql):
    errors = [f"COUNTY-2 | 10 | 0 | stage 2 | {error} | true | true | 0.96" for error in range(-19, 1)]
    rows = run_sql("count_coverages", given={"count_errors": count_errors(*errors)})
    assert {row[7] for row in rows} == {18}


COVERAGES = (
    "population_group_level | size_start | noise | stat_level | counts | coverage | expected_coverage | observed_moe95"
    " | observed_deviation | small_counts | small_coverage | small_expected_coverage\n"
)


@pytest.mark.parametrize(
    ("noise", "stat_level", "name", "moe95", "deviation"),
    [
        ("total only", 0, "total only", 10.0, 5.0),
        *(("stage 2", level, name, 11.0, 5.5) for level, name in enumerate(("total", "age4", "age9", "age23"))),
    ],
)
def test_a_statistic_has_a_name_and_the_law_of_its_noise_and_levels_and_sizes_and_no_counts_none(
    run_sql, noise, stat_level, name, moe95, deviation
):
    rows = (f"NULL | {noise} | {stat_level} | 7", "NULL | NULL | NULL | 7", "10 | NULL | NULL | 7")
    text = COVERAGES + "\n".join(f"COUNTY-2 | {row} | 0.9 | 0.95 | 12 | 6.5 | 0 | NULL | NULL" for row in rows)
    text += f"\nCOUNTY-2 | NULL | {noise} | {stat_level} | 0 | NULL | NULL | NULL | NULL | 3 | 0.5 | 0.4"
    given = {"count_coverages": text, "noise_laws": NOISE_LAWS, "ladder_statistics": LADDER_STATISTICS}
    assert run_sql("by_statistic", given=given) == [("COUNTY-2", name, moe95, 12, deviation, 6.5, 7, 0.9, 0.95)]


@pytest.fixture
def shares(run_sql):
    def by_size(*groups):
        """The rows by the first size of their bucket. groups: run, region, total only, size, statistic, error."""
        head = (
            "RUN | REGION_ID | TOTAL_ONLY | POPULATION_GROUP_SIZE | STAT_LEVEL | TOTAL_ABSOLUTE_ERROR | REGION_TYPE"
            " | ITERATION_CODE | DETAILED_ONLY | COARSE_ONLY | POPULATION_GROUP_LEVEL | MEASURED_COUNTS"
            " | TOTAL_SQUARED_ERROR"
        )
        rows = [f"{group} | COUNTY | 0102 | false | false | COUNTY-2 | 1 | 0" for group in groups]
        sizes = "population_group_level | size_start | population_groups\nCOUNTY-2 | 0 | 1\nCOUNTY-2 | 10 | 1"
        given = {"group_sizes": sizes, "group_errors": "\n".join([head, *rows])}
        return {row[1]: row[2:] for row in run_sql("group_shares", given=given, runs=2)}

    return by_size


def test_groups_are_shared_by_what_became_of_them_and_errors_are_pooled_where_there_are_people(shares):
    nobody = "1 | 44007 | false | 0 | 0 | "
    found = shares("1 | 01003 | false | 90 | 0 | 9", "2 | 01003 | false | 90 | 1 | 9", f"{nobody}5")
    assert found[None][:8] == (2, 1, 0.25, 0.0, 0.5, 0.25, 0.0, 0.0)
    found = shares("1 | 01003 | false | 90 | 2 | 9", "2 | 01003 | false | 90 | 3 | 9")
    assert found[10][:8] == (1, 1, 0.0, 0.0, 0.0, 0.0, 0.5, 0.5)
    assert found[0][:8] == (1, 0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    assert shares("1 | 01003 | true | 90 | 0 | 9", "2 | 01003 | true | 90 | 0 | 9")[10][2:5] == (0.0, 1.0, 0.0)
    found = shares("1 | 01003 | false | 90 | 0 | 9", "2 | 01003 | false | 90 | 0 | 45", f"{nobody}36")
    assert found[None][8:] == (0.5, 0.3)
    assert shares(f"{nobody}36")[0][8:] == (None, None)


@pytest.fixture
def accuracy(run_sql):
    def of_size(start):
        shares = (
            "population_group_level | size_start | population_groups | groups_with_people | share_suppressed"
            " | share_total_only | share_stat_level_0 | share_stat_level_1 | share_stat_level_2 | share_stat_level_3"
            f" | relative_error | median_relative_error\nCOUNTY-2 | {start} | 4 | 3"
            " | 0.1 | 0 | 0.5 | 0.2 | 0.1 | 0.1 | 0.25 | 0.125"
        )
        rows = (
            "NULL | NULL | NULL | 7 | 0.9 | 0.95 | 4 | 2 | 3 | 0.5 | 0.4",
            "NULL | stage 2 | 0 | 5 | 0.8 | 0.94 | 4 | 2 | 3 | 0.5 | 0.4",
        )
        rows = (*rows, "10 | NULL | NULL | 6 | 0.7 | 0.93 | 4 | 2 | 2 | 0.3 | 0.2")
        coverages = COVERAGES + "\n".join(f"COUNTY-2 | {row}" for row in rows)
        (row,) = run_sql("accuracy", given={"group_shares": shares, "count_coverages": coverages}, runs=20)
        return row

    return of_size


def test_a_level_has_the_coverage_of_all_its_statistics_and_a_size_one_of_its_own_or_none(accuracy):
    shares = (20, 4, 3, 0.1, 0, 0.5, 0.2, 0.1, 0.1, 0.25, 0.125)
    assert accuracy("NULL") == ("COUNTY-2", None, None, *shares, 7, 0.9, 0.95, 3, 0.5, 0.4)
    assert accuracy("10") == ("COUNTY-2", "10-99", 10, *shares, 6, 0.7, 0.93, 2, 0.3, 0.2)
    assert accuracy("1")[-6:] == (0, None, None, 0, None, None)


@pytest.mark.parametrize(
    ("start", "bucket"), [("0", "0"), ("1", "1-9"), ("10", "10-99"), ("10000", "10000-99999"), ("100000", "100000+")]
)
def test_buckets_are_named_for_people_to_read(accuracy, start, bucket):
    assert accuracy(start)[1] == bucket
