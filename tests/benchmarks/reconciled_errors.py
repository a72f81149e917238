"""Real errors of totals and cells on a simulated nation, as the paper publishes them and as they can be made better.

    python -m tests.benchmarks.reconciled_errors --scale 0.01 [--keep FOLDER]

One row a region type, iteration level, kind of iteration and size of table. Columns: root mean square errors, persons,
of the published total (the paper's estimate), of ESTIMATE of `measurements`, of `reconcile` without stage 1 and with
it; the share of true totals that LOW95 and HIGH95 hold after the latter; and, of a second release of the same people
whose kinds of iterations share detailed levels 7:1:1, errors of the published total and of `reconcile` with stage 1.
The second release draws noise of its own, so a few groups get another table.
"""

import argparse
import json
import re
import shutil
import tempfile
import time
from pathlib import Path

import duckdb

from safetab_sql.evaluation.ground_truth import ground_truth
from safetab_sql.jobs.reconcile import reconcile
from safetab_sql.jobs.run import run
from safetab_sql.kit.database import Resources
from safetab_sql.kit.text_tables import aligned
from safetab_sql.public.inputs import InputPaths
from safetab_sql.simulation.geography import US_PEOPLE
from tests.benchmarks.nation import make_nation

HEAD = (
    "groups",
    "cells",
    "published",
    "paper",
    "ESTIMATE",
    "reconcile",
    "and stage 1",
    "covered",
    "7:1:1",
    "reconciled",
)
SHARES = "shares = { alone = 7, in_combination = 1, ethnicity = 1 }\n"


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=float, default=0.01, help="share of the nation, default 0.01")
    parser.add_argument("--memory-limit", default="2GB")
    parser.add_argument("--keep", type=Path, help="folder to keep the nation in, and to find it in next time")
    options = parser.parse_args()
    people = round(US_PEOPLE * options.scale)
    folder = options.keep or Path(tempfile.mkdtemp(prefix="safetab-sql-errors-"))
    nation = folder / f"plain-{people}"
    if not nation.exists():
        make_nation(nation, people, "plain")
    resources = Resources(memory_limit=options.memory_limit)
    seconds = releases(nation, folder, resources)
    print(aligned([HEAD, *rows(folder, nation)]))
    print(", ".join(f"{name}: {taken:.1f} s" for name, taken in seconds.items()))
    if options.keep is None:
        shutil.rmtree(folder)
    return 0


def releases(nation: Path, folder: Path, resources: Resources) -> dict[str, float]:
    """Make the releases, what `reconcile` makes of them, and the exact tables; seconds by folder."""
    usual = (nation / "parameters.toml").read_text(encoding="utf-8")
    stage_1 = usual.replace("gamma =", "publish_stage_1 = true\ngamma =", 1)
    texts = {"equal": stage_1, "shares": re.sub(r"(\[levels\.[A-Z-]+-2\]\n)", rf"\1{SHARES}", stage_1)}
    seconds: dict[str, float] = {}

    def timed(name: str, started: float) -> None:
        seconds[name] = time.monotonic() - started

    for name, text in texts.items():
        parameters = nation / f"{name}.toml"
        parameters.write_text(text, encoding="utf-8")
        paths = InputPaths(parameters, nation / "persons", nation / "geography.parquet", nation / "code-lists")
        started = time.monotonic()
        run(paths, folder / name, overwrite=True, resources=resources)
        timed(name, started)
        if name == "equal":
            ground_truth(paths, folder / "truth", overwrite=True, resources=resources)
            without_stage_1(folder / "equal", folder / "without")
    for name in ("without", "equal", "shares"):
        started = time.monotonic()
        reconcile(
            folder / name,
            folder / f"reconciled-{name}",
            geography=nation / "geography.parquet",
            code_lists=nation / "code-lists",
            overwrite=True,
            resources=resources,
        )
        timed(f"reconcile {name}", started)
    return seconds


