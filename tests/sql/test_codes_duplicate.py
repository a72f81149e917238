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
