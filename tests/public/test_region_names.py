"""Public inputs: names of regions, totals, codes that stand for no place, and what is easily misread."""

import csv
import json
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql.confidential.inputs import public_totals
from safetab_sql.evaluation.ground_truth import ground_truth
from safetab_sql.histograms.public.domains import reference_rows
from safetab_sql.jobs.run import run, validate
from safetab_sql.jobs.sql import display_values, script
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError
from safetab_sql.kit.sqlfiles import packaged_folder
from safetab_sql.kit.whole_folders import sha256_of
from safetab_sql.public.gate import NOTHING_CONFIDENTIAL, public_file
from safetab_sql.public.inputs import InputPaths
from safetab_sql.public.readers import region_names_table
from safetab_sql.public.sources import find_source
from safetab_sql.public.text_files import text_table
from safetab_sql.published.manifest import are_releasable
from safetab_sql.settings.parameters import Parameters, load_parameters
from tests.conftest import REPOSITORY
from tests.nations import Nation, sample_nation, write_nation
from tests.statistics import recorded_bits

GOOD = {"REGION_TYPE": ["STATE", "STATE"], "REGION_ID": ["01", "02"], "NAME": ["Alabama", "Alaska"]}


def problems(folder: Path, columns: dict[str, list[object]]) -> list[str]:
    pq.write_table(pa.table(columns), folder / "names.parquet")
    with pytest.raises(InputError) as refused:
        region_names_table("names.parquet", [folder / "names.parquet"])
    return [problem.what for problem in refused.value.problems]


BAD = {
    "a missing column": ({**GOOD, "NAME": None}, ["missing column NAME; found REGION_TYPE, REGION_ID"]),
    "ids that lost their zeros": ({**GOOD, "REGION_ID": [1, 2]}, ["stored as int64"]),
    "a region with two names": ({**GOOD, "REGION_ID": ["01", "01"]}, ["1 code(s) stand more than once: STATE 01"]),
    "a region without a name": ({**GOOD, "NAME": ["Alabama", None]}, ["a row without REGION_TYPE, REGION_ID or name"]),
}


@pytest.mark.parametrize(("columns", "whats"), BAD.values(), ids=BAD)
def test_names_that_cannot_be_used_are_refused(tmp_path, columns, whats):
    assert problems(tmp_path, {name: column for name, column in columns.items() if column is not None}) == whats


FEW = {f"{name}-1": {"budget": 1, "thresholds": [20, 60, 150]} for name in ("USA", "STATE", "COUNTY", "PLACE")}


def named(name: str) -> Nation:
    """A nation whose geography has names of counties in the column COUNTY_NAME, and the parameters say so."""
    types = {"USA": {"name": name}, "COUNTY": {"name": "COUNTY_NAME"}}
    nation = sample_nation(60).with_parameters(region_types=types, run_pr=False, levels=FEW)
    return replace(nation, blocks=[{**row, "COUNTY_NAME": f"County {row['TABBLKCOU']}"} for row in nation.blocks])


def released(inputs: InputPaths, out: Path) -> set[tuple[str, str | None]]:
    run(inputs, out, resources=Resources(threads=1), bits=recorded_bits("nation"))
    index = pq.read_table(out / "group_index", columns=["REGION_TYPE", "REGION_ID", "REGION_NAME"]).to_pylist()
    assert {row["REGION_NAME"] for row in index if row["REGION_TYPE"] == "STATE"} == {None}
    return {(row["REGION_TYPE"], row["REGION_NAME"]) for row in index if row["REGION_TYPE"] in ("USA", "COUNTY")}


def test_names_of_the_geography_stand_in_the_index_and_in_the_codes_and_a_file_stands_over_them(tmp_path):
    inputs = write_nation(named("'Norland'"), tmp_path)
    names = tmp_path / "names.csv"
    text = 'REGION_TYPE,REGION_ID,NAME\nCOUNTY,01001,"County, whole"\nCOUNTY,99999,Nowhere\n'
    names.write_text(text, encoding="utf-8")
    counties = {("COUNTY", f"County {row['TABBLKCOU']}") for row in named("").blocks}
    over = replace(inputs, region_names=names)
    assert released(over, tmp_path / "out") == {("USA", "Norland"), ("COUNTY", "County, whole"), *counties}
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["public_inputs"]["region_names"][0]["file"] == "names.csv"
    with (tmp_path / "out" / "codes" / "REGION_ID.csv").open(encoding="utf-8", newline="") as stream:
        listed = {(row["REGION_TYPE"], row["CODE"]): row["MEANING"] for row in csv.DictReader(stream)}
    said = [listed[key] for key in (("USA", "1"), ("COUNTY", "01001"), ("COUNTY", "02001"))]
    assert said == ["Norland", "County, whole", "County 001"]
    assert {name for (kind, _), name in listed.items() if kind == "STATE"} == {""}


def test_a_region_with_two_names_is_refused_with_both(tmp_path):
    inputs = write_nation(named("'Place ' || PLACEFP"), tmp_path)
    with pytest.raises(InputError) as refused:
        run(inputs, tmp_path / "out", resources=Resources(threads=1))
    (problem,) = refused.value.problems
    assert (problem.what, problem.examples) == (
        "1 region(s) to whose places the geography gives different names",
        ("region_type=USA, region_id=1, region_name=Place 00100, other_name=Place 99999",),
    )


