"""A deterministic synthetic nation of any size: person records, geography, code lists and parameters.

Realistic: the relative sizes of the states and the numbers of their counties; people per tract and per block, and how
these spread; empty blocks and empty tracts; places and AIANNH areas that follow no tract, some AIANNH areas in two
states; household sizes, ages and sexes, roughly; households that share geography and mostly race; one race code for
most people and eight for a few; few common codes and many rare ones, which cluster in states, counties and tracts.

Not realistic: which groups live where and how many they are (the seed decides; only the major groups have
about their 2020 shares, in expectation); names and positions of counties, tracts, places and areas; ages,
which do not depend on race or place; group quarters, of which there are none. The data describe nobody.

The same seed, number of people and lists give the same bytes, with any number of threads, for the same
versions of numpy and pyarrow on the same kind of processor.
"""

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from jinja2 import StrictUndefined, Template
from numpy.typing import NDArray

from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.errors import refuse
from safetab_sql.kit.sqlfiles import packaged_folder
from safetab_sql.kit.stops import submit_each, thread_pool
from safetab_sql.kit.whole_folders import check_new_folder, whole_folder
from safetab_sql.public.inputs import InputPaths
from safetab_sql.settings.reading import read_toml
from safetab_sql.simulation.answers import (
    FILES,
    MOST_MAJOR_GROUPS,
    Answers,
    CodeLists,
    Frequencies,
    Neighbourhoods,
    distinct,
    draw_answers,
    example_lists,
    national_frequencies,
    neighbourhoods,
    read_code_lists,
)
from safetab_sql.simulation.any_shape import of_made_up_people, simulated_toml
from safetab_sql.simulation.geography import (
    US_PEOPLE,
    Geography,
    aiannh_codes,
    block_columns,
    geography_tables,
    random_stream,
    size_problems,
    state_geography,
    state_people,
    state_sizes,
    write_parquet,
    write_shapes,
)

# Person records of one state, chunk by chunk: the people of some consecutive tracts become one row group. A chunk is
# made household by household: sizes first, then ages and sexes of the members, then what they answer.

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


def write_persons(path: Path, geography: Geography, lists: CodeLists, frequencies: Frequencies, *, seed: int) -> None:
    """Write the person records of one state; memory is bounded by the chunk."""
    place = neighbourhoods(geography, frequencies, seed=seed)
    stream = random_stream(seed, geography.state_code, 3)
    people_before = np.cumsum(geography.tract_people) - geography.tract_people
    chunk = (people_before // PEOPLE_PER_CHUNK)[geography.block_tract]
    inhabited = np.flatnonzero(geography.block_people)
    chunks = np.split(inhabited, np.flatnonzero(np.diff(chunk[inhabited], prepend=-1))[1:])
    write_parquet(path, (_chunk_table(stream, geography, blocks, place, lists) for blocks in chunks))


def _chunk_table(
    stream: np.random.Generator, geography: Geography, blocks: Int64s, place: Neighbourhoods, lists: CodeLists
) -> pa.Table:
    block_people = geography.block_people[blocks]
    block_of_person = np.repeat(blocks, block_people)
    households = draw_households(stream, block_people)
    age, sex = draw_ages_and_sexes(stream, households)
    tract_of_household = geography.block_tract[block_of_person[households.first_person]]
    shared, of_person = _shared_answers(stream, households, tract_of_household, place)
    answers = Answers(shared.race[:, of_person], shared.ethnicity[of_person])
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
    stream: np.random.Generator, households: Households, tract_of_household: Int64s, place: Neighbourhoods
) -> tuple[Answers, Int64s]:
    """Answers, and for each person the index of the answers the person gives.

    Most households give one answer. In a mixed one the second member differs, and later members give both codes.
    """
    first = draw_answers(stream, place, tract_of_household)
    is_mixed = (households.size > 1) & (stream.random(households.size.size) < MIXED_HOUSEHOLDS)
    mixed = np.flatnonzero(is_mixed)
    second = draw_answers(stream, place, tract_of_household[mixed])
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
    # CENRACE as index, and its 63 texts: combinations of six major groups, fewest groups first.
    bit = np.append(1 << lists.race_groups, 0).astype(np.int8)
    rank, groups = np.zeros(1 << MOST_MAJOR_GROUPS, dtype=np.int8), range(MOST_MAJOR_GROUPS)
    subsets = [subset for size in groups for subset in combinations(groups, size + 1)]
    for number, subset in enumerate(subsets):
        rank[sum(1 << group for group in subset)] = number
    texts = pa.array([f"{number + 1:02d}" for number in range(len(subsets))])
    race_codes = pa.array(lists.race_codes, pa.string())
    columns = {"CENRACE": pa.DictionaryArray.from_arrays(rank[np.bitwise_or.reduce(bit[answers.race], axis=0)], texts)}
    for number, code in enumerate(answers.race):
        index = pa.array(code, mask=code == len(lists.race_codes))
        columns[f"QRACE{number + 1}"] = pa.DictionaryArray.from_arrays(index, race_codes)
    texts = pa.array(lists.hispanic_codes + lists.not_hispanic_codes, pa.string())
    columns["QSPAN"] = pa.DictionaryArray.from_arrays(answers.ethnicity, texts)
    return columns


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
    weights = np.array([np.interp(HOUSEHOLDER_AGES, AGE_KNOTS, knots) for knots in HOUSEHOLDERS_AT_KNOTS])
    cumulative = np.cumsum(weights, axis=1) / weights.sum(axis=1, keepdims=True)
    cumulative[:, -1] = 1
    ends = (cumulative + np.arange(3)[:, np.newaxis]).ravel()
    kinds = np.minimum(households.size, 3) - 1
    row = np.searchsorted(ends, kinds + stream.random(kinds.size), side="right")
    head_age = HOUSEHOLDER_AGES[row % HOUSEHOLDER_AGES.size]
    age = head_age[households.of_person]
    head_is_female = stream.random(head_age.size) < np.where((households.size == 1) & (head_age > 60), 0.66, 0.5)
    role = stream.random(people, dtype=np.float32)
    is_partner = (households.position == 1) & (role < PARTNER_CHANCE)
    second, others = np.flatnonzero(is_partner), np.flatnonzero((households.position >= 1) & ~is_partner)
    age[second] = np.maximum(18, age[second] + np.rint(3.5 * stream.standard_normal(second.size)))
    # Children are 17-40 years younger than the householder, others 18-90 years old.
    child = np.abs(age[others] - stream.triangular(17, 28, 42, others.size).astype(np.int64))
    age[others] = np.where(role[others] < CHILD_CHANCE, child, stream.integers(18, 90, others.size))
    is_female = stream.random(people, dtype=np.float32) < 0.492
    is_female[households.first_person] = head_is_female
    differs = stream.random(second.size) < 0.985
    is_female[second] = head_is_female[households.of_person[second]] ^ differs
    return np.clip(age, 0, OLDEST_AGE).astype(np.int16), is_female.astype(np.int8)


