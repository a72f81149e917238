"""How fast noise is drawn on one core, random bits of the operating system included.

    python -m tests.benchmarks.draws [--draws N] [--json FILE]

Columns: standard deviation in persons; law; million draws a second; milliseconds to build the law's table,
which is done once; random bits a draw.
"""

import argparse
import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from safetab_sql.laws.cumulative import Law
from safetab_sql.mechanisms.bits import system_bits
from safetab_sql.mechanisms.draw import draw
from tests.statistics import STANDARD_DEVIATIONS, laws

BAR = 5  # million draws a second


@dataclass(frozen=True, slots=True)
class Measurement:
    """Speed of one law."""

    standard_deviation: float
    law: str
    million_draws_a_second: float
    table_milliseconds: float
    bits_a_draw: float


def measured(law: Law, standard_deviation: float, draws: int) -> Measurement:
    """The best of three runs, after one that builds the table."""
    built = _seconds(lambda: draw(law, 1, system_bits))
    requested: list[int] = []

    def counted_bits(count: int) -> bytes:
        requested.append(count)
        return system_bits(count)

    draw(law, draws, counted_bits)
    fastest = min(_seconds(lambda: draw(law, draws, system_bits)) for _ in range(3))
    return Measurement(
        standard_deviation=standard_deviation,
        law=type(law).__name__,
        million_draws_a_second=round(draws / fastest / 1e6, 1),
        table_milliseconds=round(1000 * built, 2),
        bits_a_draw=round(8 * sum(requested) / draws, 2),
    )


def _seconds(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


def main() -> int:
    """Print the table; exit code 1 if any law is slower than the bar."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=4_000_000, help="draws of each law and run")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the measurements there, too")
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print(f"{'deviation':>9}  {'law':<18} {'M draws/s':>9} {'table ms':>9} {'bits/draw':>9}")
    measurements = []
    for law, deviation in zip(laws(), (d for d in STANDARD_DEVIATIONS for _ in range(2)), strict=True):
        m = measured(law, float(deviation), options.draws)
        measurements.append(m)
        print(
            f"{m.standard_deviation:>9} {m.law:<19} {m.million_draws_a_second:>9} "
            f"{m.table_milliseconds:>9} {m.bits_a_draw:>9}"
        )
    if options.json:
        options.json.write_text(json.dumps([asdict(m) for m in measurements], indent=2) + "\n")
    slowest = min(m.million_draws_a_second for m in measurements)
    print(f"slowest {slowest} million draws a second on one core; the bar is {BAR}")
    return 0 if slowest >= BAR else 1


if __name__ == "__main__":
    raise SystemExit(main())
