"""Errors of the uses of the 2020 Detailed DHC-A with its published budgets, and with the same loss divided for them.

    python -m tests.benchmarks.allocation [--scale 0.01] [--nation plain] [--keep FOLDER]

A nation is simulated; `targets --uses` divides the loss for configs/uses-ddhca-2020.toml, with the sizes of the groups
of another simulated nation, of another seed; both parameter files are run. One row a parameter file. Columns: weighted
error as `targets` expects it, and as it was in the run, in multiples of what is wanted; the latter over groups alone
whose table serves the use (a suppressed total counts as 0); shares of published totals, and of cells and sums, whose
true count is within MOE95; and of totals within LOW95 and HIGH95. --by-use prints the errors of each use at each level.
"""

import argparse
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import duckdb

from safetab_sql.evaluation.ground_truth import ground_truth
from safetab_sql.jobs.allocation import Allocated, allocation, allocation_toml
from safetab_sql.jobs.run import run
from safetab_sql.jobs.targets import settings_of
from safetab_sql.kit.database import Resources
from safetab_sql.kit.sqlfiles import packaged_folder
from safetab_sql.kit.text_tables import aligned
from safetab_sql.public.inputs import InputPaths
from safetab_sql.simulation.answers import Diversity
from safetab_sql.simulation.geography import US_PEOPLE
from safetab_sql.simulation.simulate import simulate
from tests.benchmarks.nation import DIVERSITY, PRODUCTION_LISTS, make_nation

USES = packaged_folder("configs") / "uses-ddhca-2020.toml"
HEAD = ("budgets", "expected", "measured", "where served", "MOE95 totals", "MOE95 tables", "LOW95-HIGH95", "seconds")
GROUP = "REGION_TYPE, REGION_ID, ITERATION_CODE"
MARGIN = 1.959963984540054
Line = tuple[str, str, float, float]  # use, level, and both errors


def main() -> int:
    """Print the table."""
    options = _options()
    people = round(US_PEOPLE * options.scale)
    folder = options.keep or Path(tempfile.mkdtemp(prefix="safetab-sql-allocation-"))
    nation, other = folder / f"{options.nation}-{people}", folder / f"{options.nation}-{people}-other"
    if not nation.exists():
        make_nation(nation, people, options.nation)
        lists = PRODUCTION_LISTS if PRODUCTION_LISTS.is_dir() else nation / "code-lists"
        simulate(other, people=people, code_lists=lists, diversity=DIVERSITY.get(options.nation, Diversity()), seed=1)
    started = time.monotonic()
    found = allocation(settings_of(nation / "parameters.toml"), USES, other)
    print(f"divided in {time.monotonic() - started:.0f} s")
    (nation / "divided.toml").write_text(allocation_toml(found, f"--uses {USES.name}"), encoding="utf-8")
    rows, by_use = compared(nation, found, folder, Resources(memory_limit=options.memory_limit))
    print(aligned(rows))
    if options.by_use:
        print(aligned([("use", "level", "published", "divided"), *side_by_side(by_use)]))
    if options.keep is None:
        shutil.rmtree(folder)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=float, default=0.01, help="share of the nation, default 0.01")
    parser.add_argument("--nation", choices=["plain", "diverse"], default="plain")
    parser.add_argument("--memory-limit", default="3GB")
    parser.add_argument("--by-use", action="store_true")
    parser.add_argument("--keep", type=Path, help="folder to keep the nation in, and to find it in next time")
    return parser.parse_args()


def compared(
    nation: Path, found: Allocated, folder: Path, resources: Resources
) -> tuple[list[tuple[str, ...]], dict[str, list[Line]]]:
    """The rows of the table, and by parameter file the errors of each use at each level."""
    expected = {"published": found.error_before, "divided": found.error_after}
    rows, by_use = [HEAD], {}
    for name, file in {"published": "parameters.toml", "divided": "divided.toml"}.items():
        started = time.monotonic()
        made = released(nation, folder / name, file, resources)
        seconds = f"{time.monotonic() - started:.0f}"
        by_use[name], covered = measured(nation, made, found)
        rows.append((name, f"{expected[name]:.3f}", *weighted(by_use[name], found), *covered, seconds))
    return rows, by_use


def released(nation: Path, out: Path, file: str, resources: Resources) -> Path:
    """A release, and beside it its exact tables."""
    out.mkdir(exist_ok=True)
    paths = InputPaths(nation / file, nation / "persons", nation / "geography.parquet", nation / "code-lists")
    run(paths, out / "release", overwrite=True, resources=resources)
    ground_truth(paths, out / "truth", overwrite=True, resources=resources)
    return out


def measured(nation: Path, made: Path, found: Allocated) -> tuple[list[Line], tuple[str, ...]]:
    """The error of each use at each level, of all groups and of those that are served, and what margins cover."""
    with duckdb.connect() as connection:
        prepare(connection, nation, made)
        uses = {use.name: use for use in found.uses.uses}
        lines = []
        for line in found.lines:
            use = uses[line.use]
            least, most = use.people[0], use.people[1] if len(use.people) > 1 else 2**60
            table = use.statistic or "total"
            served = "avg(squared_error) filter (is_served)"
            errors = connection.execute(
                f"from errors_{table} select sqrt(avg(squared_error)), sqrt({served}) "
                "where level = ? and people between ? and ?",
                [line.level, least, most],
            ).fetchall()[0]
            lines.append((line.use, line.level, *(float(each or 0) / float(use.margin) * MARGIN for each in errors)))
        return lines, tuple(f"{share:.4f}" for share in coverage(connection))


