"""clamped_weights: the records that count for less, or for more, than their weight says."""


def test_weights_below_0_or_above_the_maximum_are_returned_and_others_are_not(run_sql):
    drawn = """
        value_1 | value_2 | given_weight | record_file | record_row
        --------+---------+--------------+-------------+-----------
              1 |       1 |           -1 | a           |          1
              1 |       1 |            0 | a           |          2
              1 |       1 |           10 | a           |          3
              1 |       1 |           11 | a           |          4
              1 |       1 |         NULL | a           |          5
    """
    found = run_sql("clamped_weights", given={"table_values": drawn}, maximum_weight=10)
    assert found == [("a", 1, -1), ("a", 4, 11)]
