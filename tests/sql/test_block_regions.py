"""block_regions: the region of every region type that each block lies in (tabulation.md section 3)."""

import pytest

from tests.census import below_states
from tests.sql.parameters import SCHOOL, region_types

US_BLOCKS = """
    block_key       | TABBLKST | TABBLKCOU | TABTRACTCE | PLACEFP | AIANNHCE | part_name
    ----------------+----------+-----------+------------+---------+----------+----------
    10030004000005  |       01 |       003 |     000400 |   00124 |     0050 | US
    440070001011000 |       44 |       007 |     000101 |   99999 |     9999 | US
"""
PR_BLOCK = """
    block_key       | TABBLKST | TABBLKCOU | TABTRACTCE | PLACEFP | AIANNHCE | part_name
    ----------------+----------+-----------+------------+---------+----------+----------
    720019563001001 |       72 |       001 |     956300 |   00128 |     9999 | PR
"""


@pytest.mark.parametrize(
    ("region_type", "ids"),
    [
        ("USA", ["1", "1"]),
        ("STATE", ["01", "44"]),
        ("COUNTY", ["01003", "44007"]),
        ("TRACT", ["01003000400", "44007000101"]),
        ("PLACE", ["0100124", None]),
        ("AIANNH", ["0050", None]),
        ("PR-STATE", [None, None]),
        ("PR-COUNTY", [None, None]),
        ("PR-TRACT", [None, None]),
        ("PR-PLACE", [None, None]),
    ],
)
def test_a_block_of_the_states_lies_in_a_region_of_us_region_types_alone(run_sql, region_type, ids):
    rows = run_sql("block_regions", given={"blocks": US_BLOCKS}, region_types=region_types(region_type))
    assert [row[1] for row in rows] == ids


@pytest.mark.parametrize(
    ("region_type", "region_id"),
    [
        ("USA", None),
        ("STATE", None),
        ("COUNTY", None),
        ("TRACT", None),
        ("PLACE", None),
        ("AIANNH", None),
        ("PR-STATE", "72"),
        ("PR-COUNTY", "72001"),
        ("PR-TRACT", "72001956300"),
        ("PR-PLACE", "7200128"),
    ],
)
def test_a_block_of_puerto_rico_lies_in_a_region_of_its_own_region_types_alone(run_sql, region_type, region_id):
    rows = run_sql("block_regions", given={"blocks": PR_BLOCK}, region_types=region_types(region_type))
    assert [row[1] for row in rows] == [region_id]


def test_the_columns_come_in_the_order_of_the_region_types(run_sql):
    rows = run_sql("block_regions", given={"blocks": PR_BLOCK}, region_types=region_types("USA", "PR-STATE"))
    assert rows == [(720019563001001, None, "72")]


def test_a_region_type_of_ones_own_has_its_own_id_for_no_region(run_sql):
    school = below_states("SCHOOL", "TABBLKST || AIANNHCE", "US", "449999")
    given = {"blocks": US_BLOCKS}
    rows = run_sql("block_regions", given=given, region_types=region_types("SCHOOL", own=(school,)))
    assert [row[1] for row in rows] == ["010050", None]


def test_a_region_type_of_ones_own_may_use_a_further_column_of_the_geography(run_sql):
    blocks = """
        block_key | TABBLKST | SDELM:varchar | part_name
        ----------+----------+---------------+----------
                1 |       06 |         00001 | US
                2 |       06 |         99999 | US
                3 |       72 |         00001 | PR
    """
    rows = run_sql("block_regions", given={"blocks": blocks}, region_types=region_types("SCHOOL", own=(SCHOOL,)))
    assert rows == [(1, "0600001"), (2, None), (3, None)]
