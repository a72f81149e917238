"""How often `epl` fails on honest reconciled folders, and on ones whose counts were moved towards the truth.

    python -m tests.benchmarks.epl_alarms [--runs N] [--planted N]

Each run is a release of a small nation with fresh random bits, reconciled and audited. Rows: definition, and the part
of each error that a planted reconciliation takes away (0: honest). Columns: folders audited and how many fail, with a
band of the share (95 %, Clopper and Pearson); then the same of single laws, of drawn noise and of reconciled counts.
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from scipy import stats

from safetab_sql.evaluation.audited_counts import AuditedCounts, audited_losses, counts_of_releases
from safetab_sql.evaluation.epl import RECONCILED, Estimator, LossAudit, LossTest, residuals_of
from safetab_sql.evaluation.ground_truth import ground_truth
from safetab_sql.jobs.reconcile import reconcile
from safetab_sql.jobs.run import run
from safetab_sql.kit.database import Resources
from safetab_sql.kit.text_tables import aligned
from safetab_sql.public.inputs import InputPaths
from tests.nations import sample_nation, write_nation

ONE_THREAD = Resources(threads=1)
MOVED = (Fraction(0), Fraction(1, 4), Fraction(1, 2))
BUDGETS = {"zcdp": 0.08, "puredp": 1.0}


def inputs_of(definition: str, folder: Path) -> InputPaths:
    """A nation of 1,200 people, with noise of several persons."""
    nation = sample_nation(1200).with_parameters(privacy_definition=definition)
    levels = {
        name: {"budget": BUDGETS[definition], "thresholds": [20, 60, 150]} for name in nation.parameters["levels"]
    }
    inputs = write_nation(nation.with_parameters(levels=levels), folder / "nation")
    ground_truth(inputs, folder / "truth", dense=True, resources=ONE_THREAD)
    return inputs


def moved(test: LossTest, part: Fraction) -> LossTest:
    """The test of reconciled residuals after a part of each error was taken away."""
    if test.noise != RECONCILED or not part:
        return test
    values = test.residuals.first + np.arange(test.residuals.counts.size)
    shrunk = np.rint(values * float(1 - part)).astype(np.int64)
    return replace(test, residuals=residuals_of(shrunk, test.residuals.counts))


def audits_of(
    inputs: InputPaths, folder: Path, parts: Sequence[Fraction]
) -> Iterator[tuple[Fraction, list[LossAudit]]]:
    """The audits of all laws, of one release, by what was planted. parts: what is, where counts were reconciled."""
    run(inputs, folder / "release", resources=ONE_THREAD, overwrite=True)
    reconcile(
        folder / "release", folder / "reconciled", geography=inputs.geography, resources=ONE_THREAD, overwrite=True
    )
    counts = counts_of_releases([folder / "reconciled"], folder / "truth", Path(str(inputs.code_lists)))
    has_reconciled = any(test.noise == RECONCILED for test in counts.tests)
    for part in parts if has_reconciled else MOVED[:1]:
        yield part, audited_losses(AuditedCounts([moved(test, part) for test in counts.tests]), Estimator())


def share(passes: Sequence[bool]) -> str:
    """A share of failures and its band."""
    tried, failed = len(passes), list(passes).count(False)
    if not tried:
        return "-"
    low, high = stats.binomtest(failed, tried).proportion_ci(0.95)
    return f"{failed} of {tried}: {100 * failed / tried:.2f} % ({100 * low:.2f}-{100 * high:.2f})"


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=100, help="releases of each definition")
    parser.add_argument("--planted", type=int, default=20, help="releases of each that are audited as moved, too")
    options = parser.parse_args()
    rows = [("definition", "moved by", "folders that fail", "drawn noise", "reconciled counts", "seconds")]
    for definition in BUDGETS:
        verdicts: dict[Fraction, list[list[LossAudit]]] = {}
        began = time.monotonic()
        with TemporaryDirectory() as name:
            inputs = inputs_of(definition, Path(name))
            for number in range(options.runs):
                parts = MOVED if number < options.planted else MOVED[:1]
                for part, audits in audits_of(inputs, Path(name), parts):
                    verdicts.setdefault(part, []).append(audits)
        for part, found in verdicts.items():
            folders = [all(audit.passes for audit in each) for each in found]
            of_kind: dict[bool, list[bool]] = {False: [], True: []}
            for audit in chain.from_iterable(found):
                of_kind[audit.test.noise == RECONCILED].append(audit.passes)
            seconds = f"{time.monotonic() - began:.0f}"
            rows.append((definition, f"{float(part):g}", share(folders), *map(share, of_kind.values()), seconds))
    print(aligned(rows))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
