"""Values as an office has them: "90+", not stated, no answer. Tables against plain loops over the same records."""

import csv
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql.evaluation.ground_truth import ground_truth
from safetab_sql.jobs.run import validate
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError
from safetab_sql.public.inputs import InputPaths
from safetab_sql.settings.parameters import load_parameters
from tests import oracle
from tests.cli.command import call
from tests.nations import exact_of, oracle_inputs, sample_nation, write_nation

PARAMETERS = """
privacy_definition = "zcdp"
place.key = { district = "text" }
region_types = { COUNTRY.id = "'all'", DISTRICT.id = "district" }
lists = { codes = "codes", members = "members" }
[questions.ancestry]
columns = ["ANCESTRY_1", "ANCESTRY_2"]
iterations = "iterations"
map = { "1" = "A", "A-old" = "A" }
null = "NS"
other = "Z"
[attributes.SEX]
values = ["M", "F", "X"]
map = { "1" = "M", "2" = "F" }
null = "X"
[attributes.AGE]
minimum = 0
maximum = 90
publish = ["FROM", "TO"]
unknown = [999]
map = { "90+" = 90, "NS" = "not stated", "-1" = "refused" }
null = "not stated"
groups.three = [0, 18, 65]
groups.six = [0, 6, 18, 40, 65, 90]
[ladders.T]
choose = "always"
subtotals = [{ AGE = "three" }]
statistics = [{ name = "sex by age", cells = { SEX = "each", AGE = "six" } }]
levels = [{ each = ["COUNTRY-group", "DISTRICT-group"], budget = 1 }]
"""
CODES = ("A", "B", "Z", "NS")
GROUPS = {"ab": ("A", "B"), "rest": ("Z",), "ns": ("NS",)}
SEXES = {"1": "M", "2": "F", "M": "M", "F": "F", "X": "X", "": "X"}
AGES = {"90+": 90, "NS": "not stated", "": "not stated", "999": "not stated", "-1": "refused", "7.0": 7}
SIX, THREE, LAST = (0, 6, 18, 40, 65, 90), (0, 18, 65), 90
Record = tuple[str, ...]  # district, first and second ancestry, sex, age, as the file has them


@pytest.fixture(scope="module")
def records() -> list[Record]:
    """Every value in every column, and 600 records of chance."""
    chance = random.Random(34)
    ancestries = [
        ("A", ""),
        ("1", "B"),
        ("A-old", "A"),
        ("", ""),
        ("Q", ""),
        ("B", "Q"),
        ("B", "Null"),
        ("NS", ""),
        ("A", "NS"),
        ("NS", "NS"),
        ("NS", "A"),
        ("", "B"),
    ]
    ages = [*AGES, "0", "5", "6", "17", "18", "64", "65", "89", "90", "40"]
    plain = [("north", *ancestry, sex, age) for ancestry, sex, age in product(ancestries, SEXES, ages)]
    drawn = [
        (chance.choice(["north", "south"]), *chance.choice(ancestries), chance.choice([*SEXES]), chance.choice(ages))
        for _ in range(600)
    ]
    return plain + drawn


def written(folder: Path, records: Iterable[Record], parameters: str = PARAMETERS) -> InputPaths:
    names = ("district", "ANCESTRY_1", "ANCESTRY_2", "SEX", "AGE")
    lists = {
        "codes": [("CODE", "CODE_NAME"), *((code, f"code {code}") for code in CODES)],
        "members": [
            ("ITERATION_CODE", "CODE"),
            *((f"{name}-{kind}", code) for name, codes in GROUPS.items() for code in codes for kind in ("a", "c")),
        ],
        "iterations": [
            ("ITERATION_CODE", "ITERATION_NAME", "LEVEL", "ALONE"),
            *((f"{name}-{kind}", name, "group", str(kind == "a")) for name in GROUPS for kind in ("a", "c")),
        ],
        "persons": [names, *records],
        "geography": [("district",), ("north",), ("south",), ("west",)],
    }
    for name, rows in lists.items():
        with (folder / f"{name}.csv").open("w", newline="") as stream:
            csv.writer(stream).writerows(rows)
    (folder / "parameters.toml").write_text(parameters)
    return InputPaths(folder / "parameters.toml", folder / "persons.csv", folder / "geography.csv", folder)


