"""The answers to wanted statistics from a folder that `reconcile` made."""

from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import compute

from safetab_sql.jobs.ratio_difference_answers import with_ratio_differences
from safetab_sql.jobs.statistic_answers import NO_QUANTILES, NO_ROW, PART, SHARED_NOISE, open_ends, put
from safetab_sql.jobs.wanted import WantedStatistics
from safetab_sql.jobs.wanted_counts import reconciled_terms
from safetab_sql.kit.database import Resources
from safetab_sql.published.derived import Intervals
from safetab_sql.published.reconciled_derived import Reconciled as ReconciledCounts
from safetab_sql.published.reconciled_derived import (
    deviations_of_rows,
    reconciled_counts,
    reconciled_differences,
    reconciled_ratios,
)
from safetab_sql.published.release import ReleaseFolder
from safetab_sql.settings.budgets import PrivacyDefinition


def reconciled_answers(
    asked: WantedStatistics, release: ReleaseFolder, level: Fraction, resources: Resources, *, from_zero: bool
) -> tuple[Intervals, list[str | None]]:
    """The statistics from reconciled counts; no quantiles."""
    size, kinds, definition = len(asked.kinds), np.array(asked.kinds), release.facts.definition
    rows = pa.concat_tables(reconciled_terms(release, asked, resources))
    is_other = rows["is_other"]
    terms, found_terms, wholes = zip(
        *(_terms(rows.filter(mask), size, definition) for mask in (compute.invert(is_other), is_other)), strict=True
    )
    is_pair = np.isin(kinds, ["difference", "ratio"])
    usable = found_terms[0] & wholes[0] & (~is_pair | (found_terms[1] & wholes[1]))
    found = Intervals(*(np.full(size, np.nan) for _ in range(4)))
    made = {
        "count": reconciled_counts(terms[0], definition, level),
        "difference": reconciled_differences(terms[0], terms[1], definition, level),
        "ratio": reconciled_ratios(terms[0], terms[1], definition, level),
        "half": reconciled_ratios(terms[0], terms[1], definition, (1 + level) / 2),
    }
    methods = kinds.copy()
    methods[[*asked.firsts, *asked.seconds]] = "half"  # a ratio of a difference has half the chance to miss
    for kind, part in made.items():
        places = np.flatnonzero(usable & (methods == kind))
        chosen = Intervals(*(each[places] for each in (part.estimates, part.lows, part.highs, part.p_values)))
        put(found, places, chosen, least=0.0 if from_zero and kind == "count" else -np.inf)
    notes = np.full(size, None, dtype=object)
    notes[is_pair] = SHARED_NOISE
    for place, note in open_ends(found, kinds):
        notes[place] = f"{SHARED_NOISE}; {note}"
    notes[~wholes[0] | (is_pair & ~wholes[1])] = PART
    notes[~found_terms[0] | (is_pair & ~found_terms[1])] = NO_ROW
    notes[kinds == "quantile"] = NO_QUANTILES
    return with_ratio_differences(asked, found, list(notes))


def _terms(
    rows: pa.Table, size: int, definition: PrivacyDefinition
) -> tuple[ReconciledCounts, npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """The counts of all statistics, whether they were published, and whether whole. rows: of `wanted_reconciled`."""
    names = ("statistic_number", "estimate", "variance", "moe95", "low95", "high95")
    numbers, estimates, variances, moe95s, *own_ends = (rows[name].to_numpy() for name in names)
    is_found, is_whole, ends = (
        np.zeros(size, dtype=np.bool_),
        np.zeros(size, dtype=np.bool_),
        np.full((2, size), np.nan),
    )
    is_found[numbers], is_whole[numbers], ends[:, numbers] = True, True, own_ends
    is_whole[numbers[~rows["is_whole"].to_numpy(zero_copy_only=False)]] = False
    added = (estimates, deviations_of_rows(variances, moe95s, definition))
    sums = (np.where(is_found, np.bincount(numbers, each, size), np.nan) for each in added)
    return ReconciledCounts(*sums, *ends), is_found, is_whole
