"""Small tables and specs for the sibling methods, and what plain counting says of them."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

Rows = Sequence[Mapping[str, object]]
SPEC = """
epsilon = 1
publish_cells = true
[domains.COUNTY]
columns = ["STATE", "COUNTY"]
values = [["01", "001"], ["01", "003"], ["02", "001"]]
[domains.SEX]
values = [1, 2]
[domains.AGE]
bins = [[0, 17], [18, 64], [65, 115]]
[margins]
county_sex = ["STATE", "COUNTY", "SEX"]
state = ["STATE"]
age = ["AGE"]
all = []
"""
BINS = ("0-17", "18-64", "65-115")
COUNTIES = (("01", "001"), ("01", "003"), ("02", "001"))


def people(size: int) -> list[dict[str, object]]:
    """Records of SPEC's domains, some cells of which nobody is in."""
    return [
        {
            "STATE": COUNTIES[number % 7 % 3][0],
            "COUNTY": COUNTIES[number % 7 % 3][1],
            "SEX": 1 + number % 5 % 2,
            "AGE": number * 37 % 60,
            "WEIGHT": number % 13 - 1,
        }
        for number in range(size)
    ]


def write_rows(path: Path, rows: Rows) -> Path:
    pq.write_table(pa.Table.from_pylist(list(rows)), path)
    return path


def write_spec(folder: Path, *lines: str, spec: str = SPEC) -> Path:
    path = folder / "spec.toml"
    path.write_text("\n".join([*lines, spec]), encoding="utf-8")
    return path


def exact_counts(rows: Rows, *columns: str, weight: Callable[[Mapping[str, object]], int] = lambda _: 1) -> Counter:
    """How many records, or how much weight, each combination of values has; ages by SPEC's bins."""
    counts: Counter[tuple[object, ...]] = Counter()
    for row in rows:
        age_bin = BINS[sum(int(str(row["AGE"])) > last for last in (17, 64))]
        counts[tuple(age_bin if name == "AGE" else row[name] for name in columns)] += weight(row)
    return counts


def assert_sums_of_cells(out: Path) -> None:
    columns = ("STATE", "COUNTY", "SEX", "AGE")
    cells = published(out / "cells.parquet", *columns)
    for name, by in {"county_sex": columns[:3], "state": columns[:1], "age": columns[3:], "all": ()}.items():
        sums: Counter[tuple[object, ...]] = Counter()
        for values, count in cells.items():
            sums[tuple(values[columns.index(column)] for column in by)] += count
        assert Counter(published(out / "margins" / f"{name}.parquet", *by)) == sums, name


def published(path: Path, *columns: str) -> dict[tuple[object, ...], int]:
    """COUNT of each row of a published file, by the values of some columns."""
    rows = pq.read_table(path).to_pylist()
    return {tuple(row[name] for name in columns): row["COUNT"] for row in rows}
