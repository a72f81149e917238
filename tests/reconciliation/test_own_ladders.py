"""`reconcile` on tables of one's own: two ladders without tables of totals, whose hospitals divide the country."""

import json
from collections import defaultdict
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from safetab_sql.jobs.reconcile import Reconciliation, reconcile
from safetab_sql.jobs.run import run
from tests.golden.test_ladders import EXAMPLES, TINY, made
from tests.statistics import recorded_bits

pytestmark = [
    pytest.mark.slow,  # test_least_squares.py has the fast tests
    pytest.mark.skipif(not EXAMPLES.is_dir(), reason="the shared folder with the examples is absent"),
]


@pytest.fixture(scope="module")
def reconciled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Reconciliation]:
    folder = tmp_path_factory.mktemp("hospitals")
    inputs = made("hospitals", folder)
    parameters = Path(inputs.parameters)
    text = parameters.read_text().replace('"puredp"', '"zcdp"\npublish_stage_1 = true')
    parameters.write_text(f'title = "Stays in hospitals"\n{text}')
    run(inputs, folder / "release", resources=TINY, bits=recorded_bits("own ladders"))
    done = reconcile(folder / "release", folder / "out", geography=inputs.geography, resources=TINY)
    return folder, done


def test_the_metadata_have_the_title_of_the_release(reconciled: tuple[Path, Reconciliation]) -> None:
    folders = [reconciled[0] / name / "csv-metadata.json" for name in ("release", "out")]
    released, made = (json.loads(file.read_text(encoding="utf-8")) for file in folders)
    assert made["dc:title"] == released["dc:title"]


@pytest.mark.parametrize("ladder", ["outcomes", "sex"])
def test_the_cells_of_every_table_add_up_to_its_total(reconciled: tuple[Path, Reconciliation], ladder: str) -> None:
    folder, _ = reconciled
    sums: dict[tuple[str, ...], float] = defaultdict(float)
    columns = {"outcomes": ("OUTCOME", "AGE_FROM", "SEX"), "sex": ("SEX",)}[ladder]
    for row in pq.read_table(folder / "out" / ladder).to_pylist():
        group = (row["REGION_TYPE"], row["REGION_ID"], row["ITERATION_CODE"], row["STATISTIC"])
        stars = sum(row[name] == "*" for name in columns)
        finest = {"outcome": 2, "age by outcome": 1}.get(row["STATISTIC"], 0)
        if row["STATISTIC"] != "total":
            sums[group] += row["COUNT"] * ((stars == finest) - (stars == len(columns)))
    assert sums
    assert max(map(abs, sums.values())) < 1e-8


def test_stage_1_makes_totals_more_precise_and_every_row_keeps_its_release(reconciled):
    folder, done = reconciled
    assert (done.uses_stage_1, done.divisions) == (True, {"HOSPITAL": "ALL"})
    for ladder in ("outcomes", "sex"):
        before, after = (pq.read_table(folder / name / ladder) for name in ("release", "out"))
        assert after["NOISY_COUNT"].to_pylist() == before["COUNT"].to_pylist()
    kinds = {(kind["published_table"], kind["region_type"]): kind for kind in done.types}
    outcomes = kinds["OUTCOMES", "ALL"]
    assert outcomes["reconciled_variance"] < outcomes["noisy_variance"]
