"""finest_values: the finest cell that each combination of the values of all attributes falls in."""

VALUES = """
    attribute_name | value_number | class_offset
    ---------------+--------------+-------------
               AGE |           17 |            0
               AGE |           18 |            2
               SEX |            1 |            0
               SEX |            2 |            1
"""


def test_every_combination_of_values_is_in_the_cell_that_their_offsets_add_up_to(run_sql):
    rows = run_sql("finest_values", given={"attribute_values": VALUES})
    assert rows == [(17, 1, 0), (17, 2, 1), (18, 1, 2), (18, 2, 3)]


def test_without_attributes_everybody_is_in_one_cell(run_sql):
    assert run_sql("finest_values", given={"attribute_values": VALUES}, attributes=[]) == [(0,)]
