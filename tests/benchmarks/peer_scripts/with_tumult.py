"""Noisy T1 by Tumult Analytics: `python with_tumult.py INPUTS OUT`. It maps a person to iterations itself."""

import os
import sys
from collections import defaultdict

from pyspark.sql import Row, SparkSession
from tmlt.analytics import AddOneRow, ColumnType, KeySet, QueryBuilder, RhoZCDPBudget, Session

inputs, out = sys.argv[1:]
os.environ["PYSPARK_PYTHON"] = sys.executable
spark = SparkSession.builder.master("local[2]").config("spark.sql.shuffle.partitions", "8").getOrCreate()
read = {name: spark.read.parquet(f"{inputs}/peer_{name}") for name in ("people", "counties", "iterations", "codes")}
members: dict[tuple[str, bool, bool], set[str]] = defaultdict(set)
for row in read["codes"].collect():
    members[row.code, row.is_alone, row.is_ethnicity].add(row.iteration_code)


def iterations_of(person: Row) -> list[dict[str, str]]:
    """The iterations of somebody with race codes and one of ethnicity."""
    codes = [code for code in person["codes"].split() if code]
    alone = set.intersection(*(members.get((code, True, False), set()) for code in codes)) if codes else set()
    some = set().union(*(members.get((code, False, False), set()) for code in codes))
    of_ethnicity = members.get((person["ethnicity"], False, True), set())
    return [{"iteration_code": each} for each in alone | some | of_ethnicity]


keys = {
    name: [row[name] for row in read[table].collect()]
    for name, table in {"county": "counties", "iteration_code": "iterations"}.items()
}
session = Session.from_dataframe(RhoZCDPBudget(0.159), "people", read["people"], protected_change=AddOneRow())
kinds = {"iteration_code": ColumnType.VARCHAR}
rows = QueryBuilder("people").flat_map(iterations_of, kinds, max_rows=9, augment=True, grouping=True)
query = rows.groupby(KeySet.from_dict(keys)).count("n")
session.evaluate(query, RhoZCDPBudget(0.159)).write.parquet(out)
