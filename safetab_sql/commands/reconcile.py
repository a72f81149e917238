"""`reconcile`: a release made consistent, as another folder."""

from pathlib import Path

from safetab_sql.commands.answers import json_text, members
from safetab_sql.commands.options import Json, Machine, Out


def reconcile(
    release: Path,
    *,
    folder: Out,
    geography: str | None = None,
    code_lists: Path | None = None,
    integers: bool = False,
    json: Json = False,
    machine: Machine,
) -> None:
    """Make the counts of a release add up, by least squares, in another folder.

    example: demo/release --out reconciled

    release OUT: folder that `run` made, in Parquet; it stays as it is
    geography F: the geography file of the run; without it, region types with suppressed totals stay as they are
    code_lists DIR: the code lists of the run: iterations that make up another one add up to it; also counts the totals
        that are larger than totals that include their people
    integers: make whole numbers that are unbiased and add up
    """
    from safetab_sql.jobs.reconcile import reconcile, reconciliation_text
    from safetab_sql.release.folder import unit_of

    with machine.progress() as progress:
        done = reconcile(
            release,
            folder.out,
            geography=geography,
            code_lists=code_lists,
            integers=integers,
            overwrite=folder.overwrite,
            resources=machine.resources,
            progress=progress,
        )
    print(json_text(members(done, without="manifest")) if json else reconciliation_text(done, unit_of(release)))
