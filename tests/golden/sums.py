"""Records with amounts, and the files of a run that adds them up: for the tests of sums."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.public.inputs import InputPaths

Row = dict[str, Any]
GROUPS, OUTCOMES, SEXES = ("a", "b", "c"), ("home", "died"), ("F", "M")
KEYS = ("REGION_TYPE", "REGION_ID", "ITERATION_CODE", "OUTCOME", "SEX")
LEAST, MOST = 1, 30
PARAMETERS = """
privacy_definition = "{definition}"
gamma = 0.25
[unit]
one = "stay"
many = "stays"
{unit}
[place]
key = {{ WARD = "text" }}
[region_types]
ALL.id = "'all'"
WARD.id = "WARD"
[questions.group]
column = "GROUP"
values = ["a", "b", "c"]
[attributes]
OUTCOME.values = ["home", "died"]
SEX.values = ["F", "M"]
[ladders.STAYS]
subtotals = "coarser"
statistics = [{{ name = "outcome", cells = {{ OUTCOME = "each" }} }}, {{ name = "both", cells = {{ OUTCOME = "each", SEX = "each" }} }}]
levels = [{{ each = ["ALL-1", "WARD-1"], budget = {budget}, thresholds = [12, 24] }}]
[ladders.DAYS]
beside = "STAYS"
sum = {{ clamp = [{least}, {most}] }}
subtotals = "coarser"
statistics = [{{ name = "outcome", cells = {{ OUTCOME = "each" }} }}, {{ name = "both", cells = {{ OUTCOME = "each", SEX = "each" }} }}]
levels = [{{ each = ["ALL-1", "WARD-1"], budget = {budget} }}]
"""  # noqa: E501


def stays(number: int, wards: int, seed: int = 1) -> list[Row]:
    """Stays of patients with one to nine of them, whose days are skewed: some are none, some far beyond the clamp."""
    random = Random(seed)
    return [
        {
            "WARD": f"w{min(int(random.expovariate(4 / wards)), wards - 1)}",
            "GROUP": random.choice(GROUPS),
            "OUTCOME": random.choice(OUTCOMES),
            "SEX": random.choice(SEXES),
            "DAYS": int(random.lognormvariate(1.5, 1.5)),
            "PATIENT": f"p{random.randrange(1 + number // 3)}",
        }
        for _ in range(number)
    ]


def written(records: Sequence[Row], wards: int, folder: Path, unit: str = "", **values: object) -> InputPaths:
    """The files of a run: parameters with `unit` in their table of it, records in two files, and a place a ward."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "records").mkdir()
    said = {"definition": "zcdp", "budget": "0.5", "least": LEAST, "most": MOST, **values}
    (folder / "parameters.toml").write_text(PARAMETERS.format(unit=unit, **said), encoding="utf-8")
    for number, part in enumerate((records[::2], records[1::2])):
        pq.write_table(pa.Table.from_pylist(list(part)), folder / "records" / f"{number}.parquet")
    pq.write_table(pa.table({"WARD": [f"w{number}" for number in range(wards)]}), folder / "geography.parquet")
    return InputPaths(folder / "parameters.toml", folder / "records", folder / "geography.parquet")


def clamped(amount: int) -> int:
    return min(max(amount, LEAST), MOST)


def added_up(records: Sequence[Row]) -> dict[tuple[str, ...], tuple[int, int]]:
    """How many stays, and how many clamped days, each row has that some table may publish: in plain loops."""
    found: dict[tuple[str, ...], tuple[int, int]] = {}
    for row in records:
        for region in (("ALL", "all"), ("WARD", row["WARD"])):
            for values in (("*", "*"), (row["OUTCOME"], "*"), (row["OUTCOME"], row["SEX"])):
                key = (*region, row["GROUP"], *values)
                stays, days = found.get(key, (0, 0))
                found[key] = (stays + 1, days + clamped(row["DAYS"]))
    return found


def rows_of(table: Path, column: str) -> dict[tuple[str, ...], Mapping[str, Any]]:
    """The rows of a table by their keys, with what `column` holds as `value`."""
    rows = pq.read_table(table).to_pylist()
    found = {tuple(row[key] for key in KEYS): {**row, "value": row[column]} for row in rows}
    assert len(found) == len(rows), "a row stands twice"
    return found
