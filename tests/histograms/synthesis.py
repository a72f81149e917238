"""Small tables with a specification, and what `synthesize run` makes of them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.accounting.ledger_file import Bits
from safetab_sql.histograms.synthesize import SynthesisInputs, synthesize
from safetab_sql.kit.database import Resources
from tests.statistics import recorded_bits

NO_NOISE = 10**9  # epsilon: P(noise is not 0) is below 2^-(10^8), and nothing is cut but zeros
Columns = Mapping[str, Sequence[object]]


@dataclass(frozen=True, slots=True)
class Synthesized:
    """What a run wrote."""

    rows: pa.Table
    histograms: list[pa.Table]
    manifest: dict[str, Any]


def written(folder: Path, spec: str, columns: Columns | pa.Table) -> SynthesisInputs:
    folder.mkdir(exist_ok=True)
    (folder / "spec.toml").write_text(spec, encoding="utf-8")
    pq.write_table(columns if isinstance(columns, pa.Table) else pa.table(dict(columns)), folder / "table.parquet")
    return SynthesisInputs(folder / "spec.toml", folder / "table.parquet")


def synthesized(inputs: SynthesisInputs, *, bits: Bits | None = None, **options: Any) -> Synthesized:
    """What a run makes of the inputs, in folder out beside them."""
    out, bits = inputs.spec.parent / "out", bits or recorded_bits("synthetic")
    synthesize(inputs, out, overwrite=True, bits=bits, resources=Resources(threads=1), **options)
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    return Synthesized(
        pq.read_table(out / "synthetic.parquet"),
        [pq.read_table(out / one["file"]) for one in manifest.get("groups", manifest.get("fields"))],
        manifest,
    )


def made(folder: Path, spec: str, columns: Columns | pa.Table) -> Synthesized:
    """What a run makes of such a table."""
    return synthesized(written(folder, spec, columns))
