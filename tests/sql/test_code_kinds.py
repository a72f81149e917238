"""code_kinds: the iterations of each kind of code, of the questions whose answers are few enough to try them all."""


def test_codes_in_the_same_iterations_are_of_one_kind_and_questions_without_overlap_have_no_row(run_sql):
    level_codes = """
        factor_id | iteration_kind | iteration_id | code
        ----------+----------------+--------------+-----
                1 |          alone |            1 | 1010
                1 |    combination |            2 | 1010
                2 |          alone |            1 | 1010
                2 |          alone |            1 | 1020
                2 |          alone |            1 | 1030
                2 |    combination |            3 | 1010
                2 |    combination |            3 | 1020
                2 |    combination |            4 | 1010
                2 |    combination |            4 | 1020
                2 |      ethnicity |            5 | 1010
    """
    rows = run_sql("code_kinds", given={"level_codes": level_codes})
    assert rows == [(2, 0, 1, True), (2, 1, 1, True), (2, 1, 3, False), (2, 1, 4, False)]
