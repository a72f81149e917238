"""Any partition of the records gives the counts of one machine."""

from collections.abc import Iterator
from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from safetab_sql.cluster.parts import PersonFile, RecordPart, person_files
from tests.cluster.nations import PERSONS, Counter, counter, counts_of_the_whole, nation_in_files

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
