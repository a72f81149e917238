"""What counting in parts costs beside one process: `python -m tests.benchmarks.cluster --people 3000000`.

Needs pyspark (PYTHONPATH=.venv-extras, see `make test-spark`) and Java. Prints processor seconds of what counts and
merges, all on one thread: one process; the same parts in this process; and in the workers of a Spark on this machine,
with those that it takes to merge on the driver. What Java takes by itself is told apart; starting it is in nobody's.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path

import pyarrow as pa

from safetab_sql import InputPaths, Resources
from safetab_sql.accounting.plan import LevelPlan, level_plans
from safetab_sql.cluster.merging import merge_rows
from safetab_sql.cluster.spark import Spark, counting_parts
from safetab_sql.cluster.tasks import Answer, unpacked
from safetab_sql.confidential.counts import cells_of_tables, count_finest_cells, count_totals
from safetab_sql.confidential.inputs import checked_inputs, inputs_in_parts
from safetab_sql.public.catalog import Catalog, build_catalog
from safetab_sql.public.inputs import Intake
from safetab_sql.simulation.simulate import simulate
from tests.benchmarks.nation import machine
from tests.cli.nations import paths
from tests.counted import every_table
from tests.spark.clusters import descendants

ONE = Resources(threads=1)


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory() as scratch:
        nation = options.nation or Path(scratch) / "nation"
        if not nation.exists():
            simulate(nation, people=options.people)
        print(machine())
        inputs = paths(nation)
        for _ in range(options.times):
            one = seconds_of_one(inputs, options.share)
            print(f"one process             {one:6.2f} s of a processor")
            for parts in options.parts:
                counted, java = seconds_on_spark(inputs, options.share, parts)
                print(f"spark, {parts:>3} parts        {counted:6.2f} s, {counted / one:.2f} times; Java {java:.2f} s")


def seconds_of_one(inputs: InputPaths, share: float) -> float:
    """Counting totals and tables as a run of one machine does; the checks of the records are in it."""
    start = time.process_time()
    with checked_inputs(inputs, ONE) as intake:
        catalog = build_catalog(intake.database, intake.parameters)
        plans = level_plans(catalog, intake.parameters)
        count_totals(intake)
        intake.database.hand_over("stat_levels", chosen(intake, catalog, plans, share))
        count_finest_cells(intake.database)
        cells_of_tables(intake.database, plans)
    return time.process_time() - start


def seconds_on_spark(inputs: InputPaths, share: float, parts: int) -> tuple[float, float]:
    """The same in the workers of Spark; and the seconds of its Java, from the first task to the last."""
    start = time.process_time()
    with inputs_in_parts(inputs, ONE) as intake:
        catalog = build_catalog(intake.database, intake.parameters)
        plans = level_plans(catalog, intake.parameters)
        with counting_parts(inputs, intake, Spark("local[2]", parts)) as counting:
            before = java_seconds()
            first = counting.totals()
            merge_rows(intake.database, "slice_totals", (unpacked(answer.totals) for answer in first))
            stat_levels = chosen(intake, catalog, plans, share)
            intake.database.hand_over("stat_levels", stat_levels)
            second = counting.cells(stat_levels)
            merge_rows(intake.database, "group_finest_cells", (unpacked(answer.cells) for answer in second))
            cells_of_tables(intake.database, plans)
            after = java_seconds()
    return time.process_time() - start + seconds_of(first) + seconds_of(second), after - before


def seconds_of(answers: list[Answer]) -> float:
    return sum(answer.seconds for answer in answers)


def chosen(intake: Intake, catalog: Catalog, plans: tuple[LevelPlan, ...], share: float) -> pa.Table:
    """Tables for the largest groups, such a share of all: as many as a nation's run would choose."""
    tables = every_table(intake, catalog, plans)
    return tables.slice(0, int(share * tables.num_rows))


def java_seconds() -> float:
    """Processor seconds of the Java processes below this one."""
    return sum(_seconds(each) for each in descendants(os.getpid()) if _is_java(each))


def _is_java(process: int) -> bool:
    return Path(f"/proc/{process}/comm").read_text().strip() == "java"


def _seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=3_000_000)
    parser.add_argument("--nation", type=Path, help="a simulated nation that is there, or is made there")
    parser.add_argument("--parts", type=int, nargs="*", default=[2, 4, 7])
    parser.add_argument("--share", type=float, default=0.1, help="of the possible tables, those that are counted")
    parser.add_argument("--times", type=int, default=2, help="how often, for a machine is never quiet")
    return parser.parse_args()


if __name__ == "__main__":
    main()
