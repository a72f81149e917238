"""blocks: the blocks of the requested states, each with a key that is one number."""

import pytest

GEOGRAPHY = {
    "geography_rows": """
        TABBLKST | TABBLKCOU | TABTRACTCE | TABBLK | PLACEFP | AIANNHCE
        ---------+-----------+------------+--------+---------+---------
              01 |       003 |     000400 |   0005 |   99999 |     9999
              44 |       007 |     000101 |   1000 |   59000 |     9999
              72 |       001 |     956300 |   1001 |   99999 |     9999
    """
}


@pytest.mark.parametrize("states", [["01"], ["44", "72"], []], ids=["one", "two", "none"])
def test_only_blocks_of_the_requested_states_are_kept(run_sql, states):
    rows = run_sql("blocks", given=GEOGRAPHY, states=states, extra_columns=[])
    assert [row[1] for row in rows] == states


def test_a_block_key_is_the_number_that_its_fifteen_digits_spell(run_sql):
    rows = run_sql("blocks", given=GEOGRAPHY, states=["01", "44"], extra_columns=[])
    assert [row[0] for row in rows] == [10030004000005, 440070001011000]


def test_the_codes_of_a_block_stay_beside_its_key(run_sql):
    rows = run_sql("blocks", given=GEOGRAPHY, states=["44"], extra_columns=[])
    assert rows == [(440070001011000, "44", "007", "000101", "1000", "59000", "9999")]


def test_further_columns_are_kept_for_region_types_of_ones_own(run_sql):
    given = {
        "geography_rows": """
            TABBLKST | TABBLKCOU | TABTRACTCE | TABBLK | PLACEFP | AIANNHCE | SDELM:varchar
            ---------+-----------+------------+--------+---------+----------+--------------
                  01 |       003 |     000400 |   0005 |   99999 |     9999 |         00008
        """
    }
    rows = run_sql("blocks", given=given, states=["01"], extra_columns=['"SDELM"'])
    assert [row[-1] for row in rows] == ["00008"]
