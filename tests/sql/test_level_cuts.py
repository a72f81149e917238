"""level_cuts: how often a person is not counted in a group, by level of the whole run."""


def test_the_buckets_of_a_level_add_up(run_sql):
    given = {
        "groups_cut": "level_id | group_count\n-\n1 | 3\n2 | 4\n1 | 5",
        "levels": "level_id | level_name\n-\n1 | USA-1\n2 | STATE-1",
    }
    assert run_sql("level_cuts", given=given) == [("STATE-1", 4), ("USA-1", 8)]
