"""wanted_cells: the published cells that wanted counts add up."""

from tests.sql.wanted_tables import T2, TERMS


def found(run_sql):
    rows = run_sql("wanted_cells", given={"t2": T2, "asked_terms": TERMS})
    return [(row[0], row[1], *row[3:6], *row[8:]) for row in sorted(rows)]


def test_a_sex_or_an_age_that_is_not_named_means_all(run_sql):
    assert [row for row in found(run_sql) if row[0] == 0] == [
        (0, False, "1", 0, 17, True, True),
        (0, False, "1", 18, 115, True, True),
        (0, True, "1", 18, 115, True, True),
        (0, True, "2", 18, 115, True, True),
    ]


def test_a_bin_that_is_wanted_in_part_is_marked(run_sql):
    assert [row for row in found(run_sql) if row[0] == 2] == [(2, False, "2", 0, 17, False, True)]
