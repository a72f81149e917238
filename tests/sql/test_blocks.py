"""blocks: the blocks of the requested states, each with a key that is one number."""

from safetab_sql.public.values import key_of_columns
from safetab_sql.settings.geography import PlaceColumn
from tests.sql.parameters import parts_of

NAMES = ("TABBLKST", "TABBLKCOU", "TABTRACTCE", "TABBLK", "PLACEFP", "AIANNHCE")
GEOGRAPHY = """
    TABBLKST | TABBLKCOU | TABTRACTCE | TABBLK | PLACEFP | AIANNHCE | part_name
    ---------+-----------+------------+--------+---------+----------+----------
          01 |       003 |     000400 |   0005 |   99999 |     9999 | US
          44 |       007 |     000101 |   1000 |   59000 |     9999 | US
          06 |       007 |     000101 |   1000 |   59000 |     9999 |
"""


def blocks(run_sql, geography=GEOGRAPHY, names=NAMES, **values):
    values = {"geography_key": parts_of()["geography_key"], "region_columns": names, **values}
    return run_sql("blocks", given={"geography_rows": geography}, **values)


def test_a_block_key_is_the_number_that_its_fifteen_digits_spell_and_blocks_of_no_part_are_left_out(run_sql):
    assert [row[0] for row in blocks(run_sql)] == [10030004000005, 440070001011000]


def test_the_codes_of_a_block_stay_beside_its_key(run_sql):
    assert blocks(run_sql)[1] == (440070001011000, "44", "007", "000101", "1000", "59000", "9999", "US")


def test_a_key_may_be_text_of_any_columns(run_sql):
    geography = """
        MUNICIPALITY:varchar | PROVINCE:varchar | part_name
        ---------------------+------------------+----------
                       N-Ask |               P1 | mainland
    """
    key = key_of_columns((PlaceColumn("MUNICIPALITY", None),), "geography_rows.")
    rows = blocks(run_sql, geography, ("MUNICIPALITY", "PROVINCE"), geography_key=key)
    assert rows == [("N-Ask", "N-Ask", "P1", "mainland")]
