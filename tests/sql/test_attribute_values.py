"""attribute_values: the values of each attribute, and what each adds to the number of its finest cell."""


def test_each_value_is_a_row_of_its_attribute(run_sql):
    values = {"attribute_names": ["AGE", "SEX", "SEX"], "value_numbers": [17, 1, 2], "class_offsets": [4, 0, 1]}
    assert run_sql("attribute_values", **values) == [("AGE", 17, 4), ("SEX", 1, 0), ("SEX", 2, 1)]
