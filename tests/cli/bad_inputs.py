"""Every kind of bad input that tabulation.md section 8 names, as a change to a good nation and what must be said."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.cli.nations import (
    CODES,
    ETHNICITIES,
    GEOGRAPHY,
    MAPPING,
    PERSONS,
    RACES,
    append_line,
    as_text,
    replace_in_first_row,
    replace_text,
    rewrite,
)

Spoil = Callable[[Path], None]


@dataclass(frozen=True, slots=True)
class BadInput:
    """spoil: changes a nation in place. says: what the message must hold: file, column, value found, fix."""

    name: str
    spoil: Spoil
    says: tuple[str, ...]


def first_person(**expressions: str) -> Spoil:
    return lambda nation: replace_in_first_row(nation / PERSONS, **expressions)


def first_block(**expressions: str) -> Spoil:
    return lambda nation: replace_in_first_row(nation / GEOGRAPHY, **expressions)


def person_table(query: str) -> Spoil:
    return lambda nation: rewrite(nation / PERSONS, query)


def geography_table(query: str) -> Spoil:
    return lambda nation: rewrite(nation / GEOGRAPHY, query)


def line(file: str, text: str) -> Spoil:
    return lambda nation: append_line(nation / file, text)


def changed(file: str, old: str, new: str) -> Spoil:
    return lambda nation: replace_text(nation / file, old, new)


def parameter(old: str, new: str) -> Spoil:
    return changed("parameters.toml", old, new)


def _garbage(content: bytes) -> Spoil:
    def spoil(nation: Path) -> None:
        (nation / PERSONS).write_bytes(content)

    return spoil


def _truncate(nation: Path) -> None:
    content = (nation / PERSONS).read_bytes()
    (nation / PERSONS).write_bytes(content[: len(content) // 2])


def _second_file(query: str) -> Spoil:
    def spoil(nation: Path) -> None:
        second = nation / "persons" / "second.parquet"
        second.write_bytes((nation / PERSONS).read_bytes())
        rewrite(second, query)

    return spoil


def _twice(nation: Path) -> None:
    (nation / "persons" / "copy.parquet").write_bytes((nation / PERSONS).read_bytes())


def _no_persons(nation: Path) -> None:
    (nation / PERSONS).unlink()


def _stray(nation: Path) -> None:
    (nation / "persons" / "notes.docx").write_text("not a table")


def _mixed(nation: Path) -> None:
    as_text(str(nation / PERSONS), nation / "persons" / "more.txt")


def text_persons(change: Callable[[list[str]], list[str]]) -> Spoil:
    """Person records as production's text, with its lines changed."""

    def spoil(nation: Path) -> None:
        text = nation / "persons" / "person-records.txt"
        as_text(str(nation / PERSONS), text)
        (nation / PERSONS).unlink()
        lines = change(text.read_text(encoding="utf-8").splitlines())
        text.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

    return spoil


def _too_many_codes(nation: Path) -> None:
    """The code list with 65,536 codes, most of them of more digits than they may have."""
    listed = (nation / CODES).read_text(encoding="utf-8")
    more = 65_537 - len(listed.splitlines())
    (nation / CODES).write_text(listed + "".join(f"{code}|Code {code}\n" for code in range(100_000, 100_000 + more)))


def _latin_1(nation: Path) -> None:
    (nation / CODES).write_bytes((nation / CODES).read_bytes() + "1199|Curaçao\n".encode("latin-1"))


def _without(file: str) -> Spoil:
    return lambda nation: (nation / file).unlink()


