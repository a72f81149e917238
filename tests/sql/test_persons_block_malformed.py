"""persons_block_malformed: people whose block is not spelled as four codes of digits."""

import pytest

from safetab_sql.public.values import parameter_values
from tests.sql.parameters import parameters

GOOD = ("44", "007", "000101", "1000")
HEADER = "person_file | person_row | TABBLKST | TABBLKCOU | TABTRACTCE | TABBLK\n-\np.parquet | 7 | "
COLUMNS = parameter_values(parameters("USA-1"))["block_columns"]
COLUMN = pytest.mark.parametrize("column", range(4), ids=["state", "county", "tract", "block"])


@COLUMN
@pytest.mark.parametrize("spoil", [lambda code: code[1:], lambda code: code + "0", lambda code: "x" + code[1:]])
def test_a_code_that_is_too_short_too_long_or_no_number_is_returned(run_sql, column, spoil):
    row = tuple(spoil(code) if place == column else code for place, code in enumerate(GOOD))
    rows = run_sql("persons_block_malformed", given={"person_records": HEADER + " | ".join(row)}, block_columns=COLUMNS)
    assert rows == [("p.parquet", 7, [*COLUMNS][column], row[column])]


@COLUMN
def test_a_missing_code_is_returned(run_sql, column):
    row = tuple("NULL" if place == column else code for place, code in enumerate(GOOD))
    rows = run_sql("persons_block_malformed", given={"person_records": HEADER + " | ".join(row)}, block_columns=COLUMNS)
    assert rows == [("p.parquet", 7, [*COLUMNS][column], None)]


def malformed(run_sql, *rows):
    return run_sql("persons_block_malformed", given={"person_records": HEADER + "\n".join(rows)}, block_columns=COLUMNS)


def test_each_bad_code_of_somebody_is_returned(run_sql):
    rows = malformed(run_sql, "4 | 7 | 000101 | 1000")
    assert rows == [("p.parquet", 7, "TABBLKCOU", "7"), ("p.parquet", 7, "TABBLKST", "4")]


def test_everybody_with_the_same_bad_code_is_returned(run_sql):
    rows = malformed(run_sql, "4 | 007 | 000101 | 1000", "p.parquet | 8 | 4 | 007 | 000101 | 1000")
    assert [row[1] for row in rows] == [7, 8]


def test_digits_of_the_right_number_are_fine(run_sql):
    assert malformed(run_sql, " | ".join(GOOD)) == []
