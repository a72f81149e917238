"""What one machine does for people who were counted in parts: merge, draw both noises, publish. The groups are made up.

    python -m tests.benchmarks.merged_groups [--groups 73000000] [--parts 400] [--threads 2] [--memory-limit 2GB]

The geography has as many tracts as the groups need, and the parts come one after another, as `choose` and `publish` of
`parts` read them. Prints the seconds of each step, wall and processor, and the peak of memory.
"""

import argparse
import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa

from safetab_sql import Resources
from safetab_sql.algorithm import Tabulation, choose_tables, decide, declare, fill_tables, release_of_run
from safetab_sql.cluster.merging import merge_rows
from safetab_sql.confidential.inputs import public_inputs
from safetab_sql.kit.progress import SILENT
from safetab_sql.public.catalog import build_catalog
from safetab_sql.public.inputs import InputPaths
from safetab_sql.simulation.simulate import simulate

CELLS_A_GROUP = 24  # of a group with a table
PEOPLE_A_GROUP = 80  # on average: at 1.4 billion people, each in four groups or five


@contextmanager
def timed(step: str) -> Iterator[None]:
    """Print how long a step took."""
    wall, processor = time.perf_counter(), time.process_time()
    yield
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    seconds = f"{time.perf_counter() - wall:8.1f} s wall {time.process_time() - processor:8.1f} s processor"
    print(f"{step:30} {seconds} {memory:6.2f} GiB peak", flush=True)


def geography(file: Path, states: list[str], tracts: int) -> None:
    """A block for each of so many tracts, spread over the states."""
    rows = np.arange(tracts)
    state = np.array(states)[rows * len(states) // tracts]
    text = {
        "TABBLKST": pa.array(state),
        "TABBLKCOU": pa.array([f"{row % 50:03}" for row in rows]),
        "TABTRACTCE": pa.array([f"{row:06}" for row in rows]),
        "TABBLK": pa.array(["1000"] * tracts),
        "PLACEFP": pa.array(["99999"] * tracts),
        "AIANNHCE": pa.array(["9999"] * tracts),
    }
    duckdb.from_arrow(pa.table(text)).write_parquet(str(file))


def totals(run: Tabulation, groups: int, parts: int) -> Iterator[pa.Table]:
    """Totals of so many groups of all levels, in parts that each hold a stretch of every level."""
    generator = np.random.default_rng(1)
    every = sum(plan.catalog.end_population_group_id - plan.catalog.first_population_group_id for plan in run.plans)
    share = min(1.0, groups / every)
    for part in range(parts):
        ids = []
        for level in [plan.catalog for plan in run.plans]:
            first = level.first_population_group_id
            size = level.end_population_group_id - first
            here = np.arange(first + size * part // parts, first + size * (part + 1) // parts)
            ids.append(here[generator.random(here.size) < share])
        joined = np.concatenate(ids)
        counts = generator.geometric(1 / PEOPLE_A_GROUP, joined.size)
        yield pa.table({"population_group_id": joined, "exact_count": counts.astype(np.int32)})


def cells(chosen: pa.Table, positions: int, parts: int) -> Iterator[pa.Table]:
    """Cells of the groups that got a table, in parts."""
    generator, ids = np.random.default_rng(2), np.unique(chosen["population_group_id"].to_numpy())
    for some in np.array_split(ids, parts):
        repeated = np.repeat(some, CELLS_A_GROUP)
        position = np.tile(np.linspace(0, positions - 1, CELLS_A_GROUP).astype(np.uint16), some.size)
        counts = generator.geometric(1 / 10, repeated.size)
        yield pa.table({"population_group_id": repeated, "finest_position": position, "exact_count": counts})


@dataclass(frozen=True)
class MadeUp:
    """Merges counts that nobody has counted."""

    run: Tabulation
    groups: int
    parts: int

    def totals(self) -> None:
        """Merge the totals."""
        with timed("merging totals"):
            merge_rows(self.run.data.database, "slice_totals", totals(self.run, self.groups, self.parts))
        print(f"{self.run.data.database.rows('slice_totals'):,} groups")

    def tables(self, stat_levels: pa.Table) -> None:
        """Merge the cells."""
        with timed("merging cells"):
            database = self.run.data.database
            merge_rows(database, "group_finest_cells", cells(stat_levels, database.rows("finest_values"), self.parts))


def measure(groups: int, parts: int, resources: Resources) -> None:
    """Print the seconds of each step."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        nation = folder / "nation"
        simulate(nation, people=2_000)
        small = InputPaths(
            nation / "parameters.toml", nation / "persons", nation / "geography.parquet", nation / "code-lists"
        )
        inputs = replace(small, geography=folder / "geography.parquet")
        with public_inputs(small, resources) as few:
            states = sorted(few.parameters.geography.parts[0].where["TABBLKST"])
            plans = build_catalog(few.database, few.parameters).levels
            a_tract = sum(level.iterations for level in plans if level.level.region_type == "TRACT")
        geography(folder / "geography.parquet", states, -(-groups // a_tract))
        with (
            timed("all"),
            release_of_run(inputs, folder / "out", None, resources, overwrite=False) as release,
            public_inputs(inputs, resources) as data,
        ):
            with timed("catalog"):
                run = decide(release, data, "parquet", SILENT)
            declare(run, "")
            counter = MadeUp(run, groups, parts)
            first = choose_tables(run, counter)
            fill_tables(run, counter, first)
        size = sum(file.stat().st_size for file in (folder / "out").rglob("*") if file.is_file())
        tables = sum(chosen.population_group_ids.size for chosen in first.chosen)
        print(f"{tables:,} tables, {size / 1e9:.1f} GB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--groups", type=int, default=73_000_000)
    parser.add_argument("--parts", type=int, default=400)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--memory-limit", default="2GB")
    options = parser.parse_args()
    measure(options.groups, options.parts, Resources(threads=options.threads, memory_limit=options.memory_limit))