def prepare(connection: duckdb.DuckDBPyConnection, nation: Path, made: Path) -> None:
    """Tables of the groups that uses mean, and of the errors in each: of totals, and of the cells of each statistic."""
    connection.execute("create table kinds (ITERATION_CODE varchar, level varchar, detailed_only boolean)")
    for path in sorted((nation / "code-lists").glob("*characteristic-iterations*")):
        connection.execute(
            f"insert into kinds from read_csv('{path}', delim='|', all_varchar=true) "
            "select ITERATION_CODE, LEVEL, upper(DETAILED_ONLY) = 'TRUE'"
        )
    for name in ("t1", "t2"):
        connection.execute(f"create view {name} as from '{made}/release/{name}/*.parquet'")
        connection.execute(f"create view exact_{name} as from '{made}/truth/{name}.parquet'")
    connection.execute(
        f"create table groups as from exact_t1 join kinds using (ITERATION_CODE) select {GROUP}, "
        "REGION_TYPE || '-' || level as level, COUNT as people "
        "where not (detailed_only and REGION_TYPE in ('USA', 'STATE'))"
    )
    connection.execute(
        f"create table errors_total as from groups left join t1 using ({GROUP}) select level, people, "
        "(coalesce(t1.COUNT, 0) - people) ** 2 as squared_error, true as is_served"
    )
    cells = "IS_MARGINAL = false"
    connection.execute(f"create table tables as from t2 select {GROUP}, count(*) as size where {cells} group by all")
    for name, size in (("age4", 8), ("age9", 18), ("age23", 46)):
        connection.execute(errors_of_cells(name, size))


def errors_of_cells(name: str, size: int) -> str:
    """The statement that makes the errors of the cells of a statistic; without them, of nothing in their place."""
    starts = {"age4": "0, 18, 45, 65", "age9": "0, 5, 18, 25, 35, 45, 55, 65, 75"}
    bins = starts.get(name, "0, 5, 10, 15, 18, 20, 21, 22, 25, 30, 35, 40, 45, 50, 55, 60, 62, 65, 67, 70, 75, 80, 85")
    return f"""
    create table errors_{name} as
    with bins as (
        from (select unnest([{bins}]) as first) select first, lead(first, 1, 116) over (order by first) - 1 as last
    ),
    sums as (
        from t2 join bins on t2.AGE_START between first and last and not IS_MARGINAL
        semi join (from tables where size >= {size}) as served using ({GROUP})
        select {GROUP}, SEX, first, sum(COUNT) as noisy group by all
    ),
    true_cells as (
        from exact_t2 join bins on cast(AGESTART as integer) = first and cast(AGEEND as integer) = last
        select {GROUP}, SEX, first, COUNT as exact where SEX <> '*' and AGESTART <> '*'
    ),
    by_group as (
        from sums left join true_cells using ({GROUP}, SEX, first)
        select {GROUP}, sum((noisy - coalesce(exact, 0)) ** 2) / {size} as squared group by all
    )
    from groups left join by_group using ({GROUP})
    select level, people, coalesce(squared, (people / {size}) ** 2) as squared_error, squared is not null as is_served
    """


def coverage(connection: duckdb.DuckDBPyConnection) -> tuple[float, ...]:
    """Shares of published totals and rows of tables whose true count is within MOE95, and of totals within the ends."""
    keys = f"{GROUP}, AGESTART, AGEEND, SEX"
    within = "avg(if(abs({0}.COUNT - coalesce(exact.COUNT, 0)) <= {0}.MOE95, 1, 0))"
    ends = "avg(if(coalesce(exact.COUNT, 0) between t1.LOW95 and t1.HIGH95, 1, 0))"
    totals = f"from t1 left join exact_t1 as exact using ({GROUP}) select {within.format('t1')}, {ends}"
    tables = f"from t2 left join exact_t2 as exact using ({keys}) select {within.format('t2')}"
    by_totals, by_ends = connection.execute(totals).fetchall()[0]
    return by_totals, connection.execute(tables).fetchall()[0][0], by_ends


def weighted(lines: Sequence[Line], found: Allocated) -> tuple[str, str]:
    """The weighted error of all groups, and of those whose table serves the use."""
    weights = [line.weight for line in found.lines]
    return tuple(  # type: ignore[return-value]
        f"{(sum(w * line[place] ** 2 for w, line in zip(weights, lines, strict=True)) / sum(weights)) ** 0.5:.3f}"
        for place in (2, 3)
    )


def side_by_side(by_use: dict[str, list[Line]]) -> list[tuple[str, ...]]:
    """Rows of the errors of each use at each level, by both budgets."""
    pairs = zip(by_use["published"], by_use["divided"], strict=True)
    return [(use, level, f"{before:.3f}", f"{after:.3f}") for (use, level, before, _), (*_, after, _) in pairs]


if __name__ == "__main__":
    raise SystemExit(main())
