"""Households and their members' ages and sexes, as arrays over the people of one chunk."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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

    first_person: NDArray[np.int64]
    size: NDArray[np.int64]
    of_person: NDArray[np.int64]
    position: NDArray[np.int64]


def draw_households(stream: np.random.Generator, block_people: NDArray[np.int64]) -> Households:
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


def _draw_sizes(stream: np.random.Generator, households: int) -> NDArray[np.int64]:
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


def _householder_ages(stream: np.random.Generator, size: NDArray[np.int64]) -> NDArray[np.int64]:
    """Age of the householder, 18-100, by household size."""
    weights = np.array([np.interp(HOUSEHOLDER_AGES, AGE_KNOTS, knots) for knots in HOUSEHOLDERS_AT_KNOTS])
    cumulative = np.cumsum(weights, axis=1) / weights.sum(axis=1, keepdims=True)
    cumulative[:, -1] = 1
    kind = np.minimum(size, 3) - 1
    row = np.searchsorted(
        (cumulative + np.arange(3)[:, np.newaxis]).ravel(), kind + stream.random(size.size), side="right"
    )
    return HOUSEHOLDER_AGES[row % HOUSEHOLDER_AGES.size]


def _ages_of_others(
    stream: np.random.Generator, head_age: NDArray[np.int64], *, is_child: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Ages of members who are not the partner: children 17-40 years younger, others 18-90 years old."""
    child = np.abs(head_age - stream.triangular(17, 28, 42, head_age.size).astype(np.int64))
    other = stream.integers(18, 90, head_age.size)
    return np.where(is_child, child, other)
