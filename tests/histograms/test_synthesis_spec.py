"""The specification of synthetic data: what it says, and every problem of it at once."""

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from safetab_sql.histograms.public.synthesis_spec import SynthesisSpec, load_synthesis_spec
from safetab_sql.kit.errors import InputError

DOMAINS = """
[domains]
AGE = { minimum = 0, maximum = 115 }
SEX = { values = ["1", "2"] }
RACE = { minimum = 1, maximum = 7 }
"""


@pytest.fixture
def load(tmp_path: Path):
    def of(text: str) -> SynthesisSpec:
        (tmp_path / "spec.toml").write_text(text, encoding="utf-8")
        return load_synthesis_spec(tmp_path / "spec.toml")

    return of


def fields(spec: SynthesisSpec) -> list[list[str]]:
    return [[domain.name for domain in group.domains] for group in spec.groups]


def test_a_field_in_no_group_stands_alone_and_epsilon_is_split_equally(load):
    assert fields(load('epsilon = 1\n[[groups]]\nfields = ["SEX", "AGE"]' + DOMAINS)) == [["SEX", "AGE"], ["RACE"]]
    assert {group.call.epsilon for group in load("epsilon = 0.3\ncut = 2" + DOMAINS).groups} == {Fraction(1, 10)}


@given(st.decimals("0.5", 100, places=3), st.lists(st.decimals("0.1", 50, places=3), min_size=3, max_size=3))
def test_shares_by_weight_add_up_to_epsilon_exactly(tmp_path_factory, epsilon, weights):
    groups = [
        f'[[groups]]\nfields = ["{name}"]\nweight = {weight}'
        for name, weight in zip(("AGE", "SEX", "RACE"), weights, strict=True)
    ]
    path = tmp_path_factory.mktemp("weights") / "spec.toml"
    path.write_text("\n".join([f"epsilon = {epsilon}", *groups, DOMAINS]), encoding="utf-8")
    spec = load_synthesis_spec(path)
    assert sum(group.call.epsilon for group in spec.groups) == Fraction(str(epsilon))
    ratios = {group.call.epsilon / Fraction(str(weight)) for group, weight in zip(spec.groups, weights, strict=True)}
    assert len(ratios) == 1


def test_the_cut_is_2_unless_said_otherwise(load):
    assert [load(text + DOMAINS).said.cut for text in ("epsilon = 1\ngroups = []", "epsilon = 1\ncut = 0.5")] == [
        2,
        Fraction(1, 2),
    ]


PROBLEMS = {
    "no epsilon": (DOMAINS, "missing key 'epsilon'"),
    "epsilon 0": ("epsilon = 0" + DOMAINS, "epsilon is 0"),
    "epsilon tiny": ("epsilon = 0.0001\ncut = 2" + DOMAINS, "AGE gets epsilon 1/30000, below 1/10000"),
    "no domains": ("epsilon = 1", "missing key 'domains'"),
    "unknown key": ("epsilon = 1\nepsilom = 2" + DOMAINS, "unknown key 'epsilom'"),
    "unknown field": ('epsilon = 1\n[[groups]]\nfields = ["SEXX"]' + DOMAINS, "no domain is called 'SEXX'"),
    "field twice": ('epsilon = 1\n[[groups]]\nfields = ["SEX", "AGE", "SEX"]' + DOMAINS, "SEX is in 2 groups"),
    "group without fields": ("epsilon = 1\n[[groups]]\nweight = 2" + DOMAINS, "[groups.1]: missing key 'fields'"),
    "groups a table": ('epsilon = 1\n[groups.one]\nfields = ["SEX"]' + DOMAINS, "write [[groups]] with fields"),
    "two budgets": ("epsilon = 1\nrho = 1" + DOMAINS, "both epsilon and rho are there"),
    "rho of groups": ("rho = 1\ncut = 2" + DOMAINS, "rho is for rows along a tree"),
    "too many values": (
        "epsilon = 1\n[domains]\nA = { minimum = 0, maximum = 100000 }\n",
        "[domains.A]: has 100,001 values, more than 100,000",
    ),
    "too many bins": (
        'epsilon = 1\n[[groups]]\nfields = ["SEX", "W"]' + DOMAINS + "W = { minimum = 1, maximum = 1_000_000_000_000 }",
        "2,000,000,000,000 bins",
    ),
    "reserved": ("epsilon = 1" + DOMAINS + "COUNT = { minimum = 0, maximum = 1 }", "column COUNT"),
}


@pytest.mark.parametrize(("text", "problem"), PROBLEMS.values(), ids=PROBLEMS)
def test_a_problem_is_named(load, text, problem):
    with pytest.raises(InputError) as refused:
        load(text)
    assert problem in str(refused.value)


def test_all_problems_are_named_at_once(load):
    with pytest.raises(InputError) as refused:
        load('epsilon = 0\ncut = -1\nrows = 0\n[[groups]]\nfields = ["SEXX"]' + DOMAINS)
    assert len(refused.value.problems) == 4
