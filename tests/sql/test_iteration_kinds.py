"""iteration_kinds: the kinds of iterations that each question has."""


def test_each_question_has_its_kinds_and_reads_so_many_codes(run_sql):
    assert run_sql("iteration_kinds") == [
        ("alone", "race", True, True, 8),
        ("combination", "race", True, False, 8),
        ("ethnicity", "ethnicity", False, False, 1),
    ]