def test_a_name_that_the_geography_does_not_hold_is_refused_with_the_columns_that_it_has(tmp_path):
    nation = named("PAIS")
    blocks = [{**row, "país": "Norland"} for row in nation.blocks]
    inputs = write_nation(replace(nation, blocks=blocks), tmp_path)
    with pytest.raises(InputError) as refused:
        run(inputs, tmp_path / "out", resources=Resources(threads=1))
    (problem,) = refused.value.problems
    assert problem.what.startswith("missing column PAIS; found TABBLKST, ")
    assert problem.fix.startswith("rename país to PAIS: capitals, accents and spaces make a difference; or write")


@pytest.fixture(scope="module")
def parameters() -> Parameters:
    return load_parameters(packaged_folder("configs") / "dhcb-2020.toml")


@pytest.fixture
def release(tmp_path: Path) -> Path:
    return make_release(tmp_path / "release", said="true", is_releasable=True)


def make_release(folder: Path, *, said: str, is_releasable: bool) -> Path:
    (folder / "t1").mkdir(parents=True)
    file = folder / "t1" / "t1.parquet"
    pq.write_table(pa.table({"COUNT": [3]}).replace_schema_metadata({"releasable": said}), file)
    manifest = {"releasable": is_releasable, "files": [{"file": "t1/t1.parquet", "sha256": sha256_of(file)}]}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def releasable(given: Path, parameters: Parameters, *, are_public: bool = False) -> bool:
    paths = InputPaths("", "", "", totals=given, totals_are_public=are_public)
    totals = public_totals(paths, parameters, {}, NOTHING_CONFIDENTIAL)
    assert totals is not None
    return are_releasable(totals)


def test_totals_of_a_release_are_as_releasable_as_the_release(release, parameters):
    assert releasable(release, parameters)
    assert releasable(release / "t1" / "t1.parquet", parameters, are_public=True)
    other = make_release(release.parent / "other", said="false", is_releasable=False)
    assert not releasable(other, parameters)


def test_totals_moved_edited_or_put_elsewhere_need_a_word_and_make_nothing_releasable(release, parameters, tmp_path):
    moved = tmp_path / "moved.parquet"
    shutil.copy(release / "t1" / "t1.parquet", moved)
    with pytest.raises(InputError, match="no manifest beside it says of which release it is") as refused:
        releasable(moved, parameters)
    assert "say --totals-are-public: the run is then not releasable" in str(refused.value)
    assert not releasable(moved, parameters, are_public=True)
    edited = make_release(tmp_path / "edited", said="false", is_releasable=True)
    assert not releasable(edited, parameters)
    shutil.copy(edited / "t1" / "t1.parquet", release / "t1" / "t1.parquet")
    with pytest.raises(InputError, match="has another SHA-256 than"):
        releasable(release, parameters, are_public=True)


def test_reconciled_totals_are_as_releasable_as_the_release_before(release, parameters):
    said = json.loads((release / "manifest.json").read_text())
    for before in (True, False):
        said |= {"release": {"releasable": before}}
        (release / "manifest.json").write_text(json.dumps(said))
        assert releasable(release, parameters) is before


def test_the_word_for_totals_needs_totals(parameters):
    others = replace(parameters, ladders=())
    with pytest.raises(InputError, match="--totals-are-public: has no effect without --totals"):
        public_totals(InputPaths("", "", "", totals_are_public=True), others, {}, NOTHING_CONFIDENTIAL)


# Towns of one number in two counties, a county with one town, and a row for people of county A whose town is unknown.
PLACES = [("01", "A"), ("02", "A"), ("01", "B"), ("03", "C"), ("99", "A")]
RECORDS = list(product(["01", "02", "03", "07", "99", "", None], ["A", "B", "C", "D", "-", None]))
LEVELS = "".join(f"[levels.{name}-ALL]\nbudget = 1\nthresholds = [1, 2, 3]\n" for name in ("NATION", "COUNTY", "TOWN"))
PARAMETERS = f"""
privacy_definition = "zcdp"
gamma = 0.1
{{place}}
[region_types]
NATION = {{{{ id = "'all'" }}}}
COUNTY = {{{{ id = "county" }}}}
TOWN = {{{{ id = "county || town" }}}}
{LEVELS}
[attributes]
SEX = {{{{ column = "sex" }}}}
AGE = {{{{ column = "age" }}}}
"""


def rows(listed: Sequence[tuple[str | None, str | None]]) -> dict[str, list[str | None]]:
    return {"town": [town for town, _ in listed], "county": [county for _, county in listed]}


def inputs(
    folder: Path, place: str, records: Sequence[tuple[str | None, str | None]] = RECORDS, places: Sequence = PLACES
) -> InputPaths:
    """Files of these records and places, with parameters that say this of a place."""
    ones = {"sex": ["1"] * len(records), "age": [30] * len(records)}
    pq.write_table(pa.table(rows(records) | ones), folder / "persons.parquet")
    pq.write_table(pa.table(rows(places)), folder / "places.parquet")
    (folder / "parameters.toml").write_text(PARAMETERS.format(place=place))
    return InputPaths(folder / "parameters.toml", folder / "persons.parquet", folder / "places.parquet")


