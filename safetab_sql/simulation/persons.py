"""Person records of one state, chunk by chunk: the people of some consecutive tracts become one row group."""

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from safetab_sql.simulation.ancestry import Answers, Frequencies, Neighbourhoods, draw_answers, neighbourhoods
from safetab_sql.simulation.code_lists import MOST_MAJOR_GROUPS, CodeLists
from safetab_sql.simulation.diversity import MOST_RACE_CODES, Diversity, distinct, scatter_answers
from safetab_sql.simulation.geography import Geography, block_columns
from safetab_sql.simulation.households import Households, draw_ages_and_sexes, draw_households
from safetab_sql.simulation.parquet import write_parquet
from safetab_sql.simulation.states import random_stream

PEOPLE_PER_CHUNK = 100_000  # a chunk may exceed it by one tract
MIXED_HOUSEHOLDS = 0.18  # chance that two people or more do not all give the same answers


def write_persons(
    path: Path, geography: Geography, lists: CodeLists, frequencies: Frequencies, diversity: Diversity, *, seed: int
) -> None:
    """Write the person records of one state; memory is bounded by the chunk."""
    place = neighbourhoods(geography, frequencies, seed=seed)
    stream = random_stream(seed, geography.state_code, 3)
    tables = (
        _chunk_table(stream, geography, blocks, place, frequencies, lists, diversity) for blocks in _chunks(geography)
    )
    write_parquet(path, tables)


def _chunks(geography: Geography) -> Iterator[NDArray[np.int64]]:
    """Indices of the inhabited blocks of each chunk."""
    people_before = np.cumsum(geography.tract_people) - geography.tract_people
    chunk = (people_before // PEOPLE_PER_CHUNK)[geography.block_tract]
    inhabited = np.flatnonzero(geography.block_people)
    starts = np.flatnonzero(np.diff(chunk[inhabited], prepend=-1))
    yield from np.split(inhabited, starts[1:])


def _chunk_table(
    stream: np.random.Generator,
    geography: Geography,
    blocks: NDArray[np.int64],
    place: Neighbourhoods,
    frequencies: Frequencies,
    lists: CodeLists,
    diversity: Diversity,
) -> pa.Table:
    """Person records of the people in `blocks`."""
    block_people = geography.block_people[blocks]
    block_of_person = np.repeat(blocks, block_people)
    households = draw_households(stream, block_people)
    age, sex = draw_ages_and_sexes(stream, households)
    tract_of_household = geography.block_tract[block_of_person[households.first_person]]
    nobody = len(lists.race_codes)
    shared, of_person = _shared_answers(stream, households, tract_of_household, place, frequencies, nobody, diversity)
    answers = Answers(shared.race[:, of_person], shared.ethnicity[of_person])
    if diversity.spread:
        scatter_answers(stream, answers.race, frequencies.race_codes, nobody, diversity)
    return pa.table(
        {
            "QAGE": age,
            "QSEX": pa.DictionaryArray.from_arrays(sex, pa.array(["1", "2"])),
            "HOUSEHOLDER": households.position == 0,
            **block_columns(geography, block_of_person),
            **_answer_columns(answers, lists),
        }
    )


def _shared_answers(
    stream: np.random.Generator,
    households: Households,
    tract_of_household: NDArray[np.int64],
    place: Neighbourhoods,
    frequencies: Frequencies,
    nobody: int,
    diversity: Diversity,
) -> tuple[Answers, NDArray[np.int64]]:
    """Answers, and for each person the index of the answers the person gives.

    Most households give one answer. In a mixed one the second member answers differently, and later members
    give the codes of both.
    """
    first = draw_answers(stream, place, frequencies, tract_of_household, nobody, diversity.several_codes)
    is_mixed = (households.size > 1) & (stream.random(households.size.size) < MIXED_HOUSEHOLDS)
    mixed = np.flatnonzero(is_mixed)
    tracts = tract_of_household[mixed]
    second = draw_answers(stream, place, frequencies, tracts, nobody, diversity.several_codes)
    both = distinct(np.concatenate([first.race[:, mixed], second.race]), nobody)
    answers = Answers(
        race=np.concatenate([first.race, second.race, both], axis=1),
        ethnicity=np.concatenate([first.ethnicity, second.ethnicity, second.ethnicity]),
    )
    index_of_second = np.zeros(households.size.size, dtype=np.int64)
    index_of_second[mixed] = households.size.size + np.arange(mixed.size)
    of_person = households.of_person.copy()
    others = np.flatnonzero(is_mixed[of_person] & (households.position > 0))
    of_person[others] = index_of_second[of_person[others]] + mixed.size * (households.position[others] > 1)
    return answers, of_person


def _answer_columns(answers: Answers, lists: CodeLists) -> dict[str, pa.DictionaryArray]:
    """CENRACE, QRACE1..QRACE8 and QSPAN of each person."""
    combination, combination_codes = _race_combinations(answers, lists)
    race_codes = pa.array(lists.race_codes, pa.string())
    columns = {
        "CENRACE": pa.DictionaryArray.from_arrays(combination, combination_codes),
    }
    for number in range(MOST_RACE_CODES):
        code = answers.race[number]
        index = pa.array(code, mask=code == len(lists.race_codes))
        columns[f"QRACE{number + 1}"] = pa.DictionaryArray.from_arrays(index, race_codes)
    ethnicity_codes = pa.array(lists.hispanic_codes + lists.not_hispanic_codes, pa.string())
    columns["QSPAN"] = pa.DictionaryArray.from_arrays(answers.ethnicity, ethnicity_codes)
    return columns


def _race_combinations(answers: Answers, lists: CodeLists) -> tuple[NDArray[np.int8], pa.Array]:
    """CENRACE as index, and its 63 texts: combinations of six major groups, fewest groups first."""
    bit = np.append(1 << lists.race_groups, 0).astype(np.int8)
    present = np.bitwise_or.reduce(bit[answers.race], axis=0)
    rank = np.zeros(1 << MOST_MAJOR_GROUPS, dtype=np.int8)
    subsets = [
        subset for size in range(1, MOST_MAJOR_GROUPS + 1) for subset in combinations(range(MOST_MAJOR_GROUPS), size)
    ]
    for number, subset in enumerate(subsets):
        rank[sum(1 << group for group in subset)] = number
    return rank[present], pa.array([f"{number + 1:02d}" for number in range(len(subsets))])
