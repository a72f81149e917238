"""`strategy`: what to measure for queries of one's own."""

import json

import numpy as np
import pytest

from safetab_sql.jobs.strategy import CORRELATED, DIRECT, GIVEN, WEIGHTED, strategy
from safetab_sql.kit.errors import InputError
from tests.cli.command import call
from tests.conftest import REPOSITORY

EXAMPLE = (REPOSITORY / "configs" / "strategy.toml").read_text(encoding="utf-8")
# x: Hispanic persons, y: persons of voting age.
TWO_QUERIES = """
privacy_definition = "{}"
budget = 1
domains.VOTING_AGE.values = [false, true]
domains.HISPANIC.values = [false, true]
queries.x = {{ by = [], where = {{ HISPANIC = ["True"] }} }}
queries.y = {{ by = [], where = {{ VOTING_AGE = ["True"] }} }}
measure.turned.rows = [[0, 1, 1, 2], [0, 1, -1, 0]]
"""


@pytest.fixture
def found(tmp_path):
    def of(text):
        (tmp_path / "strategy.toml").write_text(text, encoding="utf-8")
        seen = strategy(tmp_path / "strategy.toml")
        return seen, {one.name: one for one in seen.found}

    return of


@pytest.mark.parametrize(("definition", "direct", "turned"), [("puredp", 8, 4), ("zcdp", 1, 1)])
def test_sum_and_difference_halve_the_variance_of_two_queries_under_pure_dp_alone(found, definition, direct, turned):
    """Kifer's example, to the digit: 8 / epsilon^2 against 4 / epsilon^2; under zCDP 1 / rho either way."""
    seen, by_name = found(TWO_QUERIES.format(definition))
    assert seen.variances(by_name[DIRECT]) == pytest.approx([direct, direct])
    assert seen.variances(by_name[GIVEN]) == pytest.approx([turned, turned])


def test_every_strategy_meets_the_wanted_variances_at_its_cheapest_budget_and_says_what_to_measure(found, tmp_path):
    seen, by_name = found(EXAMPLE)
    for one in by_name.values():
        assert (seen.variances(one) / seen.workload.targets).max() == pytest.approx(1, rel=1e-6)
    best = by_name[CORRELATED]
    assert best.least <= best.budget <= best.least * 1.001
    assert best.budget < by_name[WEIGHTED].budget < by_name[DIRECT].budget < by_name[GIVEN].budget
    found(EXAMPLE)
    said = json.loads(call("strategy", "--spec", tmp_path / "strategy.toml", "--json").stdout)
    asked = np.vstack([table["rows"] for table in said["queries"]])
    for one in said["strategies"]:
        matrix, variances = np.array(one["matrix"]), np.array(one["variances"])
        unscaled = np.diag(asked @ np.linalg.pinv(matrix.T @ matrix) @ asked.T)
        assert variances * unscaled[0] == pytest.approx(unscaled * variances[0], rel=1e-6)
    best = next(one for one in said["strategies"] if one["measured"] == CORRELATED)
    matrix = np.array(best["matrix"])
    assert (matrix**2).sum(axis=0).max() / 2 == pytest.approx(best["cheapest_budget"], rel=1e-6)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("variance = 9", "", "voting_age_by_sex has no variance, and other tables have one"),
        ('"85-115"] }', '"85-116"] }', "where: AGE has no 85-116"),
        ('by = ["SEX"]\n', 'by = ["RACE"]\n', "no domain has column RACE"),
        ("weight = 2", "weight = 0", "weight is 0"),
        ('[measure.cells]\nby = ["SEX", "AGE"]', "", "does not determine every query"),
        ("[85, 115]]", "[85, 115]]\n[domains.N]\nminimum = 1\nmaximum = 99", "792 cells, more than 256"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_the_reason(found, old, new, problem):
    assert old in EXAMPLE
    with pytest.raises(InputError) as refused:
        found(EXAMPLE.replace(old, new))
    assert problem in str(refused.value)
