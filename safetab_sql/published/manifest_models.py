"""What the manifests of releases hold: dataclasses that are written and read, and make their JSON Schemas."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from safetab_sql.accounting.ledger_statement import RunLedger
from safetab_sql.published.manifest import Digests, Envelope
from safetab_sql.published.tables import Format
from safetab_sql.settings.about import About
from safetab_sql.settings.markers import Switch
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
    format: Format
    about: About
    parameters: Mapping[str, Any]
    public_inputs: Mapping[str, Digests]
    ledger: RunLedger


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
