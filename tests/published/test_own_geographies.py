"""A geography that the parameter file describes itself: any columns, any parts, any region types."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql.jobs.run import run, validate
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError
from safetab_sql.public.inputs import InputPaths
from safetab_sql.settings.parameters import census, load_parameters
from tests.nations import Nation, sample_nation, write_nation
from tests.statistics import recorded_bits

DIGITS = {column.name: str(column.digits) for column in census().geography.place}
TEXT = dict.fromkeys(DIGITS, '"text"')
ONE_THREAD = Resources(threads=1)
NATION = sample_nation(60).with_half_of_the_levels()


def own(nation: Nation, key: dict[str, str] = DIGITS, us: str = "US", pr: str = "PR", more: str = "") -> str:
    """The parameters of the nation with its geography in words of its own, under other names of parts."""
    states = json.dumps(nation.parameters["state_filter_us"])
    names = {"US": us, "PR": pr}
    region_types = [
        f'{kind.name} = {{ id = "{kind.id}", part = "{names[kind.part]}", without = "{kind.without}", '
        f"suppress = {str(kind.suppress).lower()} }}"
        for kind in census().region_types
    ]
    geography = ("run_us", "run_pr", "state_filter_us", "levels")
    plain = {name: value for name, value in nation.parameters.items() if name not in geography}
    levels = nation.parameters["levels"].items()
    return "\n".join(
        [
            *(f"{name} = {json.dumps(value)}" for name, value in plain.items()),
            f"place.key = {{ {', '.join(f'{name} = {digits}' for name, digits in key.items())} }}",
            more,
            f"[parts]\n{us}.where.TABBLKST = {states}\n{pr}.where.TABBLKST = ['72']",
            *("[region_types]", *region_types),
            *(
                f"[levels.{name}]\n" + "\n".join(f"{k} = {json.dumps(v)}" for k, v in level.items())
                for name, level in levels
            ),
        ]
    )


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> InputPaths:
    """Puerto Rico and three states; the files of the nation, with its own parameters."""
    return write_nation(NATION, tmp_path_factory.mktemp("own") / "nation")


def with_parameters(inputs: InputPaths, folder: Path, text: str) -> InputPaths:
    path = folder / "parameters.toml"
    path.write_text(text, encoding="utf-8")
    return InputPaths(path, inputs.persons, inputs.geography, inputs.code_lists)


def problems(inputs: InputPaths, folder: Path, text: str) -> str:
    with pytest.raises(InputError) as refused:
        validate(with_parameters(inputs, folder, text), resources=ONE_THREAD)
    return str(refused.value)


def tables(out: Path) -> list[pa.Table]:
    """The tables; their files differ in the digest of the manifest."""
    return [pq.read_table(out / name) for name in ("t1/t1.parquet", "t2/t2.parquet")]


@pytest.fixture(scope="module")
def usual(inputs: InputPaths, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("usual") / "out"
    run(inputs, out, bits=recorded_bits("nation"), resources=ONE_THREAD)
    return out


@pytest.mark.parametrize("key", [DIGITS, TEXT], ids=["a key of digits", "a key of text"])
@pytest.mark.each_time("of text")
def test_the_2020_census_is_one_instance(inputs, usual, tmp_path, key):
    again = with_parameters(inputs, tmp_path, own(NATION, key))
    run(again, tmp_path / "out", bits=recorded_bits("nation"), resources=ONE_THREAD)
    assert tables(tmp_path / "out") == tables(usual)


def test_columns_that_no_region_type_reads_need_not_be_there(inputs, tmp_path):
    lines = Path(inputs.geography).read_text().splitlines()
    (tmp_path / "blocks.txt").write_text("\n".join("|".join(line.split("|")[:4]) for line in lines) + "\n")
    wanted = {"STATE-2": NATION.parameters["levels"]["STATE-2"]}
    text = own(NATION.with_parameters(levels=wanted), more='run = ["US"]')
    named = with_parameters(inputs, tmp_path, text)
    validate(InputPaths(named.parameters, named.persons, tmp_path / "blocks.txt", named.code_lists))


OWN = own(NATION)
REFUSED = {
    "a geography of both kinds": (f"run_us = true\n{OWN}", ["place and run_us stand in one file", "keep place"]),
    "no columns of a place": (OWN.replace("place.key = { TABBLKST = 2,", "place.ky = { TABBLKST = 2,"), ["'key'?"]),
    "digits that are none": (OWN.replace("TABBLKST = 2", "TABBLKST = 19"), ["TABBLKST is 19", '1 to 18, or "text"']),
    "a part that does not exist": (own(NATION, more='run = ["GU"]'), ["run is 'GU'", "one of 'US', 'PR'"]),
    "a part without places": (OWN.replace("PR.where.TABBLKST = ['72']", "PR.where = {}"), ["where names no column"]),
    "a part of numbers": (OWN.replace("['72']", "[72]"), ["TABBLKST is [72]", "values in quotes"]),
    "a part of a name that manifests have": (OWN.replace("PR", "sum"), ["'sum' is no name for a part"]),
    "parts that differ in capitals": (
        own(NATION, us="A", pr="a"),
        ["differs from another part in capitals alone"],
    ),
    "a region type of no part": (OWN.replace('part = "US", ', "", 1), ["missing key 'part'"]),
    "a flag that is no name": (OWN.replace('"COARSE_ONLY"', '"A B"', 1), ["without is 'A B'", "True/False column"]),
    "a key of the census": (OWN.replace("suppress = false", "is_sub_state = true", 1), ["unknown key 'is_sub_state'"]),
    "a region type that is not declared": (
        f"{OWN}\n[levels.STATES-1]\nbudget = 1\nthresholds = [1, 2, 3]",
        ["unknown region type 'STATES'", "did you mean STATE?"],
    ),
    "a part without budget": (
        own(NATION, us="north", pr="south").replace("[levels.PR-STATE", "[levels.USA-1.PR"),
        ["[levels.USA-1]"],
    ),
    "two parts that share a place": (OWN.replace("['72']", '["72", "01"]'), ["lie in two of the parts", "US, PR"]),
    "a value of a part that no place has": (OWN.replace("['72']", '["72", "99"]'), ["TABBLKST=99", "that no row has"]),
    "a column that the geography lacks": (
        OWN.replace("PR.where.TABBLKST", "PR.where.ISLAND"),
        ["missing column ISLAND", "add the columns"],
    ),
}


@pytest.mark.parametrize(("text", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_wrong_with_a_geography_is_said_with_a_remedy(inputs, tmp_path, text, words):
    said = problems(inputs, tmp_path, text)
    assert [word for word in words if word not in said] == [], said


def test_a_record_whose_place_the_geography_lacks_is_refused(inputs, tmp_path):
    lines = Path(inputs.geography).read_text().splitlines()
    (tmp_path / "blocks.txt").write_text("\n".join(lines[:-1]) + "\n")
    named = with_parameters(inputs, tmp_path, OWN)
    with pytest.raises(InputError, match=r"record\(s\) in a place that .*blocks.txt does not list"):
        validate(InputPaths(named.parameters, named.persons, tmp_path / "blocks.txt", named.code_lists))


def test_a_file_is_laid_over_its_base_table_by_table(tmp_path):
    (tmp_path / "base.toml").write_text(own(sample_nation(20)), encoding="utf-8")
    over = 'base = "base.toml"\ngamma = 0.25\n[levels.USA-1]\nbudget = 7\n[parts.PR.where]\nTABBLKST = ["72", "73"]\n'
    (tmp_path / "over.toml").write_text(over, encoding="utf-8")
    base, made = load_parameters(tmp_path / "base.toml"), load_parameters(tmp_path / "over.toml")
    assert (made.gamma, made.levels[0].budget, made.levels[0].thresholds) == (0.25, 7, base.levels[0].thresholds)
    assert [part.where["TABBLKST"] for part in made.geography.parts[1:]] == [("72", "73")]
    assert made.levels[1:] == base.levels[1:]


BASES = {
    "missing": ('base = "none.toml"', "none.toml is not in"),
    "elsewhere": ('base = "../x.toml"', "base is '../x.toml'"),
    "circular": ('base = "over.toml"', "leads back to itself"),
}


@pytest.mark.parametrize(("text", "what"), BASES.values(), ids=BASES)
def test_a_base_that_cannot_be_used_is_refused(tmp_path, text, what):
    (tmp_path / "over.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=what):
        load_parameters(tmp_path / "over.toml")
