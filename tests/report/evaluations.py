"""A small output folder of `evaluate`, written by hand."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.release.folder import manifest_digest

LEVEL = {"population_group_level": "USA-2"}
COVERED = dict(counts=1000, coverage=0.961, expected_coverage=0.96, coverage_lower=0.94, coverage_upper=0.98)
NOT_COVERED = {name: 0 if name == "counts" else None for name in COVERED}
NOISES = ("total only", "stage 2 (totals and cells)")
TABLES = {
    "by_level": [
        {"population_group_level": level, "runs": 3, "population_groups": groups, "share_suppressed": share, **covered}
        for level, groups, share, covered in (("USA-2", 10, 0.0, COVERED), ("TRACT-2", 90, 0.7, NOT_COVERED))
    ],
    "by_size": [
        {**LEVEL, "size_bucket": bucket, "size_start": start, "median_relative_error": error}
        for bucket, start, error in (("0", 0, None), ("10-99", 10, 0.25), ("1-9", 1, 1.5))
    ],
    "by_statistic": [{**LEVEL, "statistic": "age4", "stated_moe95": 11.0, "observed_moe95": 10, "counts": 1000}],
    "epl": [
        {
            **{**LEVEL, "noise": noise, "residuals": residuals, "epl": 0.4, "epl_lower": 0.3, "epl_upper": 0.6},
            **{"stated_loss": stated, "passes": stated > 0.2},
        }
        for noise, residuals, stated in zip(NOISES, (500, 900), (0.1, 0.3), strict=True)
    ],
    "epl_curve": [
        {
            **{**LEVEL, "noise": noise, "x": x, "epl_of_x": 0.1 * x},
            **{"stated_loss": 0.3, "honest_lower": 0.2, "honest_upper": 0.4},
        }
        for noise in NOISES
        for x in range(-2, 3)
    ],
}


def write_evaluation(folder: Path, release: Path | None = None) -> Path:
    """The folder, with its tables, and with a manifest that says that it measured this release, or no release."""
    folder.mkdir()
    digests = [] if release is None else [manifest_digest(release)]
    (folder / "manifest.json").write_text(json.dumps({"release_manifests": digests}), encoding="utf-8")
    for name, rows in TABLES.items():
        pq.write_table(pa.Table.from_pylist(rows), folder / f"{name}.parquet")
    return folder
