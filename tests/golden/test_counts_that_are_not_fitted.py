"""What runs publish that measure no coarser table: row by row what they published before any run could."""

from hashlib import sha256
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from safetab_sql.jobs.run import run
from safetab_sql.kit.database import Resources
from safetab_sql.public.inputs import InputPaths
from tests.conftest import REPOSITORY
from tests.statistics import recorded_bits

EXAMPLE = REPOSITORY / "sql" / "example"
# Of the rows of T1 and T2, made by the version before; counts below 0 published, and cut at 0.
BEFORE = {
    "true": ("5bd77d1cd9fc7ae0", "996b295138af6f14"),
    "false": ("d01d87321fa92f1c", "9a5fd349d0d5d0bf"),
}


@pytest.mark.parametrize("allow_negative", BEFORE)
def test_rows_are_the_same_to_the_last_digit(tmp_path: Path, allow_negative: str) -> None:
    text = (EXAMPLE / "parameters.toml").read_text(encoding="utf-8")
    text = text.replace("allow_negative_counts = true", f"allow_negative_counts = {allow_negative}")
    (tmp_path / "parameters.toml").write_text(text, encoding="utf-8")
    files = (EXAMPLE / name for name in ("persons.parquet", "geography.parquet", "code-lists"))
    inputs = InputPaths(tmp_path / "parameters.toml", *files)
    out = run(inputs, tmp_path / "out", bits=recorded_bits("gold"), resources=Resources(threads=1)).out
    tables = (pq.read_table(out / table) for table in ("t1", "t2"))
    found = tuple(sha256(str(table.to_pylist()).encode()).hexdigest()[:16] for table in tables)
    assert found == BEFORE[allow_negative]
