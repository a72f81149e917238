"""The law of the noise that a privacy definition and a budget ask for."""

from fractions import Fraction

from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.discrete_gaussian import DiscreteGaussian
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric
from safetab_sql.settings.budgets import PrivacyDefinition


def noise_law(definition: PrivacyDefinition, budget: Fraction) -> Law:
    """zcdp: discrete Gaussian, sigma2 1/(2 budget). puredp: geometric, scale 1/budget. Source: paper Algorithms 3-5."""
    return DiscreteGaussian(budget) if definition == "zcdp" else TwoSidedGeometric(budget)
