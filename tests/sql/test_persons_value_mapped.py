"""persons_value_mapped: records whose value counts as another one."""


def found(run_sql, is_mapped):
    rows = f"person_file | person_row | AGE_mapped\n-\np.parquet | 7 | {is_mapped}"
    values = {"mapped_column": "AGE_mapped"}
    return run_sql("persons_value_mapped", given={"person_records": rows}, **values)


def test_a_record_whose_value_is_mapped_is_returned(run_sql):
    assert found(run_sql, "true") == [("p.parquet", 7)]


def test_a_record_whose_value_counts_as_it_is_is_fine(run_sql):
    assert found(run_sql, "false") == []
