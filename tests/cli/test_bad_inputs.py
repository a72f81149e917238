"""Bad input: exit code 2, a message that names the file, the column, the value and the fix; nothing written.

Every kind that tabulation.md section 8 names, as a change to a good nation and what must be said.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from safetab_sql.kit.sqlfiles import folder_files
from tests.cli import nations
from tests.cli.command import call, inputs
from tests.cli.nations import CODES, ETHNICITIES, GEOGRAPHY, MAPPING, PERSONS, RACES, as_text, copied, rewrite

Spoil = Callable[[Path], Any]  # changes a nation in place


def first_person(**expressions: str) -> Spoil:
    return lambda nation: nations.replace_in_first_row(nation / PERSONS, **expressions)


def person_table(query: str) -> Spoil:
    return lambda nation: rewrite(nation / PERSONS, query)


def geography_table(query: str) -> Spoil:
    return lambda nation: rewrite(nation / GEOGRAPHY, query)


def line(file: str, text: str) -> Spoil:
    return lambda nation: nations.append_line(nation / file, text)


def parameter(old: str, new: str) -> Spoil:
    return lambda nation: nations.replace_text(nation / "parameters.toml", old, new)


def _without(file: str) -> Spoil:
    return lambda nation: (nation / file).unlink()


def _truncate(nation: Path) -> None:
    content = (nation / PERSONS).read_bytes()
    (nation / PERSONS).write_bytes(content[: len(content) // 2])


def _twice(nation: Path, name: str = "copy.parquet") -> Path:
    (nation / "persons" / name).write_bytes((nation / PERSONS).read_bytes())
    return nation / "persons" / name


def _second_file(nation: Path) -> None:
    second = _twice(nation, "second.parquet")
    rewrite(second, "select * exclude (number) replace (QSPAN::integer as QSPAN) from rows")


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


# By a name: what is changed, and what the message must hold: file, column, value found, fix.
PERSON_RECORDS = {
    "age above 115": (first_person(QAGE="116"), ("persons [QAGE]", "1 record", "row 1", "QAGE=116", "0 to 115")),
    "age in words": (
        person_table("select * exclude (number) replace (if(number = 1, 'old', QAGE::varchar) as QAGE) from rows"),
        ("persons [QAGE]", "not a whole number", "1 record", "QAGE=old"),
    ),
    "sex unknown": (first_person(QSEX="'3'"), ("persons [QSEX]", "QSEX=3", "correct them, list the value in")),
    "state of three digits": (
        first_person(TABBLKST="'001'"),
        ("persons [TABBLKST", "TABBLKST=001", "zeros at its front"),
    ),
    "no race code": (first_person(QRACE1="null"), ("persons [QRACE1,", "1 answer(s) missing", "QRACE1=NULL")),
    "race code unknown": (
        first_person(QRACE1="'9998'"),
        ("persons [QRACE1,", "QRACE1", "QRACE1=9998", CODES, "correct the record"),
    ),
    "no ethnicity code": (
        first_person(QSPAN="null"),
        ("persons [QSPAN]", "1 answer(s) missing", "QSPAN=NULL", "give every record a code"),
    ),
    "code after a Null": (
        first_person(QRACE2="null", QRACE3="QRACE1"),
        ("persons [QRACE1,", "after an empty one", "QRACE3=", "move the codes to the first columns"),
    ),
    "block not in the geography": (
        first_person(TABBLK="'8888'"),
        ("persons [TABBLKST", "TABBLK=8888", GEOGRAPHY, "add the place"),
    ),
    "no state of that number": (
        first_person(TABBLKST="'77'"),
        ("persons [TABBLKST, ", "1 code(s) of a place", "or of no state", "TABBLKST=77", "or correct it"),
    ),
    "a file twice": (_twice, ("persons/copy.parquet", "holds the same bytes as", "remove one of the two")),
    "columns missing": (
        person_table("select * exclude (number, QSPAN, QRACE8) from rows"),
        ("persons: missing columns QRACE8, QSPAN", "found QAGE, QSEX", "add the columns"),
    ),
    "two files with different types": (
        _second_file,
        ("persons [QSPAN]", "stored as int32 (second.parquet), string (persons.parquet)", "in every file alike"),
    ),
}
FILES = {
    "truncated file": (_truncate, (PERSONS, "not a readable Parquet file", "write it again")),
    "not Parquet": (
        lambda nation: (nation / PERSONS).write_bytes(b"QAGE,QSEX\n1,2\n"),
        (PERSONS, "is text, and its name", "rename it"),
    ),
    "no file": (_without(PERSONS), ("persons: no file is there", "a glob in quotes")),
    "a stray file": (
        lambda nation: (nation / "persons" / "notes.docx").write_text("no table"),
        ("persons/notes.docx", "neither Parquet nor", "move it away"),
    ),
    "Parquet and text together": (
        lambda nation: as_text(str(nation / PERSONS), nation / "persons" / "more.txt"),
        ("persons: holds Parquet and text", "keep one of the two"),
    ),
    "a ragged line of text": (
        text_persons(lambda lines: [*lines[:7], lines[7] + "|1100", *lines[8:]]),
        ("persons/person-records.txt", "line 8 has", "and the header", "in a pipe-delimited table"),
    ),
    "text of no line": (text_persons(lambda _: []), ("persons/person-records.txt", "no header row", "first line")),
    "text not in UTF-8": (_latin_1, (CODES, "is no UTF-8 text", "iconv -f latin1 -t utf-8")),
    "a code list missing": (_without(RACES), ("code-lists: race-characteristic-iterations.txt", "--code-lists")),
    "no parameters": (_without("parameters.toml"), ("parameters.toml: cannot be read", "name a TOML file")),
}
GEOGRAPHIES = {
    "a block twice": (
        geography_table("select * exclude (number) from rows union all select * exclude (number) from rows limit 313"),
        ("geography.parquet [TABBLKST", "listed more than once", "times=2", "one row for each place"),
    ),
    "no row": (geography_table("select * exclude (number) from rows limit 0"), ("holds no row", "one row")),
    "place of letters": (
        lambda nation: nations.replace_in_first_row(nation / GEOGRAPHY, PLACEFP="'none'"),
        (GEOGRAPHY, "PLACEFP=none", "99999 is no place"),
    ),
    "no block in a state": (
        geography_table("select * exclude (number) from rows where TABBLKST <> '56'"),
        ("geography.parquet [TABBLKST", "that no row has", "TABBLKST=56", "add its rows"),
    ),
}
CODE_LISTS = {
    "a code twice": (line(CODES, "1100|Again"), (f"{CODES} [RACE_ETH_CODE]", "code=1100", "one row for each code")),
    "more codes than there are numbers": (
        _too_many_codes,
        (f"{CODES} [RACE_ETH_CODE]: 2 code(s) more than 65,534", "code=", "give one code to those"),
    ),
    "a code of five digits": (line(CODES, "11000|Long"), (f"{CODES} [RACE", "code=11000", "zeros at its front")),
    "an iteration code in both lists": (
        line(ETHNICITIES, "6001|Twice|0|Null|Null"),
        (f"{RACES}, ", ETHNICITIES, "iteration_code=6001, times=2", "a code of its own"),
    ),
    "an iteration code of letters": (
        line(RACES, "60x1|Odd|2|True|False|False"),
        ("[ITERATION_CODE]", "iteration_code=60x1", "zeros at its front"),
    ),
    "both flags True": (
        line(RACES, "6999|Nowhere|2|True|True|True"),
        ("no region type tabulates", "iteration_code=6999", "set one of the flags"),
    ),
    "flags at level 0": (
        line(RACES, "6999|Major|0|True|False|False"),
        (
            *("[DETAILED_ONLY, COARSE_ONLY]", "iteration_code=6999, iteration_level=0"),
            "Null at a level that is never tabulated",
        ),
    ),
    "level 3": (
        line(RACES, "6999|Deep|3|True|False|False"),
        ("[LEVEL]", "iteration_level=3", "0 major, 1 regional, 2 detailed"),
    ),
    "neither alone nor in combination": (
        line(RACES, "6999|Odd|2|Null|False|False"),
        ("[ALONE]", "iteration_code=6999", "True for alone"),
    ),
    "a code in two iterations of one kind": (
        line(MAPPING, "9003|8103"),
        (MAPPING, "same level and kind", "code=8103", "keep one of the iterations"),
    ),
    "a mapped code that is not listed": (
        line(MAPPING, "6001|8888"),
        (f"{MAPPING} [RACE_ETH_CODE]", "code=8888", CODES, "add the code"),
    ),
    "a mapped iteration that is not listed": (
        line(MAPPING, "5555|1100"),
        (f"{MAPPING} [ITERATION_CODE]", "iteration_code=5555", "add the iteration"),
    ),
}
TOTALS_ALONE = "totals alone of an iteration that the level does not tabulate"
PARAMETERS = {
    "unknown key": (parameter("gamma =", "gama ="), ("unknown key 'gama'", "did you mean 'gamma'", "missing")),
    "budget below 0": (parameter("budget = 0.008", "budget = -1"), ("[levels.USA-1]", "budget is -1", "0.159")),
    "gamma of 1": (parameter("gamma = 0.1", "gamma = 1"), ("gamma is 1", "above 0 and below 1")),
    "thresholds that fall": (
        parameter("4971, 19971, 149971", "4971, 149971, 19971"),
        ("[levels.USA-1]", "thresholds is [4971, 149971, 19971]", "none below the one before it"),
    ),
    TOTALS_ALONE: (
        parameter("[levels.USA-1]", '[levels.USA-1]\ntotal_only = ["9999"]'),
        ("parameters.toml [levels]", "iteration_code=9999", "name iterations of the level, by their codes"),
    ),
    "suppression for certain": (
        parameter("chance = 0.9999", "chance = 1.0"),
        ("zero_suppression_chance is '1.0'", "below 1"),
    ),
    "nine race codes": (parameter("codes = 8", "codes = 9"), ("max_race_codes is 9", "from 1 to 8")),
    "a state that is none": (parameter('["01"', '["03"'), ("'03': no such value", "01, 02, 04")),
    "no state": (parameter('["01"', '[] # "01"'), ("names no state", "list the states")),
    "unknown definition": (parameter('= "zcdp"', '= "dp"'), ("privacy_definition is 'dp'", "'zcdp', 'puredp'")),
    "not TOML": (parameter("gamma = 0.1", "gamma 0.1"), ("cannot be parsed", "line 5", "correct the line")),
    "a region expression over a column that is not there": (
        lambda nation: nations.append_line(
            nation / "parameters.toml",
            "[region_types.SCHOOL]\nid = 'TABBLKST || SDELM'\nwithout = 'DETAILED_ONLY'\nsuppress = true\n"
            "[levels.SCHOOL-1]\nbudget = 1\nthresholds = [1, 2, 3]",
        ),
        ("[region_types.SCHOOL] id", "column 'SDELM'", "TABBLKST"),
    ),
}
ALL: dict[str, tuple[Spoil, tuple[str, ...]]] = PERSON_RECORDS | FILES | GEOGRAPHIES | CODE_LISTS | PARAMETERS

# Each check quotes its own words, which its module in tests/sql reads too: each time some are told, all in one refusal.
TOGETHER = ("age above 115", "no ethnicity code", "no row", "an iteration code of letters")
TOGETHER += ("a mapped code that is not listed", TOTALS_ALONE)
OFTEN = ("a ragged line of text", "unknown key", "thresholds that fall", "not TOML")


@pytest.mark.parametrize("bad", [pytest.param(bad, marks=() if bad in OFTEN else pytest.mark.slow) for bad in ALL])
def test_a_bad_input_is_the_users_and_place_value_and_fix_are_named_and_nothing_is_left_behind(nation, tmp_path, bad):
    spoilt, scratch = copied(nation, tmp_path / "nation"), tmp_path / "scratch"
    spoil, wanted = ALL[bad]
    spoil(spoilt)
    scratch.mkdir()
    refusal = call("run", *inputs(spoilt), "--out", tmp_path / "release", "--scratch", scratch, "--quiet")
    left = sorted(path.name for path in tmp_path.iterdir())
    assert (refusal.code, refusal.stdout, left) == (2, "", ["nation", "scratch"]), refusal.stderr
    assert list(scratch.iterdir()) == []
    assert [words for words in wanted if words not in refusal.stderr] == [], refusal.stderr
    assert refusal.stderr.endswith("nothing was written.\n")
    assert "Traceback" not in refusal.stderr


def test_every_problem_of_the_data_is_reported_at_once(spoilt):
    for bad in TOGETHER:
        ALL[bad][0](spoilt)
    first_person(QSEX="'3'")(spoilt)
    line(CODES, "1100|Again")(spoilt)
    refusal = call(
        "run", *inputs(spoilt), "--out", spoilt.parent / "release", "--ledger", spoilt.parent / "ledger", "--quiet"
    )
    said = [words for bad in TOGETHER for words in ALL[bad][1]]
    assert [words for words in (*said, "[QSEX]", "=1100") if words not in refusal.stderr] == []
    assert refusal.stderr.endswith(f"{len(TOGETHER) + 2} problems; nothing was written.\n")
    assert (refusal.code, sorted(path.name for path in spoilt.parent.iterdir())) == (2, ["nation"])


def test_problems_of_the_parameters_the_files_and_out_are_reported_at_once(spoilt, tmp_path):
    parameter("gamma = 0.1", "gamma = 1")(spoilt)
    (spoilt / PERSONS).unlink()
    (spoilt / RACES).unlink()
    (tmp_path / "release").mkdir()
    refusal = call("run", *inputs(spoilt), "--out", tmp_path / "release")
    said = ("gamma is 1", "no file is there", f"{Path(RACES).stem}.txt", "exists already", "4 problems; nothing")
    assert [words for words in said if words not in refusal.stderr] == []


def test_every_check_has_a_bad_input_here_that_quotes_its_fix():
    quoted = [words for _, says in ALL.values() for words in says if len(words) > 5]
    refusing = [check for check in folder_files("checks") if not check.kind.endswith(("warning", "note"))]
    unquoted = [check.name for check in refusing if not any(words in check.fields["fix"] for words in quoted)]
    others = [name for name in unquoted if not name.startswith("totals_")]  # of totals: test_households.py
    # properties/test_questions.py, golden/test_ladders.py, test_own_geographies.py, test_confidentiality.py,
    # properties/test_persons.py, public/test_region_names.py, golden/test_mapped_values.py
    assert others == [
        "iterations_level_taken",
        *("levels_without_iterations", "parts_overlap", "persons_amount_malformed"),
        *("persons_codes_beyond", "persons_id_repeated", "persons_order_malformed"),
        *("persons_person_missing", "persons_place_contradicted"),
        "region_names_differ",
    ]
