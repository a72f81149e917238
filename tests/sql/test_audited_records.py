"""audited_records: the person records in the order in which the stability audit picks those that it leaves out."""

import pytest

from safetab_sql.public.statement_values import question_values
from tests.sql.parameters import parameters, parts_of

VALUES = {name: parts_of("01")[name] for name in ("block_columns", "is_requested")}
VALUES["code_columns"] = question_values(parameters("USA-1"))["code_columns"]


@pytest.fixture
def audited_records(run_sql_in_order):
    def rows(*people):
        lines = [
            f"a | {row} | {state} | {' | '.join([*races, *['NULL'] * 7][:8])} | {'NULL | ' * 5} 2000"
            for row, (state, *races) in enumerate(people, start=1)
        ]
        names = ["person_file", "person_row", "TABBLKST", *(f"QRACE{place}" for place in range(1, 9))]
        others = ["QAGE", "QSEX", "TABBLKCOU", "TABTRACTCE", "TABBLK", "QSPAN"]
        drawn = "\n".join([" | ".join([*names, *others]), "-", *lines])
        return run_sql_in_order("audited_records", given={"person_records": drawn}, **VALUES)

    return rows


def test_people_come_from_the_most_race_codes_to_the_fewest(audited_records):
    rows = audited_records(("01", "1010"), ("01", "1010", "1020", "1030"), ("01", "1010", "1020"))
    assert [row[:3] for row in rows] == [(1, "a", 2), (2, "a", 3), (3, "a", 1)]


def test_people_with_as_many_codes_come_in_the_order_of_their_files(audited_records):
    rows = audited_records(("01", "1010"), ("01", "1020"))
    assert [row[:3] for row in rows] == [(1, "a", 1), (2, "a", 2)]


def test_a_race_code_that_stands_twice_counts_once(audited_records):
    rows = audited_records(("01", "1010", "1010", "1010"), ("01", "1010", "1020"))
    assert [row[2] for row in rows] == [2, 1]


def test_people_outside_the_requested_states_have_no_place(audited_records):
    rows = audited_records(("06", "1010", "1020"), ("01", "1010"))
    assert [row[:3] for row in rows] == [(1, "a", 2), (None, "a", 1)]


def test_the_records_keep_their_columns(audited_records):
    (row,) = audited_records(("01", "1010", "1020"))
    assert row == (1, "a", 1, None, None, "01", None, None, None, "1010", "1020", *(None,) * 6, "2000")
