"""Three ancestries and two languages, beside everybody: counted as plain loops count.

Sex is an attribute and a question of one column too; ancestry has lists, the other questions values.
"""

import csv
from collections.abc import Sequence
from pathlib import Path
from random import Random

import duckdb
import pytest

from safetab_sql.confidential import counts
from safetab_sql.evaluation.ground_truth import ground_truth
from safetab_sql.jobs.plan import plan_of_lists
from safetab_sql.public.inputs import InputPaths
from tests.audit.stability import audit_stability
from tests.cli.command import call, refusal
from tests.properties.questions_oracle import Row, exact_tables

CODES = [f"A{number}" for number in range(1, 9)]
LANGUAGES = ["pt", "en", "fr", "umb"]
PROVINCES = {f"T{number}": f"P{(number + 1) // 2}" for number in range(1, 5)}
PARAMETERS = """
privacy_definition = "zcdp"
gamma = 0.1
place.key = { TOWN = "text" }
region_types.COUNTRY.id = "'1'"
region_types.PROVINCE.id = "PROVINCE"
attributes.SEX.values = ["F", "M", "X"]
attributes.AGE = { minimum = 0, maximum = 110, groups.three = [0, 18, 65] }
[questions.ancestry]
columns = ["ANC1", "ANC2", "ANC3"]
iterations = "groups"
[questions.language]
columns = ["LANG1", "LANG2"]
values = ["pt", "en", "fr", "umb"]
level = "language"
[questions.sex]
column = "SEX"
values = ["F", "M", "X"]
[lists]
codes = "codes"
members = "members"
[ladders.T]
statistics = [
    { name = "sex", cells = { SEX = "each" } },
    { name = "sex by age", cells = { SEX = "each", AGE = "three" } }]
[[ladders.T.levels]]
each = ["COUNTRY-1", "COUNTRY-2", "COUNTRY-language", "COUNTRY-ALL"]
budget = 0.2
thresholds = [10, 100]
[[ladders.T.levels]]
each = ["PROVINCE-1", "PROVINCE-language", "PROVINCE-ALL"]
budget = 0.2
thresholds = [10, 100]
"""
# Two groups at level 1, eight at level 2: three ancestries are in two and three in combination, with a sex at level 1.
STABILITY = {"1": 2 + 1, "2": 3, "language": 2, "ALL": 1}
BOUNDED = 'unit = { person = "PERSON", most_records = 2, keep = { order = ["WHEN"] } }\n'


def lists() -> tuple[list[Row], list[Row]]:
    """The list of groups, alone and in combination, and their members."""
    groups, members = [], []
    for level, of in (("1", {"W": CODES[:4], "E": CODES[4:]}), ("2", {code: [code] for code in CODES})):
        for name, held in of.items():
            for letter, alone in (("a", "True"), ("c", "False")):
                code = f"{name}{letter}"
                title = f"Group {name}" + (" alone" if letter == "a" else "")
                groups.append({"ITERATION_CODE": code, "ITERATION_NAME": title, "LEVEL": level, "ALONE": alone})
                members += [{"ITERATION_CODE": code, "CODE": each} for each in held]
    return groups, members


def records(size: int, seed: int = 3) -> list[Row]:
    """Records of half as many persons, in no order; WHEN orders the records of each."""
    random, found = Random(seed), []
    for number in range(size):
        ancestries = random.sample(CODES, random.choice([1, 1, 2, 3]))
        languages = random.sample(LANGUAGES, random.choice([1, 2]))
        found.append(
            {
                "PERSON": f"N{random.randrange(size // 2)}",
                "WHEN": f"{random.randrange(10**6):06}.{number:04}",
                "TOWN": random.choice(list(PROVINCES)),
                "SEX": random.choice("FMX"),
                "AGE": str(random.randrange(111)),
                **dict(zip(("ANC1", "ANC2", "ANC3"), [*ancestries, "", ""], strict=False)),
                **dict(zip(("LANG1", "LANG2"), [*languages, ""], strict=False)),
            }
        )
    return found


def write_rows(file: Path, rows: Sequence[Row]) -> None:
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


def written(folder: Path, rows: Sequence[Row], before: str = "", parameters: str = PARAMETERS) -> InputPaths:
    """The extract in a folder. before: lines that stand before the tables of the parameters."""
    groups, members = lists()
    (folder / "code-lists").mkdir()
    write_rows(folder / "code-lists" / "groups.csv", groups)
    write_rows(folder / "code-lists" / "members.csv", members)
    write_rows(folder / "code-lists" / "codes.csv", [{"CODE": code, "CODE_NAME": code} for code in CODES])
    write_rows(folder / "places.csv", [{"TOWN": town, "PROVINCE": province} for town, province in PROVINCES.items()])
    write_rows(folder / "records.csv", rows)
    (folder / "parameters.toml").write_text(before + parameters, encoding="utf-8")
    return InputPaths(folder / "parameters.toml", folder / "records.csv", folder / "places.csv", folder / "code-lists")


