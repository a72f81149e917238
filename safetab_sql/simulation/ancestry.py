"""Who lives where: race and ethnicity codes with a heavy tail that cluster in states, counties and tracts.

Codes fall into families: the major race groups, Hispanic, not Hispanic. Within a family national
frequencies follow Zipf's law. Clustering has two sources. The mix of families varies from tract to tract
around that of the county, which varies around that of the state. And within a family part of the answers are
favourite codes of the tract or of the county, a few each, which are themselves drawn from the national
frequencies: they make enclaves, and leave the expected national frequencies as they are.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from safetab_sql.simulation.code_lists import CodeLists
from safetab_sql.simulation.diversity import MOST_RACE_CODES, SEVERAL_CUMULATIVE, distinct, numbers_of_codes
from safetab_sql.simulation.geography import NO_AIANNH, Geography
from safetab_sql.simulation.states import random_stream

# Of main answers, by major group in file order; roughly the 2020 shares when there are six groups.
GROUP_SHARES = np.array([0.70, 0.14, 0.012, 0.072, 0.003, 0.012])
HISPANIC_SHARE = 0.187
HISPANICS_IN_LAST_GROUP = 0.45  # whose main race code is of the last major group ("some other race")
AIANNH_GROUP = 2  # the major group that lives in AIANNH areas, and its share of the people there
AIANNH_GROUP_SHARE = 0.6
SAME_GROUP = 0.65  # chance that a further code is of the main code's major group
ZIPF_EXPONENT = 1.15
TRACT_FAVOURITES, COUNTY_FAVOURITES = 4, 10
FROM_TRACT, FROM_TRACT_OR_COUNTY = (
    0.3,
    0.6,
)  # chances that a code is a favourite of the tract, or of tract or county


@dataclass(frozen=True, slots=True)
class Frequencies:
    """National frequencies within families 0, 1, ...

    cumulative: family + share of the family's codes up to this one. member: index of this code: a race code
    in the first families, an ethnicity code (Hispanic ones first) in the last two.
    """

    cumulative: NDArray[np.float64]
    member: NDArray[np.int16]
    groups: int

    @property
    def race_codes(self) -> NDArray[np.int16]:
        """Indices of the race codes in use."""
        return self.member[: np.searchsorted(self.cumulative, self.groups, side="right")]


@dataclass(frozen=True, slots=True)
class Neighbourhoods:
    """The mix of one state.

    group_cumulative: float[tract, group], cumulative shares of major groups. hispanic: float[tract], share.
    tract_favourites, county_favourites: int16[tract or county, family, rank], code indices.
    county_of_tract: int[tract], index into county_favourites.
    """

    group_cumulative: NDArray[np.float64]
    hispanic: NDArray[np.float64]
    tract_favourites: NDArray[np.int16]
    county_favourites: NDArray[np.int16]
    county_of_tract: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers of n people or households, as code indices.

    race: int16[8, n], ascending; the number of all race codes stands where there is no further code.
    ethnicity: int16[n], Hispanic codes before the others.
    """

    race: NDArray[np.int16]
    ethnicity: NDArray[np.int16]


def national_frequencies(lists: CodeLists, *, seed: int, codes_in_use: int | None = None) -> Frequencies:
    """Zipf's law within each family: the first code of a family leads, the others follow in random order.

    codes_in_use: how many race codes anybody gives, the leading ones of each major group; None for all.
    """
    share = 1 if codes_in_use is None else codes_in_use / len(lists.race_codes)
    stream = random_stream(seed, "0", 0)
    hispanic = np.arange(len(lists.hispanic_codes))
    others = len(lists.hispanic_codes) + np.arange(len(lists.not_hispanic_codes))
    groups = np.unique(lists.race_groups)
    families = [*(np.flatnonzero(lists.race_groups == group) for group in groups), hispanic, others]
    cumulative, members = [], []
    for number, family in enumerate(families):
        stream.shuffle(family[1:])
        in_use = family if number >= groups.size else family[: max(1, round(family.size * share))]
        members.append(in_use)
        weight = np.arange(1, in_use.size + 1) ** -ZIPF_EXPONENT
        cumulative.append(number + np.cumsum(weight) / weight.sum())
        cumulative[-1][-1] = number + 1
    return Frequencies(np.concatenate(cumulative), np.concatenate(members).astype(np.int16), groups.size)


def neighbourhoods(geography: Geography, frequencies: Frequencies, *, seed: int) -> Neighbourhoods:
    """The mix of a state: its own, then each county's around it, then each tract's around the county's."""
    stream = random_stream(seed, geography.state_code, 2)
    county_of_tract = (geography.tract_county - 1) // 2
    counties, tracts = int(county_of_tract.max()) + 1, county_of_tract.size

    national = GROUP_SHARES[: frequencies.groups] / GROUP_SHARES[: frequencies.groups].sum()
    state_mix = _scattered(stream, national[np.newaxis], 20)
    county_mix = _scattered(stream, np.repeat(state_mix, counties, axis=0), 8)
    mix = 0.98 * _scattered(stream, county_mix[county_of_tract], 3) + 0.02 * national
    _settle_aiannh_areas(mix, geography)

    state_hispanic = stream.beta(1.2, 1.2 * (1 / HISPANIC_SHARE - 1))
    county_hispanic = stream.beta(8 * state_hispanic + 0.01, 8 * (1 - state_hispanic) + 0.01, counties)
    hispanic = county_hispanic[county_of_tract]
    return Neighbourhoods(
        group_cumulative=np.cumsum(mix, axis=1),
        hispanic=stream.beta(6 * hispanic + 0.01, 6 * (1 - hispanic) + 0.01),
        tract_favourites=_favourites(stream, frequencies, tracts, TRACT_FAVOURITES),
        county_favourites=_favourites(stream, frequencies, counties, COUNTY_FAVOURITES),
        county_of_tract=county_of_tract,
    )


