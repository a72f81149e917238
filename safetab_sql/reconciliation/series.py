"""Totals of a series of releases, smoothed by generalised least squares under a stated model.

The model: from one release to the next, the true total of a group changes by nothing on average, and with a standard
deviation of `step` times the size of the group. The noise of the published totals is known and independent. The
estimates minimise the sum of the squares of noise and of changes, each by its variance. Everything here rests on the
model, which no release can prove. Source: reconciliation.md section 11.
"""

from dataclasses import dataclass

import numpy as np

from safetab_sql.kit.arrays import Floats

_AT_ONCE = 100_000  # groups whose matrices are held at once
_SMALLEST = 1.0  # person: the size of a group in the model, at least
_EXPECTED = 1.96  # standard deviations


@dataclass(frozen=True, slots=True)
class Smoothed:
    """Of groups and releases: float64[n, releases] both. estimates: persons. deviations: of their errors, persons.

    NaN where no count of the group is evidence. surprising: of `compared` changes between neighbouring counts, those
    beyond 1.96 standard deviations of what noise and the model expect.
    """

    estimates: Floats
    deviations: Floats
    compared: int
    surprising: int


def smoothed(counts: Floats, variances: Floats, step: float) -> Smoothed:
    """The smoothed totals. counts, variances: float64[n, releases], persons; NaN where a count is no evidence.

    step: how much a total changes between two releases, one standard deviation, as a part of the total: above 0.
    """
    known = ~np.isnan(counts)
    precisions = np.where(known, 1 / np.where(known, variances, 1.0), 0.0)
    values = np.where(known, counts, 0.0)
    has_any = known.any(axis=1)
    means = (precisions * values).sum(axis=1) / np.where(has_any, precisions.sum(axis=1), 1.0)
    changes = (step * np.maximum(means, _SMALLEST)) ** 2
    found = np.full((2, *counts.shape), np.nan)
    rows = np.flatnonzero(has_any)
    for first in range(0, rows.size, _AT_ONCE):
        own = rows[first : first + _AT_ONCE]
        found[:, own] = _least_squares(values[own], precisions[own], changes[own])
    return Smoothed(found[0], found[1], *_surprises(counts, variances, changes))


def _least_squares(values: Floats, precisions: Floats, changes: Floats) -> tuple[Floats, Floats]:
    """Estimates and deviations: the solution of the normal equations, and the root of the diagonal of their inverse."""
    size = values.shape[1]
    apart = np.diff(np.eye(size), axis=0)
    normal = (apart.T @ apart) / changes[:, None, None] + precisions[:, :, None] * np.eye(size)
    scales = 1 / np.sqrt(np.diagonal(normal, axis1=1, axis2=2))  # a year without a count is known far less well
    both = scales[:, :, None] * scales[:, None, :]
    covariances = both * np.linalg.inv(both * normal)
    estimates = (covariances @ (precisions * values)[:, :, None])[:, :, 0]
    return estimates, np.sqrt(np.diagonal(covariances, axis1=1, axis2=2))


def _surprises(counts: Floats, variances: Floats, changes: Floats) -> tuple[int, int]:
    """How many changes between neighbouring counts there are, and how many are larger than the model expects."""
    differences = np.diff(counts, axis=1)
    expected = np.sqrt(variances[:, 1:] + variances[:, :-1] + changes[:, None])
    is_known = ~np.isnan(differences)
    return int(is_known.sum()), int((np.abs(differences[is_known]) > _EXPECTED * expected[is_known]).sum())
