"""OUT/manifest.json: what was run, with which public inputs, at what privacy loss. It says nothing about people."""

import hashlib
import json
import platform
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from fractions import Fraction
from importlib import metadata
from pathlib import Path
from typing import Any

from safetab_sql.accounting.ledger import exact_json
from safetab_sql.public.levels import PopulationGroupLevel, RegionType
from safetab_sql.public.parameters import LevelParameters, Parameters

PACKAGES = ("safetab-sql", "duckdb", "numpy", "pyarrow", "jinja2")
_EXACT = re.compile(r"[0-9]{1,300}(/[1-9][0-9]{0,299})?")  # Fraction("1e999999999") would never end


@dataclass(frozen=True, slots=True)
class Made:
    """A folder that a job made. manifest: what its manifest.json holds."""

    out: Path
    manifest: Mapping[str, Any]


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


def parameters_from_json(settings: Mapping[str, Any], source: Path) -> Parameters:
    """The parameters that `parameters_json` wrote. Raises: LookupError, TypeError or ValueError where it did not."""
    return Parameters(
        privacy_definition=settings["privacy_definition"],
        max_race_codes=settings["max_race_codes"],
        gamma=exact_from_json(settings["gamma"]),
        zero_suppression_chance=exact_from_json(settings["zero_suppression_chance"]),
        allow_negative_counts=settings["allow_negative_counts"],
        run_us=settings["run_us"],
        run_pr=settings["run_pr"],
        state_filter_us=tuple(settings["state_filter_us"]),
        region_types=tuple(RegionType(**kind) for kind in settings["region_types"]),
        levels=tuple(
            LevelParameters(
                PopulationGroupLevel(level["level"].rpartition("-")[0], int(level["level"].rpartition("-")[2])),
                exact_from_json(level["budget"]),
                tuple(level["thresholds"]),
            )
            for level in settings["levels"]
        ),
        source=source,
    )


def exact_from_json(value: Mapping[str, Any]) -> Fraction:
    """The rational, at least 0, that `exact_json` wrote. Raises: LookupError, TypeError or ValueError if it did not."""
    text = value["exact"]
    if not isinstance(text, str) or _EXACT.fullmatch(text) is None:
        raise ValueError(f"{str(text)[:60]!r} is no exact budget")
    return Fraction(text)


def digests(files: Sequence[Path]) -> list[dict[str, str]]:
    """Name and SHA-256 of each file; for public files only."""
    return [{"file": file.name, "sha256": _sha256(file)} for file in files]


def software_versions() -> dict[str, str]:
    """The versions of the software that makes a release."""
    return {"python": platform.python_version(), **{name: metadata.version(name) for name in PACKAGES}}


def write_manifest(path: Path, manifest: Mapping[str, object], day: date) -> Mapping[str, Any]:
    """Write `manifest` with the software's versions and the day on which the run began (UTC); what was written.

    It holds no other time: the duration of a run would tell how many records it read.
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
