"""Parts follow the order of the files, and hold every record once."""

from hypothesis import given
from hypothesis import strategies as st

from safetab_sql.cluster.parts import PersonFile, RecordPart, changes, person_files, planned_parts
from safetab_sql.public.sources import find_source
from tests.cluster.nations import PERSONS, write_persons


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
