"""Bias and coverage of reconciled totals where suppression chose what was published.

    python -m tests.benchmarks.reconciled_coverage [--draws N]

Rows: case, region type, whether totals that survived suppression bind (as they did) or not. Columns, of the published
totals that a family binds: how many; mean error, persons, and share within MOE95, as released and as reconciled; then
the same of all other published totals of the region type. +-: one standard error.
"""

import argparse
from dataclasses import replace

import numpy as np

from safetab_sql.kit.text_tables import aligned
from tests.published.suppressed_releases import CASES, Case, errors_of

HEAD = ("case", "totals of", "survivors bind", "bound", "released error", "covered", "reconciled error", "covered",
        "others", "error", "covered")  # fmt: skip
NAMES = ("tracts", "counties", "state")


def rows_of(case: Case, draws: int) -> list[tuple[str, ...]]:
    """One row a region type, with the rule and without."""
    rows = []
    for has_rule in (False, True):
        for region_type in range(2 if case.counties == 1 else 3):
            found = errors_of(replace(case, has_rule=has_rule), draws, region_type)
            pairs = (
                (found.released, found.released_inside),
                (found.reconciled, found.reconciled_inside),
                (found.others, found.others_inside),
            )
            texts = [(_mean(errors), _share(inside)) for errors, inside in pairs]
            rows.append(
                (case.name, NAMES[region_type], "no" if has_rule else "yes", f"{found.released.size:,}",
                 *texts[0], *texts[1], f"{found.others.size:,}", *texts[2])
            )  # fmt: skip
    return rows


def _mean(errors: np.ndarray) -> str:
    return f"{errors.mean():+.2f} +- {errors.std() / errors.size**0.5:.2f}" if errors.size else "-"


def _share(inside: np.ndarray) -> str:
    if not inside.size:
        return "-"
    share = inside.mean()
    return f"{100 * share:.1f} +- {100 * (share * (1 - share) / inside.size) ** 0.5:.1f} %"


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=20_000, help="releases of each case")
    options = parser.parse_args()
    print(aligned([HEAD, *(row for case in CASES for row in rows_of(case, options.draws))]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
