"""The statements of sql/histograms."""

from hashlib import md5

import pytest

TWO = {"coded_domains": [{"name": "code_1"}, {"name": "code_2"}]}
VALUES = "value_1 | value_2 | given_weight | person_key | record_id | record_file | record_row\n"
CODES = "code_1 | code_2 | weight\n"
THREE = f"{CODES}0 | 0 | 1\n0 | 0 | 1\n1 | 2 | 5"
BOUNDED = {
    "table_codes": "person_key | code_1 | code_2 | weight\nann | 0 | 0 | 1\nbob | 1 | 1 | 5\nann | 2 | 2 | 9",
    "bounded_persons": "person_key\nann",
    "kept_codes": f"{CODES}2 | 2 | 9",
}
HASH = int.from_bytes(md5(b"ann\x1f3\x1f0\x1f7").digest(), "little")


def records(column: str, *values: str) -> dict[str, str]:
    """Records that differ in one column, the first in row 1 of file a."""
    names = VALUES.split("\n", 1)[0].split(" | ")[:5]
    rows = [
        " | ".join([*(value if name == column else "1" for name in names), "a", str(number)])
        for number, value in enumerate(values, 1)
    ]
    return {"table_values": VALUES + "\n".join(rows)}


def terms(*strides: tuple[str, int]) -> dict[str, object]:
    return {"cell_terms": [{"name": name, "stride": stride} for name, stride in strides]}


def examined(candidates: str, name: str = "SEX", value: str = "value_1") -> dict[str, object]:
    domain = {"domain_id": 0, "key": "table_values.value_1", "candidates": candidates}
    return {"examined_columns": [{"name": name, "value": value}], "examined_domain": domain}


LISTED = {
    "table_values": f"{VALUES}1 | 50 | 1 | 1 | 1 | a | 1\n9 | 50 | 1 | 1 | 1 | a | 2\nNULL | 51 | 1 | 1 | 1 | a | 3",
    "domain_codes": "domain_id | value_key | code\n0 | 1 | 0\n1 | 9 | 0",
}
IN_RANGE = "code_in_range(signed_number_from_text(table_values.value_2), 0, 50)"
# By what they say: statement, tables, values and rows.
CASES = {
    "weights below 0 or above the maximum, and no others": (
        *("clamped_weights", records("given_weight", "-1", "0", "10", "11", "NULL"), {"maximum_weight": 10}),
        [("a", 1, -1), ("a", 4, 11)],
    ),
    "weights that are missing": ("unusable_weights", records("given_weight", "0", "NULL"), {}, [("a", 2)]),
    "records without a person": ("records_of_nobody", records("person_key", "ann", "NULL"), {}, [("a", 2)]),
    "records of a shared id, and without one": (
        *("repeated_ids", records("record_id", "7", "8", "7", "NULL"), {}),
        [("a", 1, "7"), ("a", 3, "7"), ("a", 4, None)],
    ),
    "a record with its person and a hash of all that is counted of it": (
        *("coded_records", {"table_codes": "person_key | kept_1 | code_1 | code_2 | weight\nann | may | 3 | 0 | 7"}),
        {"record_keys": {"person_key": "", "kept_1": ""}, **TWO},
        [("ann", "may", 3, 0, 7, HASH)],
    ),
    "of persons above the bound the kept records, and all of others": (
        *("counted_codes", BOUNDED, TWO, [(1, 1, 5), (2, 2, 9)]),
    ),
    "records without a code by domain": (
        *("uncoded_records", {"table_codes": f"{CODES}0 | NULL | 1\nNULL | NULL | 1\n1 | 0 | 1"}),
        {"coded_domains": [{"name": "code_1", "code": ""}, {"name": "code_2", "code": ""}]},
        [(3, 1, 2)],
    ),
    "no records without a code": (
        *("uncoded_records", {"table_codes": CODES.rstrip("\n")}),
        {"coded_domains": [{"name": "code_1", "code": ""}, {"name": "code_2", "code": ""}]},
        [(0, 0, 0)],
    ),
    **{
        f"cells by {name}": ("histogram_cells", {"counted_codes": THREE}, terms(*strides), cells)
        for name, strides, cells in (
            ("two domains", [("code_1", 3), ("code_2", 1)], [(0, 2), (5, 5)]),
            ("one domain", [("code_2", 1)], [(0, 2), (2, 5)]),
            *(("a large stride", [("code_1", 2**40)], [(0, 2), (2**40, 5)]), ("no domain", [], [(0, 7)])),
        )
    },
    "values that their own domain does not list": (
        *("unpermitted_records", LISTED, examined("domain_codes.code"), [("a", 2, "9"), ("a", 3, None)]),
    ),
    "values outside a range": (
        *("unpermitted_records", LISTED, examined(IN_RANGE, "AGE", "value_2"), [("a", 3, "51")]),
    ),
}


@pytest.mark.parametrize(("name", "given", "values", "rows"), CASES.values(), ids=CASES)
def test_these_rows_are_returned(run_sql, name, given, values, rows):
    assert run_sql(name, given=given, **values) == rows


