"""iteration_names: the names of the characteristic iterations, for a report on their tables."""

ROWS = """
    iteration_code | iteration_name
              0102 |      <b>Irish
              0101 |        English
              0301 |        Mexican
              0302 |           NULL
"""


def test_the_iterations_have_the_names_they_are_given_in_the_order_of_their_codes(run_sql_in_order):
    rows = run_sql_in_order("iteration_names", given={"iteration_rows": ROWS})
    assert rows == [("0101", "English"), ("0102", "<b>Irish"), ("0301", "Mexican")]
