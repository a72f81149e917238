"""summed_rows: the rows of the groups of a sum, and the independent noisy counts (atoms) that each row adds up."""

import pytest

HEAD = """
    TABLE | REGION_ID | REGION_TYPE | ITERATION_CODE | AGESTART | AGEEND | SEX | COUNT | VARIANCE | MOE95
    ------+-----------+-------------+----------------+----------+--------+-----+-------+----------+------
"""
# County 44007 has a table of two age bins and a total; county 44009 and iteration 2220 have a total alone.
T1 = """
       T1 |     44009 |      COUNTY |           2210 |     NULL |   NULL | NULL |   -3 |      2.0 |   1.0
       T1 |     44007 |      COUNTY |           2210 |     NULL |   NULL | NULL |   10 |      8.0 |   1.0
       T1 |     44007 |      COUNTY |           2220 |     NULL |   NULL | NULL |    7 |      2.0 |   1.0
"""
T2 = """
       T2 |     44007 |      COUNTY |           2210 |       18 |    115 |   2 |     4 |      2.0 |   1.0
       T2 |     44007 |      COUNTY |           2210 |        0 |     17 |   2 |     3 |      2.0 |   1.0
       T2 |     44007 |      COUNTY |           2210 |       18 |    115 |   1 |     2 |      2.0 |   1.0
       T2 |     44007 |      COUNTY |           2210 |        0 |     17 |   1 |     1 |      2.0 |   1.0
       T2 |     44007 |      COUNTY |           2210 |        * |      * |   2 |     7 |      4.0 |   1.0
       T2 |     44007 |      COUNTY |           2210 |        * |      * |   1 |     3 |      4.0 |   1.0
"""
GROUPS = """
    REGION_TYPE | REGION_ID | ITERATION_CODE
    ------------+-----------+---------------
         COUNTY |     44009 |           2210
         COUNTY |     44007 |           2210
         COUNTY |     44007 |           2220
"""


def _given(*parts, groups=GROUPS):
    rows = "\n".join(part.strip("\n") for part in (HEAD, *parts))
    return {"published_rows": rows, "asked_groups": groups}


@pytest.fixture
def summed_rows(run_sql):
    """Key of each row (table, region, iteration, age, sex) -> is_atom, first_atom, atoms."""
    rows = run_sql("summed_rows", given=_given(T1, T2))
    return {(*row[:2], row[3], row[4], row[6]): row[10:] for row in rows}


TOTAL = ("T1", "44007", "2210", None, None)


def _atoms(row):
    _, first, atoms = row
    return set(range(first, first + atoms))


def _cell(age, sex):
    return ("T2", "44007", "2210", age, sex)


def test_every_row_of_both_tables_is_there_once(summed_rows):
    assert len(summed_rows) == 9


def test_a_row_is_published_as_it_was(run_sql):
    rows = run_sql("summed_rows", given=_given(T1, T2))
    assert ("T2", "44007", "COUNTY", "2210", "18", "115", "1", 2, 2.0) in [row[:9] for row in rows]


def test_a_total_has_neither_age_nor_sex(run_sql):
    rows = run_sql("summed_rows", given=_given(T1, T2))
    assert ("T1", "44009", "COUNTY", "2210", None, None, None, -3, 2.0) in [row[:9] for row in rows]


def test_cells_and_totals_of_groups_without_a_table_are_atoms_and_no_other_rows_are(summed_rows):
    cells = {_cell(age, sex) for age in ("0", "18") for sex in "12"}
    alone = {("T1", "44009", "2210", None, None), ("T1", "44007", "2220", None, None)}
    assert {key for key, row in summed_rows.items() if row[0]} == cells | alone


def test_atoms_are_numbered_from_zero_without_gaps(summed_rows):
    assert sorted(first for is_atom, first, _ in summed_rows.values() if is_atom) == list(range(6))


def test_an_atom_is_itself_alone(summed_rows):
    assert {atoms for is_atom, _, atoms in summed_rows.values() if is_atom} == {1}


@pytest.mark.parametrize("sex", ["1", "2"])
def test_the_marginal_of_a_sex_is_its_cells(summed_rows, sex):
    cells = set().union(*(_atoms(summed_rows[_cell(age, sex)]) for age in ("0", "18")))
    assert _atoms(summed_rows[_cell("*", sex)]) == cells


def test_the_total_of_a_group_with_a_table_is_all_its_cells(summed_rows):
    cells = set().union(*(_atoms(summed_rows[_cell(age, sex)]) for age in ("0", "18") for sex in "12"))
    assert _atoms(summed_rows[TOTAL]) == cells


def test_rows_stand_in_the_order_of_their_atoms_the_widest_first(run_sql_in_order):
    rows = run_sql_in_order("summed_rows", given=_given(T1, T2))
    places = [(row[11], -row[12]) for row in rows]
    assert places == sorted(places)


def test_a_release_without_tables_is_made_of_its_totals(run_sql):
    rows = run_sql("summed_rows", given=_given(T1))
    assert sorted(row[10:] for row in rows) == [(True, 0, 1), (True, 1, 1), (True, 2, 1)]


def test_rows_of_other_groups_are_left_out_and_their_atoms_are_not_numbered(run_sql):
    rows = run_sql("summed_rows", given=_given(T1, T2, groups="\n".join(GROUPS.splitlines()[:4])))
    assert [(row[1], *row[10:]) for row in rows] == [("44009", True, 0, 1)]
