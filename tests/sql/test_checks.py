"""Every check of sql/checks: bad rows are returned, good ones are fine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pyarrow as pa
import pytest

from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.public.readers import geography_values
from safetab_sql.settings.attributes import Attribute
from safetab_sql.settings.geography import PlaceColumn
from safetab_sql.settings.ladders import Amount
from tests.conftest import Row
from tests.sql.parameters import parameters, parts_of


@dataclass(frozen=True, slots=True)
class Check:
    """Cases of a check. bad: rows of `table` with what is returned of them; fine: rows of which nothing is.

    Rows are parted by semicolons; a case may have values of its own behind its rows. others: further tables.
    """

    table: str
    header: str
    bad: Sequence[tuple[object, ...]]
    fine: Sequence[object]
    others: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, object] = field(default_factory=dict)


def of_person(header: str, bad: Mapping[str, Sequence[Row]], fine: Sequence[str], **more: object) -> Check:
    """A check of one record, returned by its place in the files. more: further tables as text, and values."""
    begin = "p.parquet | 7 | "
    returned = [
        (";".join(f"{begin}{one}" for one in row.split(";")), [("p.parquet", 7, *each) for each in found])
        for row, found in bad.items()
    ]
    others = {name: text for name, text in more.items() if isinstance(text, str) and "\n" in text}
    values = {name: value for name, value in more.items() if name not in others}
    rows = [f"{begin}{row}" for row in fine]
    return Check("person_records", f"person_file | person_row | {header}", returned, rows, others, values)


PLACES = {"TABBLKST": "44", "TABBLKCOU": "007", "TABTRACTCE": "000101", "TABBLK": "1000"}
REGIONS = {**PLACES, "PLACEFP": "59000", "AIANNHCE": "9999"}
SPOIL = (lambda code: code[1:], lambda code: code + "0", lambda code: "x" + code[1:], lambda _: "NULL")


def spoilt(places: Mapping[str, str]) -> tuple[str, list[Row]]:
    """The codes of a place with one of them too short, too long, no number or missing, a row each; and that one."""
    wrong = [(name, spoil(code)) for name, code in places.items() for spoil in SPOIL]
    rows = [" | ".join({**places, name: bad}.values()) for name, bad in wrong]
    found: list[Row] = [(name, None if bad == "NULL" else bad) for name, bad in wrong]
    return ";".join(rows), sorted(found, key=lambda row: [(value is None, value or "") for value in row])


def coded_columns(names: Sequence[str], *levels: str, place: Sequence[str] = ()) -> dict[str, object]:
    """What is asked of the columns of a geography. place: columns of text that name a place, if not those of blocks."""
    settings = parameters(*levels)
    if place:
        columns = tuple(PlaceColumn(name, None) for name in place)
        settings = replace(settings, geography=replace(settings.geography, place=columns))
    values = geography_values("g", [], [dict.fromkeys(names, pa.string())], settings)
    return {name: values[name] for name in ("coded_columns", "coded_places")}


FLAGS = ("DETAILED_ONLY", "COARSE_ONLY")
SAID = {"true": True, "false": False, "NULL": None}


def flags(detailed_only: str, coarse_only: str) -> str:
    return f"{{DETAILED_ONLY={detailed_only}, COARSE_ONLY={coarse_only}}}"


def place_values(*others: str, of: Mapping[str, object] = parts_of("01")) -> dict[str, object]:
    """Values of the place of records, with these beside them. of: all values; by default of a run of one state."""
    return {name: of[name] for name in ("block_columns", "record_key", "geography_key", *others)}


NEITHER, DETAILED, COARSE = flags("false", "false"), flags("true", "false"), flags("false", "true")
UNSAID = flags("NULL", "NULL")
BLOCK = " | ".join(PLACES)
BLOCKS = f"{BLOCK} | part_name\n01 | 007 | 000101 | 1000 | US\n06 | 007 | 000101 | 1000 |"
CODES = "question_name | code\n | 1010\n | 2000\n | NS\n | NULL\nlanguage | 3000"
WITHOUTS = {"withouts": ["COARSE_ONLY", "DETAILED_ONLY"]}
MAPPING = "iteration_code | code\n0101 | 1010\n0102 | 1010"
TWICE = {"code_iteration_rows": "iteration_code | code\n0101 | 1010\n0101 | 1010\n0102 | 1020"}
TOTAL = "region_type | region_id | iteration_code"
RACES = " | ".join(f"QRACE{place}" for place in range(1, 9))


def races(held: str) -> str:
    """Codes in eight places, and none where there is a point."""
    return " | ".join("1010" if each == "x" else "NULL" for each in held)


def iterations(columns: str, bad: Sequence[tuple[object, ...]], fine: Sequence[object], **more: object) -> Check:
    return Check("iteration_rows", f"iteration_code | {columns}", bad, fine, **more)


CHECKS = {
    "codes_duplicate": Check(
        "codes",
        "question_name | code",
        [(" | 1010; | 1020; | 1010", [("1010", 2)])],
        [" | 1010; | 1020", " | 1010;language | 1010", " | NULL; | NULL"],
    ),
    "codes_malformed": Check(
        "codes",
        "question_name | code",
        [(f" | {code}", [(code,)]) for code in ("101", "10100", "10a0", "-101", "0000", "1010 x")]
        + [(" | NULL", [(None,)])],
        [" | 1010", " | 0001", " | 9999", "language | pt"],
    ),
    "codes_too_many": Check(
        "codes",
        "code",
        [(";".join([f"{code:05}" for code in range(65_536)] + ["00000", "NULL"]), [("65534",), ("65535",)])],
        [";".join([f"{code:05}" for code in range(65_534)] + ["00000", "NULL"])],
    ),
    "counted_code_unknown": Check(
        "codes",
        "question_name | code",
        [
            (
                " | 1010; | NS;language | pt",
                [("null", "none"), ("other", "NS")],
                {
                    "counted_lists": ["", "", "", "language", "language"],
                    "counted_by": ["map 1", "null", "null", "null", "other"],
                    "counted_codes": ["1010", "NS", "none", "pt", "NS"],
                },
            )
        ],
        [
            (" | NS", {"counted_lists": [], "counted_by": [], "counted_codes": []}),
            (" | NS", {"counted_lists": [""], "counted_by": ["null"], "counted_codes": ["NS"]}),
        ],
    ),
    "geography_block_duplicate": Check(
        "geography_rows",
        f"{BLOCK} | PLACEFP",
        [
            (
                "44 | 007 | 000101 | 1000 | 59000;44 | 007 | 000101 | 1000 | 99999;44 | 007 | 000101 | 1001 | 99999",
                [("44", "007", "000101", "1000", 2)],
                {"geography_areas": "block_key\n[440070001011000, 440070001011001]\n[440070001011000]"},
            )
        ],
        ["44|007|000101|1000|1;45|007|000101|1000|1;44|009|000101|1000|1;44|007|000102|1000|1;44|007|000101|1001|1"],
        {"geography_areas": "block_key\n[440070001011000, 450070001011000]"},
        {name: parts_of()[name] for name in ("block_columns", "geography_key")},
    ),
    "geography_codes_malformed": Check(
        "geography_rows",
        " | ".join(REGIONS),
        [spoilt(REGIONS)],
        [" | ".join(REGIONS.values())],
        values=coded_columns(list(REGIONS), "PLACE-1", "AIANNH-1"),
    ),
    "iterations_alone_missing": iterations(
        "iteration_kind",
        [("0101 | NULL;0102 | alone", [("0101",)])],
        ["0101 | alone;0102 | combination;3001 | ethnicity"],
    ),
    "iterations_code_duplicate": iterations(
        "iteration_kind | iteration_level",
        [
            ("0101 | alone | 1;0101 | ethnicity | 1;0102 | combination | 1", [("0101", 2)]),
            ("0101 | alone | 0;0101 | alone | 2", [("0101", 2)]),
        ],
        ["0101 | alone | 1;0102 | alone | 1", "NULL | alone | 1;NULL | alone | 1"],
    ),
    "iterations_code_malformed": iterations(
        "iteration_name | iteration_kind",
        [(f"{code} | European | alone", [(code, "European")]) for code in ("101", "01010", "01a1", "1e3")]
        + [("NULL | European | NULL", [(None, "European")])],
        ["0001 | European | alone", ("pt | pt | language", {"value_kinds": ["language"]})],
    ),
    "iterations_flags_contradict": iterations(
        "flags",
        [(f"0101 | {flags('true', 'true')};0102 | {DETAILED}", [("0101",)], WITHOUTS)],
        [
            *((f"0101 | {each}", WITHOUTS) for each in (DETAILED, COARSE, NEITHER, UNSAID)),
            ("0101 | {URBAN_ONLY=true}", {"withouts": ["", "URBAN_ONLY"]}),
        ],
    ),
    "iterations_flags_misplaced": iterations(
        "iteration_level | flags",
        [
            (
                f"0101 | {level} | {flags(*given)}",
                [("0101", level, dict(zip(FLAGS, map(SAID.get, given), strict=True)))],
            )
            for level, given in (
                *(("0", each) for each in (("false", "NULL"), ("NULL", "true"), ("true", "false"))),
                *(("1", ("NULL", "false")), ("2", ("false", "NULL")), ("2", ("NULL", "NULL"))),
            )
        ],
        [f"0101 | 0 | {UNSAID}", f"0101 | 1 | {NEITHER}", f"0101 | 2 | {DETAILED}"],
    ),
    "iterations_level_taken": iterations(
        "iteration_level | iteration_kind",
        [("E1 | ALL | NULL;E2 | 1 | group;ALL | ALL | everybody", [("E1", "ALL")])],
        ["E1 | ALL | NULL;E2 | 1 | group"],
    ),
    "iterations_level_unknown": iterations(
        "iteration_level",
        [("0101 | 3", [("0101", "3")]), ("0101 | -1", [("0101", "-1")]), ("0101 | NULL", [("0101", None)])],
        ["0101 | 0", "0101 | 1", "0101 | 2"],
    ),
    "levels_without_iterations": iterations(
        "iteration_level",
        [("10 | group;20 | cluster", [("PROVINCE-gruop", "cluster, group")], {"level_iteration_levels": ["gruop"]})],
        [
            ("10 | group;20 | cluster", {"level_iteration_levels": ["cluster"]}),
            ("10 | group;20 | cluster", {"level_iteration_levels": ["2"], "known_levels": ["1", "2"]}),
        ],
        values={"level_region_types": ["PROVINCE"], "known_levels": []},
    ),
    "mapping_ambiguous": iterations(
        "iteration_level | iteration_kind | flags",
        [
            (
                f"0101 | 2 | alone | {NEITHER};0102 | 2 | alone | {NEITHER}",
                [("1010", "2", "alone", f"{flag}_ONLY", ["0101", "0102"]) for flag in ("COARSE", "DETAILED")],
            ),
            *(
                (
                    f"0101 | 1 | alone | {flag};0102 | 1 | alone | {NEITHER}",
                    [("1010", "1", "alone", where, ["0101", "0102"])],
                )
                for flag, where in ((DETAILED, "COARSE_ONLY"), (COARSE, "DETAILED_ONLY"))
            ),
        ],
        [
            f"0101 | 2 | alone | {NEITHER};0102 | 1 | alone | {NEITHER}",
            f"0101 | 2 | alone | {NEITHER};0102 | 2 | combination | {NEITHER}",
            f"0101 | 2 | alone | {DETAILED};0102 | 2 | alone | {COARSE}",
            f"0101 | 0 | alone | {UNSAID};0102 | 0 | alone | {UNSAID}",
            (f"0101 | 2 | alone | {NEITHER};0102 | 2 | alone | {NEITHER}", TWICE),
        ],
        others={"code_iteration_rows": f"{MAPPING}\n0102 | 1010"},
        values=WITHOUTS,
    ),
    "mapping_code_unknown": Check(
        "code_iteration_rows",
        "iteration_code | code",
        [("0101 | 1010;0101 | 1020", [("0101", "1020")]), ("0101 | NULL", [("0101", None)])],
        ["0101 | 1010;0101 | 1010"],
        {"codes": "code\n1010"},
    ),
    "mapping_iteration_unknown": Check(
        "code_iteration_rows",
        "iteration_code | code",
        [("0101 | 1010;0102 | 1010", [("0102", "1010")]), ("NULL | 1010", [(None, "1010")])],
        ["0101 | 1010;0101 | 1010"],
        {"iteration_rows": "iteration_code\n0101"},
    ),
    "parts_overlap": Check(
        "geography_rows",
        f"{BLOCK} | part_name",
        [("72 | 003 | 000400 | 0005 | US, PR", [("72", "003", "000400", "0005", "US, PR")])],
        ["01 | 003 | 000400 | 0005 | US", "73 | 003 | 000400 | 0005 | "],
        values={"block_columns": parts_of()["block_columns"]},
    ),
    **{
        name: Check(
            table,
            header,
            [(rows, [("TABBLKST", "06")], {key: parts_of("01", "06", "44")[key]})],
            [(rows, {key: parts_of("01", "44")[key]}), (rows, {key: []})],
        )
        for name, table, header, rows, key in (
            ("parts_without_blocks", "geography_rows", "TABBLKST", "01;01;44", "part_values"),
            (
                *("parts_without_persons", "person_values", "column_name | code"),
                *("TABBLKST | 01;TABBLKST | 44;PLACEFP | 06", "record_part_values"),
            ),
        )
    },
    "persons_amount_clamped": of_person(
        "amount_2:integer",
        {amount: [()] for amount in ("0", "31", "-4", "2147483647")},
        ["1", "30", "NULL"],
        amount=Amount("amount_2", "DAYS", "days", 1, 30),
    ),
    "persons_amount_malformed": of_person(
        "amount_2:integer | amount_2_given:varchar",
        {"NULL | NULL": [("days", None)], "NULL | 2.5": [("days", "2.5")]},
        [f"{amount} | {amount}" for amount in ("0", "30", "31", "-4")],
        amount=Amount("amount_2", "DAYS", "days", 0, 30),
    ),
    "persons_block_malformed": of_person(
        BLOCK,
        {
            **dict([spoilt(PLACES)]),
            "4 | 7 | 000101 | 1000": [("TABBLKCOU", "7"), ("TABBLKST", "4")],
            **{f"{state} | 007 | 000101 | 1000": [("TABBLKST", state)] for state in ("77", "00", "03", "99")},
        },
        [f"{state} | 007 | 000101 | 1000" for state in ("44", "01", "06", "72")],
        block_columns=parts_of("01", "44")["block_columns"],
    ),
    "persons_block_unknown": of_person(
        BLOCK,
        {"01 | 007 | 000101 | 1001": [("01", "007", "000101", "1001")]},
        ["01 | 007 | 000101 | 1000", "44 | 007 | 000101 | 1000", "01 | 007 | 000101 | NULL"],
        geography_rows=BLOCKS,
        **place_values("place_groups", "must_be_listed"),
    ),
    "persons_code_after_null": of_person(
        RACES,
        {
            races(held): [(f"QRACE{held.index('.x') + 2}", "1010")]
            for held in (*("x" * gap + ".x" + "." * (6 - gap) for gap in range(7)), "x......x")
        },
        [races("x" * held + "." * (8 - held)) for held in range(9)],
    ),
    "persons_code_missing": of_person(
        "QRACE1 | QSPAN", {"NULL | 2000": [("QRACE1", None)]}, ["1010 | 2000"], first_column="QRACE1"
    ),
    "persons_code_other": of_person(
        "QRACE1:varchar", {"3000": [()]}, ["1010", "NULL"], codes=CODES, other_column="QRACE1"
    ),
    "persons_codes_beyond": of_person("L[4]:varchar", {"pt": [("L[4]", "pt")]}, ["NULL"], beyond_column="L[4]"),
    "persons_code_unknown": of_person(
        "QRACE1:varchar | QRACE2:varchar | QSPAN:varchar | LANG:varchar",
        {
            "1011 | 1010 | 2001 | 3000": [("QRACE1", "1011"), ("QSPAN", "2001")],
            "1010 | NULL | 3000 | 2000": [("LANG", "2000"), ("QSPAN", "3000")],
        },
        ["1010 | 1010 | 2000 | 3000", "1010 | NULL | 2000 | NULL", "OK | none | OK | OK"],
        codes=CODES,
        asked_columns={"QRACE1": "", "QSPAN": "", "LANG": "language"},
        counted_codes=["OK"],
    ),
    "persons_id_repeated": Check(
        "person_records",
        "person_file | person_row | PERSON_ID",
        [("a | 1 | 7;a | 2 | 8;b | 1 | 7;b | 2 | NULL", [("a", 1, "7"), ("b", 1, "7"), ("b", 2, None)])],
        ["a | 1 | 7;a | 2 | 07"],
    ),
    "persons_null_beside_code": of_person("AGE_mapped", {"true": [()]}, ["false"], null_beside="AGE_mapped"),
    "persons_number_out_of_range": of_person(
        "AGE_number | AGE_given",
        {
            **{f"{age} | {age}": [("age", age)] for age in ("116", "-1", "999")},
            "NULL | NULL": [("age", None)],
            "NULL | forty": [("age", "forty")],
        },
        [f"{age} | {age}" for age in ("0", "1", "114", "115")],
        attribute=Attribute("AGE", column="age", minimum=0, maximum=115),
    ),
    "persons_order_malformed": of_person(
        "kept_1:varchar",
        {
            **{
                f"{'0' * 18}31{rest}": [()]
                for rest in ("/00012/0002024", ".12.2024", "-000Dec-000002024 10:00", "DEC2024")
            },
            **{text: [()] for text in ("0012/002024", "December 00031, 002024", "00031/00012/00024")},
        },
        [
            *(
                "00002024-00012-00031",
                "0002024-001",
                "0009.25",
                "001.2.3",
                "0012-00024",
                "wave 002024",
                "00020241231",
                "NULL",
            )
        ],
        kept_name="kept_1",
    ),
    "persons_outside_universe": Check(
        "person_universe", "person_file | person_row | is_inside", [("p | 7 | false", [("p", 7)])], ["p | 7 | true"]
    ),
    "persons_person_missing": Check(
        "person_records",
        "person_file | person_row | person_key",
        [("p | 7 | NULL;p | 8 | ann", [("p", 7, None)])],
        ["p | 8 | ann"],
    ),
    "persons_place_contradicted": of_person(
        f"{BLOCK} | TOWN:varchar",
        {"01 | 007 | 000101 | 1000 | 8": [("8",)]},
        [f"01 | 007 | 000101 | {row}" for row in ("1000 | 7", "1000 | 07", "1000 | NULL", "1000 | 99", "1003 | 8")],
        geography_rows=f"{BLOCK} | TOWN:varchar\n" + "\n".join(f"01 | 007 | 000101 | 100{n} | 7" for n in range(3)),
        shared_name="TOWN",
        no_places=["", "99"],
        **{name: parts_of()[name] for name in ("record_key", "geography_key")},
    ),
    "persons_place_unrequested": of_person(
        BLOCK,
        {
            "06 | 007 | 000101 | 1000": [("06", "007", "000101", "1000")],
            "44 | 007 | 000101 | 1000": [("44", "007", "000101", "1000")],
        },
        ["01 | 007 | 000101 | 1001", "01 | 007 | 000101 | 1000"],
        geography_rows=BLOCKS,
        **place_values("is_requested"),
    ),
    "persons_unread_repeated": Check(
        "person_universe",
        "is_inside | CLIENT:varchar",
        [("true | 7;true | 8;true | 7;true | ;true | NULL;true | ;false | 8", [("7", 2)])],
        ["true | 7;true | 8;false | 7", ";".join(["true | 7"] * 50)],
        values={"unread_name": "CLIENT"},
    ),
    "persons_value_mapped": of_person("AGE_mapped", {"true": [()]}, ["false"], mapped_column="AGE_mapped"),
    "persons_value_unlisted": of_person(
        "SEX_number | SEX_given",
        {"NULL | X": [("gender", "X")], "NULL | NULL": [("gender", None)]},
        ["1 | M", "2 | F"],
        attribute=Attribute("SEX", column="gender", values=("1", "2")),
    ),
    "region_names_differ": Check(
        "geography_names",
        "region_type | region_id | region_name | other_name",
        [("DISTRICT | d1 | Coast | Hills", [("DISTRICT", "d1", "Coast", "Hills")])],
        ["DISTRICT | d1 | Hills | Hills"],
    ),
    "total_only_unknown": iterations(
        "iteration_level | flags",
        [
            (
                "10 | 1 | {COARSE_ONLY=false};20 | 2 | {COARSE_ONLY=false};30 | 2 | {COARSE_ONLY=true}",
                *([("USA-2", named)], {"total_only_iterations": [named]}),
            )
            for named in ("10", "30", "99")
        ],
        [("20 | 2 | {COARSE_ONLY=false}", {"total_only_iterations": [named]}) for named in ("20", "")],
        values={"total_only_names": ["USA-2"], "total_only_levels": ["2"], "total_only_without": ["COARSE_ONLY"]},
    ),
    "totals_count_malformed": Check(
        "total_rows",
        f"{TOTAL} | published_count | given_count",
        [("STATE | 01 | 0101 | NULL | 1.5", [("STATE", "01", "0101", "1.5")])],
        ["STATE | 01 | 0101 | -7 | -7"],
    ),
    "totals_duplicate": Check(
        "total_rows",
        TOTAL,
        [("STATE | 01 | 0101;STATE | 02 | 0101;STATE | 01 | 0101", [("STATE", "01", "0101")])],
        ["STATE | 01 | 0101;STATE | 02 | 0101"],
    ),
    "totals_iteration_unknown": Check(
        "total_rows",
        TOTAL,
        [("STATE | 01 | 0999", [("0999",)])],
        ["STATE | 01 | 0101"],
        {"iteration_rows": "iteration_code\n0101"},
    ),
    "totals_region_type_unknown": Check(
        "total_rows",
        TOTAL,
        [("STATE | 01 | 0101;SHIRE | 9 | 0101;SHIRE | 8 | 0101", [("SHIRE",)])],
        ["STATE | 01 | 0101"],
        values={"known_region_types": ["STATE"]},
    ),
    "universe_without_persons": Check(
        "person_universe",
        "person_file | person_row | is_inside | KIND | WARD",
        [
            ("p | 1 | false | inpatient | b", [("Inpatient",), ("a",), ("values that count, together",)]),
            ("p | 1 | false | Inpatient | b;p | 2 | false | x | a", [("values that count, together",)]),
        ],
        ["p | 1 | true | Inpatient | a;p | 2 | false | x | b"],
        values={"universe_columns": {"KIND": ["Inpatient"], "WARD": ["a"]}},
    ),
}
CASES = [
    pytest.param(
        name,
        rows,
        returned,
        more,
        marks=[pytest.mark.slow] if name == "codes_too_many" else [],
        id=f"{name}: {rows[:60]}",
    )
    for name, check in CHECKS.items()
    for rows, returned, *more in [
        *check.bad,
        *((fine, []) if isinstance(fine, str) else (fine[0], [], fine[1]) for fine in check.fine),
    ]
]


def held(name: str, header: str, rows: str) -> dict[str, str]:
    """The tables of distinct values and areas that a check reads beside these rows of records or of the geography."""
    columns = [column.partition(":")[0] for column in header.split(" | ")]
    pairs = {pair for row in rows.split(";") for pair in zip(columns[2:], row.split("|")[2:], strict=True)}
    values = "\n".join(["column_name | code", *(f"{column} | {value}" for column, value in sorted(pairs))])
    areas = "\n".join([f"{header} | block_key", *(f"{row} | [1]" for row in rows.split(";"))])
    tables = {"person_values": values, "geography_areas": areas}
    return {table: text for table, text in tables.items() if table in sql_files()[name].tables_read}


@pytest.mark.parametrize(("name", "rows", "returned", "more"), CASES)
def test_bad_rows_are_returned_and_good_ones_are_fine(run_sql, name, rows, returned, more):
    check = CHECKS[name]
    given = {**held(name, check.header, rows), **check.others}
    given |= {check.table: "\n".join([check.header, *rows.split(";")])}
    own = more[0] if more else {}
    given |= {table: text for table, text in own.items() if table in check.others}
    values = {**check.values, **{key: value for key, value in own.items() if key not in check.others}}
    assert run_sql(name, given=given, **values) == returned


def test_whoever_has_the_same_bad_code_as_another_is_returned_as_well(run_sql):
    rows = f"person_file | person_row | {BLOCK}\np | 7 | 4 | 007 | 000101 | 1000\np | 8 | 4 | 007 | 000101 | 1000"
    values = {"block_columns": parts_of()["block_columns"]}
    given = {"person_records": rows, "person_values": "column_name | code\nTABBLKST | 4"}
    assert [row[1] for row in run_sql("persons_block_malformed", given, **values)] == [7, 8]


def test_a_place_of_text_is_anything_but_what_joined_values_would_take_for_two(run_sql):
    """Otherwise the places `a, b+c` and `a+b, c`, with character 31 for +, would have one key."""
    names = ("TABBLKST", "TABBLKCOU")
    header, text = "TABBLKST | TABBLKCOU", "a | b\x1fc;Å b, 12 | d"
    rows = {"geography_rows": f"{header}\n{text}".replace(";", "\n")}
    rows |= held("geography_codes_malformed", header, text)
    found = run_sql("geography_codes_malformed", rows, **coded_columns(names, "STATE-1", place=names))
    assert found == [("TABBLKCOU", "b\x1fc")]
