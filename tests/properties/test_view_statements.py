"""Person views: of every statement that is accepted, a row depends on one person alone."""

from random import Random

import duckdb
import pytest

from safetab_sql.kit.errors import InputError
from tests.view_statements import Worlds, accepted, many

_WRONG = 0.04  # the chance of each choice in a statement to be a planted violation
_LEAST_ACCEPTED = 0.35  # of the statements
_LEAST_NOTICED = 0.1  # of the statements that are refused: as many break the property, so it is noticed if one passes


def _is_accepted(statement: str) -> bool:
    try:
        accepted(statement)
    except InputError:
        return False
    return True


def _is_broken(statement: str, worlds: Worlds, random: Random, tries: int) -> bool:
    return any(worlds.broken_by(statement, world) for world in random.sample(range(worlds.number), tries))


def _breaks(statement: str, worlds: Worlds, random: Random) -> bool:
    """Whether a refused statement breaks the property, if it runs at all."""
    try:
        return _is_broken(statement, worlds, random, 6)
    except duckdb.Error:
        return False


def _check(seed: int, number: int) -> None:
    random, statements = Random(seed), list(many(seed, number, _WRONG))
    worlds = Worlds(random, 12)
    taken = [each for each in statements if _is_accepted(each)]
    refused = [each for each in statements if each not in set(taken)][:200]
    assert [each for each in taken if _is_broken(each, worlds, random, 3)] == []
    assert len(taken) >= _LEAST_ACCEPTED * number
    assert sum(_breaks(each, worlds, random) for each in refused) >= _LEAST_NOTICED * len(refused)


@pytest.mark.slow
def test_a_view_without_a_person_is_the_view_minus_the_rows_of_the_person():
    _check(seed=1, number=100)


@pytest.mark.slow
@pytest.mark.long
def test_ten_thousand_views_without_a_person_are_the_views_minus_the_rows_of_the_person():
    _check(seed=2, number=10_000)
