"""`run` for Python: as safetab_sql/run.py, with the release that was made as one object, and progress for notebooks."""

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

from safetab_sql.accounting.ledger_file import LedgerFile
from safetab_sql.jobs.release import Release
from safetab_sql.kit.database import Resources
from safetab_sql.kit.progress import SILENT, Progress, reported_progress
from safetab_sql.public.inputs import InputPaths
from safetab_sql.published.tables import Format
from safetab_sql.run import run as run_once


def run(
    inputs: InputPaths,
    out: str | Path,
    *,
    format: Format = "parquet",
    overwrite: bool = False,
    ledger_file: LedgerFile | None = None,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
    progress: Progress | bool = False,
    bits: Callable[[int], bytes] | None = None,
) -> Release:
    """Count, add noise and publish: folder `out` with manifest.json and the ladders' tables, or nothing at all.

    format: "parquet" (with margins and intervals), "census" (production's pipe-delimited text) or "api" (text with the
    variables of the Census API). ledger_file: the custodian's ledger, which gets a line for the run before noise is
    drawn. progress: True shows it on stderr: a bar on a terminal and in a notebook, lines elsewhere. bits: number of
    bytes -> that many random bytes, for tests: with any source but the system's, the manifest says that the run is not
    releasable.
    Raises: InputError with every problem of the input, or if the ledger's limit forbids the run; then nothing is
    written.
    Source: paper Algorithms 1-3; tabulation.md section 5.
    """
    source = {} if bits is None else {"bits": bits}
    shown = reported_progress(is_quiet=False) if progress is True else nullcontext(progress or SILENT)
    with shown as told:
        made = run_once(
            inputs,
            out,
            format=format,
            overwrite=overwrite,
            ledger_file=ledger_file,
            resources=resources,
            progress=told,
            **source,
        )
    return Release(made.out.absolute(), made.manifest)
