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
