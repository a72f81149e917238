"""row_shapes: a total, and every sex and age bin of a table of the release."""

from tests.sql.test_possible_rows import T2

NAMES = {"table_name": "T2", "totals_name": "T1", "has_totals": True}


def test_each_sex_and_age_bin_is_one_shape_and_a_total_apart_another(run_sql):
    assert run_sql("row_shapes", given={"t2": T2}, **NAMES) == [
        ("T1", None, None, None, None),
        ("T2", "age4", "*", "*", "1"),
        ("T2", "age4", "*", "*", "2"),
    ]
    found = run_sql("row_shapes", given={"t2": T2}, **{**NAMES, "has_totals": False})
    assert {row[0] for row in found} == {"T2"}
