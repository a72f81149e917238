"""Manifests of the two other methods are as their schemas say, and every Parquet file says what it holds."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from jsonschema import Draft202012Validator

from safetab_sql.jobs.schema import schema
from tests.histograms.synthesis import made
from tests.histograms.tables import people
from tests.histograms.test_bottom_up import SPEC, released

FIELDS = '[domains]\nSEX = { values = ["1", "2"] }\nAGE = { minimum = 0, maximum = 9 }\n'
GROUPS = (
    f'title = "made up"\nepsilon = 2\ncut = 1\n{FIELDS}[[groups]]\nfields = ["SEX"]\n[[groups]]\nfields = ["AGE"]\n'
)
ROWS = {"SEX": ["1", "2"] * 50, "AGE": list(range(10)) * 10}


def histogram(folder: Path) -> Path:
    return released(folder, people(20), "sampling_rate = 0.25", spec=f'title = "made up"\n{SPEC}')


def rows_of(spec: str) -> Callable[[Path], Path]:
    return lambda folder: made(folder, spec, ROWS) and folder / "out"


MADE: dict[str, tuple[str, Callable[[Path], Path]]] = {
    "bottom-up": ("bottom-up-manifest", histogram),
    "groups": ("synthesize-manifest", rows_of(GROUPS)),
    "tree": ("synthesize-manifest", rows_of(f'title = "made up"\nrho = 1\n{FIELDS}')),
}


@pytest.mark.parametrize("method", MADE)
@pytest.mark.each_time("bottom-up", "tree")
def test_a_manifest_is_as_its_schema_says_and_files_say_whose_they_are(method, tmp_path):
    kind, make = MADE[method]
    out = make(tmp_path)
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    checks = Draft202012Validator(schema(kind))
    assert [f"{error.json_path}: {error.message}" for error in checks.iter_errors(manifest)] == []
    assert not checks.is_valid({**manifest, "more": 1})
    assert manifest["releasable"] is False  # its bits are recorded
    core = {key: value for key, value in manifest.items() if key not in ("files", "releasable", "accounted")}
    text = json.dumps(core, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    digest = hashlib.sha256(text.encode()).hexdigest()
    files = sorted(out.rglob("*.parquet"))
    said = {path.name: pq.ParquetFile(path).metadata.metadata for path in files}
    assert files
    for found in said.values():
        assert (found[b"manifest_sha256"].decode(), found[b"title"]) == (digest, b"made up")
        assert found[b"description"]
        assert found[b"privacy_loss"].decode().startswith(f"{manifest['ledger']['budget_unit']} ")
        assert len(json.loads(found[b"noise"])) == len(manifest["ledger"]["histograms"])


def test_rows_read_back_with_the_types_of_the_input(tmp_path):
    """The metadata change no column: text that was stored as a dictionary is text."""
    assert made(tmp_path, GROUPS, ROWS).rows.schema.types == [pa.string(), pa.int64()]
