"""region_names_differ: regions with two names."""

HEADER = "region_type | region_id | region_name | other_name\n-\n"


def differing(run_sql, row):
    return run_sql("region_names_differ", given={"geography_names": HEADER + row})


def test_a_region_with_two_names_is_returned_with_both(run_sql):
    assert differing(run_sql, "DISTRICT | d1 | Coast | Hills") == [("DISTRICT", "d1", "Coast", "Hills")]


def test_a_region_with_one_name_is_fine(run_sql):
    assert differing(run_sql, "DISTRICT | d1 | Hills | Hills") == []
