"""codes_duplicate: codes that the code list holds more than once."""


def test_a_code_that_stands_twice_is_returned_with_its_times(run_sql):
    codes = """
        question_name | code
        --------------+-----
                      | 1010
                      | 1020
                      | 1010
                      | 1010
    """
    assert run_sql("codes_duplicate", given={"codes": codes}) == [("1010", 3)]


def test_codes_that_stand_once_are_fine(run_sql):
    codes = """
        question_name | code
        --------------+-----
                      | 1010
                      | 1020
    """
    assert run_sql("codes_duplicate", given={"codes": codes}) == []


def test_two_questions_may_have_the_same_code(run_sql):
    assert run_sql("codes_duplicate", given={"codes": "question_name | code\n-\n | 1010\nlanguage | 1010"}) == []


def test_missing_codes_are_left_to_another_check(run_sql):
    codes = """
        question_name | code
        --------------+-----
                      | NULL
                      | NULL
    """
    assert run_sql("codes_duplicate", given={"codes": codes}) == []