def groups_of(first: str, second: str, groups: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The iterations of a person, by the words of the specification."""
    given = [each for each in (first, second) if each not in ("", "Null")] or ["NS"]
    codes = {code if code in CODES else "Z" for code in ({"1": "A", "A-old": "A"}.get(each, each) for each in given)}
    codes = codes - {"NS"} or codes  # beside another code it is none
    for name, held in groups.items():
        if codes & set(held):
            yield f"{name}-c"
        if codes <= set(held):
            yield f"{name}-a"


def range_of(age: int | str, firsts: tuple[int, ...]) -> tuple[str, str]:
    """The codes of the group of an age: a text is its own group."""
    if isinstance(age, str):
        return age, age
    first = max(each for each in firsts if each <= age)
    return str(first), str(min([each - 1 for each in firsts if each > first], default=LAST))


def tables_by_loops(
    records: Iterable[Record], groups: Mapping[str, Sequence[str]] = GROUPS
) -> Counter[tuple[str, ...]]:
    """Every published row with somebody in it: region type, region, iteration, sex, from, to."""
    counts: Counter[tuple[str, ...]] = Counter()
    for district, first, second, sex, given in records:
        age = AGES.get(given) if given in AGES else int(given)
        assert age is not None
        regions = (("COUNTRY", "all"), ("DISTRICT", district))
        cells = {(SEXES[sex], *range_of(age, SIX)), ("*", *range_of(age, THREE)), ("*", "*", "*")}
        own = list(groups_of(first, second, groups))
        counts.update((*region, group, *cell) for region in regions for group in own for cell in cells)
    return counts


def exact_tables(inputs: InputPaths, out: Path) -> Counter[tuple[str, ...]]:
    ground_truth(inputs, out, resources=Resources(threads=1))
    columns = ["REGION_TYPE", "REGION_ID", "ITERATION_CODE", "SEX", "FROM", "TO", "COUNT"]
    rows = pq.read_table(out / "t.parquet", columns=columns).to_pylist()
    return Counter({tuple(list(row.values())[:-1]): row["COUNT"] for row in rows if row["COUNT"]})


def test_tables_of_mapped_values_are_those_of_plain_loops(records, tmp_path):
    found = exact_tables(written(tmp_path, records), tmp_path / "truth")
    assert found == tables_by_loops(records)
    assert found["COUNTRY", "all", "ns-a", "*", "not stated", "not stated"] > 0
    assert found["COUNTRY", "all", "ns-a", "X", "refused", "refused"] > 0


UNSAID = PARAMETERS.replace('null = "NS"\n', "")  # what a missing ancestry counts as


def test_what_nothing_maps_is_refused_all_at_once_with_its_fix(tmp_path):
    """91 is above the largest number, and 92 would be the number of a value that is none."""
    ages = [("north", "A", "", "M", age) for age in ("90+", "9O", "91", "92")]
    with pytest.raises(InputError) as refused:
        exact_tables(
            written(tmp_path, [*ages, ("north", "", "B", "male", "7"), ("south", "A", "", "M", "7")], UNSAID),
            tmp_path / "t",
        )
    said = str(refused.value)
    assert "3 record(s) whose AGE is missing, not a whole number, or outside 0 to 90" in said
    assert "1 record(s) whose SEX is none of M, F, X" in said
    assert "1 code(s) in a column after an empty one" in said
    assert said.count("null for missing ones") == 2


WRONG = {
    'map = { "1" = "M", "2" = "Q" }': "map 2 is 'Q', none of the values",
    'map = { "1" = "M", "2" = 2 }': "map 2 is 2",
    "map = {}": "map is {}",
    'map = { "1" = true }': "map is {'1': True}",
    'map = { "" = "M" }': "map is {'': 'M'}",
}
WRONG_NUMBERS = {
    'map = { "90+" = 91 }': "map 90+ is 91",
    'map = { "90+" = "90" }': "map 90+ is '90'",
    'map = { "NS" = "*" }': "map NS is '*'",
    'map = { "90+" = 90.0 }': "map 90+ is '90.0'",
    'null = "0-17"': "null is '0-17'",
}


@pytest.mark.parametrize(("line", "what"), [*WRONG.items(), *WRONG_NUMBERS.items()])
def test_what_a_value_cannot_count_as_is_refused(tmp_path, line, what):
    is_number = line in WRONG_NUMBERS
    old = (
        'map = { "90+" = 90, "NS" = "not stated", "-1" = "refused" }' if is_number else 'map = { "1" = "M", "2" = "F" }'
    )
    text = PARAMETERS.replace(old, line)
    if "null = " in line:
        text = text.replace('null = "not stated"', "")
    (tmp_path / "parameters.toml").write_text(text)
    with pytest.raises(InputError) as refused:
        load_parameters(tmp_path / "parameters.toml")
    assert what in str(refused.value)


@pytest.mark.slow  # tests/sql/test_checks.py shows it of rows, and every run makes the check: see test_completeness.py
def test_a_code_that_answers_count_as_has_to_be_in_the_list(tmp_path):
    inputs = written(tmp_path, [("north", "A", "", "M", "7")], PARAMETERS.replace('null = "NS"', 'null = "none"'))
    with pytest.raises(InputError, match=r"1 code.s. that answers count as, and that .* does not list") as refused:
        exact_tables(inputs, tmp_path / "truth")
    assert "[questions.ancestry]: 1 code(s)" in str(refused.value)
    assert "said=null, code=none" in str(refused.value)


VALUES = (
    PARAMETERS.replace('iterations = "iterations"', 'values = ["A", "B"]')
    .replace('lists = { codes = "codes", members = "members" }', "")
    .replace("-group", "-1")
)


COLUMNS = 'columns = ["ANCESTRY_1", "ANCESTRY_2"]'
LIST = 'column = "ANCESTRIES"\nat_most = 2'


def with_lists(inputs: InputPaths) -> InputPaths:
    """The same people, whose ancestries stand in a list, between codes that are missing."""
    with Path(inputs.persons).open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        row["ANCESTRIES"] = [None, row.pop("ANCESTRY_1"), "", row.pop("ANCESTRY_2")]  # type: ignore[assignment]
    file = Path(inputs.persons).with_suffix(".parquet")
    pq.write_table(pa.Table.from_pylist(rows), file)
    return replace(inputs, persons=file)


def test_questions_of_values_in_a_list_have_iterations_of_missing_and_other_answers(records, tmp_path):
    """And a list counts as what as many columns count as."""
    lists = with_lists(written(tmp_path, records[::3], VALUES.replace(COLUMNS, LIST)))
    by_code = tables_by_loops(records[::3], {code: (code,) for code in CODES})
    assert exact_tables(lists, tmp_path / "lists") == Counter(
        {(*row[:2], row[2][:-2], *row[3:]): by_code[row] for row in by_code if row[2].endswith("-c")}
    )


def test_a_list_of_more_codes_is_refused_or_left_out(tmp_path):
    people = [("north", "A", "", "M", "7"), ("north", "B", "A", "M", "7")]
    inputs = with_lists(written(tmp_path, people, PARAMETERS.replace(COLUMNS, LIST.replace("2", "1"))))
    with pytest.raises(InputError) as refused:
        validate(inputs)
    (problem,) = refused.value.problems
    assert problem.what == "1 list(s) with more codes than at_most in [questions.ancestry], 1"
    assert (problem.where[-12:], problem.examples) == ("[ANCESTRIES]", ("persons.parquet row 2, ANCESTRIES[2]=A",))
    inputs.parameters.write_text('unit.leave_out = ["codes"]\n' + inputs.parameters.read_text())
    validate(inputs)


LABELS = """
[labels]
SEX = { M = "Homem", F = "Mulher", "*" = "ambos" }
AGE = { "not stated" = "não declarado" }
"""


@pytest.fixture(scope="module")
def release(records: list[Record], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release with noise, and what the commands said while they made it."""
    folder = tmp_path_factory.mktemp("release")
    inputs = written(folder, records, PARAMETERS + LABELS)
    files = (
        text for name in ("parameters", "persons", "geography") for text in (f"--{name}", str(getattr(inputs, name)))
    )
    log = folder / "log.txt"
    done = call("run", *files, "--out", folder / "out", "--confidential-log", log, "--code-lists", folder)
    assert done.code == 0, done.stderr
    (folder / "said.txt").write_text(done.stdout + done.stderr)
    return folder / "out"


def published(release: Path) -> list[dict[str, object]]:
    rows = pq.read_table(release / "t" / "t.parquet").to_pylist()
    return [row for row in rows if row["REGION_ID"] == "all" and row["ITERATION_CODE"] == "ab-c"]


def test_a_value_that_is_no_number_is_in_sums_and_has_no_first_and_last_number(release):
    rows = published(release)
    cells = [row for row in rows if not row["IS_MARGINAL"]]
    assert len(cells) == 3 * (6 + 2)
    (whole,) = [row["COUNT"] for row in rows if row["SEX"] == "*" and row["FROM"] == "*"]
    assert whole == sum(row["COUNT"] for row in cells)
    beside = [row for row in rows if row["FROM"] in ("not stated", "refused")]
    assert {(row["FROM"] == row["TO"], row["AGE_START"], row["AGE_END"]) for row in beside} == {(True, None, None)}
    assert all(row["LOW95"] < row["COUNT"] < row["HIGH95"] for row in cells)


def test_no_file_and_no_message_tells_how_many_values_were_mapped(release):
    log = (release.parent / "log.txt").read_text()
    assert "record(s) whose value counts as another one, by map, null or other in [attributes.AGE]" in log
    assert "in [questions.ancestry]" in log
    assert re.search(r"[0-9,]+ code\(s\) that .*codes.csv does not list, and that count by other", log)
    texts = [file.read_text(errors="replace") for file in release.rglob("*") if file.is_file()]
    assert not any("counts as another" in text for text in [*texts, (release.parent / "said.txt").read_text()])


CENSUS = """
base = "census-2020.toml"
run = ["US", "PR"]
parts.US.where.TABBLKST = ["01", "02"]
zero_suppression_chance = 0
questions.race = { at_most = 3, map = { "A" = "%s", "%s" = "%s" } }
questions.ethnicity = { column = "QSPAN", map = { "7" = "%s" }, null = "%s" }
attributes.SEX.map = { M = "1" }
attributes.AGE.map = { "115+" = 115, "-1" = 0 }
[ladders.T2]
levels = [{ each = ["STATE-1", "COUNTY-1", "COUNTY-2", "PR-COUNTY-2"], budget = 1, thresholds = [20, 60, 150] }]
"""


def test_codes_of_digits_and_the_tables_of_the_census_follow_maps(tmp_path):
    """Values under other names, two codes exchanged: the tables are those that the oracle has of the same people."""
    levels = ("STATE-1", "COUNTY-1", "COUNTY-2", "PR-COUNTY-2")
    nation = sample_nation(300)
    nation = nation.with_parameters(levels={name: nation.parameters["levels"][name] for name in levels})
    race, other = sorted({row["QRACE1"] for row in nation.persons})[:2]
    ethnicity, missing = sorted({row["QSPAN"] for row in nation.persons})[:2]
    names = {"QSEX": {"1": "M"}, "QAGE": {115: "115+", 0: "-1"}, "QSPAN": {ethnicity: "7", missing: None}}
    names |= {f"QRACE{place}": {race: "A", other: race} for place in range(1, 9)}
    people = [{name: names.get(name, {}).get(each, each) for name, each in row.items()} for row in nation.persons]
    listed = write_nation(nation, tmp_path / "lists")
    renamed = write_nation(replace(nation, persons=people), tmp_path / "renamed")
    renamed.parameters.write_text(CENSUS % (race, race, other, ethnicity, missing))
    found = exact_of(replace(renamed, code_lists=listed.code_lists), tmp_path / "found")
    assert (found.t1, found.t2) == oracle.exact_tables(oracle_inputs(nation))
    assert sum(found.t2.values()) > 0
