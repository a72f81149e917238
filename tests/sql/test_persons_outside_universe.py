"""persons_outside_universe: records that are outside the universe of the parameters."""


def found(run_sql, is_inside):
    rows = f"person_file | person_row | is_inside\n-\np.parquet | 7 | {is_inside}"
    return run_sql("persons_outside_universe", given={"person_universe": rows})


def test_a_record_outside_is_returned(run_sql):
    assert found(run_sql, "false") == [("p.parquet", 7)]


def test_a_record_inside_is_fine(run_sql):
    assert found(run_sql, "true") == []
