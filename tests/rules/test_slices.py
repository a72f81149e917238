"""Tables that are made slice by slice, of people or groups: what their statements may read, and of which slice."""

from safetab_sql.kit.sqlfiles import SqlFile, sql_files

SLICED = [file for file in sql_files().values() if file.kind in ("slice", "slices")]
HANDED_OVER = {"released_t1", "released_t2"}  # by Python, for each slice
KINDS = {file.name: file.kind for file in sql_files().values()}


def reads_a_slice(file: SqlFile) -> bool:
    kinds = {KINDS[table] for table in file.tables_read if table in KINDS}
    return bool({"slice", "stream"} & kinds or HANDED_OVER & set(file.tables_read))


def test_what_is_made_once_reads_no_table_that_holds_one_slice_alone():
    made_once = [file for file in sql_files().values() if file not in SLICED and file.kind != "file"]
    assert [file.name for file in made_once if reads_a_slice(file)] == []


def test_what_is_made_slice_by_slice_names_its_slice_or_reads_one():
    ranges = ({"first_group_id", "last_group_id"}, {"first_unit_id", "end_unit_id"})
    others = [file for file in SLICED if not reads_a_slice(file)]
    assert [file.name for file in others if not any(ends <= set(file.parameters) for ends in ranges)] == []
