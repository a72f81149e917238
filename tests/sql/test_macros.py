"""The macros: literal values in, literal values out."""

import re
from decimal import Decimal

import duckdb
import pytest

from safetab_sql.kit.sqlfiles import macro_files

NULL_TEXT = "cast(null as varchar)"


def split(arguments: str) -> list[str]:
    """The arguments of a call; a list among them is one."""
    return re.findall(r"(?:\[[^\]]*\]|[^,\[(]|\([^)]*\))+", arguments.replace(", ", ","))


EXAMPLES = {
    "size_bucket": [
        *[(str(size), start) for size, start in ((0, 0), (1, 1), (9, 1), (10, 10), (99, 10), (100, 100), (999, 100))],
        *[(str(size), start) for size, start in ((9_999, 1_000), (99_999, 10_000), (100_000, 100_000))],
        ("3000000", 100_000),
    ],
    "as_text": [
        ("'Null'", "Null"),
        ("cast(7 as tinyint)", "7"),
        ("true", "true"),
        ("date '2020-04-01'", "2020-04-01"),
        ("null", None),
    ],
    "the_only": [("'a'", "a"), ("null", None)],
    "region_or_none": [("'01', '99'", "01"), ("1, '99'", "1"), ("99, '99'", None), ("null, '99'", None)],
    "is_listed": [("'a', ['a', 'b']", True), ("'c', ['a', 'b']", False), ("null, ['a']", False)],
    "share_of_person": [("null, 1", 0), ("'a', 1", 0)],
    "text_entry": [
        ("'Rhode Island', '/', '/'", '"Rhode Island"'),
        ("chr(34) || 'a' || chr(34) || chr(92) || chr(10), '''', '/'", '"' + "'a'/ " + '"'),
        ("null, '/', '/'", None),
    ],
    "sdmx_id": [
        ("'6004'", "6004"),
        ("'*'", "_T"),
        ("'_T'", "$5FT"),
        ("'0-17'", "0-17"),
        ("'a x b'", "a$20x$20b"),
        ("'$é'", "$24$C3A9"),
    ],
    "number_or_null": [("1.5", 1.5), ("cast('nan' as double)", None), ("null", None)],
    "as_whole_number": [
        ("cast(7 as utinyint)", 7),
        ("-1", -1),
        ("2147483647", 2147483647),
        ("2147483648", None),
        ("null", None),
    ],
    "code_from_text": [
        *((f"'{given}', 4", "0101") for given in ("0101", "101", "101.0", "101.")),
        *((f"'{given}', 4", given) for given in ("10101", "1.5", "-1", "1e2", "null", "NA", " 1")),
        *(("'Null', 4", None), ("'', 4", None), (f"{NULL_TEXT}, 4", None), ("'1.00', 4", "0001"), ("'12.', 3", "012")),
    ],
    "code_from_number": [
        *(("7, 4", "0007"), ("1100, 4", "1100"), ("123, 2", "123"), ("-1, 4", "00-1")),
        *(("18446744073709551615, 4", "18446744073709551615"), ("null, 4", None)),
    ],
    "whole_number_from_fraction": [
        ("12.0::double", 12),
        ("-0.0::double", 0),
        ("12.5::double", None),
        ("'NaN'::double", None),
        ("'inf'::double", None),
        ("12::decimal(12, 0)", 12),
        ("null::double", None),
    ],
    "code_from_fraction": [
        ("12.0::double, 4", "0012"),
        ("12.0::double, 0", "12"),
        ("12.5::double, 4", "12.5"),
        ("12345.0::double, 4", "12345"),
        ("'NaN'::double, 4", None),
        ("'inf'::double, 4", "inf"),
        ("12::decimal(12, 0), 4", "0012"),
        ("null::double, 4", None),
    ],
    "known_value": [("'b', ['a', 'b'], ''", ""), ("null, ['b'], 'c'", "c"), ("9, [9], null", None), ("8, [9], 1", 8)],
    "place_in_list": [("'M', ['M', 'F']", 1), ("'F', ['M', 'F']", 2), ("'X', ['M', 'F']", None), ("null, ['M']", None)],
    "place_or_other": [
        ("'M', ['M', 'X'], 2, null", 1),
        ("'F', ['M', 'X'], 2, null", 2),
        ("'F', ['M', 'X'], null, 2", None),
        ("null, ['M', 'X'], 2, 1", 1),
        ("'', ['M', 'X'], null, 2", 2),
        ("null, ['M', 'X'], 2, null", None),
    ],
    "number_or_other": [
        ("30, '30', 0, 99, [999], 0, null", 30),
        ("120, '120', 0, 99, [999], 99, null", 99),
        ("120, '120', 0, 99, [999], null, 0", None),
        ("999, '999', 0, 99, [999], 99, 7", 7),
        ("null, null, 0, 99, [], 99, 7", 7),
        ("null, '', 0, 99, [], 99, 7", 7),
        ("null, 'nan', 0, 99, [], 99, 7", 7),
        ("null, '9O', 0, 99, [], 99, 7", 99),
        ("null, '9O', 0, 99, [], null, 7", None),
        ("null, null, 0, 99, [], 99, null", None),
    ],
    "mapped_number": [
        ("'90+', ['90+', 'NS'], [90, 91], null", 90),
        *(("'NS', ['90+', 'NS'], [90, 91], 5", 91), ("'17', ['90+', 'NS'], [90, 91], 17", 17)),
        *(("null, ['90+'], [90], 3", 3), ("'x', ['90+'], [90], null", None)),
    ],
    "text_of_number": [("7, '7.0'", "7"), ("null, '90+'", "90+"), (f"null, {NULL_TEXT}", None)],
    "code_of_mapped": [
        *(("'NS', ['9', 'NS'], [0, 5000000000]", 5000000000), ("'1', ['9'], [0]", None), ("null, ['9'], [0]", None))
    ],
    "is_mapped": [
        ("90, null", True),
        ("17, 17", False),
        ("null, null", False),
        ("null, 95", False),
        ("'A', '1'", True),
    ],
    "mapped_answer": [("'1', ['1'], ['A']", "A"), ("'B', ['1'], ['A']", "B"), (f"{NULL_TEXT}, ['1'], ['A']", None)],
    "answer_or_other": [("'A', ['A'], 'X'", "A"), ("'B', ['A'], 'X'", "X"), (f"{NULL_TEXT}, ['A'], 'X'", None)],
    "answer_of_place": [
        ("['A'], 1, 'X'", "A"),
        ("[null], 1, 'X'", "X"),
        ("['X', null, 'X'], 1, 'X'", "X"),
        ("['X', null, 'X'], 2, 'X'", None),
        ("['X', 'A', null, 'B'], 1, 'X'", "A"),
        ("['X', 'A', null, 'B'], 2, 'X'", "B"),
        ("['X', 'A', null, 'B'], 3, 'X'", None),
    ],
    "is_null_beside": [
        *((f"{given}, 'X'", True) for given in ("['A', 'X']", "['X', 'A']", "['A', null, 'X']", "['A', 'X', 'X']")),
        *((f"{given}, 'X'", False) for given in ("['X', null]", "['X', 'X']", "['A', null]", "[null, null]")),
    ],
    "number_or_unknown": [
        ("'A', cast(7 as usmallint), cast(9 as usmallint)", 7),
        *(("'Q', null, cast(9 as usmallint)", 9), ("null, null, cast(9 as usmallint)", None)),
    ],
    "code_of_digits": [("'0044', 4", "0044"), ("'44', 4", None), ("'+044', 4", None), (f"{NULL_TEXT}, 4", None)],
    "key_of_usable": [("[true, true], 7", 7), ("[true, false], 7", None), ("[true], null", None)],
    "is_none_or_with": [("'A1', 1", True), ("'A9', null", False), ("null, null", True), ("null, 'A1'", True)],
    "ordered_text": [("'a 9'", "a " + "0" * 19 + "9"), ("'9.25'", "0" * 19 + "9.25"), ("'Null'", None), ("''", None)],
    "person_from_text": [("'1E5'", "1E5"), ("'1.23E+17'", None), ("'1,2E+17'", None), ("'Null'", None), ("''", None)],
    "answer_from_text": [("'A1'", "A1"), ("'Null'", None), ("''", None), (NULL_TEXT, None)],
    "kind_of_alone": [("true, 'a', 'c'", "a"), ("false, 'a', 'c'", "c"), ("null, 'a', 'c'", None)],
    "code_as_number": [("'0050'", 50), ("7", 7), ("'A1'", 0), ("null", 0)],
    "packed_codes": [("1, 2, 3, 4", 1 << 48 | 2 << 32 | 3 << 16 | 4), ("65535, 65535, 65535, 65535", 2**64 - 1)],
    "packed_code": [
        *((f"cast({2**64 - 2} as ubigint), {place}", 65535 - (place == 4)) for place in (1, 2, 3, 4)),
        ("cast(281474976710656 as ubigint), 1", 1),
    ],
    "has_code": [
        *((f"cast({2**64 - 2**16} as ubigint), {place}", place < 4) for place in (1, 2, 3, 4)),
        ("cast(281474976710655 as ubigint), 1", False),
    ],
    "each_once": [("[3, 1, null, 3, null, 1]", [3, 1, None]), ("cast([] as integer[])", []), ("[2, 3, 2]", [2, 3])],
    "number_in_key": [("'0044', 1000", 44000), ("7, 10", 70), ("'x', 10", None), ("null, 10", None)],
    "flag_or_text": [
        *((f"'{given}'", "true") for given in ("True", "TRUE", "true", "t", "1")),
        *(("'False'", "false"), ("'U'", "U"), ("''", ""), (NULL_TEXT, None)),
    ],
    "flag_from_text": [
        ("'True'", True),
        ("'False'", False),
        ("'Null'", None),
        ("'perhaps'", None),
        ("''", None),
        (NULL_TEXT, None),
    ],
    "whole_number_from_text": [
        ("'7'", 7),
        ("'007'", 7),
        ("'7.0'", 7),
        ("'7,0'", 7),
        ("'7,000'", None),  # seven thousand, for some
        ("'2,5'", None),
        ("'2147483648'", None),
        ("'2.5'", None),
        ("'.0'", None),
        ("'-1'", None),
        ("'1e2'", None),
        ("' 7'", None),
        ("'7\n'", None),
        ("''", None),
        (NULL_TEXT, None),
    ],
    "signed_number_from_text": [
        ("'7'", 7),
        ("'-007'", -7),
        ("'+7'", 7),
        ("'7.0'", 7),
        ("'9223372036854775807'", 2**63 - 1),
        ("'9223372036854775808'", None),
        ("'2.5'", None),
        ("'--1'", None),
        ("'-'", None),
        (NULL_TEXT, None),
    ],
    "joined_values": [
        *(("'1', '2'", "1\x1f2"), ("'', ''", "\x1f"), ("joined_values('1', '2'), '3'", "1\x1f2\x1f3")),
        *((f"'1', {NULL_TEXT}", None), (f"{NULL_TEXT}, '2'", None)),
    ],
    "code_of_null": [(f"{NULL_TEXT}, 5", 5), ("'', 5", None), ("'Null', 5", None)],
    "code_in_range": [
        ("3, 3, 9", 0),
        ("9, 3, 9", 6),
        ("2, 3, 9", None),
        ("10, 3, 9", None),
        ("-1, -2, 0", 1),
        ("null, 3, 9", None),
    ],
    "code_in_bin": [
        ("18, 18, 64, 2", 2),
        ("64, 18, 64, 2", 2),
        ("17, 18, 64, 2", None),
        ("65, 18, 64, 2", None),
        ("null, 18, 64, 2", None),
    ],
    "bounded_number": [
        *[(f"'{text}'", number) for text, number in (("7", 7), ("+7.50", 7.5), ("-25e-2", -0.25))],
        *[(f"'{text}'", 10**18) for text in ("1e18", "1e30", "1e400", "inf", "Infinity", "9" * 30 + ".5")],
        *[(f"'{text}'", -(10**18)) for text in ("-1e30", "-1E400", "-inf")],
        *[(f"'{text}'", 0) for text in ("0", "-0", "1e-400", "1e-99999999999")],
        *[(f"'2.{'0' * digits}1'", number) for digits, number in ((8, Decimal("2.000000001")), (40, 2))],
        *[(f"'{text}'", None) for text in ("much", "", "nan", "-nan", "0x10", "true", "1,5")],
        (NULL_TEXT, None),
    ],
    "units_of_weight": [
        *(("2.5, 1, 2", 5), ("2.74, 1, 2", 5), ("2.75, 1, 2", 6), ("cast(7 as decimal(28,9)), 1, 1", 7)),
        *(("cast(1 as decimal(28,9)), 1, 3", 3), ("0.333333333, 1, 1000", 333), ("-0.2, 1, 2", 0)),
        ("cast(1000000000000000000 as decimal(28,9)), 1, 1000000000", 10**18),
        *(("cast(-1000000000000000000 as decimal(28,9)), 1, 1000000000", -(10**18)), ("null, 1, 1", None)),
    ],
    "whole_weight": [("7.0", 7), ("-7", -7), ("2.5", None), ("1000000000000000000", 10**18), ("null", None)],
    "thresholds_reached": [
        ("[10, 20, 20], 9", 0),
        ("[10, 20, 20], 10", 1),
        ("[10, 20, 20], 20", 3),
        ("[10], null", 0),
        ("cast([] as bigint[]), 5", 0),
    ],
    "amount_with_decimals": [
        ("'7', 100", 700),
        ("'2,06', 100", 206),
        ("'2.675', 100", 268),
        ("'0.30000000000000004', 10", 3),
        ("'-1.5', 100", None),
        ("'1.234,5', 100", None),
        ("'99999999999', 100", None),
        ("NULL, 100", None),
    ],
    "clamped_amount": [("NULL, 0, 30", None), ("-3, 0, 30", 0), ("7, 0, 30", 7), ("31, 0, 30", 30), ("0, 1, 30", 1)],
    "clamped_weight": [("-3, 4", 0), ("0, 4", 0), ("2, 4", 2), ("4, 4", 4), ("9, 4", 4)],
}


@pytest.fixture(scope="module")
def connection():
    with duckdb.connect(":memory:") as opened:
        for macro in macro_files().values():
            opened.execute(macro.body)
        yield opened


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_macro_gives_what_its_title_says(connection, name):
    given = {
        arguments: connection.execute(f"select {name}({arguments})").fetchall()[0][0] for arguments, _ in EXAMPLES[name]
    }
    assert given == dict(EXAMPLES[name])


def test_every_macro_has_examples():
    assert EXAMPLES.keys() == macro_files().keys()


@pytest.mark.parametrize("name", EXAMPLES)
def test_columns_may_have_the_names_of_the_arguments_of_a_macro(connection, name):
    """They are columns of files, and may have any name."""
    parameters = macro_files()[name].parameters
    arguments, expected = EXAMPLES[name][0]
    columns = ", ".join(f'{value} as "{column}"' for value, column in zip(split(arguments), parameters, strict=True))
    quoted = ", ".join(f'"{column}"' for column in parameters)
    assert connection.execute(f"select {name}({quoted}) from (select {columns})").fetchall() == [(expected,)]
