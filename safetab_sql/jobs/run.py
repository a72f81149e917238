"""`run`: count, add noise and publish."""

from contextlib import nullcontext
from pathlib import Path

from safetab_sql.accounting.ledger_file import LedgerFile
from safetab_sql.accounting.right_to_draw import Bits
from safetab_sql.algorithm import Tabulation, decide, declare, known_records, release_of_run, tabulate
from safetab_sql.confidential.counts import Here
from safetab_sql.confidential.inputs import checked_inputs
from safetab_sql.jobs.release import Release
from safetab_sql.kit.database import Resources
from safetab_sql.kit.progress import SILENT, Progress, reported_progress
from safetab_sql.public.inputs import InputPaths
from safetab_sql.published.tables import Format


def run(
    inputs: InputPaths,
    out: str | Path,
    *,
    format: Format = "parquet",
    overwrite: bool = False,
    ledger_file: LedgerFile | None = None,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
    progress: Progress | bool = False,
    bits: Bits | None = None,
) -> Release:
    """Count, add noise and publish: folder `out` with manifest.json and the ladders' tables, or nothing at all.

    format: "parquet" (with margins and intervals), "census" (production's pipe-delimited text) or "api" (text with the
    variables of the Census API). ledger_file: the custodian's ledger, which gets a line for the run before noise is
    drawn. progress: True shows it on stderr: a bar on a terminal and in a notebook, lines elsewhere. bits: number of
    bytes -> that many random bytes, for tests: with any source but the system's, the manifest says that the run is not
    releasable.
    Raises: InputError with every problem of the input, or if the ledger's limit forbids the run; then nothing is
    written.
    """
    source = {} if bits is None else {"bits": bits}
    shown = reported_progress(is_quiet=False) if progress is True else nullcontext(progress or SILENT)
    with (
        shown as told,
        release_of_run(inputs, out, ledger_file, resources, overwrite=overwrite, **source) as release,
        checked_inputs(inputs, resources, told, release.problems) as data,
    ):
        tabulation = Tabulation(release, data, decide(data, format, told), told)
        declare(tabulation, known_records(release, data))
        made = tabulate(tabulation, Here(data))
    return Release(made.out.absolute(), made.manifest)
