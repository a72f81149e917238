"""How diverse the answers to the race question are: how many codes people give, which are in use, and where."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from safetab_sql.kit.errors import Problem
from safetab_sql.simulation.code_lists import CodeLists

MOST_RACE_CODES = 8
# Of people who give several race codes: P(at most 2, ..., 7 codes); then 8.
SEVERAL_CUMULATIVE = (np.cumsum([0.70, 0.19, 0.065, 0.025, 0.011, 0.005, 0.0025])[1:] - 0.70) / 0.30
EVEN_CUMULATIVE = np.arange(1, 7) / 7


@dataclass(frozen=True, slots=True)
class Diversity:
    """The answers of a nation to the race question.

    several_codes: share of answers with two to eight codes. codes_in_use: how many race codes of the list anybody
    gives; None for all. spread: share of people whose codes are any codes in use, all alike, whatever their household
    and their place give; these people give each number of codes from two to eight equally often, if several. Everybody
    else gives the codes of the household, which cluster in states, counties and tracts.
    """

    several_codes: float = 0.30
    codes_in_use: int | None = None
    spread: float = 0.0


def diversity_problems(diversity: Diversity, lists: CodeLists) -> list[Problem]:
    """What is wrong with `diversity` for a nation with these code lists."""
    problems = []
    for name, share in (("several_codes", diversity.several_codes), ("spread", diversity.spread)):
        if not 0 <= share <= 1:
            problems.append(Problem(where=name, what=f"{share} is not a share", fix="choose a number from 0 to 1"))
    most, fewest = len(lists.race_codes), int(np.unique(lists.race_groups).size)
    if diversity.codes_in_use is not None and not fewest <= diversity.codes_in_use <= most:
        what = f"{diversity.codes_in_use:,} race codes, where the code list has {most:,} in {fewest} major groups"
        problems.append(Problem(where="codes_in_use", what=what, fix=f"choose between {fewest:,} and {most:,}"))
    return problems


def numbers_of_codes(
    stream: np.random.Generator, answers: int, several_codes: float, several_cumulative: NDArray[np.float64]
) -> NDArray[np.int64]:
    """How many race codes each answer has: int64[answers], 1 to 8."""
    quantile = stream.random(answers)
    cumulative = np.concatenate([[1 - several_codes], 1 - several_codes + several_codes * several_cumulative])
    return np.searchsorted(cumulative, quantile, side="right") + 1


def scatter_answers(
    stream: np.random.Generator, race: NDArray[np.int16], codes: NDArray[np.int16], nobody: int, diversity: Diversity
) -> None:
    """Give a share of people any of `codes` instead of their own, in place.

    race: int16[8, n], ascending codes of n people; `nobody`, larger than any code, where there is no further code.
    """
    people = np.flatnonzero(stream.random(race.shape[1]) < diversity.spread)
    numbers = numbers_of_codes(stream, people.size, diversity.several_codes, EVEN_CUMULATIVE)
    drawn = codes[stream.integers(0, codes.size, (MOST_RACE_CODES, people.size))]
    drawn[np.arange(MOST_RACE_CODES)[:, np.newaxis] >= numbers] = nobody
    race[:, people] = distinct(drawn, nobody)


def distinct(race: NDArray[np.int16], nobody: int) -> NDArray[np.int16]:
    """The distinct codes of each column in ascending order, at most eight, then `nobody`.

    int16[m, n] -> int16[8, n], m >= 8; `nobody` is larger than any code.
    """
    codes = np.sort(race.T, axis=1)
    repeated = codes[:, 1:] == codes[:, :-1]
    codes[:, 1:][repeated] = nobody
    codes.sort(axis=1)
    return codes[:, :MOST_RACE_CODES].T
