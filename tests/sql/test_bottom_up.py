"""The statements of sql/histograms/bottom_up that read a record or its codes, and say what counts and what does not."""

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
