"""row_shapes: a total, and every sex and age bin of a table of the release."""

from tests.sql.test_possible_rows import T2


def test_each_sex_and_age_bin_is_one_shape_and_a_total_is_another(run_sql):
    assert run_sql("row_shapes", given={"t2": T2}) == [
        ("T1", None, None, None),
        ("T2", "*", "*", "1"),
        ("T2", "*", "*", "2"),
    ]
