"""What the report reads of a release."""

import json
import shutil
import sys

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from safetab_sql.kit.errors import InputError
from safetab_sql.public.states import PUERTO_RICO, STATE_NAMES, US_STATES
from safetab_sql.report.names import Names, region_name
from safetab_sql.report.pyramids import packed_groups, pyramid_rows
from safetab_sql.report.release import Reported, read_release
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


def test_every_published_group_is_of_one_kind(read, release):
    assert sum(kind.population_groups for kind in read.kinds) == pq.read_table(release / "t1").num_rows


def test_every_published_cell_is_in_a_table_of_some_kind(read, release):
    cells = sum(kind.population_groups * kind.cells for kind in read.kinds)
    assert cells == sum(row != "*" for row in pq.read_table(release / "t2")["AGESTART"].to_pylist())


def test_the_level_of_a_group_is_known_by_its_noise(read):
    margins = {level.name: level.count_moe95 for level in read.facts.levels}
    assert {(kind.level, kind.count_moe95.median) for kind in read.kinds if kind.cells} <= set(margins.items())


def test_a_total_by_design_has_a_smaller_or_equal_margin_than_one_that_was_tried_for_a_table(read):
    state = {
        kind.is_total_only: kind.count_moe95.median for kind in read.kinds if kind.level == "STATE-2" and not kind.cells
    }
    assert state[True] <= state[False]


def test_iterations_have_the_names_of_the_code_lists(read):
    assert read.names.iterations[HOSTILE_CODE] == HOSTILE


def test_without_code_lists_iterations_have_the_names_in_the_release(read, release):
    found = read_release(release).names.iterations
    assert found[HOSTILE_CODE] == HOSTILE
    assert found.items() <= read.names.iterations.items()


def test_a_folder_without_names_has_codes_alone(spoilt):
    shutil.rmtree(spoilt / "codes")
    assert read_release(spoilt).names == Names({}, {})


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
    assert (read.groups.num_rows, read.hidden_types) == (pq.read_table(release / "t1").num_rows, ())


def test_where_all_groups_are_too_many_nation_and_states_are_taken(release, monkeypatch):
    types = pq.read_table(release / "t1")["REGION_TYPE"].to_pylist()
    few = [kind for kind in types if kind in ("USA", "STATE")]
    monkeypatch.setattr(sys.modules[read_release.__module__], "MOST_GROUPS", len(few))
    read = read_release(release)
    assert (read.groups.num_rows, set(read.hidden_types)) == (len(few), set(types) - set(few))


def test_packed_groups_are_the_groups(read):
    packed = packed_groups(read)
    unpacked = {}
    for region, groups in zip(packed["regions"], packed["groups"], strict=True):
        cells = iter(groups["c"])
        for iteration, total, kind in zip(groups["i"], groups["n"], groups["k"], strict=True):
            cell_moe95, below, above, layout = packed["kinds"][kind]
            size = 0 if layout is None else 2 * len(packed["layouts"][layout][0])
            counts = [next(cells) for _ in range(size)]
            code = packed["iterations"][iteration][0]
            unpacked[region[0], region[1], code] = (total, total - below, total + above, cell_moe95, counts)
    wanted = {
        (row["region_type"], row["region_id"], row["iteration_code"]): (
            row["noisy_count"],
            row["total_low95"],
            row["total_high95"],
            (row["male_moe95s"] or [None])[0],
            [*(row["male_counts"] or []), *(row["female_counts"] or [])],
        )
        for row in read.groups.to_pylist()
    }
    assert unpacked == wanted


GROUP = {
    "age_starts": [0, 18, 85],
    "age_ends": [17, 84, 115],
    "male_counts": [180, -67, 150],
    "female_counts": [0, 670, 15],
    "male_moe95s": [30.0, 30.0, 20.0],
    "female_moe95s": [30.0, 30.0, 30.0],
}


def test_areas_of_a_pyramid_are_people():
    rows = pyramid_rows(GROUP)
    assert [round(row["rate"] * (row["top"] - row["start"])) for row in rows] == [180, -67, 150, 0, 670, 15]


def test_the_ends_of_a_margin_are_as_far_from_a_bar_as_was_published():
    (first, *_) = pyramid_rows(GROUP)
    assert (first["low"], first["rate"], first["high"]) == (150 / 18, 10, 210 / 18)


def test_the_open_age_group_ends_at_one_hundred():
    assert [(row["age"], row["top"]) for row in pyramid_rows(GROUP)[:3]] == [("0–17", 18), ("18–84", 85), ("85+", 100)]


@pytest.mark.parametrize("code", [*US_STATES, PUERTO_RICO])
def test_every_state_has_a_name(code):
    assert region_name(Names(), "STATE", code) == STATE_NAMES[code]


@pytest.mark.parametrize(
    ("given", "region", "name"),
    [
        ({}, ("SCHOOL", "0600001"), "SCHOOL 0600001"),
        ({("COUNTY", "10001"): "Kent"}, ("COUNTY", "10001"), "Kent · COUNTY 10001"),
        ({("USA", "1"): "Norland"}, ("USA", "1"), "Norland"),
        ({("STATE", "06"): "Sun"}, ("STATE", "06"), "Sun"),
        ({("STATE", "06"): "Sun"}, ("STATE", "02"), "Alaska"),
    ],
)
def test_a_region_has_the_name_that_was_given_or_its_own_or_its_id(given, region, name):
    assert region_name(Names({}, given), *region) == name


def test_a_folder_without_a_manifest_is_refused(tmp_path):
    assert "manifest.json" in problems(tmp_path)


def test_a_release_in_the_census_format_is_refused(spoilt):
    manifest = json.loads((spoilt / "manifest.json").read_text(encoding="utf-8"))
    (spoilt / "manifest.json").write_text(json.dumps({**manifest, "format": "census"}), encoding="utf-8")
    assert "no variances" in problems(spoilt)


@pytest.mark.parametrize("name", ["date", "software", "public_inputs", "releasable", "command"])
def test_a_manifest_that_lacks_something_is_refused(spoilt, name):
    manifest = json.loads((spoilt / "manifest.json").read_text(encoding="utf-8"))
    del manifest[name]
    (spoilt / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert name in problems(spoilt)


def test_a_table_that_is_missing_is_refused(spoilt):
    shutil.rmtree(spoilt / "t2")
    assert "holds no Parquet file" in problems(spoilt)


def test_a_table_without_a_column_is_refused(spoilt):
    (path,) = (spoilt / "t1").glob("*.parquet")
    pq.write_table(pq.read_table(path).drop_columns(["MOE95"]), path)
    assert "missing columns MOE95" in problems(spoilt)


def test_a_level_that_the_manifest_does_not_have_is_refused(spoilt):
    manifest = json.loads((spoilt / "manifest.json").read_text(encoding="utf-8"))
    manifest["ledger"]["levels"] = [level for level in manifest["ledger"]["levels"] if level["level"] != "USA-2"]
    (spoilt / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert "names level USA-2, which the manifest does not have" in problems(spoilt)


def test_a_group_that_the_index_does_not_list_is_refused(spoilt):
    (path,) = (spoilt / "group_index").glob("*.parquet")
    index = pq.read_table(path)
    pq.write_table(index.filter(pc.not_equal(index["LEVEL"], "USA-1")), path)
    assert "group_index: a published group is not listed" in problems(spoilt)
