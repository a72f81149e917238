"""The worked examples of utility: what to add noise to, and fitness for use."""

import numpy as np

from docs.reproductions.markdown import table
from safetab_sql.histograms.public.strategies import (
    cheapest_strategy,
    noise_variance,
    query_variances,
    sensitivity,
    total_squared_error_strategy,
)
from safetab_sql.kit.arrays import Floats
from safetab_sql.settings.budgets import PrivacyDefinition

PRIVACY_DEFINITIONS: tuple[PrivacyDefinition, ...] = ("puredp", "zcdp")


def two_queries() -> str:
    """What two strategies for two queries cost."""
    # Cells: neither, of voting age, Hispanic, both.
    direct = np.array([[0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 1.0]])
    turned = np.array([[0.0, 1.0, 1.0, 2.0], [0.0, -1.0, 1.0, 0.0]])
    rows = []
    for name, strategy in (("X and Y", direct), ("X + Y and X - Y", turned)):
        row: tuple[object, ...] = (name,)
        for definition in PRIVACY_DEFINITIONS:
            variances = query_variances(direct, strategy, noise_variance(strategy, definition, 1.0))
            row += (sensitivity(strategy, definition), float(variances[0]))
        rows.append(row)
    columns = ("measured", "L1 sensitivity", "variance of X at epsilon 1", "L2 sensitivity", "variance of X at rho 1")
    return table(columns, rows)


def fitness_for_use() -> str:
    """The cheapest rho of several strategies, by the variances that are wanted."""
    rows = []
    for cells, target in ((8, 1.0), (8, 25.0), (32, 1.0), (32, 25.0), (32, 400.0)):
        workload = np.vstack([np.ones(cells), np.eye(cells)])
        targets = np.array([1.0, *[target] * cells])
        best = cheapest_strategy(workload, targets)
        rescaled = total_squared_error_strategy(workload, targets)[0]
        measured = cheapest_rho(workload, workload, targets)
        cells_alone = cheapest_rho(workload, np.eye(cells), targets)
        row = (f"{cells}", f"1, {target:g}", best.rho, measured, cells_alone, rescaled, rescaled / best.rho)
        rows.append(row)
        if best.rho > best.least * (1 + 1e-6):
            raise ArithmeticError(f"{cells} cells, target {target}: bounds {best.least} and {best.rho} do not meet")
    columns = (
        *("cells", "variances wanted: sum, cell", "best rho", "sum and cells measured", "cells alone"),
        *("least total error, rescaled", "its suboptimality"),
    )
    return table(columns, rows)


def cheapest_rho(workload: Floats, strategy: Floats, targets: Floats) -> float:
    """The least rho with which `strategy`, with equal noise on its answers, gives every query its target variance.

    Variances fall as 1 / rho: the rho at which the worst query just meets its target. targets: float64[queries].
    Source: Kifer, Fitness-for-Use; Xiao et al. 2021.
    """
    at_one = query_variances(workload, strategy, noise_variance(strategy, "zcdp", 1.0))
    return float((at_one / targets).max())
