"""unnamed_rows: rows of groups that nobody has named, with every way not to know a name."""

from tests.sql.test_possible_rows import SHAPES


def test_each_suppressed_type_has_every_shape_of_a_row_with_four_ways_not_to_know(run_sql):
    rows = run_sql("unnamed_rows", given={"row_shapes": SHAPES}, suppressed_types=["COUNTY", "TRACT"])
    assert len(rows) == 2 * 3 * 4
    assert {row[2] for row in rows} == {"COUNTY", "TRACT"}
    assert {(row[1], row[3], row[8]) for row in rows} == {
        ("", "", 0),
        (None, "", 0),
        ("", None, None),
        (None, None, None),
    }


def test_where_nothing_is_suppressed_there_are_none(run_sql):
    assert run_sql("unnamed_rows", given={"row_shapes": SHAPES}, suppressed_types=[]) == []
