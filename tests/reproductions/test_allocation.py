"""The 2020 redistricting allocation, exactly, and what the source prints of it."""

from fractions import Fraction
from pathlib import Path

import pytest

from docs.reproductions.kifer.allocation import FILE, Allocation, allocation_profile, level_budgets, load_allocation
from safetab_sql.semantics.profiles import Measurement, budget_against
from safetab_sql.semantics.summary import Summary, power_at, summary
from tests.conftest import REPOSITORY

SOURCE = REPOSITORY.parent / "shared" / "seeds"


@pytest.fixture(scope="module")
def allocation() -> Allocation:
    return load_allocation()


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
    found = {each.name for each in allocation.measurements if each.attributes & {"Block", "CENRACE"}}
    assert "persons/Block/VOTINGAGE" in found
    assert "persons/US/HISPANIC * CENRACE" in found
    assert not {"persons/State/TOTAL", "persons/Tract/VOTINGAGE * HISPANIC", "housing units/US/OCCUPANCY"} & found


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"165/4099"]', '"166/4099"]', "the shares of levels of persons sum to 4100/4099"),
        ('["0", "3773/4097"', '["1/4097", "3773/4097"', "queries of persons at US sum to 4098/4097"),
    ],
)
def test_shares_that_do_not_sum_to_1_are_refused(tmp_path: Path, old, new, message):
    spoilt = tmp_path / "spoilt.toml"
    spoilt.write_text(FILE.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        load_allocation(spoilt)


@pytest.fixture(scope="module")
def found(allocation) -> Summary:
    return summary(allocation_profile(allocation))


@pytest.mark.parametrize(
    ("level", "gaussian", "printed", "bound"),
    [(0.01, 0.4869, 0.49, 0.6982), (0.05, 0.7417, 0.74, 0.9467), (0.10, 0.8442, 0.84, 0.9624)],
)
@pytest.mark.slow
def test_the_powers_of_the_redistricting_data_are_those_that_the_source_prints(found, level, gaussian, printed, bound):
    row = power_at(found.powers, level)
    assert round(row.gaussian, 4) == gaussian
    assert printed - 0.01 <= row.noise.lower <= row.noise.upper <= printed + 0.01
    assert bound - 1e-4 < row.bound <= bound  # rounded up, as the table has it


@pytest.mark.slow
def test_the_budgets_of_the_redistricting_data_are_exact(found):
    assert found.profile.budget == sum(row.budget for row in found.levels) == Fraction("2.63")


@pytest.mark.slow
def test_every_secret_has_its_power_at_every_level_asked_for(found):
    powers = {row.name: row for row in found.secrets}["block within block group"].powers
    assert [power.level for power in powers] == [0.01, 0.05, 0.1]
    assert powers[1].gaussian == pytest.approx(0.12047345)