def _scattered(stream: np.random.Generator, mixes: NDArray[np.float64], concentration: float) -> NDArray[np.float64]:
    """One Dirichlet draw around each row of `mixes`."""
    gamma = stream.standard_gamma(mixes * concentration) + 1e-9 * mixes
    scattered: NDArray[np.float64] = gamma / gamma.sum(axis=1, keepdims=True)
    return scattered


def _settle_aiannh_areas(mix: NDArray[np.float64], geography: Geography) -> None:
    """Move mixes, in place, towards the AIANNH group by the share of people who live in AIANNH areas."""
    inside = geography.block_people * (geography.block_aiannh != NO_AIANNH)
    people = np.add.reduceat(inside, geography.tract_first_block[:-1])
    share = AIANNH_GROUP_SHARE * people / np.maximum(1, geography.tract_people)
    mix *= 1 - share[:, np.newaxis]
    mix[:, min(AIANNH_GROUP, mix.shape[1] - 1)] += share


def _favourites(stream: np.random.Generator, frequencies: Frequencies, regions: int, ranks: int) -> NDArray[np.int16]:
    """Codes drawn from the national frequencies: int16[region, family, rank]."""
    families = np.arange(frequencies.groups + 2)[np.newaxis, :, np.newaxis]
    return _national(frequencies, families + stream.random((regions, families.size, ranks)))


def _national(frequencies: Frequencies, quantiles: NDArray[np.float64]) -> NDArray[np.int16]:
    """Codes at family + quantile."""
    return frequencies.member[np.searchsorted(frequencies.cumulative, quantiles, side="right")]


def draw_answers(
    stream: np.random.Generator,
    place: Neighbourhoods,
    frequencies: Frequencies,
    tracts: NDArray[np.int64],
    nobody: int,
    several_codes: float,
) -> Answers:
    """Answers of households in these tracts, drawn one by one. int[n] -> Answers of n.

    nobody: the index that stands for no race code. several_codes: share of answers with two to eight race codes.
    """
    is_hispanic = stream.random(tracts.size) < place.hispanic[tracts]
    family = frequencies.groups + np.where(is_hispanic, 0, 1)
    ethnicity = _draw_codes(stream, place, frequencies, tracts, family)

    group = _draw_groups(stream, place, tracts)
    in_last_group = is_hispanic & (stream.random(tracts.size) < HISPANICS_IN_LAST_GROUP)
    group[in_last_group] = frequencies.groups - 1
    number = numbers_of_codes(stream, tracts.size, several_codes, SEVERAL_CUMULATIVE)
    race = np.full((MOST_RACE_CODES, tracts.size), nobody, dtype=np.int16)
    race[0] = _draw_codes(stream, place, frequencies, tracts, group)

    further = np.flatnonzero(number > 1)
    owner = np.repeat(further, number[further] - 1)
    first = np.repeat(np.cumsum(number[further] - 1) - (number[further] - 1), number[further] - 1)
    position = np.arange(owner.size) - first + 1
    is_same = stream.random(owner.size) < SAME_GROUP
    owner_group = np.where(is_same, group[owner], _draw_groups(stream, place, tracts[owner]))
    race[position, owner] = _draw_codes(stream, place, frequencies, tracts[owner], owner_group)
    race[:, further] = distinct(race[:, further], nobody)
    return Answers(race, ethnicity)


def _draw_groups(stream: np.random.Generator, place: Neighbourhoods, tracts: NDArray[np.int64]) -> NDArray[np.int64]:
    """A major group for each entry of `tracts`, from the tract's mix."""
    quantile = stream.random(tracts.size)
    group = np.zeros(tracts.size, dtype=np.int64)
    for column in place.group_cumulative.T[:-1]:
        group += quantile >= column[tracts]
    return group


def _draw_codes(
    stream: np.random.Generator,
    place: Neighbourhoods,
    frequencies: Frequencies,
    tracts: NDArray[np.int64],
    family: NDArray[np.int64],
) -> NDArray[np.int16]:
    """A code of each `family`: a favourite of the tract or its county, or any. int64[n] -> int16[n]."""
    source = stream.random(tracts.size)
    quantile = stream.random(tracts.size)
    codes = np.empty(tracts.size, dtype=np.int16)

    local = np.flatnonzero(source < FROM_TRACT)
    rank = (quantile[local] ** 2 * TRACT_FAVOURITES).astype(np.int64)
    codes[local] = place.tract_favourites[tracts[local], family[local], rank]

    near = np.flatnonzero((source >= FROM_TRACT) & (source < FROM_TRACT_OR_COUNTY))
    rank = (quantile[near] ** 2 * COUNTY_FAVOURITES).astype(np.int64)
    codes[near] = place.county_favourites[place.county_of_tract[tracts[near]], family[near], rank]

    anywhere = np.flatnonzero(source >= FROM_TRACT_OR_COUNTY)
    codes[anywhere] = _national(frequencies, family[anywhere] + quantile[anywhere])
    return codes
