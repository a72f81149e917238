"""Sums over releases that are literal tables."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.release.folder import ReleaseFolder, release_facts
from safetab_sql.statistics.evaluator import LEVEL
from safetab_sql.statistics.names import NamedReleases
from safetab_sql.statistics.sums import PublishedSum, published_sum, wanted_rows


def sum_of_tables(
    tables: Mapping[str, pa.Table],
    manifest: object,
    *,
    plus: str | Sequence[str],
    minus: str | Sequence[str] = (),
    of: str | Sequence[str] = (),
    level: Fraction = LEVEL,
    codes: Mapping[str, Sequence[Sequence[str]]] = {},
) -> PublishedSum:
    """The sum of the rows of tables, such as t1, t2 and group_index, which `manifest` describes. codes: code lists."""
    with TemporaryDirectory() as folder:
        for name, table in tables.items():
            (Path(folder) / name).mkdir()
            pq.write_table(table, Path(folder) / name / f"{name}.parquet")
        (Path(folder) / "codes").mkdir()
        for name, rows in codes.items():
            lines = [f"CODE,MEANING{',' * (len(rows[0]) - 2)}", *map(",".join, rows)]
            (Path(folder) / "codes" / f"{name}.csv").write_text("\n".join(lines))
        releases = NamedReleases((ReleaseFolder(Path(folder), release_facts(manifest), ()),), (0,))
        return published_sum(releases, wanted_rows(plus, minus, of), level)
