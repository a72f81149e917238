"""Nothing but noisy counts gets out of levels whose published empty groups are sampled directly, either.

One person moves, and so empties groups and fills others: these pass through another code in each run, read other bits
of other lengths, and the two releases are the same to the byte.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from io import BytesIO

import numpy as np
import pyarrow.parquet as pq
import pytest

from safetab_sql.laws.discrete_gaussian import DiscreteGaussian
from safetab_sql.mechanisms import tabulate
from safetab_sql.mechanisms.empty_groups import exceeding_draws
from tests.audit.compensation import Recording, exceeding_bits
from tests.audit.test_compensating_bits import compensated_releases
from tests.nations import BLOCK_COLUMNS, Nation, Tables, exact, sample_nation

LEVELS = ("COUNTY-1", "COUNTY-2", "TRACT-2")

pytestmark = pytest.mark.slow  # test_compensating_bits makes the same claim of groups that have people


def nation_of(definition: str) -> Nation:
    """Levels below states alone, thresholds that nobody reaches by chance, and fifty tracts without people."""
    nation = sample_nation(120)
    empty = [{**nation.blocks[0], "TABBLKCOU": "101", "TABTRACTCE": f"{number:06d}"} for number in range(100, 150)]
    iterations = [{**row, "DETAILED_ONLY": False, "COARSE_ONLY": False} for row in nation.iterations]
    return replace(nation, blocks=nation.blocks + empty, iterations=iterations).with_parameters(
        privacy_definition=definition,
        run_pr=False,
        zero_suppression_chance=0.9,
        levels={name: {"budget": 1, "thresholds": [4, 12, 30]} for name in LEVELS},
    )


def with_one_person_at(nation: Nation, place: int) -> Nation:
    """The nation with one person more, who has a tract of that county for themselves."""
    block = {name: nation.blocks[place][name] for name in BLOCK_COLUMNS[:4]}
    return replace(nation, persons=[*nation.persons, {**nation.persons[0], **block}])


@pytest.fixture(scope="module")
def drawn_sparsely() -> Iterator[list[str]]:
    """The levels whose published empty groups were sampled directly."""
    levels, original = [], tabulate._empty_groups

    def spied(ids, start, stop, plan, *others):
        levels.append(plan.name)
        return original(ids, start, stop, plan, *others)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tabulate, "_empty_groups", spied)
        yield levels


@pytest.fixture(scope="module", params=["zcdp", pytest.param("puredp", marks=pytest.mark.slow)])
def moved(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, drawn_sparsely: list[str]
) -> list[tuple[dict[str, bytes], Recording, Tables]]:
    """The releases of two extracts that differ by one move, each with its recorded bits after it, and exact counts."""
    folder = tmp_path_factory.mktemp("moved")
    nation = nation_of(request.param)
    extracts = [with_one_person_at(nation, place) for place in (-1, -40)]
    tables = [exact(extract, folder / f"exact-{number}") for number, extract in enumerate(extracts)]
    drawn_sparsely.clear()
    released = compensated_releases(extracts, folder)
    return [(*made, its_tables) for made, its_tables in zip(released, tables, strict=True)]


def published_groups(files: dict[str, bytes]) -> set[tuple[str, str, str]]:
    (t1,) = [content for name, content in files.items() if name.startswith("t1/")]
    rows = pq.read_table(BytesIO(t1), columns=["REGION_TYPE", "REGION_ID", "ITERATION_CODE"]).to_pylist()
    return {(row["REGION_TYPE"], row["REGION_ID"], row["ITERATION_CODE"]) for row in rows}


def test_a_move_that_empties_groups_and_fills_others_leaves_the_release_the_same_to_the_byte(moved):
    assert moved[0][0] == moved[1][0]


def test_the_recorded_bits_are_read_to_the_last(moved):
    assert [bits.left for _, bits, _ in moved] == [b"", b""]


def test_the_groups_that_were_emptied_and_filled_are_partly_published_and_partly_not(moved):
    (files, _, before), (_, _, after) = moved
    changed = {key for key in before.t1 if before.t1[key] != after.t1[key]}
    assert {(before.t1[key], after.t1[key]) for key in changed} >= {(0, 1), (1, 0)}
    published = published_groups(files)
    assert (bool(changed & published), bool(changed - published)) == (True, True)


def test_groups_with_nobody_in_either_are_published_too(moved):
    (files, _, before), (_, _, after) = moved
    assert any(before.t1[key] == after.t1[key] == 0 for key in published_groups(files))


@pytest.mark.usefixtures("moved")
def test_every_level_of_both_runs_samples_its_published_empty_groups_directly(drawn_sparsely: list[str]):
    assert drawn_sparsely == [*LEVELS, *LEVELS]


@pytest.mark.parametrize("size", [1, 2, 7, 1_000, 1_023])
def test_bits_give_the_places_and_the_noise_they_were_made_for(size: int):
    law, above = DiscreteGaussian(Fraction(1, 40)), 6
    kept = np.arange(0, size, 37)
    bits = Recording(exceeding_bits(law, above, size, (kept, above + 1 + kept % 5)))
    places, noise = exceeding_draws(law, above, size, bits)
    assert (places.tolist(), noise.tolist(), bits.left) == (kept.tolist(), (above + 1 + kept % 5).tolist(), b"")
