"""sql/README.md, made from the headers of the statements: `python -m tests.rules.sql_readme` writes it."""

from collections.abc import Sequence

from safetab_sql.handed_over import HANDED_OVER

from safetab_sql.confidential.counts import cell_files
from safetab_sql.kit.sqlfiles import RUN_FOLDERS, SIBLING_FOLDERS, SqlFile, folder_files
from tests.conftest import REPOSITORY

PATH = REPOSITORY / "sql" / "README.md"

_INTRODUCTION = """\
# The statements of a run

<!-- Made by `python -m tests.rules.sql_readme` from the headers of the files; a test compares. Change the headers. -->

This folder is the program: what a run reads, counts and publishes is written here, and you can follow it knowing SQL
and no Python. Python finds these files, binds their values and draws the noise; no exact count is made anywhere else.

- **Read in the order of the numbers**: `1_inputs`, `2_catalog`, `3_explode`, `4_count`, `5_publish`. One file is one
  `select`, and makes the table (or the view) of its own name; each of the lists below is in run order. `checks` run as
  soon as the inputs can be read: each returns the offending rows, and a single row ends the run. `reports` are asked
  for by other commands.
- **Start with the header** of a file: `reads` names every table it sees, `writes` its grain and columns, `params` what
  comes from outside, `source` the section or algorithm it implements, `why` what is not obvious. Tests compare each
  header with what DuckDB says of the statement.
- **Zones.** A `public` statement sees parameters, geography and code lists, never a person. A `confidential` one may
  see people. A `published` one sees noisy and public tables alone, on a database connection that never held another.
- **Values.** `$name` is bound when a statement runs: paths, states, numbers. `{{ name }}` is text that SQL cannot bind:
  a column list, or the expression of a region type. There are loops over columns, and no other logic in templates.
- **Slices.** Between `persons` and `group_cells` people are counted slice by slice of cells, so that a nation needs the
  memory of a part of it: a table marked `slices` gets the rows of each slice in turn, one marked `slice` holds those of
  the current slice alone, and `$first_geo_unit_id` and `$last_geo_unit_id` name the slice. With all cells as one slice, as
  `sql show` prints them, the counts are the same.
- **A population group is a number**: `level_sizes` and `level_regions` say how groups are numbered, and
  `published_groups` takes the numbers apart again.
- **Noise, first time: between `group_totals` and `chosen_groups`.** Python draws a noisy total of *every* population
  group, people or not, and compares it with the thresholds of its level. Groups that reach none get a fresh noisy
  total to be published, as do those that are tabulated as totals only. The others come back as `stat_levels`: which
  groups earned a sex-by-age table, and which one. Only these are counted by sex and age.
- **Noise, second time: between `4_count` and `5_publish`.** Python adds noise to every cell of those tables, people or
  not; drops small totals below states; sets negative counts to 0 where the parameters say so; and hands `noisy_totals`,
  `noisy_cells` and `count_uncertainty` to a new connection. No exact count gets there.
- **Look at one**: `safetab-sql sql show t1` prints a statement with its values written out, ready to be pasted into
  DuckDB; `safetab-sql sql show --all` prints the whole run as one script.
"""

_FOLDERS = {
    "1_inputs": "Outside formats become our columns; the only place that knows of `Null`, padding and pipes.\n"
    "`delimited_text` comes first, and only where an input is text.",
    "2_catalog": "What is tabulated, from public files alone: regions, iterations, levels, stability, age bins.",
    "3_explode": "From people to the characteristic iterations that their answers belong to.",
    "4_count": "Exact counts, handed to the mechanisms and to nobody else.",
    "5_publish": "Noisy tables become published tables.",
    "bottom_up": "The sibling method `bottom-up`: a histogram of any table, and its margins.",
    "synthesize": "The sibling method `synthesize`: histograms of groups of fields, and rows drawn from them.",
    "reconcile": "`reconcile`: a release made consistent, from published tables alone.",
    "evaluate": "`evaluate`: noisy against exact, of public or synthetic data alone.",
    "checks": "Each returns the offending rows; no rows is fine.",
    "reports": "Asked for by `example`, `ground-truth`, `moe` and `audit stability`; no part of a run.",
}


def readme() -> str:
    """The whole text."""
    return "\n".join(
        [
            _INTRODUCTION,
            *(_folder(name) for name in RUN_FOLDERS if name not in ("4_count", "5_publish")),
            _counts(),
            _handed_over(),
            _folder("5_publish"),
            *(_folder(name) for name in SIBLING_FOLDERS if folder_files(name)),
            *(_folder(name) for name in ("checks", "reports")),
        ]
    )


def _folder(name: str) -> str:
    return f"## {name}\n\n{_FOLDERS[name]}\n\n{_files(folder_files(name))}"


def _counts() -> str:
    """4_count, in two parts: before and after the groups with a sex-by-age table are known."""
    after = cell_files()
    before = [file for file in folder_files("4_count") if file not in after]
    parts = [f"## 4_count\n\n{_FOLDERS['4_count']}", _files(before).rstrip()]
    return "\n\n".join([*parts, "Once `stat_levels` is there:", _files(after)])


def _handed_over() -> str:
    rows = [(name, table.zone, table.grain.removeprefix("one row per ")) for name, table in HANDED_OVER.items()]
    text = "Made by Python from noisy counts and public numbers; columns in `safetab_sql/handed_over.py`."
    return f"## Tables handed over by Python\n\n{text}\n\n{_table(('table', 'zone', 'one row per'), rows)}"


def _files(files: Sequence[SqlFile]) -> str:
    what = "finds" if files[0].folder == "checks" else "one row per"
    return _table(("file", "zone", what), [(_link(file), file.zone, _what(file)) for file in files])


def _link(file: SqlFile) -> str:
    kind = "" if file.kind == "table" else f" ({file.kind})"
    return f"[{file.name}]({file.folder}/{file.name}.sql){kind}"


def _what(file: SqlFile) -> str:
    return file.grain.removeprefix("one row per ") if file.grain else file.title.rstrip(".")


def _table(head: tuple[str, str, str], rows: list[tuple[str, str, str]]) -> str:
    lines = [head, ("---", "---", "---"), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


if __name__ == "__main__":
    PATH.write_text(readme(), encoding="utf-8")
