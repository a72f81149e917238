"""The people of a state, household by household, and who lives where: race and ethnicity codes with a heavy tail.

The codes cluster in states, counties and tracts.

Codes fall into families: the major race groups, Hispanic, not Hispanic. Within a family national
frequencies follow Zipf's law. Clustering has two sources. The mix of families varies from tract to tract
around the mix of the county, which varies around the mix of the state. And within a family part of the answers are
favourite codes of the tract or of the county, a few each, which are themselves drawn from the national
frequencies: they make enclaves, and leave the expected national frequencies as they are.
"""

import csv
from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.kit.sqlfiles import packaged_folder
from safetab_sql.public.gate import public_file
from safetab_sql.simulation.geography import NO_AIANNH, Geography, block_columns, random_stream, write_parquet

# What the synthetic nation needs to know of code lists: which codes are there, and what belongs together. The lists
# are the four pipe-delimited files of tabulation.md section 2.3: the example lists of this project, or any folder in
# production's format. Nothing here depends on particular codes.

FILES = (
    "race-and-ethnicity-codes.txt",
    "race-characteristic-iterations.txt",
    "ethnicity-characteristic-iterations.txt",
    "race-and-ethnicity-code-to-iteration.txt",
)
MOST_MAJOR_GROUPS = 6  # as in the 2020 census; codes of further groups are put into the last


@dataclass(frozen=True, slots=True)
class CodeLists:
    """Codes of code lists, in order of their files.

    race_groups: int64, number of the major group (0 to 5, in file order) of each race code.
    hispanic_codes: of an ethnicity iteration of level 1 or 2. not_hispanic_codes: the other ethnicity codes.
    """

    race_codes: tuple[str, ...]
    race_groups: Int64s
    hispanic_codes: tuple[str, ...]
    not_hispanic_codes: tuple[str, ...]


def example_lists() -> Path:
    """The folder of the code lists that we wrote."""
    return packaged_folder("configs") / "example-lists"


def read_code_lists(folder: Path) -> CodeLists:
    """Codes of the lists in `folder`. Raises: InputError for missing files; lists without race or ethnicity codes."""
    fix = f"a folder of code lists holds {', '.join(FILES)}"
    refuse([Problem(str(folder / name), "no such file", fix) for name in FILES if not (folder / name).is_file()])
    for name in FILES:
        public_file(name, folder / name)
    race = {row["ITERATION_CODE"]: row for row in _rows(folder / FILES[1])}
    ethnicity = {row["ITERATION_CODE"]: row for row in _rows(folder / FILES[2])}
    iterations_of: dict[str, list[str]] = {row["RACE_ETH_CODE"]: [] for row in _rows(folder / FILES[0])}
    members: Counter[str] = Counter()
    for row in _rows(folder / FILES[3]):
        iterations_of.setdefault(row["RACE_ETH_CODE"], []).append(row["ITERATION_CODE"])
        members[row["ITERATION_CODE"]] += 1
    race_codes = tuple(code for code, of in iterations_of.items() if any(iteration in race for iteration in of))
    hispanic, not_hispanic = list[str](), list[str]()
    for code, of in iterations_of.items():
        levels = {ethnicity[iteration]["LEVEL"] for iteration in of if iteration in ethnicity}
        if levels - {"0"}:
            hispanic.append(code)
        elif levels and code not in race_codes:  # production's "Not Hispanic" has race codes, too
            not_hispanic.append(code)
    found = {"race codes": race_codes, "ethnicity codes": hispanic + not_hispanic}
    fix = f"link codes to iterations in {FILES[3]}"
    refuse([Problem(str(folder), f"no {kind} here", fix) for kind, codes in found.items() if not codes])
    # The major group of a code is its largest level-0 *alone* iteration; empty text if there is none.
    major = {code for code, row in race.items() if (row["LEVEL"], row["ALONE"]) == ("0", "True")}
    found_majors = ([each for each in iterations_of[code] if each in major] for code in race_codes)
    group_codes = [max(each, key=lambda code: members[code], default="") for each in found_majors]
    order = [code for code in race if code in set(group_codes)] + [""]
    groups = [min(order.index(group), MOST_MAJOR_GROUPS - 1) for group in group_codes]
    ours, others = tuple(hispanic or not_hispanic), tuple(not_hispanic or hispanic)
    return CodeLists(race_codes, np.array(groups), ours, others)


def _rows(path: Path) -> list[dict[str, str]]:
    """Rows of a pipe-delimited file with a header, blank lines left out."""
    with path.open(encoding="utf-8-sig", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="|", quoting=csv.QUOTE_NONE))


