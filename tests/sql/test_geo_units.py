"""cells: the finest pieces of geography that tabulation tells apart."""

from tests.sql.parameters import region_types


def test_blocks_in_the_same_regions_share_a_cell(run_sql):
    block_regions = """
        block_key | USA | COUNTY
        ----------+-----+-------
                1 |   1 |  44007
                2 |   1 |  44007
                3 |   1 |  01003
    """
    rows = run_sql("geo_units", given={"block_regions": block_regions}, region_types=region_types("USA", "COUNTY"))
    assert rows == [(1, "1", "01003"), (2, "1", "44007")]


def test_no_place_is_a_combination_like_any_other(run_sql):
    block_regions = """
        block_key | STATE |   PLACE
        ----------+-------+--------
                1 |    44 | 4459000
                2 |    44 |    NULL
                3 |    44 |    NULL
    """
    rows = run_sql("geo_units", given={"block_regions": block_regions}, region_types=region_types("STATE", "PLACE"))
    assert [row[1:] for row in rows] == [("44", "4459000"), ("44", None)]
