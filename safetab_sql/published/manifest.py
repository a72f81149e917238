"""OUT/manifest.json: what was run, with which public inputs, at what privacy loss. It says nothing about people."""

import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date
from importlib import metadata
from pathlib import Path

from safetab_sql.accounting.ledger import exact_json
from safetab_sql.public.parameters import Parameters

PACKAGES = ("safetab-sql", "duckdb", "numpy", "pyarrow", "jinja2")


def parameters_json(parameters: Parameters) -> dict[str, object]:
    """The parameters as JSON; every rational is exact."""
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
    """The versions of the software that makes a release."""
    return {"python": platform.python_version(), **{name: metadata.version(name) for name in PACKAGES}}


def write_manifest(path: Path, manifest: Mapping[str, object], day: date) -> None:
    """Write `manifest` with the software's versions and the day on which the run began (UTC).

    It holds no other time: the duration of a run would tell how many records it read.
    """
    text = json.dumps(
        {**manifest, "software": software_versions(), "date": day.isoformat()}, indent=2, ensure_ascii=False
    )
    path.write_text(text + "\n", encoding="utf-8")


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
