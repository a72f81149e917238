"""One DuckDB database: every table with its comments, a view of the cells of each, code lists, and what it is."""

from safetab_sql.export.contents import Export, about_table, exported_tables, shown_ladders
from safetab_sql.settings.ladders import CODES

FILE = "release.duckdb"
_CODES = {
    "column_name": "a column of the tables",
    "region_type": "of a region: its type",
    "code": "a code in that column",
    "meaning": "what the code means",
}


def write_duckdb(export: Export) -> None:
    """Every table of the release in one file."""
    database = export.database
    database.hand_over("about", about_table(export.contents))
    with database.file(export.target / FILE) as stored:
        stored.store("about", "about", "What this release is, what it cost, and of which manifest.", {})
        for ladder in shown_ladders(export):
            for table in exported_tables(export.contents, ladder):
                said = {column.name: column.meaning for column in table.described.columns}
                stored.store(table.name, table.rows, table.described.description, said)
                if "IS_MARGINAL" in said:
                    comment = f"The rows of {table.name} that are no sums of others: everybody once in each group."
                    stored.show(f"{table.name}_cells", table.name, "IS_MARGINAL", comment)
        stored.store(CODES, "export_codes", "What codes mean.", _CODES)
