"""The 2020 redistricting allocation, exactly, and what the source prints of it."""

from fractions import Fraction

import pytest

from docs.reproductions.kifer.redistricting import FILE
from safetab_sql.kit.errors import InputError
from safetab_sql.semantics.profiles import Allocation, allocation_profile, load_allocation
from safetab_sql.semantics.summary import Summary, summary
from tests.conftest import REPOSITORY

SOURCE = REPOSITORY.parent / "shared" / "seeds"


@pytest.fixture(scope="module")
def allocation() -> Allocation:
    return load_allocation(FILE)


def test_the_redistricting_budget_is_spent_wholly_and_exactly(allocation):
    assert (len(allocation.measurements), sum(each.budget for each in allocation.measurements)) == (
        71,
        Fraction("2.63"),
    )
    rhos = {name: each.rho for name, each in allocation.universes.items()}
    assert rhos == {"persons": Fraction("2.56"), "housing units": Fraction("0.07")}


def test_the_shares_are_those_that_the_source_prints():
    texts = sorted(SOURCE.glob("002_*.txt"))
    if not texts:
        pytest.skip("the source of the shares is not beside this repository")
    printed = {line.strip() for line in texts[0].read_text(encoding="utf-8").splitlines()}
    rows = [line for line in FILE.read_text(encoding="utf-8").splitlines() if line.startswith('"') and "/4097" in line]
    found = [line.partition("=")[2].replace('"', "").strip(" []").split(", ") for line in rows]
    printed_rows = [line.split("\t")[1:] for line in printed if "/4097\t" in line]
    assert sorted(found) == sorted(printed_rows)


@pytest.fixture(scope="module")
def found(allocation) -> Summary:
    return summary(allocation_profile(allocation))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"165/4099"]', '"166/4099"]', "the shares of levels add up to 4100/4099"),
        ('["0", "3773/4097"', '["1/4097", "3773/4097"', "the shares of queries at US add up to 4098/4097"),
        (', "165/4099"]', "]", "levels: not one share for each level"),
        ('"3773/4097"', '"3773/0"', "share for each level, such as"),
        ('= ["CENRACE"]', '= ["RACE"]', "race: nothing depends on RACE"),
    ],
)
def test_an_allocation_that_is_none_is_refused(tmp_path, old, new, message):
    spoilt = tmp_path / "spoilt.toml"
    spoilt.write_text(FILE.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        load_allocation(spoilt)
