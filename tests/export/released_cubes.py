"""The cubes that an export of a folder must have, from its Parquet files, each number under the labels of its cell."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from safetab_sql.settings.ladders import Ladder, attributes_of
from tests.export.released import GROUP, Row, meanings, parameters, tables

COUNTS = ("VARIANCE", "MOE95", "LOW95", "HIGH95", "NOISY_COUNT", "IS_MARGINAL")
Cell = tuple[str, ...]  # labels, or codes, of group, attributes and measure


@dataclass(frozen=True)
class Released:
    """A folder. found: its tables by their places."""

    folder: Path
    found: dict[str, list[Row]]

    def value(self, row: Row, columns: tuple[str, ...], total: str) -> tuple[str, str]:
        """The code and the label of an attribute of a row; a row of totals has none of its columns."""
        codes = [row.get(column, total) for column in columns]
        code = codes[0] if len(set(codes)) == 1 else "-".join(codes)
        known = meanings(self.folder, columns[0]) if len(columns) == 1 else {}
        return code, known.get(code) or ("all" if code == total else code)

    def rows(self, ladder: Ladder) -> Iterator[tuple[str, Row, Row]]:
        """The table that the group got, its names, and the row, of every row of totals and table."""
        beside = ladder.totals_folder or ladder.folder
        index = {tuple(row[key] for key in GROUP): row for row in self.found[f"group_index/{beside}"]}
        for own in ladder.folders:
            for row in self.found[f"{own}/{own}"]:
                group = index[tuple(row[key] for key in GROUP)]
                is_marginal = row["IS_MARGINAL"] if own == ladder.folder else group["TABLE_ROWS"] > 0
                yield group["STATISTIC"], group, {**row, "IS_MARGINAL": int(is_marginal)}


def cubes(folder: Path) -> dict[str, dict[Cell, object]]:
    """By the name of the table: every number under the labels of group and cell and the name of the measure."""
    released, made = Released(folder, tables(folder)), dict[str, dict[Cell, object]]()
    for ladder in parameters(folder).ladders:
        attributes = attributes_of(ladder, parameters(folder).attributes)
        for statistic, group, row in released.rows(ladder):
            place = "{REGION_TYPE} {REGION_ID}".format_map(row)
            region = f"{group['REGION_NAME']}, {place}" if group["REGION_NAME"] else place
            name = f"{group['ITERATION_NAME']}, " if group["ITERATION_NAME"] else ""
            label = f"{region}: {name}{row['ITERATION_CODE']}"
            values = [released.value(row, each.publish, each.total)[1] for each in attributes]
            cube = made.setdefault(f"{ladder.name} {statistic}", {})
            for measure in (ladder.counted, *COUNTS):
                if measure in row:
                    cube[label, *values, measure] = row[measure]
    return made
