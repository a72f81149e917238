"""Reconstruction: the histogram that fits noisy answers best, with and without negative cells."""

import numpy as np
from scipy.optimize import nnls

from safetab_sql.kit.arrays import Floats


def ordinary_least_squares(strategy: Floats, noisy: Floats, variances: Floats) -> Floats:
    """The histogram that fits the noisy answers best, the shortest of many. Source: Kifer, Matrix Mechanism (OLS)."""
    weights = 1 / np.sqrt(variances)
    return np.asarray(np.linalg.lstsq(strategy * weights[:, None], noisy * weights, rcond=None)[0])


def non_negative_least_squares(strategy: Floats, noisy: Floats, variances: Floats) -> Floats:
    """The histogram without negative cells that fits the noisy answers best. Source: Kifer, Matrix Mechanism (NNLS)."""
    weights = 1 / np.sqrt(variances)
    return np.asarray(nnls(strategy * weights[:, None], noisy * weights)[0])
