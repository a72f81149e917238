"""OUT/manifest.json: what was run, with which public inputs, at what privacy loss. Nothing about people."""

import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from importlib import metadata
from pathlib import Path
from typing import Any

from safetab_sql.accounting.ledger import exact_json
from safetab_sql.public.parameters import Parameters

PACKAGES = ("safetab-sql", "duckdb", "numpy", "pyarrow", "jinja2")


@dataclass(frozen=True, slots=True)
class Made:
    """A folder that a job made. manifest: what its manifest.json holds."""

    out: Path
    manifest: Mapping[str, Any]


def parameters_json(parameters: Parameters) -> dict[str, object]:
    """The parameters, every rational exact."""
    return {
        "privacy_definition": parameters.privacy_definition,
        "max_race_codes": parameters.max_race_codes,
        "gamma": exact_json(parameters.gamma),
        "zero_suppression_chance": exact_json(parameters.zero_suppression_chance),
        "allow_negative_counts": parameters.allow_negative_counts,
        "run_us": parameters.run_us,
        "run_pr": parameters.run_pr,
        "state_filter_us": list(parameters.state_filter_us),
        "region_types": [asdict(kind) for kind in parameters.region_types],
        "levels": [
            {
                "level": level.level.name,
                "budget": exact_json(level.budget),
                "thresholds": list(level.thresholds),
            }
            for level in parameters.levels
        ],
    }


def digests(files: Sequence[Path]) -> list[dict[str, str]]:
    """Name and SHA-256 of each file; for public files only."""
    return [{"file": file.name, "sha256": _sha256(file)} for file in files]


def software_versions() -> dict[str, str]:
    """The versions that made a release."""
    return {"python": platform.python_version(), **{name: metadata.version(name) for name in PACKAGES}}


def write_manifest(path: Path, manifest: Mapping[str, object], day: date) -> Mapping[str, Any]:
    """Write `manifest` with the software's versions and the day on which the run began (UTC); what was written.

    Nothing more of any clock: how long a run took tells how many records it read.
    """
    text = json.dumps(
        {**manifest, "software": software_versions(), "date": day.isoformat()}, indent=2, ensure_ascii=False
    )
    path.write_text(text + "\n", encoding="utf-8")
    written: dict[str, Any] = json.loads(text)
    return written


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
