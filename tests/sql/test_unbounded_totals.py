"""unbounded_totals: how many people each population group has, however many records a person has."""


def test_the_totals_of_a_count_without_a_bound_are_kept_as_they_are(run_sql):
    totals = """
        population_group_id | exact_count
        --------------------+------------
                          7 |          36
                          4 |           1
    """
    assert run_sql("unbounded_totals", given={"group_totals": totals}) == [(4, 1), (7, 36)]


def test_without_people_there_is_no_total(run_sql):
    totals = "population_group_id | exact_count\n-"
    assert run_sql("unbounded_totals", given={"group_totals": totals}) == []
