"""`strategy`: what to measure for queries of one's own."""

import json

import numpy as np
import pytest

from safetab_sql.jobs.strategy import DIRECT, GIVEN, WEIGHTED, strategy
from safetab_sql.kit.errors import InputError
from safetab_sql.semantics.methods import CELLS_AND_SUMS, CORRELATED
from safetab_sql.semantics.strategies import gaussian_variance, laplace_variance
from tests.cli.command import call
from tests.conftest import REPOSITORY

EXAMPLE = (REPOSITORY / "configs" / "strategy.toml").read_text(encoding="utf-8")
CELLS = """
[domains.VOTING_AGE]
values = [false, true]
[domains.HISPANIC]
values = [false, true]
"""
# X: Hispanic persons, Y: persons of voting age.
TWO_QUERIES = (
    """
privacy_definition = "{}"
budget = 1
"""
    + CELLS
    + """
[queries.x]
by = []
where = {{ HISPANIC = ["True"] }}
[queries.y]
by = []
where = {{ VOTING_AGE = ["True"] }}
[measure.turned]
rows = [[0, 1, 1, 2], [0, 1, -1, 0]]
"""
)


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
    assert [seen.worst(by_name[DIRECT], table) for table in (0, 1)] == pytest.approx([direct, direct])
    assert [seen.worst(by_name[GIVEN], table) for table in (0, 1)] == pytest.approx([turned, turned])


def test_every_strategy_meets_the_wanted_variances_at_its_cheapest_budget(found):
    seen, by_name = found(EXAMPLE)
    for one in by_name.values():
        worst = [seen.worst(one, place) / float(table.variance) for place, table in enumerate(seen.workload.queries)]
        assert max(worst) == pytest.approx(1, rel=1e-6)
    best = by_name[CORRELATED]
    assert best is seen.best
    assert seen.least == best.least <= best.budget <= best.least * 1.001
    assert best.budget < by_name[WEIGHTED].budget < by_name[DIRECT].budget < by_name[GIVEN].budget


@pytest.mark.parametrize("definition", ["zcdp", "puredp"])
def test_json_says_what_to_measure_and_how_the_noise_of_the_answers_is_correlated(found, tmp_path, definition):
    """Every strategy, from its matrix alone: the covariance of the answers and the budget that it says."""
    found(EXAMPLE.replace('= "zcdp"', f'= "{definition}"'))
    said = json.loads(call("strategy", "--quiet", "--spec", tmp_path / "strategy.toml", "--json").stdout)
    asked = np.vstack([table["rows"] for table in said["queries"]])
    wanted = np.repeat(
        [each["wanted_variance"] for each in said["queries"]], [each["queries"] for each in said["queries"]]
    )
    for one in said["strategies"]:
        matrix = np.array(one["matrices"][0]["rows"])
        unscaled = asked @ np.linalg.pinv(matrix.T @ matrix) @ asked.T
        errors = unscaled * (gaussian_variance if definition == "zcdp" else laplace_variance)(
            matrix, one["cheapest_budget"]
        )
        assert errors == pytest.approx(np.array(one["covariance"]), abs=1e-6)
        assert (np.diag(errors) / wanted).max() == pytest.approx(1, rel=1e-5)


def test_ranges_of_a_long_domain_by_a_symmetric_one_meet_the_bound_of_their_product(found):
    """One table of queries is planned domain by domain; the least of a product is the product of what is least."""
    ordered = 'privacy_definition = "{}"\n[domains.YEAR]\nminimum = 1\nmaximum = {}\n[queries.all]\nvariance = 1\n'
    short, _ = found(ordered.format("zcdp", 16) + 'by = []\nranges = ["YEAR"]\n')
    text = ordered.replace("[queries", "[domains.DAY]\nminimum = 1\nmaximum = 365\n[queries").format("zcdp", 16)
    wide, by_name = found(text + 'by = ["DAY"]\nranges = ["YEAR"]\n')
    assert wide.workload.cells == 5840
    assert wide.workload.queries[0].count == 136 * 365
    assert wide.least == pytest.approx(short.least)
    assert by_name[CORRELATED].budget == pytest.approx(short.best.budget)
    both, _ = found(text.replace("365", "16") + 'by = []\nranges = ["YEAR", "DAY"]\n')
    assert both.least == pytest.approx(2 * short.least**2)


def test_prefix_sums_of_some_values_are_those_of_the_rows_written_out(found):
    axis = "[domains.AGE]\nminimum = 0\nmaximum = 5\n[queries.all]\nvariance = 1\n"
    written, _ = found(
        'privacy_definition = "puredp"\n' + axis + "rows = [[0,1,0,0,0,0],[0,1,1,0,0,0],[0,1,1,1,0,0]]\n"
    )
    named, by_name = found(
        'privacy_definition = "puredp"\n' + axis + 'prefix_sums = ["AGE"]\nwhere = { AGE = [1, 2, 3] }\n'
    )
    assert named.workload.queries[0].product.matrix.tolist() == written.workload.queries[0].product.matrix.tolist()
    assert named.best.budget == pytest.approx(written.best.budget)
    assert by_name[CELLS_AND_SUMS].budget < by_name[DIRECT].budget


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("variance = 9", "", "voting_age_by_sex has no variance, and other tables have one"),
        ('"85-115"] }', '"85-116"] }', "where: AGE has no 85-116"),
        ('by = ["SEX"]\n', 'by = ["RACE"]\n', "no domain has column RACE"),
        ("weight = 2", "weight = 0", "weight is 0"),
        ('[measure.cells]\nby = ["SEX", "AGE"]', "", "does not determine every query"),
        ("weight = 2", "weight = 2\n[queries.lines]\nrows = [[1]]\nvariance = 1", "other than 8 numbers"),
        ("by = []\nvariance", 'by = ["SEX"]\nranges = ["SEX"]\nvariance', "SEX stands twice"),
        ("by = []\nvariance", 'ranges = ["N"]\nvariance', "no domain has column N"),
        (
            "[queries.everybody]",
            '[domains.N]\nminimum = 1\nmaximum = 999\n[queries.n]\nranges = ["N"]\nvariance = 1\n[queries.everybody]',
            "3,996 cells of AGE, N, in 2 sets",
        ),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_the_reason(found, old, new, problem):
    assert old in EXAMPLE
    with pytest.raises(InputError) as refused:
        found(EXAMPLE.replace(old, new))
    assert problem in str(refused.value)