def without_stage_1(release: Path, out: Path) -> None:
    """The same release as if its stage-1 totals had not been published."""
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(release, out)
    shutil.rmtree(out / "measurements")
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    del manifest["parameters"]["publish_stage_1"]
    manifest["files"] = [each for each in manifest["files"] if (out / each["file"]).is_file()]
    (out / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


def rows(folder: Path, nation: Path) -> list[tuple[str, ...]]:
    """The rows of the table. Totals of a suppressed region type that survived are what noise let through."""
    lists = [str(path) for path in sorted((nation / "code-lists").glob("*characteristic-iterations*"))]
    with duckdb.connect() as connection:
        connection.execute("create table kinds (iteration_code varchar, level varchar, kind varchar)")
        for path in lists:
            names = connection.execute(f"describe from read_csv('{path}', delim='|', all_varchar=true)").fetchall()
            alone = "upper(ALONE) = 'TRUE'" if "ALONE" in [name for name, *_ in names] else "false"
            connection.execute(
                f"insert into kinds from (from read_csv('{path}', delim='|', all_varchar=true) "
                f"select ITERATION_CODE, LEVEL, if({alone}, 'alone', 'others'))"
            )
        for name in ("equal", "shares"):
            connection.execute(f"create table cells_{name} as {_cells(folder / name)}")
        found = connection.execute(_errors(folder)).fetchall()
    return [_row(found_row) for found_row in found]


def _row(found: tuple[object, ...]) -> tuple[str, ...]:
    """A row of the table from one of `_errors`."""
    group, cells, count, *means, covered, shares, shares_both = found
    errors = ["-" if value is None else f"{value:.1f}" for value in (*means, shares, shares_both)]
    return str(group), str(cells), f"{count:,}", *errors[:4], f"{covered:.3f}", *errors[4:]


def _cells(release: Path) -> str:
    return (
        f"from '{release}/t2/*.parquet' select REGION_TYPE, REGION_ID, ITERATION_CODE, count(*) as cells "
        "where AGESTART <> '*' group by all"
    )


def _errors(folder: Path) -> str:
    """Root mean square errors by region type, level, kind and size of table."""
    keys = "using (REGION_TYPE, REGION_ID, ITERATION_CODE)"

    def errors(name: str, files: str, cells: str, count: str = "COUNT") -> str:
        return (
            f"{name} as (from '{folder}/{files}/*.parquet' as found left join exact {keys} left join {cells} {keys} "
            "left join kinds on kinds.iteration_code = found.ITERATION_CODE "
            "select found.REGION_TYPE || '-' || level || ' ' || kind as groups, coalesce(cells, 1) as cells, "
            f"count(*) as size, sqrt(avg((found.{count} - coalesce(people, 0)) ** 2)) as error, "
            "avg(if(found.LOW95 <= coalesce(people, 0) and coalesce(people, 0) <= found.HIGH95, 1, 0)) as covered "
            "group by all)"
        )

    tables = (
        ("paper", "equal/t1", "cells_equal"),
        ("estimate", "equal/measurements", "cells_equal", "ESTIMATE"),
        ("without", "reconciled-without/t1", "cells_equal"),
        ("with_stage_1", "reconciled-equal/t1", "cells_equal"),
        ("shares", "shares/t1", "cells_shares"),
        ("shares_both", "reconciled-shares/t1", "cells_shares"),
    )
    exact = (
        f"exact as (from '{folder}/truth/t1.parquet' select REGION_TYPE, REGION_ID, ITERATION_CODE, COUNT as people)"
    )
    return (
        f"with {', '.join([exact, *(errors(*table) for table in tables)])} "
        "from paper left join estimate using (groups, cells) join without using (groups, cells) "
        "join with_stage_1 using (groups, cells) "
        "left join shares using (groups, cells) left join shares_both using (groups, cells) "
        "select groups, cells, paper.size, paper.error, estimate.error, without.error, with_stage_1.error, "
        "with_stage_1.covered, "
        "shares.error, shares_both.error where paper.size >= 20 order by groups, cells"
    )


if __name__ == "__main__":
    raise SystemExit(main())
