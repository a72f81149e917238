"""The 2020 redistricting allocation, exactly, and what is refused of others."""

from fractions import Fraction
from pathlib import Path

import pytest

from safetab_sql.kit.errors import InputError
from safetab_sql.semantics.allocation import Allocation, level_budgets, load_allocation
from safetab_sql.semantics.per_attribute import Measurement, affected, budget_against
from tests.conftest import REPOSITORY

FILE = REPOSITORY / "configs" / "redistricting-2020.toml"
SOURCE = REPOSITORY.parent / "shared" / "seeds"


@pytest.fixture(scope="module")
def allocation() -> Allocation:
    return load_allocation(FILE)


def test_the_redistricting_budget_is_spent_wholly_and_exactly(allocation):
    assert sum(each.budget for each in allocation.measurements) == Fraction("2.63")
    assert dict(allocation.universes) == {"persons": Fraction("2.56"), "housing units": Fraction("0.07")}


def test_every_level_and_query_with_a_share_is_one_measurement(allocation):
    """11 queries at 6 levels, but no total of the US; and 6 levels of housing units."""
    assert len(allocation.measurements) == 11 * 6 - 1 + 6


def test_a_measurement_spends_the_product_of_its_shares(allocation):
    (found,) = [each for each in allocation.measurements if each.name == "persons/State/TOTAL"]
    assert found == Measurement(
        found.name, Fraction("2.56") * Fraction(1440, 4099) * Fraction(3773, 4097), frozenset({"State"})
    )


def test_the_shares_are_those_that_the_source_prints():
    texts = sorted(SOURCE.glob("002_*.txt"))
    if not texts:
        pytest.skip("the source of the shares is not beside this repository")
    printed = {line.strip() for line in texts[0].read_text(encoding="utf-8").splitlines()}
    rows = [line for line in FILE.read_text(encoding="utf-8").splitlines() if line.startswith('"') and "/4097" in line]
    found = [line.partition("=")[2].replace('"', "").strip(" []").split(", ") for line in rows]
    printed_rows = [line.split("\t")[1:] for line in printed if "/4097\t" in line]
    assert sorted(found) == sorted(printed_rows)


def test_levels_spend_what_their_measurements_spend(allocation):
    found = level_budgets(allocation)
    assert sum(found.values()) == Fraction("2.63")
    assert found["Block"] == Fraction("2.56") * Fraction(165, 4099) + Fraction("0.07") * Fraction(99, 820)


@pytest.mark.parametrize(
    ("changed", "rho"),
    [
        ({"Block"}, Fraction("2.56") * Fraction(165, 4099)),
        ({"Block", "Custom block group"}, Fraction("2.56") * Fraction(165 + 1256, 4099)),
        (set(), Fraction(0)),
    ],
    ids=["block within block group", "block within tract", "nothing"],
)
def test_the_exercises_of_the_source_count_the_levels_below_alone(allocation, changed, rho):
    persons = [each for each in allocation.measurements if each.name.startswith("persons/")]
    assert budget_against(persons, changed) == rho


def test_block_and_race_count_every_query_of_the_block_and_the_queries_of_race_elsewhere(allocation):
    found = {each.name for each in affected(allocation.measurements, {"Block", "CENRACE"})}
    assert "persons/Block/VOTINGAGE" in found
    assert "persons/US/HISPANIC * CENRACE" in found
    assert not {"persons/State/TOTAL", "persons/Tract/VOTINGAGE * HISPANIC", "housing units/US/OCCUPANCY"} & found


SPOILT = {
    "levels sum": ('"165/4099"]', '"166/4099"]', "shares of levels sum to 4100/4099"),
    "query sum": ('["0", "3773/4097"', '["1/4097", "3773/4097"', "column 1 sum to 4098/4097"),
    "no share": ('"104/4099"', '"0.025"', "write shares in quotes, one a level"),
    "too few": ('"1/205", "1/205", ', '"1/205", ', "write 6 shares in quotes"),
    "rho": ("rho = 2.56", "rho = -1", "write a decimal above 0"),
    "key": ("[secrets]", "[secret]", "did you mean 'secrets'?"),
    "attribute": ('["Block", "CENRACE"]', '["Block", "RACE"]', "did you mean 'CENRACE'?"),
    "level": ('"Tract", "Custom', '"County", "Custom', "name each once"),
    "table": ("[universes.persons.queries]", "[universes.persons.query]", "missing key 'queries'"),
}


@pytest.mark.parametrize(("old", "new", "message"), SPOILT.values(), ids=SPOILT)
def test_a_spoilt_allocation_is_refused_with_the_reason(tmp_path: Path, old, new, message):
    text = FILE.read_text(encoding="utf-8")
    assert old in text
    spoilt = tmp_path / "spoilt.toml"
    spoilt.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError) as refused:
        load_allocation(spoilt)
    assert message in str(refused.value)


def test_all_problems_of_an_allocation_are_told_at_once(tmp_path: Path):
    text = FILE.read_text(encoding="utf-8").replace("rho = 2.56", "rho = 0").replace("rho = 0.07", 'rho = "much"')
    (tmp_path / "spoilt.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as refused:
        load_allocation(tmp_path / "spoilt.toml")
    assert len(refused.value.problems) == 2
