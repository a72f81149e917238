"""What is counted of people with several records, in plain loops: written from tabulation.md section 4.4 alone.

It imports nothing of the package. Records are rows as in `tests.oracle`, with the columns PATIENT, DAY and KIND.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from hashlib import md5

from tests import oracle
from tests.oracle import Cell, Inputs, Row, Total

SEPARATOR = "\x1f"


@dataclass(frozen=True)
class Bound:
    """order: columns of the records, and whether the largest value comes first. kinds: of the records that count."""

    most_records: int
    order: tuple[tuple[str, bool], ...] = ()
    kinds: tuple[str, ...] = ()


def _digest(text: str) -> int:
    return int.from_bytes(md5(text.encode()).digest(), "little")


def _used(row: Row, inputs: Inputs) -> str:
    """Age, the place of the sex in the list 1, 2, eight race codes of 16 bits each, ethnicity, block."""
    races = [int(row[f"QRACE{place}"] or 0) if place <= inputs.max_race_codes else 0 for place in range(1, 9)]
    block = int("".join(row[name] for name in ("TABBLKST", "TABBLKCOU", "TABTRACTCE", "TABBLK")))
    first, last = (sum(code << 16 * (3 - at) for at, code in enumerate(races[start : start + 4])) for start in (0, 4))
    sex = ["1", "2"].index(row["QSEX"]) + 1
    return SEPARATOR.join(map(str, [row["QAGE"], sex, first, last, int(row["QSPAN"]), block]))


def _sorted(records: list[Row], bound: Bound, used: Callable[[Row], str]) -> list[Row]:
    """The records of one person, the first one to be kept first."""
    found = sorted(records, key=lambda row: (_digest(f"{row['PATIENT']}{SEPARATOR}{used(row)}"), used(row)))
    for column, is_descending in reversed(bound.order):
        known = [row for row in found if row[column] is not None]
        known = (
            sorted(known, key=lambda row: row[column], reverse=is_descending)
            if not is_descending
            else (
                [
                    row
                    for value in sorted({row[column] for row in known}, reverse=True)
                    for row in known
                    if row[column] == value
                ]
            )
        )
        found = [*known, *(row for row in found if row[column] is None)]
    return found


def kept(inputs: Inputs, bound: Bound) -> dict[str, list[Row]]:
    """By person, the records that are kept, in their order."""
    blocks = {
        oracle._block_key(block)
        for kind in {kind for kind, _ in inputs.levels}
        for block in oracle.level_blocks(inputs, kind)
    }
    by_person: dict[str, list[Row]] = {}
    for row in inputs.persons:
        if oracle._block_key(row) in blocks and (not bound.kinds or row["KIND"] in bound.kinds):
            by_person.setdefault(row["PATIENT"], []).append(row)
    return {
        person: _sorted(rows, bound, partial(_used, inputs=inputs))[: bound.most_records]
        for person, rows in by_person.items()
    }


def exact_tables(inputs: Inputs, bound: Bound) -> tuple[dict[Total, int], dict[Cell, int]]:
    rows = [row for rows in kept(inputs, bound).values() for row in rows]
    return oracle.exact_tables(replace(inputs, persons=rows))
