"""Sentences say what the numbers say, and no more."""

import math
from fractions import Fraction

import pytest

from safetab_sql.semantics.profiles import ADDED, CHANGED, Profile, budget_profile
from safetab_sql.semantics.summary import Summary, percent, sentences, summary
from safetab_sql.settings.unit import Unit


def found(definition: str, budget: str, **more: object) -> Summary:
    profile = budget_profile(definition, Fraction(budget))
    values = {name: getattr(profile, name) for name in ("title", "definition", "neighbours", "budget", "changed")}
    return summary(Profile(**{**values, **more}))


@pytest.mark.parametrize(
    ("chance", "text"),
    [
        (0.05, "5 %"),
        (0.741706, "74.2 %"),
        (0.7420, "74.2 %"),
        (0.74201, "74.3 %"),
        (0.9999, "99.99 %"),
        (0.99999, "99.999 %"),
        (1.0, "100 %"),
        (0.00013, "0.013 %"),
        (1e-30, "0.0000001 %"),
        (1 - 1e-14, "100 %"),
    ],
)
def test_chances_are_rounded_up_to_as_many_digits_as_they_take(chance, text):
    assert percent(chance) == text


@pytest.mark.parametrize("chance", [1e-9, 3e-5, 0.01234, 0.3, 0.87654321, 0.999_99])
def test_no_chance_is_said_smaller_than_it_is(chance):
    assert float(percent(chance).removesuffix(" %")) / 100 >= chance * (1 - 1e-12)


def test_a_number_alone_is_explained_by_its_bound_and_by_gaussian_noise():
    first, *_, last = sentences(found("zcdp", "2.63"))
    assert "wrongly accuses 5 % of the people whose record was not used" in first
    assert "at most 94.7 % of the people whose record was used, whatever the noise, and 74.2 % if it is Gaus" in first
    assert "rho 2.63 was computed" in last


def test_pure_dp_bounds_every_belief_by_a_factor():
    said = sentences(found("puredp", "1"))
    assert "at most 13.6 %" in said[0]
    assert "at most 2.72 times" in said[1]
    assert "rightly or wrongly" in said[1]


def test_a_budget_too_large_for_the_theorem_is_said_to_rule_nothing_out():
    assert "does not rule out" in sentences(found("zcdp", "5"))[1]
    assert "at most 69.1 %" in sentences(found("zcdp", "2.63"))[1]


def test_the_chance_of_a_hundredfold_belief_is_that_of_the_theorem():
    rho = 0.5
    wanted = math.exp(-((math.log(100) - rho) ** 2) / (4 * rho))
    assert f"at most {percent(wanted)}." in sentences(found("zcdp", "0.5"))[1]


def test_the_best_and_the_least_protected_part_of_a_record_are_named():
    secrets = (
        ("the roof", Fraction("0.1")),
        ("the door", Fraction("0.7")),
        ("the key", Fraction(0)),
        ("all", Fraction(1)),
    )
    said = sentences(found("zcdp", "1", secrets=secrets))[2]
    assert 'if that part is "the roof"' in said
    assert 'if it is "the door"' in said
    assert "key" not in said and "all" not in said  # noqa: PT018


def test_a_part_of_a_record_that_is_the_only_one_measured_is_named_once():
    said = sentences(found("zcdp", "1", secrets=(("the roof", Fraction("0.1")), ("all", Fraction(1)))))[2]
    assert said.count("the roof") == said.count("at most") == 1


@pytest.mark.parametrize(
    ("neighbours", "words"), [(ADDED, "added or removed. For one record"), (CHANGED, "is not hidden")]
)
def test_the_neighbours_are_told(neighbours, words):
    assert words in sentences(found("zcdp", "1", neighbours=neighbours))[-1]


def test_where_one_record_changes_the_question_is_whether_it_was_replaced():
    said = sentences(found("zcdp", "1", neighbours=CHANGED))[0]
    assert "used or another put in its place" in said
    assert "the people whose record was replaced" in said


def test_records_that_are_called_records_have_none():
    said = " ".join(sentences(found("zcdp", "1", unit=Unit(one="record", many="records"))))
    assert "whether a record was used" in said
    assert "of the records that were not used rightly accuses at most" in said
    assert "his belief in a true record" in said
    assert "record's" not in said