# Of main answers, by major group in file order; roughly the 2020 shares when there are six groups.
GROUP_SHARES = np.array([0.70, 0.14, 0.012, 0.072, 0.003, 0.012])
HISPANIC_SHARE = 0.187
HISPANICS_IN_LAST_GROUP = 0.45  # whose main race code is of the last major group ("some other race")
AIANNH_GROUP = 2  # the major group that lives in AIANNH areas, and its share of the people there
AIANNH_GROUP_SHARE = 0.6
SAME_GROUP = 0.65  # chance that a further code is of the main code's major group
ZIPF_EXPONENT = 1.15
TRACT_FAVOURITES, COUNTY_FAVOURITES = 4, 10
# Chances that a code is a favourite of the tract, or of tract or county.
FROM_TRACT, FROM_TRACT_OR_COUNTY = 0.3, 0.6
MOST_RACE_CODES = 8
# P(at most 1, ..., 7 race codes); then 8.
NUMBER_CUMULATIVE = np.cumsum([0.70, 0.19, 0.065, 0.025, 0.011, 0.005, 0.0025])

Codes = NDArray[np.int16]  # indices of codes


@dataclass(frozen=True, slots=True)
class Frequencies:
    """National frequencies within families 0, 1, ...

    cumulative: family + share of the family's codes up to this one. member: index of this code: a race code
    in the first families, an ethnicity code (Hispanic ones first) in the last two. groups: number of major groups.
    nobody: the number of all race codes, which stands where there is no further code.
    """

    cumulative: Floats
    member: Codes
    groups: int
    nobody: int

    def codes_at(self, quantiles: Floats) -> Codes:
        """Codes at family + quantile."""
        return self.member[np.searchsorted(self.cumulative, quantiles, side="right")]


@dataclass(frozen=True, slots=True)
class Neighbourhoods:
    """The mix of one state, around the mix of the nation.

    group_cumulative: float[tract, group], cumulative shares of major groups. hispanic: float[tract], share.
    tract_favourites, county_favourites: int16[tract or county, family, rank], code indices.
    county_of_tract: int[tract], index into county_favourites.
    """

    nation: Frequencies
    group_cumulative: Floats
    hispanic: Floats
    tract_favourites: Codes
    county_favourites: Codes
    county_of_tract: Int64s


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers of n people or households, as code indices.

    race: int16[8, n], ascending; the number of all race codes stands where there is no further code.
    ethnicity: int16[n], Hispanic codes before the others.
    """

    race: Codes
    ethnicity: Codes


def national_frequencies(lists: CodeLists, *, seed: int) -> Frequencies:
    """Zipf's law within each family: the first code of a family leads, the others follow in random order."""
    stream = random_stream(seed, "0", 0)
    hispanic = np.arange(len(lists.hispanic_codes))
    others = len(lists.hispanic_codes) + np.arange(len(lists.not_hispanic_codes))
    groups = np.unique(lists.race_groups)
    families = [*(np.flatnonzero(lists.race_groups == group) for group in groups), hispanic, others]
    cumulative = []
    for number, family in enumerate(families):
        stream.shuffle(family[1:])
        weight = np.arange(1, family.size + 1) ** -ZIPF_EXPONENT
        cumulative.append(number + np.cumsum(weight) / weight.sum())
        cumulative[-1][-1] = number + 1
    member = np.concatenate(families).astype(np.int16)
    return Frequencies(np.concatenate(cumulative), member, groups.size, len(lists.race_codes))


def neighbourhoods(geography: Geography, frequencies: Frequencies, *, seed: int) -> Neighbourhoods:
    """The mix of a state: its own, then each county's around it, then each tract's around the county's."""
    stream = random_stream(seed, geography.state_code, 2)
    county_of_tract = (geography.tract_county - 1) // 2
    counties, tracts = int(county_of_tract.max()) + 1, county_of_tract.size
    national = GROUP_SHARES[: frequencies.groups] / GROUP_SHARES[: frequencies.groups].sum()
    state_mix = _scattered(stream, national[np.newaxis], 20)
    county_mix = _scattered(stream, np.repeat(state_mix, counties, axis=0), 8)
    mix = 0.98 * _scattered(stream, county_mix[county_of_tract], 3) + 0.02 * national
    # Mixes move towards the AIANNH group by the share of people who live in AIANNH areas.
    inside = geography.block_people * (geography.block_aiannh != NO_AIANNH)
    settled = np.add.reduceat(inside, geography.tract_first_block[:-1])
    share = AIANNH_GROUP_SHARE * settled / np.maximum(1, geography.tract_people)
    mix *= 1 - share[:, np.newaxis]
    mix[:, min(AIANNH_GROUP, mix.shape[1] - 1)] += share
    state_hispanic = stream.beta(1.2, 1.2 * (1 / HISPANIC_SHARE - 1))
    county_hispanic = stream.beta(8 * state_hispanic + 0.01, 8 * (1 - state_hispanic) + 0.01, counties)
    hispanic = county_hispanic[county_of_tract]
    return Neighbourhoods(
        nation=frequencies,
        group_cumulative=np.cumsum(mix, axis=1),
        hispanic=stream.beta(6 * hispanic + 0.01, 6 * (1 - hispanic) + 0.01),
        tract_favourites=_favourites(stream, frequencies, tracts, TRACT_FAVOURITES),
        county_favourites=_favourites(stream, frequencies, counties, COUNTY_FAVOURITES),
        county_of_tract=county_of_tract,
    )


