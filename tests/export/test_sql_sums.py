"""The macros in the database of a release say what `moe` says, or that they do not know it."""

from collections.abc import Iterator
from math import isclose
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pytest

from safetab_sql.jobs.export import export
from safetab_sql.statistics.names import opened_releases
from safetab_sql.statistics.sums import USES, PublishedSum, Use, published_sum, wanted_rows
from tests.export.conftest import ONE

MACROS = dict(zip(USES, ("sum_of", "difference_of", "ratio_of"), strict=True))
LONGEST = 2000  # letters of a condition of `moe`


@pytest.fixture(scope="session")
def stored(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("sums") / "out"
    export(folder, out, format="duckdb", resources=ONE)
    return out / "release.duckdb"


def figures(connection: duckdb.DuckDBPyConnection, number: int, random: Random) -> Iterator[tuple[Use, list[str]]]:
    """What is asked of each figure, and its conditions: rows of one table, some beside one another and some apart."""
    hidden = "COUNT|VARIANCE|MOE95|LOW95|HIGH95|NOISE|NOISY_COUNT|IS_MARGINAL|.*_(NAME|START|END)"
    names = f"columns(lambda name: not regexp_full_match(name, '{hidden}'))"
    found = connection.sql(f"select {names} from published_rows order by all")
    rows = found.fetchall()
    while number:
        start, size = random.randrange(len(rows)), random.choice((1, 1, 2, 5, 20, 60))
        near = [row for row in rows[start : start + 2 * size] if row[0] == rows[start][0]]
        if random.random() < 0.3:  # the rows of one group
            own = [each for each in rows if each[:4] == rows[start][:4]]
            near = random.choice([own, [each for each in own if "*" in each] or own])
        chosen = [random.sample(near, min(size, len(near))), [random.choice(near)]]
        texts = [_condition(found.columns, side) for side in chosen]
        if max(map(len, texts)) < LONGEST:
            number -= 1
            use = random.choice(USES)
            yield use, texts[: 1 + (use != "sum")]


def _condition(columns: list[str], rows: list[tuple[Any, ...]]) -> str:
    """What chooses these rows."""
    listed = {f'"{name}"': codes for name, *codes in zip(columns, *rows, strict=True) if None not in codes}
    keys = [name for name, codes in listed.items() if len(set(codes)) > 1] or list(listed)[:1]
    shared = [f"{name} = '{codes[0]}'" for name, codes in listed.items() if name not in keys]
    each = ", ".join(f"'{' '.join(codes)}'" for codes in zip(*(listed[key] for key in keys), strict=True))
    return " and ".join([*shared, " || ' ' || ".join(keys) + f" in ({each})"])


def differing(folder: Path, stored: Path, number: int, seed: int = 1) -> tuple[list[object], int]:
    """The figures of which the database says another thing than `moe`, and of how many it knows the interval."""
    releases, random, found, known = opened_releases(folder), Random(seed), list[object](), 0
    with duckdb.connect(str(stored), read_only=True) as connection:
        for use, texts in figures(connection, number, random):
            row = connection.sql(f"from {MACROS[use]}({', '.join(f'$${text}$$' for text in texts)})")
            said = dict(zip(row.columns, row.fetchall()[0], strict=True))
            right = published_sum(releases, {**wanted_rows(), "sum": texts[:1], use: texts[1:] or texts})
            known += said.get("LOW") is not None
            found += [] if _agree(said, right) else [(use, texts, said, right)]
    return found, known


def _agree(said: dict[str, Any], right: PublishedSum) -> bool:
    estimate = right.estimate if right.ratio is None else right.ratio.estimate
    if (said["ESTIMATE"] is None) != (estimate is None) or not isclose(said["ESTIMATE"] or 0, estimate or 0):
        return False
    if said.get("LOW") is None:
        return "safetab-sql moe RELEASE --sum" in said["NOTE"]
    slack = {"MARGIN": 1e-6, "LOW": 1e-6, "HIGH": 1e-6, "VARIANCE": 1e-6 * (right.variance or 0), "P_VALUE": 1e-8}
    pairs = [(said[name], getattr(right, name.lower()), slack[name]) for name in slack if name in said]
    return all(one == other or (None not in (one, other) and abs(one - other) <= most) for one, other, most in pairs)


def test_sums_and_differences_in_sql_are_those_of_moe(folder: Path, nation: Path, stored: Path) -> None:
    found, known = differing(folder, stored, 3)
    assert found == []
    assert known > 0 or folder != nation  # three figures of another release may be ratios alone
