"""iterations: the characteristic iterations that may be tabulated, numbered."""

NEITHER = "{DETAILED_ONLY=false, COARSE_ONLY=false}"
COARSE = "{DETAILED_ONLY=false, COARSE_ONLY=true}"
ROWS = {
    "iteration_rows": f"""
        iteration_code | iteration_name | iteration_level | iteration_kind | flags
        ---------------+----------------+-----------------+----------------+------------------
                  3001 | Maya           |               2 |      ethnicity | {NEITHER}
                  0001 | White alone    |               0 |          alone | {NEITHER}
                  0101 | European alone |               1 |          alone | {NEITHER}
                  0102 | European       |               1 |    combination | {COARSE}
    """
}


def test_level_zero_iterations_are_dropped(run_sql):
    assert {row[3] for row in run_sql("iterations", given=ROWS)} == {"1", "2"}


def test_iterations_are_numbered_from_one_in_the_order_of_their_codes(run_sql):
    rows = run_sql("iterations", given=ROWS)
    assert [row[:2] for row in rows] == [(1, "0101"), (2, "0102"), (3, "3001")]


def test_what_the_list_says_of_an_iteration_stays_with_it(run_sql):
    rows = run_sql("iterations", given=ROWS)
    assert rows[1] == (2, "0102", "European", "1", "combination", {"DETAILED_ONLY": False, "COARSE_ONLY": True})
