"""level_factors: the questions whose iterations each level tabulates."""


def test_a_level_has_every_question(run_sql):
    assert run_sql("level_factors", given={"levels": "level_id\n-\n1\n2"}) == [
        (1, 1, "ethnicity", 1),
        (2, 1, "race", 8),
        (3, 2, "ethnicity", 1),
        (4, 2, "race", 8),
    ]