PERSON_RECORDS = (
    BadInput(
        "age above 115", first_person(QAGE="116"), ("persons [QAGE]", "1 record", "row 1", "QAGE=116", "0 to 115")
    ),
    BadInput(
        "age in words",
        person_table("select * exclude (number) replace (if(number = 1, 'old', QAGE::varchar) as QAGE) from rows"),
        ("persons [QAGE]", "not a whole number", "1 record", "QAGE=old"),
    ),
    BadInput("sex unknown", first_person(QSEX="'3'"), ("persons [QSEX]", "QSEX=3", "correct them, list the value in")),
    BadInput(
        "state of three digits",
        first_person(TABBLKST="'001'"),
        ("persons [TABBLKST", "TABBLKST=001", "leading zeros included"),
    ),
    BadInput("no race code", first_person(QRACE1="null"), ("persons [QRACE1,", "1 answer(s) missing", "QRACE1=NULL")),
    BadInput(
        "race code unknown",
        first_person(QRACE1="'9998'"),
        ("persons [QRACE1,", "QRACE1", "QRACE1=9998", CODES, "correct the record"),
    ),
    BadInput(
        "no ethnicity code",
        first_person(QSPAN="null"),
        ("persons [QSPAN]", "1 answer(s) missing", "QSPAN=NULL", "give every record a code"),
    ),
    BadInput(
        "code after a Null",
        first_person(QRACE2="null", QRACE3="QRACE1"),
        ("persons [QRACE1,", "after an empty one", "QRACE3=", "move the codes to the first columns"),
    ),
    BadInput(
        "block not in the geography",
        first_person(TABBLK="'8888'"),
        ("persons [TABBLKST", "TABBLK=8888", GEOGRAPHY, "add the place"),
    ),
    BadInput(
        "no state of that number",
        first_person(TABBLKST="'77'"),
        ("persons [TABBLKST, ", "1 code(s) of a place", "or of no state", "TABBLKST=77", "or correct it"),
    ),
    BadInput("a file twice", _twice, ("persons/copy.parquet", "holds the same bytes as", "remove one of the two")),
    BadInput(
        "columns missing",
        person_table("select * exclude (number, QSPAN, QRACE8) from rows"),
        ("persons: missing columns QRACE8, QSPAN", "found QAGE, QSEX", "add the columns"),
    ),
    BadInput(
        "two files with different types",
        _second_file("select * exclude (number) replace (QSPAN::integer as QSPAN) from rows"),
        ("persons [QSPAN]", "stored as int32 (second.parquet), string (persons.parquet)", "in every file alike"),
    ),
)
FILES = (
    BadInput("truncated file", _truncate, (PERSONS, "not a readable Parquet file", "write it again")),
    BadInput("not Parquet", _garbage(b"QAGE,QSEX\n1,2\n"), (PERSONS, "is text, and its name", "rename it")),
    BadInput("no file", _no_persons, ("persons: no file is there", "a glob in quotes")),
    BadInput("a stray file", _stray, ("persons/notes.docx", "neither Parquet nor", "move it away")),
    BadInput("Parquet and text together", _mixed, ("persons: holds Parquet and text", "keep one of the two")),
    BadInput(
        "a ragged line of text",
        text_persons(lambda lines: [*lines[:7], lines[7] + "|1100", *lines[8:]]),
        ("persons/person-records.txt", "line 8 has", "and the header", "in a pipe-delimited table"),
    ),
    BadInput(
        "text of no line", text_persons(lambda _: []), ("persons/person-records.txt", "no header row", "first line")
    ),
    BadInput("text not in UTF-8", _latin_1, (CODES, "is no UTF-8 text", "iconv -f latin1 -t utf-8")),
    BadInput(
        "a code list missing", _without(RACES), ("code-lists: race-characteristic-iterations.txt", "--code-lists")
    ),
    BadInput("no parameters", _without("parameters.toml"), ("parameters.toml: cannot be read", "name a TOML file")),
)
GEOGRAPHIES = (
    BadInput(
        "a block twice",
        geography_table("select * exclude (number) from rows union all select * exclude (number) from rows limit 313"),
        ("geography.parquet [TABBLKST", "listed more than once", "times=2", "one row for each place"),
    ),
    BadInput("no row", geography_table("select * exclude (number) from rows limit 0"), ("holds no row", "one row")),
    BadInput("place of letters", first_block(PLACEFP="'none'"), (GEOGRAPHY, "PLACEFP=none", "99999 is no place")),
    BadInput(
        "no block in a state",
        geography_table("select * exclude (number) from rows where TABBLKST <> '56'"),
        ("geography.parquet [TABBLKST", "that no row has", "TABBLKST=56", "add its rows"),
    ),
)
CODE_LISTS = (
    BadInput(
        "a code twice", line(CODES, "1100|Again"), (f"{CODES} [RACE_ETH_CODE]", "code=1100", "one row for each code")
    ),
    BadInput(
        "more codes than there are numbers",
        _too_many_codes,
        (f"{CODES} [RACE_ETH_CODE]: 2 code(s) more than 65,534", "code=", "give one code to those"),
    ),
    BadInput("a code of five digits", line(CODES, "11000|Long"), (f"{CODES} [RACE", "code=11000", "leading zeros")),
    BadInput(
        "an iteration code in both lists",
        line(ETHNICITIES, "6001|Twice|0|Null|Null"),
        (f"{RACES}, ", ETHNICITIES, "iteration_code=6001, times=2", "a code of its own"),
    ),
    BadInput(
        "an iteration code of letters",
        line(RACES, "60x1|Odd|2|True|False|False"),
        ("[ITERATION_CODE]", "iteration_code=60x1", "leading zeros"),
    ),
    BadInput(
        "both flags True",
        line(RACES, "6999|Nowhere|2|True|True|True"),
        ("no region type tabulates", "iteration_code=6999", "set one of the flags"),
    ),
    BadInput(
        "flags at level 0",
        line(RACES, "6999|Major|0|True|False|False"),
        (
            *("[DETAILED_ONLY, COARSE_ONLY]", "iteration_code=6999, iteration_level=0"),
            "Null at a level that is never tabulated",
        ),
    ),
    BadInput(
        "level 3",
        line(RACES, "6999|Deep|3|True|False|False"),
        ("[LEVEL]", "iteration_level=3", "0 major, 1 regional, 2 detailed"),
    ),
    BadInput(
        "neither alone nor in combination",
        line(RACES, "6999|Odd|2|Null|False|False"),
        ("[ALONE]", "iteration_code=6999", "True for alone"),
    ),
    BadInput(
        "a code in two iterations of one kind",
        line(MAPPING, "9003|8103"),
        (MAPPING, "same level and kind", "code=8103", "keep one of the iterations"),
    ),
    BadInput(
        "a mapped code that is not listed",
        line(MAPPING, "6001|8888"),
        (f"{MAPPING} [RACE_ETH_CODE]", "code=8888", CODES, "add the code"),
    ),
    BadInput(
        "a mapped iteration that is not listed",
        line(MAPPING, "5555|1100"),
        (f"{MAPPING} [ITERATION_CODE]", "iteration_code=5555", "add the iteration"),
    ),
)
PARAMETERS = (
    BadInput("unknown key", parameter("gamma =", "gama ="), ("unknown key 'gama'", "did you mean 'gamma'", "missing")),
    BadInput("budget below 0", parameter("budget = 0.008", "budget = -1"), ("[levels.USA-1]", "budget is -1", "0.159")),
    BadInput("gamma of 1", parameter("gamma = 0.1", "gamma = 1"), ("gamma is 1", "above 0 and below 1")),
    BadInput(
        "thresholds that fall",
        parameter("4971, 19971, 149971", "4971, 149971, 19971"),
        ("[levels.USA-1]", "thresholds is [4971, 149971, 19971]", "none below the one before it"),
    ),
    BadInput(
        "totals alone of an iteration that the level does not tabulate",
        parameter("[levels.USA-1]", '[levels.USA-1]\ntotal_only = ["9999"]'),
        ("parameters.toml [levels]", "iteration_code=9999", "name iterations of the level, by their codes"),
    ),
    BadInput(
        "suppression for certain",
        parameter("chance = 0.9999", "chance = 1.0"),
        ("zero_suppression_chance is '1.0'", "below 1"),
    ),
    BadInput("nine race codes", parameter("codes = 8", "codes = 9"), ("max_race_codes is 9", "from 1 to 8")),
    BadInput("a state that is none", parameter('["01"', '["03"'), ("'03': no such value", "01, 02, 04")),
    BadInput("no state", parameter('["01"', '[] # "01"'), ("names no state", "list the states")),
    BadInput("unknown definition", parameter('= "zcdp"', '= "dp"'), ("privacy_definition is 'dp'", "'zcdp', 'puredp'")),
    BadInput("not TOML", parameter("gamma = 0.1", "gamma 0.1"), ("cannot be parsed", "line 5", "correct the line")),
    BadInput(
        "a region expression over a column that is not there",
        lambda nation: append_line(
            nation / "parameters.toml",
            "[region_types.SCHOOL]\nid = 'TABBLKST || SDELM'\nwithout = 'DETAILED_ONLY'\nsuppress = true\n"
            "[levels.SCHOOL-1]\nbudget = 1\nthresholds = [1, 2, 3]",
        ),
        ("[region_types.SCHOOL] id", "column 'SDELM'", "TABBLKST"),
    ),
)
ALL = (*PERSON_RECORDS, *FILES, *GEOGRAPHIES, *CODE_LISTS, *PARAMETERS)
