"""Where a person may have several records, the parts hold whole persons, and give the counts of one machine."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql.cluster.parts import RecordPart, person_files, planned_parts
from safetab_sql.public.inputs import InputPaths
from tests.cluster.nations import counter, counts_of_the_whole
from tests.oracle import Row
from tests.properties.persons_oracle import Bound
from tests.properties.test_persons import COLUMNS, nation_of_stays, unit_of, write_stays

BOUNDS = [Bound(3), Bound(5, order=(("DAY", True),))]
STAYS = [stay for stay in nation_of_stays().persons if stay["TABBLKST"] != "72"]  # all that the parts ask for


def stays_in_files(folder: Path, bound: Bound, files: Sequence[Sequence[Row]]) -> InputPaths:
    """The nation of stays with its records in these Parquet files."""
    inputs = write_stays(nation_of_stays(), folder, unit_of(bound))
    (folder / "persons").mkdir()
    types = {name: pa.int64() if name == "QAGE" else pa.string() for name in COLUMNS}
    for number, rows in enumerate(files):
        table = pa.table({name: pa.array([row[name] for row in rows], types[name]) for name in COLUMNS})
        pq.write_table(table, folder / "persons" / f"{number}.parquet", row_group_size=7)
    return replace(inputs, persons=folder / "persons")


@pytest.mark.parametrize("bound", [pytest.param(BOUNDS[0], marks=pytest.mark.slow), BOUNDS[1]], ids=str)
def test_records_in_any_order_and_files_and_parts_give_the_same_counts(bound, tmp_path):
    shuffled = Random(1).sample(STAYS, len(STAYS))
    whole = counts_of_the_whole(stays_in_files(tmp_path / "one", bound, [STAYS]))
    inputs = stays_in_files(tmp_path / "three", bound, [shuffled[:50], shuffled[50:300], shuffled[300:]])
    assert counts_of_the_whole(inputs) == whole
    with counter(inputs) as made:
        files = person_files(made.intake.sources["persons"])
        assert made.counts(planned_parts(files, 2, whole_persons=True)) == whole


@pytest.mark.slow
def test_parts_over_which_persons_are_spread_would_give_other_counts(tmp_path):
    inputs = stays_in_files(tmp_path, Bound(3), [STAYS[:200], STAYS[200:]])
    with counter(inputs) as made:
        files = person_files(made.intake.sources["persons"])
        assert made.counts([RecordPart((file,)) for file in files]) != counts_of_the_whole(inputs)
