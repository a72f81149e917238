"""persons_state_unknown: people in a state that there is not."""

import pytest

from tests.sql.parameters import parts_of

KNOWN = ["01", "06", "72"]
KNOWN_COLUMNS = parts_of("01", "44")["known_columns"]


def found(run_sql, state):
    records = f"person_file | person_row | TABBLKST\n-\np.parquet | 7 | {state}"
    return run_sql("persons_state_unknown", given={"person_records": records}, known_columns=KNOWN_COLUMNS)


@pytest.mark.parametrize("state", ["77", "00", "03", "99"])
def test_two_digits_that_are_no_state_are_returned(run_sql, state):
    assert found(run_sql, state) == [("p.parquet", 7, "TABBLKST", state)]


@pytest.mark.parametrize("state", KNOWN)
def test_a_state_and_puerto_rico_are_fine_requested_or_not(run_sql, state):
    assert found(run_sql, state) == []


@pytest.mark.parametrize("state", ["NULL", "6", "006", "xx"])
def test_what_is_not_two_digits_is_another_checks(run_sql, state):
    assert found(run_sql, state) == []
