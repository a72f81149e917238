"""What the manifests of `bottom-up run` and of `synthesize run` hold: they are written, and make their JSON Schemas."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from safetab_sql.accounting.written import Exact
from safetab_sql.histograms.public.ledger import StatedHistograms
from safetab_sql.published.manifest import Digests
from safetab_sql.published.manifest_models import Published
from safetab_sql.settings.about import About
from safetab_sql.settings.tables import INLINE, table


@table
class MarginFile:
    """The file of a margin."""

    file: str
    rows: int


@table
class Secrecy:
    """The loss of records that are a secret sample."""

    sampling_rate: Exact
    epsilon_upper_bound: float
    rule: str
    caveat: str


@table
class Calibration:
    """What was done to the counts to agree with public totals."""

    guarantee: str
    rule: str
    holds_if: str


@table
class TotalLeftOut:
    """A public total that counts were not calibrated to, and the noisy sum that it is too far from."""

    name: str
    total: float
    noisy_sum: float


@table
class BottomUpRun:
    """What a histogram says of itself. parameters: its specification."""

    command: Literal["bottom-up run"]
    method: str
    about: About
    parameters: Mapping[str, Any]
    public_inputs: Mapping[Literal["spec", "references", "invariants"], Digests]
    margins: tuple[MarginFile, ...]
    ledger: StatedHistograms
    secrecy_of_the_sample: Secrecy | None = None
    calibration: Calibration | None = None
    totals_left_out: tuple[TotalLeftOut, ...] | None = None


@table
class BottomUpManifest:
    """The manifest of `bottom-up run`."""

    published: Annotated[Published, INLINE]
    run: Annotated[BottomUpRun, INLINE]


@table
class GroupFile:
    """The histogram of a group of fields. Counts below least_kept became 0; noisy_total is of the rest."""

    file: str
    fields: tuple[str, ...]
    bins: int
    least_kept: int
    kept_bins: int
    noisy_total: int


@table
class FieldFile:
    """The histogram of a field."""

    file: str
    field: str
    values: int


@table
class PairFile:
    """The table of a pair of fields. bins: of each."""

    file: str
    fields: tuple[str, ...]
    bins: tuple[int, ...]


@table
class SynthesizeRun:
    """What synthetic rows say of themselves. parameters: their specification.

    cut, groups: of rows drawn from groups of fields; what follows, of rows drawn along a tree. rows_planned: that the
    budget was divided for.
    """

    command: Literal["synthesize run"]
    method: str
    about: About
    noise: str
    sampling: str
    price: str
    parameters: Mapping[str, Any]
    public_inputs: Mapping[Literal["spec", "named_in_it"], Digests]
    ledger: StatedHistograms
    rows: int
    cut: str | None = None
    groups: tuple[GroupFile, ...] | None = None
    pairs: str | None = None
    estimates: str | None = None
    rows_planned: int | None = None
    fields: tuple[FieldFile, ...] | None = None
    tables: tuple[PairFile, ...] | None = None


@table
class SynthesisManifest:
    """The manifest of `synthesize run`."""

    published: Annotated[Published, INLINE]
    run: Annotated[SynthesizeRun, INLINE]
