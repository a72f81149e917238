"""Which iteration is a part of which: each of one, and wholes known as such."""

import pyarrow as pa

from safetab_sql.reconciliation.forest import iteration_nesting

NAMES = ("iteration_code", "parent_code", "parts", "codes")


def nesting(*pairs: tuple[str, str, int, int]) -> list[tuple[object, ...]]:
    table = pa.table({name: list(values) for name, values in zip(NAMES, zip(*pairs, strict=True), strict=True)})
    return [tuple(row.values()) for row in iteration_nesting(table).to_pylist()]


def test_a_part_of_a_part_lies_two_below_its_root() -> None:
    found = nesting(("B", "A", 1, 9), ("C", "B", 1, 4), ("C", "A", 3, 9))
    assert found == [("A", None, "A", 0, 1), ("B", "A", "A", 1, 1), ("C", "B", "A", 2, 0)]


def test_a_whole_that_two_levels_split_is_made_up_of_the_fewer_parts() -> None:
    found = nesting(("B", "A", 2, 9), ("C", "A", 2, 9), ("D", "A", 3, 9), ("E", "A", 3, 9), ("F", "A", 3, 9))
    assert [row[:2] for row in found] == [("A", None), ("B", "A"), ("C", "A")]
