"""reported_region_names: the names that a release gives to the regions of some region types."""


def test_each_region_that_has_a_name_and_is_of_these_types_is_there_once(run_sql_in_order):
    index = """
        REGION_ID | REGION_TYPE | REGION_NAME
            44007 |      COUNTY |  Providence
            44007 |      COUNTY |  Providence
            44003 |      COUNTY |        Kent
            44009 |      COUNTY |        NULL
           445900 |       PLACE |  Providence
    """
    found = run_sql_in_order("reported_region_names", given={"group_index": index}, picked_types=["USA", "COUNTY"])
    assert found == [("COUNTY", "44003", "Kent"), ("COUNTY", "44007", "Providence")]