def _scattered(stream: np.random.Generator, mixes: Floats, concentration: float) -> Floats:
    """One Dirichlet draw around each row of `mixes`."""
    gamma = stream.standard_gamma(mixes * concentration) + 1e-9 * mixes
    return np.asarray(gamma / gamma.sum(axis=1, keepdims=True))


def _favourites(stream: np.random.Generator, frequencies: Frequencies, regions: int, ranks: int) -> Codes:
    """Codes drawn from the national frequencies: int16[region, family, rank]."""
    families = np.arange(frequencies.groups + 2)[np.newaxis, :, np.newaxis]
    return frequencies.codes_at(families + stream.random((regions, families.size, ranks)))


def draw_answers(stream: np.random.Generator, place: Neighbourhoods, tracts: Int64s) -> Answers:
    """Answers of households in these tracts."""
    nation = place.nation
    is_hispanic = stream.random(tracts.size) < place.hispanic[tracts]
    family = nation.groups + np.where(is_hispanic, 0, 1)
    ethnicity = _draw_codes(stream, place, tracts, family)
    group = _draw_groups(stream, place, tracts)
    in_last_group = is_hispanic & (stream.random(tracts.size) < HISPANICS_IN_LAST_GROUP)
    group[in_last_group] = nation.groups - 1
    number = np.searchsorted(NUMBER_CUMULATIVE, stream.random(tracts.size), side="right") + 1
    race = np.full((MOST_RACE_CODES, tracts.size), nation.nobody, dtype=np.int16)
    race[0] = _draw_codes(stream, place, tracts, group)
    further = np.flatnonzero(number > 1)
    owner = np.repeat(further, number[further] - 1)
    first = np.repeat(np.cumsum(number[further] - 1) - (number[further] - 1), number[further] - 1)
    position = np.arange(owner.size) - first + 1
    is_same = stream.random(owner.size) < SAME_GROUP
    owner_group = np.where(is_same, group[owner], _draw_groups(stream, place, tracts[owner]))
    race[position, owner] = _draw_codes(stream, place, tracts[owner], owner_group)
    race[:, further] = distinct(race[:, further], nation.nobody)
    return Answers(race, ethnicity)


def _draw_groups(stream: np.random.Generator, place: Neighbourhoods, tracts: Int64s) -> Int64s:
    """A major group for each entry of `tracts`, from the tract's mix."""
    quantile = stream.random(tracts.size)
    group = np.zeros(tracts.size, dtype=np.int64)
    for column in place.group_cumulative.T[:-1]:
        group += quantile >= column[tracts]
    return group


def _draw_codes(stream: np.random.Generator, place: Neighbourhoods, tracts: Int64s, family: Int64s) -> Codes:
    """A code of each `family`: a favourite of the tract or its county, or any. int64[n] -> int16[n]."""
    source, quantile = stream.random(tracts.size), stream.random(tracts.size)
    codes = np.empty(tracts.size, dtype=np.int16)
    local = np.flatnonzero(source < FROM_TRACT)
    near = np.flatnonzero((source >= FROM_TRACT) & (source < FROM_TRACT_OR_COUNTY))
    here, there = tracts, place.county_of_tract[tracts]
    for ours, areas, favourites in ((local, here, place.tract_favourites), (near, there, place.county_favourites)):
        rank = (quantile[ours] ** 2 * favourites.shape[2]).astype(np.int64)
        codes[ours] = favourites[areas[ours], family[ours], rank]
    anywhere = np.flatnonzero(source >= FROM_TRACT_OR_COUNTY)
    codes[anywhere] = place.nation.codes_at(family[anywhere] + quantile[anywhere])
    return codes


def distinct(race: Codes, nobody: int) -> Codes:
    """The distinct codes of each column, ascending, then `nobody`, the largest: int16[m, n] -> int16[8, n], m >= 8."""
    codes = np.sort(race.T, axis=1)
    repeated = codes[:, 1:] == codes[:, :-1]
    codes[:, 1:][repeated] = nobody
    codes.sort(axis=1)
    return codes[:, :MOST_RACE_CODES].T


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