def regions(place: tuple[str, str]) -> list[tuple[str, str]]:
    return [("NATION", "all"), ("COUNTY", place[1]), ("TOWN", place[1] + place[0])]


def counted(record: tuple[str | None, ...], null: Sequence[str | None]) -> list[tuple[str, str]] | None:
    """The regions of a record; None where it is in no place that is there."""
    known = [None if value in ("", None, *null) else value for value in record]
    listed = {tuple(None if value in null else value for value in place): place for place in PLACES}
    if (*known,) in listed:
        return regions(listed[(*known,)])
    named = [place for row, place in listed.items() if None not in row]
    agreeing = [place for place in named if all(a in (None, b) for a, b in zip(known, place, strict=True))]
    return [each for each in regions(agreeing[0]) if all(each in regions(p) for p in agreeing)] if agreeing else None


@pytest.mark.parametrize(
    ("null", "key"), [(["99", "-"], 'town = 2, county = "text"'), (["-"], 'town = "text", county = "text"')]
)
@pytest.mark.each_time("null1")
def test_a_record_counts_where_all_places_lie_of_which_it_may_be(tmp_path, null, key):
    place = f"place = {{ key = {{ {key} }}, null = {null}, other = '-' }}"
    ground_truth(inputs(tmp_path, place), tmp_path / "out", resources=Resources(threads=1))
    wanted = Counter(each for record in RECORDS for each in counted(record, null) or [("NATION", "all")])
    found = pq.read_table(tmp_path / "out" / "t1.parquet").to_pylist()
    assert {(row["REGION_TYPE"], row["REGION_ID"]): row["COUNT"] for row in found} == wanted


def test_a_column_of_both_files_that_the_key_lacks_is_not_contradicted(tmp_path):
    place, places = "place.key = { town = 2 }", [("01", "A"), ("02", "A"), ("03", "7")]
    found = inputs(tmp_path, place, [("01", "A "), ("03", None), ("03", "Null"), ("03", "07.0")], places)
    persons = pq.read_table(found.persons).rename_columns({"county": "County"})
    pq.write_table(persons.append_column("KundenNr", pa.array(["7", "8", "8", "7"])), found.persons)
    (warning,) = validate(found, resources=Resources(threads=1))
    assert "[KundenNr]: nothing reads it, and 2 of its values stand in several records" in str(warning)
    pq.write_table(persons.set_column(1, "COUNTY", pa.array(["A", "B", "7", "7"])), found.persons)
    with pytest.raises(InputError, match=r"1 record.s. of another place (?s:.*) row 2, county=B(?s:.*)add the column"):
        validate(found, resources=Resources(threads=1))


def test_a_column_of_both_files_is_read_as_the_region_types_need_it(tmp_path):
    inputs = write_nation(sample_nation(60).with_parameters(run_pr=False, levels=FEW), tmp_path)
    places, persons = (text_table(Path(str(each))) for each in (inputs.geography, inputs.persons))
    places = places.drop_columns("PLACEFP").append_column("PLACEFP", places["PLACEFP"].cast(pa.int32()))
    pq.write_table(places, tmp_path / "g.parquet")
    pq.write_table(persons.append_column("PLACEFP", pa.nulls(len(persons), pa.string())), tmp_path / "p.parquet")
    found = replace(inputs, geography=tmp_path / "g.parquet", persons=tmp_path / "p.parquet")
    assert validate(found, resources=Resources(threads=1)) == ()


def test_a_url_of_a_file_is_answered_with_its_path():
    with pytest.raises(InputError, match=r"name the file by its path: /data/my persons\.csv"):
        find_source("file:///data/my%20persons.csv")


@pytest.mark.parametrize("name", ["d.duckdb::t", "file:///d.csv"])
def test_a_reference_is_a_file_by_its_path(name, tmp_path):
    with pytest.raises(InputError, match=r"is a table of a database, or a URL\n.*name a Parquet file, or a CSV"):
        reference_rows(public_file("reference", tmp_path / name), ("A",))


@pytest.mark.parametrize(
    ("config", "old"), [("hospitals.toml", '["01", "02", "03", "04", "05", "NA"]'), ("ladders.toml", '["F", "M", "X"]')]
)
def test_values_that_are_numbers_are_shown_in_quotes(config, old, tmp_path):
    text = (REPOSITORY / "configs" / config).read_text(encoding="utf-8")
    (tmp_path / "p.toml").write_text(text.replace(old, "[-1, 2]"), encoding="utf-8")
    with pytest.raises(InputError, match=r'write the values in quotes: \["-1", "2"\]'):
        load_parameters(tmp_path / "p.toml")


def test_a_script_says_at_its_end_that_its_published_tables_are_empty():
    last = script(display_values()).rstrip().split("\n\n")[-1]
    assert "as t1 and t2, have no rows" in last
