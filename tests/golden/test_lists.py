"""A column of lists answers a question as columns of single codes do; what a list cannot be is refused."""

import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql.jobs.run import run
from safetab_sql.jobs.validate import validate
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError
from safetab_sql.public.inputs import InputPaths
from tests.statistics import recorded_bits

PARAMETERS = """
privacy_definition = "zcdp"
gamma = 0.1
place.key = { town = "text" }
region_types = { ALL.id = "'all'", TOWN.id = "town" }
attributes.SEX = { values = ["M", "F"] }
unit = { person = "who", most_records = 2UNIT }
[questions.language]
LANGUAGE
values = ["pt", "en", "es"]
map = { PT = "pt" }
null = "none"
[questions.skill]
SKILL
values = ["07", "12"]
level = "2"
other = "12"
[ladders.T]
statistics = [{ name = "sex", cells = { SEX = "each" } }]
levels = [{ each = ["ALL-1", "TOWN-1", "TOWN-2"], budget = 1, thresholds = [40] }]
"""
LISTS = ('column = "languages"\nat_most = 3', 'column = "skills"\nat_most = 2')
COLUMNS = ('columns = ["l1", "l2", "l3"]', 'columns = ["s1", "s2"]')
EMPTY: list[list[str | None] | None] = [None, [], [None], ["", None], ["Null"]]
ONE_THREAD = Resources(threads=1)


def inputs(folder: Path, columns: dict[str, pa.Array], asked: tuple[str, str] = LISTS, unit: str = "") -> InputPaths:
    """The inputs of a run of these people, who live in two towns."""
    people = len(next(iter(columns.values())))
    chance = random.Random(7)
    drawn = {name: [chance.choice(of) for _ in range(people)] for name, of in (("town", "ab"), ("SEX", "MF"))}
    others = {**drawn, "who": [str(number * 2 // 3) for number in range(people)]}
    folder.mkdir()
    pq.write_table(pa.table({name: values for name, values in {**others, **columns}.items()}), folder / "p.parquet")
    pq.write_table(pa.table({"town": ["a", "b"]}), folder / "g.parquet")
    text = PARAMETERS.replace("LANGUAGE", asked[0]).replace("SKILL", asked[1]).replace("UNIT", unit)
    (folder / "p.toml").write_text(text)
    return InputPaths(folder / "p.toml", folder / "p.parquet", folder / "g.parquet")


def test_a_list_publishes_what_as_many_columns_publish(tmp_path: Path) -> None:
    """None and nothing are no codes, wherever they stand; a code that stands twice counts once."""
    chance = random.Random(5)
    spoken = [chance.choices(["pt", "PT", "en", "es"], k=chance.choice([0, 1, 1, 2, 3])) for _ in range(200)]
    skilled = [chance.choices([7, 12, 99], k=chance.choice([1, 2])) for _ in spoken]
    lists = [[None, *each] if each else EMPTY[number % len(EMPTY)] for number, each in enumerate(spoken)]
    flat = {f"l{n + 1}": pa.array([(*each, None, None, None)[n] for each in spoken]) for n in range(3)}
    flat |= {f"s{n + 1}": pa.array([(*each, None)[n] for each in skilled]) for n in range(2)}
    listed = {"languages": pa.array(lists), "skills": pa.array(skilled, pa.large_list(pa.int8()))}
    tables = []
    for made in (inputs(tmp_path / "lists", listed), inputs(tmp_path / "columns", flat, COLUMNS)):
        out = run(made, tmp_path / "out", bits=recorded_bits("lists"), resources=ONE_THREAD, overwrite=True).out
        tables.append({file.name: pq.read_table(file).to_pylist() for file in sorted(out.rglob("*.parquet"))})
    assert tables[0] == tables[1]
    assert any(row["COUNT"] for row in tables[0]["t.parquet"])


def test_more_codes_than_at_most_are_refused_or_left_out_with_the_file_and_the_row(tmp_path: Path) -> None:
    columns = {"languages": pa.array([["pt"], [None, "en", "", "es", "pt"], ["pt"] * 4]), "skills": pa.array([[7]] * 3)}
    with pytest.raises(InputError) as refused:
        validate(inputs(tmp_path / "refused", columns), resources=ONE_THREAD)
    (problem,) = refused.value.problems
    assert problem.what == "1 list(s) with more codes than at_most in [questions.language], 3"
    assert (problem.where[-11:], problem.examples) == ("[languages]", ("p.parquet row 3, languages[4]=pt",))
    validate(inputs(tmp_path / "left out", columns, unit=', leave_out = ["codes"]'), resources=ONE_THREAD)
