"""crossed_tallies: the pairs of tallies that each pair of iterations adds up."""

# Pair 4 is of iterations 1 and 3, pair 5 of 2 and 3; of pair 5 nothing but totals of broad regions is wanted.
TALLIES = {
    "crossed_iterations": """
        crossing_name | iteration_code | first_code | second_code
        --------------+----------------+------------+------------
                 both |          A x E |          A |           E
                 both |          C x E |          C |           E
    """,
    "iterations": """
        iteration_id | iteration_code
        -------------+---------------
                   1 |              A
                   2 |              C
                   3 |              E
                   4 |          A x E
                   5 |          C x E
    """,
    "listed_tallies": """
        iteration_id | tally_id
        -------------+---------
                   1 |        6
                   1 |        8
                   2 |        6
                   2 |        7
                   3 |       -3
    """,
    "finely_counted_iterations": "iteration_id\n-\n4",
}


def test_pairs_that_share_two_tallies_share_their_pair(run_sql):
    assert run_sql("crossed_tallies", given=TALLIES) == [
        (4, "both", 6, -3, 11),
        (4, "both", 8, -3, 13),
        (5, "both", 6, -3, 11),
        (5, "both", 7, -3, -12),
    ]
