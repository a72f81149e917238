"""Person records of one state, chunk by chunk: the people of some consecutive tracts become one row group.

A chunk is made household by household: sizes first, then ages and sexes of the members, then what they answer.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from safetab_sql.kit.arrays import Int64s
from safetab_sql.simulation.answers import (
    Answers,
    Diversity,
    Frequencies,
    Neighbourhoods,
    distinct,
    draw_answers,
    neighbourhoods,
    scatter_answers,
)
from safetab_sql.simulation.code_lists import MOST_MAJOR_GROUPS, CodeLists
from safetab_sql.simulation.geography import Geography, block_columns
from safetab_sql.simulation.parquet import write_parquet
from safetab_sql.simulation.states import random_stream

PEOPLE_PER_CHUNK = 100_000  # a chunk may exceed it by one tract
MIXED_HOUSEHOLDS = 0.18  # chance that two people or more do not all give the same answers
OLDEST_AGE = 115
# P(size at most 1, ..., 7); then 8. Blocks cut some households short, which makes the mean about 2.5.
SIZE_CUMULATIVE = np.cumsum([0.25, 0.32, 0.16, 0.145, 0.07, 0.03, 0.015])
HOUSEHOLDER_AGES = np.arange(18, 101)
AGE_KNOTS = (18, 25, 35, 45, 55, 65, 75, 85, 100)
# Relative numbers of householders at these ages, by household size: 1, 2, 3 and more.
HOUSEHOLDERS_AT_KNOTS = (
    (0.3, 1.0, 1.1, 1.0, 1.5, 1.9, 1.5, 1.0, 0.05),
    (0.3, 1.0, 1.0, 0.9, 1.5, 1.9, 1.4, 0.5, 0.01),
    (0.2, 1.1, 2.3, 2.2, 1.0, 0.42, 0.15, 0.05, 0.00),
)
PARTNER_CHANCE = 0.7  # of the second member of a household
CHILD_CHANCE = 0.93  # of each further member


@dataclass(frozen=True, slots=True)
class Households:
    """People of consecutive households.

    first_person: int64[household], index of the householder. size: int64[household], members.
    of_person: int64[person], index of the household. position: int64[person], 0 for the householder.
    """

    first_person: Int64s
    size: Int64s
    of_person: Int64s
    position: Int64s


def write_persons(
    path: Path, geography: Geography, lists: CodeLists, frequencies: Frequencies, diversity: Diversity, *, seed: int
) -> None:
    """Write the person records of one state; memory is bounded by the chunk."""
    place = neighbourhoods(geography, frequencies, seed=seed)
    stream = random_stream(seed, geography.state_code, 3)
    write_parquet(
        path, (_chunk_table(stream, geography, blocks, place, lists, diversity) for blocks in _chunks(geography))
    )


def _chunks(geography: Geography) -> Iterator[Int64s]:
    """Indices of the inhabited blocks of each chunk."""
    people_before = np.cumsum(geography.tract_people) - geography.tract_people
    chunk = (people_before // PEOPLE_PER_CHUNK)[geography.block_tract]
    inhabited = np.flatnonzero(geography.block_people)
    starts = np.flatnonzero(np.diff(chunk[inhabited], prepend=-1))
    yield from np.split(inhabited, starts[1:])


def _chunk_table(
    stream: np.random.Generator,
    geography: Geography,
    blocks: Int64s,
    place: Neighbourhoods,
    lists: CodeLists,
    diversity: Diversity,
) -> pa.Table:
    """Person records of the people in `blocks`."""
    block_people = geography.block_people[blocks]
    block_of_person = np.repeat(blocks, block_people)
    households = draw_households(stream, block_people)
    age, sex = draw_ages_and_sexes(stream, households)
    tract_of_household = geography.block_tract[block_of_person[households.first_person]]
    shared, of_person = _shared_answers(stream, households, tract_of_household, place, diversity.several_codes)
    answers = Answers(shared.race[:, of_person], shared.ethnicity[of_person])
    if diversity.spread:
        scatter_answers(stream, answers.race, place.nation, diversity)
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
    tract_of_household: Int64s,
    place: Neighbourhoods,
    several_codes: float,
) -> tuple[Answers, Int64s]:
    """Answers, and for each person the index of the answers the person gives.

    Most households give one answer. In a mixed one the second member answers differently, and later members
    give the codes of both.
    """
    first = draw_answers(stream, place, tract_of_household, several_codes)
    is_mixed = (households.size > 1) & (stream.random(households.size.size) < MIXED_HOUSEHOLDS)
    mixed = np.flatnonzero(is_mixed)
    second = draw_answers(stream, place, tract_of_household[mixed], several_codes)
    both = distinct(np.concatenate([first.race[:, mixed], second.race]), place.nation.nobody)
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
    columns = {"CENRACE": pa.DictionaryArray.from_arrays(combination, combination_codes)}
    for number, code in enumerate(answers.race):
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


def draw_households(stream: np.random.Generator, block_people: Int64s) -> Households:
    """Households of 1-8 people that fill blocks with these numbers of people (each 1 or more), in order."""
    people = int(block_people.sum())
    # `people` households are always enough to hold `people`; drawing half of them nearly always is.
    size = _draw_sizes(stream, people // 2 + 8)
    if int(size.sum()) < people:
        size = np.concatenate([size, _draw_sizes(stream, people)])
    is_first = np.zeros(people, dtype=bool)
    starts = np.cumsum(size)
    is_first[starts[: np.searchsorted(starts, people)]] = True
    is_first[np.cumsum(block_people) - block_people] = True  # a household ends where its block ends
    first_person = np.flatnonzero(is_first)
    size = np.diff(first_person, append=people)
    of_person = np.repeat(np.arange(size.size), size)
    return Households(first_person, size, of_person, np.arange(people) - first_person[of_person])


def _draw_sizes(stream: np.random.Generator, households: int) -> Int64s:
    return np.searchsorted(SIZE_CUMULATIVE, stream.random(households), side="right") + 1


def draw_ages_and_sexes(
    stream: np.random.Generator, households: Households
) -> tuple[NDArray[np.int16], NDArray[np.int8]]:
    """Ages in years (int16[person], 0-115) and sexes (int8[person], 0 male, 1 female)."""
    people = households.of_person.size
    head_age = _householder_ages(stream, households.size)
    age = head_age[households.of_person]
    head_is_female = stream.random(head_age.size) < np.where((households.size == 1) & (head_age > 60), 0.66, 0.5)

    role = stream.random(people, dtype=np.float32)
    second = np.flatnonzero((households.position == 1) & (role < PARTNER_CHANCE))
    others = np.flatnonzero((households.position >= 1) & ~((households.position == 1) & (role < PARTNER_CHANCE)))
    age[second] = np.maximum(18, age[second] + np.rint(3.5 * stream.standard_normal(second.size)))
    age[others] = _ages_of_others(stream, age[others], is_child=role[others] < CHILD_CHANCE)

    is_female = stream.random(people, dtype=np.float32) < 0.492
    is_female[households.first_person] = head_is_female
    differs = stream.random(second.size) < 0.985
    is_female[second] = head_is_female[households.of_person[second]] ^ differs
    return np.clip(age, 0, OLDEST_AGE).astype(np.int16), is_female.astype(np.int8)


def _householder_ages(stream: np.random.Generator, size: Int64s) -> Int64s:
    """Age of the householder, 18-100, by household size."""
    weights = np.array([np.interp(HOUSEHOLDER_AGES, AGE_KNOTS, knots) for knots in HOUSEHOLDERS_AT_KNOTS])
    cumulative = np.cumsum(weights, axis=1) / weights.sum(axis=1, keepdims=True)
    cumulative[:, -1] = 1
    kind = np.minimum(size, 3) - 1
    row = np.searchsorted(
        (cumulative + np.arange(3)[:, np.newaxis]).ravel(), kind + stream.random(size.size), side="right"
    )
    return HOUSEHOLDER_AGES[row % HOUSEHOLDER_AGES.size]


def _ages_of_others(stream: np.random.Generator, head_age: Int64s, *, is_child: NDArray[np.bool_]) -> Int64s:
    """Ages of members who are not the partner: children 17-40 years younger, others 18-90 years old."""
    child = np.abs(head_age - stream.triangular(17, 28, 42, head_age.size).astype(np.int64))
    other = stream.integers(18, 90, head_age.size)
    return np.where(is_child, child, other)
