"""Per-attribute semantics: the budget that protects a secret that is only part of a record.

If two inputs differ only in some attributes of one person, a measurement that depends on none of these attributes has
the same answer for both, and costs nothing. Source: Kifer, Per-Attribute Semantics ("only queries affected by those
attributes are relevant").

Neighbours: budgets here are for inputs that differ in *one changed record* (Kifer's bounded neighbours, with noise of
variance 1 / rho). A measurement made for neighbours by adding or removing a person, with variance 1 / (2 rho), costs
twice its budget when one record changes: the person leaves one count and joins another, so two counts change by 1 each,
and zCDP adds squares (pure DP adds absolute values). All arithmetic is exact.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Measurement:
    """Noisy answers to one query, each person in one of its counts.

    budget: rho or epsilon of one person changed. attributes: what of a person the answer depends on.
    """

    name: str
    budget: Fraction
    attributes: frozenset[str]


@dataclass(frozen=True, slots=True)
class Secret:
    """A part of a record that somebody wants to hide. changed: the attributes in which the two inputs may differ."""

    name: str
    changed: frozenset[str]


def affected(measurements: Iterable[Measurement], changed: Collection[str]) -> tuple[Measurement, ...]:
    """The measurements whose answers may change if the attributes `changed` do. Source: Kifer, as above."""
    return tuple(each for each in measurements if each.attributes & frozenset(changed))


def budget_against(measurements: Iterable[Measurement], changed: Collection[str]) -> Fraction:
    """The budget that protects those attributes: the sum over the measurements they affect, rho or epsilon."""
    return sum((each.budget for each in affected(measurements, changed)), Fraction(0))


def budgets_of_secrets(
    measurements: Sequence[Measurement], secrets: Iterable[Secret]
) -> tuple[tuple[Secret, Fraction], ...]:
    """Each secret and the budget that protects it."""
    return tuple((secret, budget_against(measurements, secret.changed)) for secret in secrets)
