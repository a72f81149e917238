"""`bottom-up evaluate`: the margins of a histogram beside the exact ones."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql.evaluation.evaluate_margins import evaluate_margins
from safetab_sql.histograms.bottom_up import BottomUpInputs, bottom_up
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError
from tests.cli.command import call
from tests.statistics import recorded_bits

SPEC = """
epsilon = 0.5
[domains]
SEX = { values = ["1", "2"] }
AGE = { minimum = 0, maximum = 199 }
[margins]
cells = ["SEX", "AGE"]
sex = ["SEX"]
"""


def made(folder: Path, spec: str) -> tuple[Path, Path, Path]:
    """Spec, records and release."""
    folder.mkdir(exist_ok=True)
    stream = np.random.default_rng(4)
    columns = {"SEX": pa.array(stream.choice(["1", "2"], 900)), "AGE": stream.integers(0, 200, 900)}
    pq.write_table(pa.table(columns), folder / "records.parquet")
    (folder / "spec.toml").write_text(spec, encoding="utf-8")
    inputs = BottomUpInputs(folder / "spec.toml", folder / "records.parquet")
    bottom_up(inputs, folder / "out", bits=recorded_bits("margins"), resources=Resources(threads=1))
    return folder / "spec.toml", folder / "records.parquet", folder / "out"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    return made(tmp_path_factory.mktemp("margins") / "of", SPEC)


def test_errors_are_those_of_the_published_counts(files):
    spec, data, out = files
    found = evaluate_margins(out, spec, data)
    records = pq.read_table(data).to_pylist()
    for one in found.errors:
        rows = pq.read_table(out / "margins" / f"{one.margin}.parquet").to_pylist()
        keys = [name for name in rows[0] if name not in ("COUNT", "VARIANCE", "MOE95")]
        exact = [sum(all(record[key] == row[key] for key in keys) for record in records) for row in rows]
        errors = [abs(row["COUNT"] - count) for row, count in zip(rows, exact, strict=True)]
        assert (one.rows, one.largest_error) == (len(rows), max(errors))
        assert one.mean_absolute_error == pytest.approx(np.mean(errors))
        held = [error <= row["MOE95"] for row, error in zip(rows, errors, strict=True)]
        assert one.covered == pytest.approx(np.mean(held))


def test_honest_noise_covers_and_shows_no_more_loss_than_stated(files):
    spec, data, out = files
    said = json.loads(call("bottom-up", "evaluate", out, "--spec", spec, "--data", data, "--json").stdout)
    cells, _ = said["margins"]
    assert cells["covered"] >= 0.93
    (audit,) = said["losses"]["audits"]  # two sexes are too few to audit
    assert (audit["residuals"], audit["passes"]) == (400, True)


def test_a_folder_that_was_made_with_another_spec_is_refused(files, tmp_path):
    (tmp_path / "spec.toml").write_text(SPEC.replace("0.5", "1"), encoding="utf-8")
    with pytest.raises(InputError, match="is not the spec that"):
        evaluate_margins(files[2], tmp_path / "spec.toml", files[1])


@pytest.mark.parametrize(
    "command",
    [
        ("moe", "{out}", "--sum", "true"),
        ("report", "{out}", "--out", "{made}"),
        ("reconcile", "{out}", "--out", "{made}"),
    ],
    ids=lambda command: command[0],
)
def test_commands_that_cannot_take_such_a_folder_say_what_does(files, tmp_path, command):
    result = call(*(text.format(out=files[2], made=tmp_path / "made") for text in command))
    assert (result.code, "`bottom-up evaluate` takes it" in result.stderr) == (2, True)