def exact(inputs: InputPaths, out: Path, table: str = "t", counted: str = "COUNT") -> dict[tuple[str, ...], int]:
    """The exact counts above 0."""
    ground_truth(inputs, out)
    keys = "REGION_TYPE, REGION_ID, ITERATION_CODE, SEX, AGE"
    query = f"select {keys}, {counted} from read_parquet($1) where {counted} > 0"
    with duckdb.connect() as connection:
        return {tuple(row[:5]): row[5] for row in connection.execute(query, [str(out / f"{table}.parquet")]).fetchall()}


def refused(inputs: InputPaths) -> str:
    files = ("--parameters", inputs.parameters, "--persons", inputs.persons, "--geography", inputs.geography)
    return refusal("validate", *files, "--quiet")


def test_what_is_counted_is_what_plain_loops_count(tmp_path):
    rows = records(1_000)
    assert exact(written(tmp_path, rows), tmp_path / "exact") == exact_tables(rows, *lists(), PROVINCES)


@pytest.mark.slow
def test_what_is_counted_of_persons_with_several_records_is_what_plain_loops_count(tmp_path, monkeypatch):
    rows = records(1_000)
    monkeypatch.setattr(counts, "PEOPLE_A_SLICE", 100)
    wanted = exact_tables(rows, *lists(), PROVINCES, most_records=2)
    assert exact(written(tmp_path, rows, BOUNDED), tmp_path / "exact") == wanted


@pytest.mark.slow
def test_codes_beyond_the_eighth_have_a_column_of_their_own(tmp_path):
    """Three questions of several columns, the first of five: each has five places."""
    rows = records(300)
    for row in rows:
        row |= {"ANC4": "", "ANC5": "", "FOOD1": row["LANG1"], "FOOD2": row["LANG2"]}
    more = '[questions.food]\ncolumns = ["FOOD1", "FOOD2"]\nvalues = ["pt", "en", "fr", "umb"]\nlevel = "food"\n'
    text = PARAMETERS.replace('"ANC3"', '"ANC3", "ANC4", "ANC5"').replace("[lists]", more + "[lists]")
    inputs = written(tmp_path, rows, parameters=text)
    assert "codes_9_to_12" in call("sql", "show", "persons", "--parameters", inputs.parameters).stdout
    said = refused(inputs)
    assert "4 code(s) listed more than once" in said  # the foods are called like the languages
    again = tmp_path / "again"
    again.mkdir()
    for row in rows:
        row |= {name: f"F{row[name]}" if row[name] else "" for name in ("FOOD1", "FOOD2")}
    text = text.replace(
        'FOOD2"]\nvalues = ["pt", "en", "fr", "umb"]', 'FOOD2"]\nvalues = ["Fpt", "Fen", "Ffr", "Fumb"]'
    )
    assert exact(written(again, rows, parameters=text), tmp_path / "exact") == exact_tables(rows, *lists(), PROVINCES)


def test_the_stability_of_a_question_is_of_its_level_and_of_everybody_one(tmp_path):
    inputs = written(tmp_path, records(20))
    levels = plan_of_lists(inputs.parameters, None).plans
    assert {level.name: (level.catalog.stability, level.catalog.is_exact) for level in levels} == {
        f"{region}-{level}": (STABILITY[level], True)
        for region, levels in (("COUNTRY", STABILITY), ("PROVINCE", STABILITY.keys() - {"2"}))
        for level in levels
    }


@pytest.mark.slow
@pytest.mark.parametrize("before", ["", BOUNDED], ids=["records", "persons"])
def test_nobody_changes_a_level_by_more_than_its_stability_and_somebody_by_as_much(before, tmp_path):
    """Somebody with two kept records of one answer changes each group by two, and so a sum of squares by four."""
    rows = records(40)
    most = {**rows[0], "ANC1": "A1", "ANC2": "A5", "ANC3": "A6", "LANG1": "pt", "LANG2": "en"}
    rows += [{**most, "PERSON": "most", "WHEN": when} for when in ("1", "2")]
    audit = audit_stability(written(tmp_path, rows, before), people=len(rows))
    assert audit.violations == ()
    assert [level.name for level in audit.levels if level.most_changed < level.bound] == []
