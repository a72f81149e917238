"""Values as an office has them: "90+", not stated, missing answers. Tables against plain loops over the same records."""

import csv
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql.evaluation.ground_truth import ground_truth
from safetab_sql.kit.database import Resources
from safetab_sql.public.inputs import InputPaths

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
    """Every value in every column, and 3,000 records of chance."""
    chance = random.Random(34)
    ancestries = [("A", ""), ("1", "B"), ("A-old", "A"), ("", ""), ("Q", ""), ("B", "Q"), ("B", "Null"), ("NS", "")]
    ages = [*AGES, "0", "5", "6", "17", "18", "64", "65", "89", "90", "40"]
    plain = [("north", *ancestry, sex, age) for ancestry, sex, age in product(ancestries, SEXES, ages)]
    drawn = [
        (chance.choice(["north", "south"]), *chance.choice(ancestries), chance.choice([*SEXES]), chance.choice(ages))
        for _ in range(3_000)
    ]
    return plain + drawn


def written(folder: Path, records: Iterable[Record], parameters: str = PARAMETERS) -> InputPaths:
    """The inputs, as text."""
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


def groups_of(first: str, second: str) -> Iterator[str]:
    """The iterations of a person, by the words of the specification."""
    given = [each for each in (first, second) if each not in ("", "Null")] or ["NS"]
    codes = {code if code in CODES else "Z" for code in ({"1": "A", "A-old": "A"}.get(each, each) for each in given)}
    for name, held in GROUPS.items():
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


def tables_by_loops(records: Iterable[Record]) -> Counter[tuple[str, ...]]:
    """Every published row with somebody in it: region type, region, iteration, sex, from, to."""
    counts: Counter[tuple[str, ...]] = Counter()
    for district, first, second, sex, given in records:
        age = AGES.get(given) if given in AGES else int(given)
        assert age is not None
        regions = (("COUNTRY", "all"), ("DISTRICT", district))
        cells = {(SEXES[sex], *range_of(age, SIX)), ("*", *range_of(age, THREE)), ("*", "*", "*")}
        counts.update((*region, group, *cell) for region in regions for group in groups_of(first, second) for cell in cells)
    return counts


def exact_tables(inputs: InputPaths, out: Path) -> Counter[tuple[str, ...]]:
    """The same of the package."""
    ground_truth(inputs, out, resources=Resources(threads=1))
    columns = ["REGION_TYPE", "REGION_ID", "ITERATION_CODE", "SEX", "FROM", "TO", "COUNT"]
    rows = pq.read_table(out / "t.parquet", columns=columns).to_pylist()
    return Counter({tuple(list(row.values())[:-1]): row["COUNT"] for row in rows if row["COUNT"]})


def test_tables_of_mapped_values_are_those_of_plain_loops(records: list[Record], tmp_path: Path) -> None:
    found = exact_tables(written(tmp_path, records), tmp_path / "truth")
    assert found == tables_by_loops(records)
    assert found["COUNTRY", "all", "ns-a", "*", "not stated", "not stated"] > 0
    assert found["COUNTRY", "all", "ns-a", "X", "refused", "refused"] > 0
