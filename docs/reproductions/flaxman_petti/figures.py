"""Figures SA1 to SA4 of Flaxman and Petti, drawn from our experiments."""

from fractions import Fraction

import numpy as np

from docs.reproductions.flaxman_petti.experiments import (
    consistent_residuals,
    constrained_residuals,
    geometric,
    made_up_districts,
)
from docs.reproductions.flaxman_petti.printed_losses import DISTRICTS, PANEL_EPSILON
from safetab_sql.evaluation.audited_counts import loss_figure, scatter_figure
from safetab_sql.evaluation.epl import Estimator, empirical_privacy_loss, law_range, residuals_of, stated_losses
from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.figures import Figure
from safetab_sql.laws.noise import TwoSidedGeometric

_SEED = 1940
_ESTIMATOR = Estimator()
_CONSISTENT = "2 strata; total weighs more: change spread evenly"
_INVARIANT = "exact county totals and no negative counts"


def _residuals() -> tuple[Int64s, Int64s]:
    """Exact counts of made-up districts, and their noise."""
    generator = np.random.default_rng(_SEED)
    exact = made_up_districts(generator).sum(axis=1)
    return exact, geometric(PANEL_EPSILON / 2, (DISTRICTS,), generator)


def figures() -> dict[str, Figure]:
    """The figures by name. SA2 is of the counts of SA1; all have noise of half the loss, as their text says."""
    exact, noise = _residuals()
    epsilon = Fraction(str(PANEL_EPSILON))
    return {
        "sa1": scatter_figure(f"SA1: noise G(epsilon/2), epsilon {PANEL_EPSILON}", exact, exact + noise),
        "sa2": _losses("SA2: the residuals of SA1", noise, epsilon),
        "sa3": _losses("SA3: strata and total, made consistent", consistent_residuals(2)[_CONSISTENT], Fraction(1)),
        "sa4": _losses("SA4: exact county totals, no negative counts", constrained_residuals(2)[_INVARIANT], epsilon),
    }


def _losses(title: str, noise: Int64s, epsilon: Fraction) -> Figure:
    """Density and loss of residuals, beside the loss that is stated for them."""
    residuals = residuals_of(noise.ravel())
    values = law_range(TwoSidedGeometric(epsilon / 8), _ESTIMATOR)
    losses = stated_losses(TwoSidedGeometric(epsilon), values)
    stated = dict(zip(values.tolist(), losses.tolist(), strict=True))
    epl = empirical_privacy_loss(residuals, _ESTIMATOR)
    return loss_figure(f"{title}: EPL {epl:.2f}, stated {float(epsilon):g}", residuals, _ESTIMATOR, stated)
