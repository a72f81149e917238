"""How long `statistics` takes: `python -m tests.benchmarks.wanted_statistics RELEASE [EARLIER]`.

Asks for so many statistics (--number) of groups of RELEASE, which `run` made in Parquet of T1 and T2, all kinds in
turn, and prints seconds and peak memory. With EARLIER, asks how totals differ from the totals of that release. The
table of what is wanted is made by another process, whose memory is not counted.
"""

import argparse
import multiprocessing
import resource
import tempfile
import time
from pathlib import Path

import duckdb
from pyarrow import parquet

from safetab_sql.jobs.statistics import statistics

# Total, women, people of 18 to 64, share of women, difference of the sexes, median age, shares of women in two groups.
_WANTED = """
    with named_groups as (
        select distinct REGION_TYPE, REGION_ID, ITERATION_CODE from read_parquet($t2)
    ),
    repeated as (
        select
            named_groups.*,
            row_number() over (order by copies.copy, hash(named_groups.REGION_ID, named_groups.ITERATION_CODE)) as place
        from named_groups
        cross join range($number // (select count(*) from named_groups) + 1) as copies (copy)
        qualify place <= $number
    )
    select
        ['count', 'count', 'count', 'ratio', 'difference', 'quantile', 'ratio_difference'][1 + place % 7] as KIND,
        REGION_TYPE,
        REGION_ID,
        ITERATION_CODE,
        if(place % 7 in (1, 3, 4, 6), '2', null) as SEX,
        if(place % 7 = 2, '18', null) as AGESTART,
        if(place % 7 = 2, '64', null) as AGEEND,
        if(place % 7 = 4, '1', null) as OTHER_SEX,
        if(place % 7 = 6, '1', null) as SECOND_SEX
    from repeated
    order by place
"""


_CHANGES = """
    select 'difference' as KIND, '1' as RELEASE, '2' as OTHER_RELEASE, REGION_TYPE, REGION_ID, ITERATION_CODE
    from read_parquet($t1)
    order by hash(REGION_ID, ITERATION_CODE)
    limit $number
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("release", type=Path)
    parser.add_argument("earlier", type=Path, nargs="?")
    parser.add_argument("--number", type=int, default=100_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="safetab-sql-benchmark-") as folder:
        wanted = Path(folder) / "wanted.parquet"
        given = (options.release, options.earlier is not None, options.number, wanted)
        maker = multiprocessing.get_context("spawn").Process(target=make_wanted, args=given)
        maker.start()
        maker.join()
        releases = [options.release, *([options.earlier] if options.earlier else [])]
        started, used = time.monotonic(), time.process_time()
        made = statistics(releases, wanted, Path(folder) / "answers.parquet")
        seconds, used = time.monotonic() - started, time.process_time() - used
    answered = made.num_rows - made["LOW"].null_count
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    told = f"{made.num_rows:,} statistics, {answered:,} with an interval"
    print(f"{told}: {seconds:.1f} s ({used:.1f} s of processors), peak {peak:.2f} GiB")


def make_wanted(release: Path, is_change: bool, number: int, wanted: Path) -> None:
    """Write the table of what is wanted."""
    table, statement = ("t1", _CHANGES) if is_change else ("t2", _WANTED)
    files = str(release / table / "*.parquet")
    parquet.write_table(duckdb.sql(statement, params={table: files, "number": number}).to_arrow_table(), wanted)


if __name__ == "__main__":
    main()
