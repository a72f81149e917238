"""released_totals: the totals of a ladder, of its own table of totals or rows of its table."""

from tests.sql.published_tables import STATISTIC_CELLS
from tests.sql.reconciled_tables import T1, T2

NO_T1 = T1.strip().splitlines()[0]
WITH_TOTALS = f"{STATISTIC_CELLS}             0 |             0 |      6 |        * |      * |   *\n"
T2_TOTAL = f"{T2}        01003 |      COUNTY |           2210 |        * |      * |   * |     5 | 2.0 | 3.0 | 2 | 8\n"


def test_totals_are_a_table_or_else_rows_of_the_table(run_sql):
    given = {"t1": T1, "t2": T2, "statistic_cells": STATISTIC_CELLS}
    assert sorted(row[3] for row in run_sql("released_totals", given=given)) == [-1, 5, 7, 10, 18]
    given = {"t1": NO_T1, "t2": T2_TOTAL, "statistic_cells": WITH_TOTALS}
    assert run_sql("released_totals", given=given) == [("01003", "COUNTY", "2210", 5, 2.0, 3.0, 2, 8)]
