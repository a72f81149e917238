"""One DuckDB database, read back by DuckDB, whose macros say what `moe` says; one workbook, read back by openpyxl."""

from collections.abc import Iterator
from math import isclose
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pytest

from safetab_sql.export import formats
from safetab_sql.jobs.export import export
from safetab_sql.statistics.names import opened_releases
from safetab_sql.statistics.sums import USES, PublishedSum, Use, published_sum, wanted_rows
from tests.export.conftest import ONE
from tests.export.released import Row, labelled, ladders, rows, tables


@pytest.fixture(scope="session")
def stored(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("duckdb") / "out"
    assert export(folder, out, format="duckdb", resources=ONE).files == ("release.duckdb",)
    return out / "release.duckdb"


def name_of(place: str, folder: Path) -> str:
    table, name = place.split("/")
    return table if table == name or len(list((folder / table).iterdir())) == 1 else f"{table}_{name}"


def test_every_count_margin_flag_and_label_is_that_of_the_release(folder: Path, stored: Path) -> None:
    with duckdb.connect(str(stored), read_only=True) as connection:
        read = {
            place: connection.table(name_of(place, folder)).to_arrow_table().to_pylist() for place in tables(folder)
        }
    assert read == labelled(folder)


def test_each_table_has_a_view_of_its_cells_and_every_column_a_comment(folder: Path, stored: Path) -> None:
    with duckdb.connect(str(stored), read_only=True) as connection:
        for ladder in ladders(folder):
            cells = [row for row in rows(folder / ladder.folder / f"{ladder.folder}.parquet") if not row["IS_MARGINAL"]]
            assert connection.table(f"{ladder.folder}_cells").shape[0] == len(cells)
        bare = "select table_name, column_name from duckdb_columns() where comment is null and not internal"
        found = {name for name, _ in connection.sql(bare).fetchall() if not name.endswith("_cells")}
    assert found == {"about", "level_laws", "row_parts", "published_rows"}


# --- the macros say what `moe` says, or that they do not know it ---


MACROS = dict(zip(USES, ("sum_of", "difference_of", "ratio_of"), strict=True))
LONGEST = 2000  # letters of a condition of `moe`


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
            use = USES[number % len(USES)]
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
    found, known = differing(folder, stored, len(USES), seed=4)
    assert found == []
    assert known > 0 or folder != nation  # of other releases it may know none


# --- the workbook ---


def workbook(file: Path, **options: bool) -> Any:
    import openpyxl  # it takes half a second, which the worker without these tests does not need

    return openpyxl.load_workbook(file, **options)


def sheets(out: Path) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    for sheet in workbook(out / "release.xlsx", read_only=True).worksheets[1:]:
        head, *rows = sheet.iter_rows(values_only=True)
        yield sheet.title, [dict(zip(head, row, strict=True)) for row in rows]


def is_same(read: Row, wanted: Row) -> bool:
    """Excel has 15 digits of a number, which all but some variances have; ages and the like are numbers there."""
    return read.keys() == wanted.keys() and all(
        isclose(read[name], value, rel_tol=1e-14)
        if isinstance(value, float)
        else read[name] == value or (isinstance(value, str) and str(read[name]) == value)
        for name, value in wanted.items()
    )


def test_a_person_reads_names_first_and_is_led_to_every_sheet(nation: Path, tmp_path: Path) -> None:
    export(nation, tmp_path / "out", format="excel", resources=ONE)
    first, *others = workbook(tmp_path / "out" / "release.xlsx").worksheets
    said = " ".join(str(cell.value) for row in first.iter_rows() for cell in row if cell.value)
    assert "in at least 95 of 100 cases; MOE95 is the margin of error" in said
    assert "Quote epsilon 44.1 at delta 1e-10, of one person." in said
    assert "add up rows of t2, keep IS_MARGINAL = FALSE. Otherwise persons are counted twice." in said
    links = [cell.hyperlink.location for row in first.iter_rows() for cell in row if cell.hyperlink]
    assert links == [f"'{sheet.title}'!A1" for sheet in others]
    t2 = next(sheet for sheet in others if sheet.title == "t2")
    names = [cell.value for cell in t2[1]]
    assert (names[:3], t2.freeze_panes) == (["REGION_NAME", "ITERATION_NAME", "SEX_NAME"], "C2")
    assert t2.auto_filter.ref.startswith("A1:")
    ages = {row[names.index("AGESTART")] for row in t2.iter_rows(min_row=2, values_only=True)}
    assert {type(age) for age in ages - {"*"}} == {int}


@pytest.mark.slow
def test_in_a_workbook_every_count_margin_flag_and_label_is_that_of_the_release(folder: Path, tmp_path: Path) -> None:
    export(folder, tmp_path / "out", format="excel", resources=ONE)
    wanted, read = labelled(folder), dict(sheets(tmp_path / "out"))
    for place, own in wanted.items():
        found = read[name_of(place, folder)]
        assert len(found) == len(own)
        assert all(map(is_same, found, own))
    assert {row["table"] for row in read["columns"]} == {name_of(place, folder) for place in wanted}


@pytest.mark.slow
def test_a_table_that_is_longer_than_a_sheet_goes_on_in_another(
    nation: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = len(labelled(nation)["group_index/t1"])
    monkeypatch.setattr(formats, "MOST_ROWS", size - 1)
    export(nation, tmp_path / "out", format="excel", resources=ONE)
    read = dict(sheets(tmp_path / "out"))
    assert read["group_index"] + read["group_index 2"] == labelled(nation)["group_index/t1"]
    assert len(read["group_index"]) == size - 1
