"""The manifests of releases: dataclasses, written and read, that make their JSON Schemas; and the manifest of a run."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from safetab_sql.accounting.statement import RunSpending, RunStatement, run_statement
from safetab_sql.accounting.written import members_of
from safetab_sql.kit.errors import InputError
from safetab_sql.public.inputs import Intake
from safetab_sql.public.published_totals import TOTALS
from safetab_sql.published.csvw import CSVW
from safetab_sql.published.file_notes import are_releasable
from safetab_sql.published.manifest import MANIFEST, Digests, Envelope, parameters_json, source_digests
from safetab_sql.settings.about import About
from safetab_sql.settings.ladders import BESIDE, CODES
from safetab_sql.settings.markers import Switch
from safetab_sql.settings.parameters import load_parameters
from safetab_sql.settings.tables import INLINE, table


@table
class Published:
    """What the manifest of every noisy release says of how it was made.

    releasable: whether all noise came from the system's generator. accounted: whether it stands in a custodian's
    ledger. files: every other file of the folder.
    """

    releasable: Switch
    accounted: Switch
    files: Digests
    made: Annotated[Envelope, INLINE]


@table
class Run:
    """What a run says of itself. public_inputs: by name. parameters: see `parameters_from_json`."""

    command: Literal["run"]
    about: About
    parameters: Mapping[str, Any]
    public_inputs: Mapping[str, Digests]
    ledger: RunStatement


@table
class RunManifest:
    """The manifest of `run`."""

    published: Annotated[Published, INLINE]
    run: Annotated[Run, INLINE]


@table
class ReconciledCounts:
    """What was done to a release. divisions: region type -> the region type that it divides and adds up to.

    integers: whether its counts are whole numbers. stage_1: whether stage-1 totals were used.
    """

    method: str
    privacy: str
    divisions: Mapping[str, str]
    nested_iterations: int
    stage_1: Switch
    public_inputs: Mapping[str, Digests]
    integers: Switch
    moe95: str
    survived_suppression: str
    rows_are_independent: Switch


@table
class ReconcileRun:
    """What `reconcile` says of itself. release: the manifest of the release, unchanged."""

    command: Literal["reconcile"]
    about: About
    reconciled: ReconciledCounts
    release: RunManifest


@table
class ReconciledManifest:
    """The manifest of `reconcile`."""

    files: Digests
    made: Annotated[Envelope, INLINE]
    run: Annotated[ReconcileRun, INLINE]


ReleaseManifest = RunManifest | ReconciledManifest


def contents_of(parameters: str | Path) -> tuple[str, ...]:
    """What the folder of a release with these parameters holds; where they cannot be read, its manifest."""
    try:
        ladders = load_parameters(parameters).ladders
    except InputError:  # the problems are reported with the problems of other inputs
        return (MANIFEST,)
    folders = (folder for ladder in ladders for folder in ladder.folders)
    return (*folders, *BESIDE, CODES, CSVW, MANIFEST)


def manifest_of_run(data: Intake, ledger: RunSpending) -> dict[str, object]:
    """The manifest of the release. It holds nothing about person files, not even their names."""
    is_releasable = TOTALS not in data.public or are_releasable(data.public[TOTALS])
    said = Run(
        command="run",
        about=data.parameters.about,
        parameters=parameters_json(data.parameters),
        public_inputs={name: source_digests(each) for name, each in data.public.items()},
        ledger=run_statement(ledger),
    )
    return {**({} if is_releasable else {"releasable": False}), **members_of(said)}