FEWEST_PEOPLE = 1_000
CONTENTS = ("persons", "geography.parquet", "shapes.parquet", "code-lists", "parameters.toml", "bottom-up.toml")
TITLE = "A simulated nation"
MOST_THREADS = 4  # memory grows with each; two make the whole country in minutes


def simulate(
    out: str | Path, *, people: int, code_lists: str | Path | None = None, seed: int = 0, overwrite: bool = False
) -> InputPaths:
    """Write a synthetic nation of `people` to the folder `out`, whole or not at all; the inputs of a run on it.

    people: of the 50 states and DC, 1,000 to 331,449,281. code_lists: a folder of code lists in production's format;
    without it, the example lists. overwrite: replace an `out` that holds a synthetic nation; anything else is never
    replaced. Writes persons/<state>.parquet, geography.parquet, shapes.parquet (a square for each state), code-lists/,
    parameters.toml and bottom-up.toml.

    Raises InputError for a size out of range, an `out` that may not be made, or unusable code lists.
    """
    out = Path(out)
    problems = size_problems(f"a nation of {people:,}", people, FEWEST_PEOPLE, US_PEOPLE, seed)
    refuse(problems + check_new_folder(out, CONTENTS, overwrite=overwrite))
    list_folder = Path(code_lists or example_lists())
    lists = read_code_lists(list_folder)
    with whole_folder(out, CONTENTS, overwrite=overwrite) as folder:
        (folder / "code-lists").mkdir()
        for name in FILES:
            shutil.copyfile(list_folder / name, folder / "code-lists" / name)
        # census-2020.toml in its short form, with all states
        census: Mapping[str, Any] = read_toml(packaged_folder("configs") / "census-2020.toml").tables
        levels = {name: level for level in census["ladders"]["T2"]["levels"] for name in level["each"]}
        text = (Path(__file__).parent / "parameters.toml.jinja").read_text(encoding="utf-8")
        template = Template(text, keep_trailing_newline=True, trim_blocks=True, undefined=StrictUndefined)
        text = template.render(head=simulated_toml(TITLE), census=census, levels=levels, float=float)
        (folder / "parameters.toml").write_text(text, encoding="utf-8")
        bottom_up = (packaged_folder("configs") / "bottom-up.toml").read_text(encoding="utf-8")
        (folder / "bottom-up.toml").write_text(of_made_up_people(TITLE, bottom_up), encoding="utf-8")
        write_shapes(folder / "shapes.parquet")
        threads = min(os.cpu_count() or 1, MOST_THREADS)
        write_nation(folder, state_people(people), lists, seed=seed, threads=threads)
    return InputPaths(out / "parameters.toml", out / "persons", out / "geography.parquet", out / "code-lists")


def write_nation(folder: Path, sizes: dict[str, int], lists: CodeLists, *, seed: int, threads: int) -> None:
    """Write persons/ and geography.parquet of states of these sizes, by code; `threads` states at once."""
    persons = folder / "persons"
    persons.mkdir()
    frequencies = national_frequencies(lists, seed=seed)

    def write_state(code: str) -> None:
        geography = _geography(code, sizes, seed=seed)
        write_persons(persons / f"{code}.parquet", geography, lists, frequencies, seed=seed)

    with thread_pool(threads) as pool:
        states = submit_each(pool, write_state, sorted(sizes, key=lambda code: -sizes[code]))  # the largest first
        made = (_geography(code, sizes, seed=seed) for code in sorted(sizes))
        write_parquet(folder / "geography.parquet", (table for each in made for table in geography_tables(each)))
        for state in states:
            state.result()


def _geography(code: str, sizes: dict[str, int], *, seed: int) -> Geography:
    """The geography of one state of the nation. Making it twice costs less than keeping 52 of them."""
    return state_geography(
        state_sizes()[code],
        sizes[code],
        aiannh_codes(sum(sizes.values()))[code],
        seed=seed,
        has_empty_tract=sizes[code] == max(sizes.values()),
    )
