"""records_of_nobody: the records that do not say whose they are."""


def test_records_without_a_person_are_returned_and_others_are_not(run_sql):
    drawn = """
        value_1 | value_2 | given_weight | person_key | record_file | record_row
        --------+---------+--------------+------------+-------------+-----------
              1 |       1 |            1 | ann        | a           |          1
              1 |       1 |            1 | NULL       | a           |          2
    """
    assert run_sql("records_of_nobody", given={"table_values": drawn}) == [("a", 2)]