READ_CODES = "domain_id | value_key | code\n0 | 1 | 0\n0 | 2 | 1\n1 | 1 | 7"
CODED = [
    {"name": "code_1", "candidates": "codes_of_1.code"},
    {"name": "code_2", "candidates": "code_in_range(signed_number_from_text(table_values.value_2), 10, 99), 90"},
]
READ_LISTED = [{"domain_id": 0, "lookup": "codes_of_1", "key": "table_values.value_1"}]


@pytest.fixture
def table_codes(run_sql):
    def rows(*values, weight="1"):
        lines = [f"{first} | {second} | {given} | f | 1" for first, second, given in values]
        names = "value_1 | value_2 | given_weight | record_file | record_row"
        given = {"table_values": "\n".join([names, *lines]), "domain_codes": READ_CODES}
        return run_sql("table_codes", given=given, coded_domains=CODED, listed_domains=READ_LISTED, weight=weight)

    return rows


def test_a_record_has_the_first_code_that_applies_in_each_domain_or_none_and_its_weight_clamped(table_codes):
    assert table_codes(("1", "10", 1), ("2", "12", 1)) == [(0, 0, 1), (1, 2, 1)]
    assert table_codes(("9", "10", 1)) == [(None, 0, 1)]
    rows = table_codes(("1", "10", 1), ("1", "100", 1), ("1", "ten", 1))
    assert [row[1] for row in rows] == [0, 90, 90]
    weight = "clamped_weight(table_values.given_weight, 4)"
    rows = table_codes(("1", "10", -3), ("1", "11", 2), ("1", "12", 9), weight=weight)
    assert [row[2] for row in rows] == [0, 2, 4]


@pytest.fixture
def table_values(run_sql_in_order, write_parquet):
    def rows(text, *, given_weight="1", record_id="null"):
        columns = [{"name": "value_1", "expression": 'as_text("AGE")'}, {"name": "value_2", "expression": '"SEX"'}]
        path = write_parquet(text)
        found = run_sql_in_order(
            "table_values", table_files=[path], value_columns=columns, given_weight=given_weight, record_id=record_id
        )
        return [(*row[:3], row[5]) if record_id == "null" else row[3] for row in found]

    return rows


def test_values_become_text_beside_weight_row_and_id(table_values):
    assert table_values("AGE:integer | SEX\n7 | 01") == [("7", "01", 1, 1)]
    weighed = table_values("AGE:integer | SEX | WEIGHT:integer\n1 | 1 | 5\n2 | 2 | NULL", given_weight='"WEIGHT"')
    assert [row[2:] for row in weighed] == [(5, 1), (None, 2)]
    named = table_values("AGE:integer | SEX | ID:bigint\n1 | 1 | 17\n2 | 2 | NULL", record_id='"ID"')
    assert named == ["17", None]


COLUMNS = ["field_1", "field_2"]


@pytest.fixture
def distance(run_sql):
    def of(*rows, columns=COLUMNS):
        lines = [f"{is_exact} | {a} | {b}" for is_exact, a, b in rows]
        drawn = "\n".join(["is_exact | field_1 | field_2", *lines])
        ((found,),) = run_sql("marginal_distance", given={"scored_rows": drawn}, marginal_columns=columns)
        return found

    return of


def test_the_distance_is_the_sum_over_the_cells_of_the_set_with_null_among_values(distance):
    assert distance(("true", 1, 1), ("true", 2, 2), *[("false", 1, 1), ("false", 2, 2)] * 3) == 0
    assert distance(("true", 1, 1), ("false", 1, 2)) == 2
    # Shares 1/2, 1/2, 0 against 1/4, 1/2, 1/4.
    exact = [("true", 1, 1), ("true", 1, 2)]
    synthetic = [("false", 1, 1), ("false", 1, 2), ("false", 1, 2), ("false", 2, 2)]
    assert distance(*exact, *synthetic) == 0.5
    assert distance(("true", 1, 1), ("false", 1, 2), columns=COLUMNS[:1]) == 0
    assert distance(("true", "NULL", 1), ("false", "NULL", 1)) == 0


SCORED = [
    {"name": name, "exact": f"as_text(exact_rows.{field})", "synthetic": f"as_text(synthetic_rows.{field})"}
    for name, field in (("field_1", "SEX"), ("field_2", "AGE"))
]


def test_rows_of_both_tables_are_told_apart_and_fields_that_are_not_scored_left_out(run_sql, write_parquet):
    exact = write_parquet("SEX | AGE:integer\n1 | 30\n2 | 30", "exact.parquet")
    synthetic = write_parquet("AGE:integer | SEX\n31 | 1", "synthetic.parquet")
    rows = run_sql("scored_rows", table_files=[exact], synthetic_files=[synthetic], scored_columns=SCORED)
    assert rows == [(False, "1", "31"), (True, "1", "30"), (True, "2", "30")]
    exact = write_parquet("SEX | NAME\n1 | a", "exact.parquet")
    synthetic = write_parquet("SEX\n2", "synthetic.parquet")
    rows = run_sql("scored_rows", table_files=[exact], synthetic_files=[synthetic], scored_columns=SCORED[:1])
    assert rows == [(False, "2"), (True, "1")]
