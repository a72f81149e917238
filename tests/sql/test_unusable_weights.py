"""unusable_weights: the records whose weight is missing or no whole number."""


def test_records_without_a_weight_are_returned_and_others_are_not(run_sql):
    drawn = """
        value_1 | value_2 | given_weight | record_file | record_row
        --------+---------+--------------+-------------+-----------
              1 |       1 |            0 | a           |          1
              1 |       1 |         NULL | a           |          2
    """
    assert run_sql("unusable_weights", given={"table_values": drawn}) == [("a", 2)]
