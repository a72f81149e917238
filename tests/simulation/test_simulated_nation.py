"""What `simulate` writes, repeats and refuses."""

import json
import tomllib
from fractions import Fraction
from pathlib import Path

import pytest

from safetab_sql.kit.errors import InputError
from safetab_sql.simulation.geography import state_people, state_sizes
from safetab_sql.simulation.people import FILES, example_lists, read_code_lists
from safetab_sql.simulation.simulate import simulate, write_nation
from tests.cluster.nations import contents

PRODUCTION_LISTS = Path(__file__).parents[2] / ".." / "shared" / "reference" / "ddhca-2020"


@pytest.mark.slow
def test_the_same_arguments_give_the_same_bytes(tmp_path):
    for name in ("once", "again"):
        simulate(tmp_path / name, people=10_000, seed=5)
    assert contents(tmp_path / "again") == contents(tmp_path / "once")


@pytest.mark.slow
def test_the_number_of_threads_changes_nothing(tmp_path):
    lists = read_code_lists(example_lists())
    for threads in (1, 3):
        (tmp_path / str(threads)).mkdir()
        write_nation(tmp_path / str(threads), state_people(30_000), lists, seed=0, threads=threads)
    assert contents(tmp_path / "1") == contents(tmp_path / "3")


def test_the_output_is_persons_geography_shapes_lists_parameters_and_a_bottom_up_spec(nation):
    persons = [f"persons/{state}.parquet" for state in state_sizes()]
    lists = [f"code-lists/{name}" for name in FILES]
    others = ["geography.parquet", "shapes.parquet", "parameters.toml", "bottom-up.toml"]
    assert sorted(contents(nation)) == sorted([*persons, *lists, *others])


def test_parameters_hold_the_keys_of_the_specification_and_name_the_states(nation):
    parameters = tomllib.loads((nation / "parameters.toml").read_text())
    assert list(parameters) == [
        *("title", "is_simulated", "privacy_definition", "max_race_codes", "gamma", "zero_suppression_chance"),
        *("allow_negative_counts", "run_us", "run_pr", "state_filter_us", "region_types", "levels"),
    ]
    assert parameters["state_filter_us"] == [*state_sizes()]


@pytest.mark.skipif(not PRODUCTION_LISTS.is_dir(), reason="shared/reference/ddhca-2020 is absent")
def test_budgets_and_thresholds_are_those_of_production(nation):
    production = json.loads((PRODUCTION_LISTS / "config.json").read_text(), parse_float=Fraction)
    parameters = tomllib.loads((nation / "parameters.toml").read_text(), parse_float=Fraction)
    levels = {
        f"{place}-{level}": {
            "budget": production[f"privacy_budget_p_level_{level}_{place.lower().replace('-', '_')}"],
            "thresholds": production["thresholds_p"][f"({place}, {level})"],
        }
        for place, level in (key[1:-1].split(", ") for key in production["thresholds_p"])
        if not place.startswith("PR-")
    }
    assert parameters["levels"] == levels


@pytest.mark.parametrize("people", [-1, 999, 331_449_282])
def test_sizes_out_of_range_and_negative_seeds_are_refused_together(tmp_path, people):
    with pytest.raises(InputError, match=r"choose between 1,000 and 331,449,281[\s\S]*-1 is negative"):
        simulate(tmp_path / "nation", people=people, seed=-1)


def test_code_lists_without_links_are_refused(tmp_path):
    lists = tmp_path / "lists"
    lists.mkdir()
    for name in FILES:
        (lists / name).write_text((example_lists() / name).read_text().partition("\n")[0] + "\n")
    with pytest.raises(InputError, match="no race codes here"):
        simulate(tmp_path / "nation", people=1_000, code_lists=lists)


@pytest.mark.skipif(not PRODUCTION_LISTS.is_dir(), reason="shared/reference/ddhca-2020 is absent")
def test_only_the_answer_not_hispanic_is_read_as_not_hispanic_in_production_lists():
    assert read_code_lists(PRODUCTION_LISTS).not_hispanic_codes == ("9950",)
