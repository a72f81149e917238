"""persons_value_unlisted: people with a value of a listed attribute that is missing, or not in the list."""

from safetab_sql.settings.attributes import Attribute

ATTRIBUTE = Attribute("SEX", column="gender", values=("1", "2"))


def found(run_sql, number, given):
    records = f"person_file | person_row | SEX_number | SEX_given\n-\np.parquet | 7 | {number} | {given}"
    return run_sql("persons_value_unlisted", given={"person_records": records}, attribute=ATTRIBUTE)


def test_a_value_that_is_not_in_the_list_is_returned_as_it_stands_in_the_file(run_sql):
    assert found(run_sql, "NULL", "X") == [("p.parquet", 7, "gender", "X")]


def test_a_missing_value_is_returned(run_sql):
    assert found(run_sql, "NULL", "NULL") == [("p.parquet", 7, "gender", None)]


def test_values_of_the_list_are_fine(run_sql):
    assert found(run_sql, 1, "M") + found(run_sql, 2, "F") == []
