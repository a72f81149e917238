"""People counted in parts: the counts of any parts together are those of the whole, and whole persons stay together."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from safetab_sql.cluster.tasks import PersonFile, RecordPart, changes, person_files, planned_parts
from safetab_sql.public.inputs import InputPaths
from safetab_sql.public.sources import find_source
from tests.cluster.nations import PERSONS, Counter, counter, counts_of_the_whole, nation_in_files, write_persons
from tests.oracle import Row
from tests.properties.persons_oracle import Bound
from tests.properties.test_persons import COLUMNS, nation_of_stays, unit_of, write_stays

# Files of a part each, in the order of their names.
FILES = {"a": PERSONS[:240], "b": PERSONS[240:299], "c": [], "d": PERSONS[299:]}


@pytest.fixture(scope="module")
def parts_counter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Counter]:
    inputs = nation_in_files(tmp_path_factory.mktemp("parts") / "nation", **FILES)
    with counter(inputs) as made:
        yield made


@pytest.fixture(scope="module")
def whole(parts_counter: Counter, tmp_path_factory: pytest.TempPathFactory) -> tuple[pa.Table, pa.Table]:
    found = counts_of_the_whole(nation_in_files(tmp_path_factory.mktemp("whole") / "nation", all=PERSONS))
    assert min(table.num_rows for table in found) > 200
    return found


def files_in(counter_: Counter) -> tuple[PersonFile, ...]:
    return person_files(counter_.intake.sources["persons"])


@pytest.mark.slow
def test_one_row_nobody_and_files_together_give_the_counts_of_one_machine(parts_counter, whole):
    a, b, c, d = files_in(parts_counter)
    uneven = [RecordPart((a,), 0, 1), RecordPart((a,), 1, 240), RecordPart((b, c, d)), RecordPart((a,), 9, 9)]
    assert parts_counter.counts(uneven) == whole


@pytest.mark.slow
def test_a_record_that_two_parts_hold_is_noticed_here(parts_counter, whole):
    a, b, c, d = files_in(parts_counter)
    assert parts_counter.counts([RecordPart((a, b, c, d)), RecordPart((b,), 3, 4)]) != whole


@settings(max_examples=10)
@given(cuts=st.lists(st.integers(0, 240), max_size=4))
@pytest.mark.slow
def test_any_stretches_give_the_counts_of_one_machine(parts_counter, whole, cuts):
    a, b, c, d = files_in(parts_counter)
    bounds = [0, *sorted(cuts), 240]
    stretches = [RecordPart((a,), first, end) for first, end in pairwise(bounds)]
    assert parts_counter.counts([*stretches, RecordPart((d, b)), RecordPart((c,))]) == whole


def files(*records: int | None) -> list[PersonFile]:
    return [PersonFile(str(place), (1, 1), number) for place, number in enumerate(records)]


def rows(part: RecordPart) -> list[tuple[str, int]]:
    """Each record of a part: file and row."""
    stretches = [(file, part.first, file.records if part.end is None else part.end) for file in part.files]
    return [(file.path, row) for file, first, end in stretches for row in range(first, end)]


@given(records=st.lists(st.integers(0, 40), min_size=1, max_size=6), number=st.integers(1, 12))
def test_every_record_is_in_one_part_in_the_order_of_the_files(records, number):
    planned = planned_parts(files(*records), number)
    held = [row for part in planned for row in rows(part)]
    assert held == [(str(place), row) for place, end in enumerate(records) for row in range(end)]
    most = max(1, -(-sum(records) // number))
    assert max(len(rows(part)) for part in planned) <= most
    assert len(planned) <= 2 * number + len(records)


def test_a_large_file_is_cut_into_equal_stretches_and_one_that_does_not_tell_its_records_is_a_part():
    planned = planned_parts(files(10, 10, 9, 11), 2)
    assert [[file.path for file in part.files] for part in planned] == [["0", "1"], ["2", "3"]]
    assert [len(rows(part)) for part in planned_parts(files(101), 4)] == [25, 25, 25, 26]
    assert [len(part.files) for part in planned_parts(files(5, None, 5, 5), 1)] == [1, 1, 2]


def test_a_file_that_was_changed_or_removed_since_is_named(tmp_path):
    one, other = (write_persons(tmp_path / f"{name}.parquet", PERSONS[:9]) for name in "ab")
    part = RecordPart(person_files(find_source(tmp_path)))
    assert changes(part) == []
    write_persons(one, PERSONS[:8])
    other.unlink()
    assert [(problem.where, problem.what) for problem in changes(part)] == [
        (str(file), "was changed or removed since the parts were planned") for file in (one, other)
    ]


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
    with counter(inputs) as made:
        files = person_files(made.intake.sources["persons"])
        assert made.counts(planned_parts(files, 2, whole_persons=True)) == whole


@pytest.mark.slow
def test_parts_over_which_persons_are_spread_would_give_other_counts(tmp_path):
    inputs = stays_in_files(tmp_path, Bound(3), [STAYS[:200], STAYS[200:]])
    with counter(inputs) as made:
        files = person_files(made.intake.sources["persons"])
        assert made.counts([RecordPart((file,)) for file in files]) != counts_of_the_whole(inputs)
