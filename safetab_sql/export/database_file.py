"""One DuckDB database: the tables with comments, and macros that say sums, differences and ratios of their rows."""

from collections.abc import Iterator, Mapping
from itertools import product
from math import inf

import pyarrow as pa

from safetab_sql.export.contents import TEMPLATES, Contents, Export, exported_tables, shown_ladders
from safetab_sql.kit.sqlfiles import literal, quoted_name, sql_files
from safetab_sql.laws.noise import TwoSidedGeometric, is_tabulable, variance
from safetab_sql.public.values import rows_of
from safetab_sql.published.file_notes import templated_columns
from safetab_sql.release.folder import ReleaseFacts
from safetab_sql.settings.ladders import CODES, MEASUREMENTS, Ladder

FILE = "release.duckdb"


def write_duckdb(export: Export) -> None:
    """Every table with its comments, a view of the cells of each, code lists, what the release is, and macros."""
    database, contents, tables, parts = export.database, export.contents, list[object](), list[dict[str, object]]()
    with database.file(export.target / FILE) as stored:
        for ladder in shown_ladders(export):
            names = {}
            for table in exported_tables(contents, ladder):
                names[table.rows] = quoted_name(table.name)
                said = {column.name: column.meaning for column in table.described.columns}
                stored.store(table.name, table.rows, table.described.description, said)
                if "IS_MARGINAL" in said:
                    comment = f"The rows of {table.name} that are no sums of others: everybody once in each group."
                    stored.show(f"{table.name}_cells", table.name, "IS_MARGINAL", comment)
            tables += _with_noise(contents, ladder, names)
            parts += _parts(contents, ladder)
        said = {column.name: column.meaning for column in sql_files()["export_codes"].columns}
        stored.store(CODES, "export_codes", "What codes mean.", said)
        about = [{"key": key, "value": value} for key, value in contents.about.items()]
        for name, comment, rows in (
            ("about", "What this release is, what it cost, and of which manifest.", about),
            ("row_parts", "Which independent noisy counts of a group each of its rows adds up: for the macros.", parts),
            ("level_laws", "The noise of each independent noisy count: for the macros.", [*_laws(contents.facts)]),
        ):
            database.hand_over(name, pa.Table.from_pylist(rows))
            stored.store(name, name, comment, {})
        macros = TEMPLATES.get_template("sums.sql.jinja").render(tables=tables)
        stored.connection.execute(f"use stored; {macros}; use work")


def _with_noise(contents: Contents, ladder: Ladder, names: Mapping[str, str]) -> Iterator[dict[str, object]]:
    """The tables of a ladder, as the view of all rows reads them. names: of stored tables, by what their rows are."""
    columns = ", ".join(map(quoted_name, templated_columns(contents.parameters, ladder)["ladder_columns"]))
    for rows, table, codes, beside in (
        ("labelled_t1", ladder.totals, "", ", LEVEL, STATISTIC"),
        ("labelled_t2", ladder.name, columns, ""),
    ):
        if table:
            said = {"name": literal(table), "rows": names[rows], "codes": codes, "left_out": ladder.counted + beside}
            yield {**said, "ladder": ladder, "names": names, "best": names.get(MEASUREMENTS)}


def _parts(contents: Contents, ladder: Ladder) -> Iterator[dict[str, object]]:
    """Of each row of each table of a ladder, and of totals apart, which measured cells of the table it adds up."""
    rows, found = rows_of(contents.parameters, ladder), dict[tuple[int, tuple[str, ...]], list[int]]()
    for statistic, cell, row in sorted((*rows.measured, *rows.sums)):
        found.setdefault((statistic, rows.codes[row]), []).append(cell)
    sizes, names = (1, *rows.sizes), [ladder.total_name, *(each.name for each in ladder.statistics)]
    if ladder.totals is not None:
        found |= {(statistic, ()): list(range(size)) for statistic, size in enumerate(sizes)}
    for (statistic, codes), parts in found.items():
        said = {"LADDER": ladder.name, "STATISTIC": names[statistic], "CODES": list(codes), "PARTS": parts}
        yield {**said, "WHOLE": sizes[statistic], "IS_TOTAL": statistic == 0}


def _laws(facts: ReleaseFacts) -> Iterator[dict[str, object]]:
    """The noise of each level of each ladder; an infinite budget where macros do not know it."""
    is_geometric, is_reconciled = facts.definition == "puredp", facts.reconciled is not None
    for ladder, is_only in product(facts.parameters.ladders, (False, True)):
        for level in facts.levels_of(ladder.name):
            law = level.measured_law(is_total_only=is_only)
            budget = float(law.epsilon if isinstance(law, TwoSidedGeometric) else law.rho)
            limit = level.total_only_threshold if is_only else level.suppression_threshold
            yield {
                **{"LADDER": ladder.name, "LEVEL": level.level.name, "IS_TOTAL_ONLY": is_only},
                "BUDGET": budget if is_tabulable(law) and (is_geometric or budget < 1) else inf,
                **{"VARIANCE": float(variance(law)), "IS_GEOMETRIC": is_geometric, "IS_CUT": facts.is_clipped},
                **{"IS_SIZED": limit is not None and not is_reconciled, "IS_RECONCILED": is_reconciled},
            }
