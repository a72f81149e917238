"""persons_code_after_null: people with a race code after an empty place."""

import pytest


def after_null(run_sql, codes):
    names = " | ".join(f"QRACE{place}" for place in range(1, 9))
    row = " | ".join("1010" if held == "x" else "NULL" for held in codes)
    records = f"person_file | person_row | {names}\n-\np.parquet | 7 | {row}"
    return run_sql("persons_code_after_null", given={"person_records": records})


@pytest.mark.parametrize("codes", ["x" * gap + "." + "x" + "." * (6 - gap) for gap in range(7)])
def test_a_gap_before_the_next_code_is_returned_wherever_it_is(run_sql, codes):
    rows = after_null(run_sql, codes)
    assert rows == [("p.parquet", 7, f"QRACE{codes.index('.x') + 2}", "1010")]


@pytest.mark.parametrize("codes", ["x......x", "x..xxxxx"])
def test_a_gap_of_several_places_is_returned(run_sql, codes):
    assert len(after_null(run_sql, codes)) == 1


@pytest.mark.parametrize("codes", ["x" * held + "." * (8 - held) for held in range(9)])
def test_codes_without_a_gap_are_fine(run_sql, codes):
    assert after_null(run_sql, codes) == []
