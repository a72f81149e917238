"""How long `statistics` takes: `python -m tests.benchmarks.wanted_statistics RELEASE`.

Asks for so many statistics (--number) of groups of RELEASE, which `run` made in Parquet of T1 and T2, all kinds in
turn, and prints seconds and peak memory.
"""

import argparse
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("release", type=Path)
    parser.add_argument("--number", type=int, default=100_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="safetab-sql-benchmark-") as folder:
        wanted, files = Path(folder) / "wanted.parquet", str(options.release / "t2" / "*.parquet")
        asked = duckdb.sql(_WANTED, params={"t2": files, "number": options.number}).to_arrow_table()
        parquet.write_table(asked, wanted)
        started = time.monotonic()
        made = statistics(options.release, wanted, Path(folder) / "answers.parquet")
        seconds = time.monotonic() - started
    answered = made.num_rows - made["LOW"].null_count
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{made.num_rows:,} statistics, {answered:,} with an interval: {seconds:.1f} s, peak {peak:.2f} GiB")


if __name__ == "__main__":
    main()
