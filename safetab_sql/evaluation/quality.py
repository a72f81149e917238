"""Checks of quality: strange patterns in published tables, each beside the most that noise alone explains.

Published rows alone are read, so what is found may be printed. A check is flagged if noise finds so many cases with a
chance below its share of FALSE_ALARMS, whatever the true counts are. Source: evaluation.md section 6; D. Kifer,
Differential Privacy in Practice, Quality Assurance.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from pathlib import Path

from safetab_sql.kit.database import Database
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.kit.words import words
from safetab_sql.settings.geography import RegionType

FALSE_ALARMS = 0.001  # the chance that any check of an honest release is flagged, at most


@dataclass(frozen=True, slots=True)
class Question:
    """What a check looks for. statement: of sql/tools/quality. looked, found: what is counted. means: if it is flagged.

    is_independent: whether the cases are, given that counts are as noise left them. needs_noise: whether its
    expectation is one of noise: rows that were made consistent, or cut off at 0, have none. of_nation: whether it is
    about a nation and its states.
    """

    statement: str
    looked: str
    found: str
    means: str
    is_independent: bool = True
    needs_noise: bool = True
    of_nation: bool = False


QUESTIONS = tuple(Question(**each) for each in words(Path(__file__).parent / "quality.toml")["questions"])


@dataclass(frozen=True, slots=True)
class Check:
    """How many cases were found among those that were looked at.

    expected: the most that noise finds on average; None where nothing is known of it. chance: of noise to find so many,
    at most; 1 where nothing is known.
    """

    question: Question
    looked: int
    found: int
    expected: float | None
    chance: float

    @property
    def is_flagged(self) -> bool:
        """Whether noise does not explain it."""
        return self.chance < FALSE_ALARMS / len(QUESTIONS)


def has_nation(region_types: Sequence[RegionType]) -> bool:
    """Whether there are a nation and states, by the names of the 2020 Census."""
    return {"USA", "STATE"} <= {kind.name for kind in region_types}


def quality_checks(database: Database, is_as_drawn: bool, of_nation: bool) -> tuple[Check, ...]:
    """The checks of totals and tables of sex by age: t1 and t2 in the database.

    is_as_drawn: whether counts are as noise left them. Others, which were made consistent or cut off at 0, are counted
    and not judged. of_nation: whether there are a nation and its states.
    """
    checks = []
    for question in (each for each in QUESTIONS if of_nation or not each.of_nation):
        database.create(sql_files()[question.statement])
        (row,) = database.table(question.statement).to_pylist()
        found, expected = row["found"], row["expected"] if is_as_drawn or not question.needs_noise else None
        chance = 1.0 if expected is None else chance_of(found, expected, is_independent=question.is_independent)
        checks.append(Check(question, row["looked"], found, expected, chance))
    return tuple(checks)


def chance_of(found: int, expected: float, *, is_independent: bool) -> float:
    """At most this is the chance of `found` cases or more, of which there are `expected` on average, or fewer.

    Chernoff's bound for independent cases, of any chances; Markov's for others.
    """
    if found <= expected:
        return 1.0
    if not is_independent or not expected:
        return expected / found
    return exp(found - expected - found * log(found / expected))
