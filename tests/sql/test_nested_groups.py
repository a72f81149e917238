"""nested_groups: the population groups of region types that nest, and how fine a table each has."""

import pytest

from tests.literal_tables import literal_table
from tests.sql.published_tables import STATISTIC_CELLS
from tests.sql.reconciled_tables import NESTED_GROUPS, REGION_PARENTS, REGIONS, T1, T2

NO_T2 = "\n".join(T2.strip().splitlines()[:2])


@pytest.fixture
def groups(run_sql):
    def run(t2=T2, suppressed_types=("COUNTY", "PLACE")):
        given = {"t1": T1, "t2": t2, "regions": REGIONS, "region_parents": REGION_PARENTS}
        given = {**given, "statistic_cells": STATISTIC_CELLS}
        return run_sql("nested_groups", given=given, suppressed_types=list(suppressed_types))

    return run


def test_the_groups_of_region_types_that_nest_come_by_iteration_then_region(groups):
    expected = [tuple(row) for row in literal_table(NESTED_GROUPS).rows]
    assert [
        tuple(str(value).lower() if isinstance(value, bool) else str(value) for value in row) for row in groups()
    ] == expected


def test_a_region_type_that_divides_nothing_and_is_not_divided_is_left_out(groups):
    assert "PLACE" not in {row[3] for row in groups()}


def test_a_group_without_a_table_has_a_total_alone(groups):
    assert {row[6] for row in groups(NO_T2)} == {0}


def test_the_variance_of_a_group_with_a_table_is_that_of_a_cell_not_of_the_total(groups):
    assert [row[7] for row in groups()][:2] == [2.0, 2.0]
    assert [row[7] for row in groups(NO_T2)][:2] == [8.0, 2.0]


def test_a_total_alone_is_evidence_where_its_region_type_is_not_suppressed(groups):
    assert [row[8] for row in groups(NO_T2)] == [False, False, True, True]


def test_a_table_is_evidence_whatever_its_region_type(groups):
    assert [row[8] for row in groups()] == [True, False, True, True]


def test_everything_is_evidence_where_nothing_is_suppressed(groups):
    assert {row[8] for row in groups(NO_T2, suppressed_types=())} == {True}
