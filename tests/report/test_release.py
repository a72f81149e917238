"""What the report reads of a release."""

import shutil
import sys

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from safetab_sql.kit.errors import InputError
from safetab_sql.laws.noise import margin_of_error
from safetab_sql.report.groups import panel_figure, panel_of
from safetab_sql.report.release import Names, Reported, read_release
from safetab_sql.settings.parameters import census
from safetab_sql.settings.unit import Unit
from tests.report.conftest import HOSTILE, HOSTILE_CODE


@pytest.fixture(scope="module")
def read(nation, release) -> Reported:
    return read_release(release, nation / "code-lists")


@pytest.fixture
def spoilt(release, tmp_path):
    """A copy of the release, to be changed."""
    return shutil.copytree(release, tmp_path / "release")


def problems(folder) -> str:
    with pytest.raises(InputError) as refused:
        read_release(folder)
    return str(refused.value)


def test_every_published_group_is_of_one_kind_and_every_cell_in_its_table(read, release):
    assert sum(kind["population_groups"] for kind in read.kinds) == pq.read_table(release / "t1").num_rows
    cells = sum(kind["population_groups"] * kind["cells"] for kind in read.kinds)
    assert cells == sum(row != "*" for row in pq.read_table(release / "t2")["AGESTART"].to_pylist())


def test_the_level_of_a_group_is_known_by_its_noise(read):
    margins = {level.name: margin_of_error(level.total_call.law) for level in read.facts.levels}
    assert {(kind["level"], kind["median_cell_moe95"]) for kind in read.kinds if kind["cells"]} <= set(margins.items())


def test_iterations_have_the_names_of_the_code_lists_or_of_the_release(read, reported):
    found = reported.names.iterations
    assert found[HOSTILE_CODE] == read.names.iterations[HOSTILE_CODE] == HOSTILE
    assert found.items() <= read.names.iterations.items()


@pytest.mark.parametrize("text", ["CODE\n6006\n", 'CODE,MEANING\n"6006', "CODE,MEANING\n6006,a,b\n"])
def test_a_list_of_codes_that_no_run_wrote_is_refused(spoilt, text):
    (spoilt / "codes" / "ITERATION_CODE.csv").write_text(text, encoding="utf-8")
    assert "ITERATION_CODE.csv: is no list of codes and meanings" in problems(spoilt)


def test_regions_have_the_names_that_the_run_was_given(spoilt):
    (path,) = (spoilt / "group_index").glob("*.parquet")
    index = pq.read_table(path)
    names = [
        f"Region {name}" if kind == "STATE" else None
        for kind, name in zip(index["REGION_TYPE"].to_pylist(), index["REGION_ID"].to_pylist(), strict=True)
    ]
    place = index.schema.get_field_index("REGION_NAME")
    pq.write_table(index.set_column(place, "REGION_NAME", pa.array(names, pa.string())), path)
    named = read_release(spoilt).names.regions
    assert named["STATE", "06"] == "Region 06"
    assert {kind for kind, _ in named} == {"STATE"}


def test_the_groups_of_every_region_type_are_taken_one_by_one(read, release):
    assert (len(read.tables[0].groups), read.hidden_types) == (pq.read_table(release / "t1").num_rows, ())


def test_where_all_groups_are_too_many_nation_and_states_are_taken(release, monkeypatch):
    types = pq.read_table(release / "t1")["REGION_TYPE"].to_pylist()
    few = [kind for kind in types if kind in ("USA", "STATE")]
    monkeypatch.setattr(sys.modules[read_release.__module__], "MOST_ROWS", len(few))
    read = read_release(release)
    assert (len(read.tables[0].groups), set(read.hidden_types)) == (len(few), set(types) - set(few))


COUNTS = [
    {"count": count, "low": count - moe95, "high": count + moe95, "moe95": moe95}
    for count, moe95 in zip((180, -67, 30, 150, 0, 670, 5, 15), (*[30.0] * 3, 20.0, *[30.0] * 4), strict=True)
]


def pyramid() -> dict:
    return panel_figure(panel_of(census(), census().ladders[0], 1), "", Unit(), COUNTS)


def test_a_pyramid_has_the_counts_by_sex_and_age_and_draws_them_by_year_of_age():
    figure = pyramid()
    rows = [(row["value"], row["label"], row["start"], row["top"], row["count"]) for row in figure["data"]["values"]]
    assert rows[:2] == [("male", "0–17", 0, 18, 180), ("male", "18–44", 18, 45, -67)]
    assert rows[-1] == ("female", "65+", 65, 100, 15)  # the open age group ends at one hundred
    (row,) = figure["vconcat"]
    for half, sex in zip(row["hconcat"], ("male", "female"), strict=True):
        only, *calculated, _ = half["transform"]
        assert only["filter"]["equal"] == sex
        counts = ("datum.count", "(datum.count - datum.moe95)", "(datum.count + datum.moe95)")
        assert [each["calculate"] for each in calculated] == [
            f"{count} / (datum.top - datum.start)" for count in counts
        ]


def test_the_halves_of_a_pyramid_have_one_scale_that_holds_every_margin():
    (row,) = pyramid()["vconcat"]
    scales = [half["layer"][0]["encoding"]["x"]["scale"] for half in row["hconcat"]]
    assert [scale["reverse"] for scale in scales] == [True, False]
    assert scales[0]["domain"] == scales[1]["domain"] == pytest.approx([-97 / 27, 1.02 * 700 / 27])


@pytest.mark.parametrize(
    ("given", "region", "name"),
    [
        ({}, ("SCHOOL", "0600001"), "School 0600001"),
        ({("COUNTY", "10001"): "Kent"}, ("COUNTY", "10001"), "Kent · County 10001"),
        ({("LAND", "all"): "Norland"}, ("LAND", "all"), "Norland"),
        ({}, ("LAND", "all"), "Everywhere"),
        ({("USA", "1"): "Norland"}, ("USA", "1"), "Norland"),
        ({("STATE", "06"): "Sun"}, ("STATE", "06"), "Sun"),
        ({("STATE", "06"): "Sun"}, ("STATE", "02"), "Alaska"),
    ],
)
def test_a_region_has_the_name_that_was_given_or_its_own_or_its_id(given, region, name):
    labels = {"REGION_TYPE": {"LAND": "Everywhere"}}
    assert Names({}, given, labels).region(*region) == name


def test_a_group_that_the_index_does_not_list_is_refused(spoilt):
    (path,) = (spoilt / "group_index").glob("*.parquet")
    index = pq.read_table(path)
    pq.write_table(index.filter(pc.not_equal(index["LEVEL"], "USA-1")), path)
    assert "group_index: a published group is not listed" in problems(spoilt)
