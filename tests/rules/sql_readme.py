"""sql/README.md, made from the headers of the statements: `python -m tests.rules.sql_readme` writes it."""

from safetab_sql.kit.sqlfiles import SqlFile, macro_files, sql_files
from tests.conftest import REPOSITORY

PATH = REPOSITORY / "sql" / "README.md"
_INTRODUCTION = """\
# The SQL of safetab_sql

<!-- Made by `python -m tests.rules.sql_readme` from the headers of the files; a test compares. Change the headers. -->

This folder is the program: what a run reads, counts and publishes is written here, and you can follow it knowing SQL
and no Python. Python finds these files, binds their values and draws the noise; no exact count is made anywhere else.

```
person_numbers         a record, with every answer as a number
 |
persons                the same person in a geo unit, with sex and age as one finest value
 |
geo_unit_finest_cells  counted once: by geo unit, tally and finest cell
 |
slice_totals           added up for each population group
 |
group_totals           how many people each group has
 |  first noise
stat_levels            which groups get a table, and which one
 |
group_cells            these groups by the cells of their table
 |  second noise
noisy_cells --> t1, t2 published
```

A *code* is an answer; an *iteration* a set of codes that is tabulated; a *tally* counts who is in such a set by how
many codes they give; a *geo unit* is a piece of geography that no region divides, a *counting unit* one of these, or
many that lie in the same broad regions; a *level* is a region type with a detail of iterations; a *population group*
one region and one iteration of it; a *finest cell* what no table divides, such as a sex and a year of age.

- **Read [run/](run) in the order of its numbers.** One file is one `select`, and makes the table (or the view) of its
  own name; the lists below are in run order. [checks/](checks) run as soon as the inputs can be read: each returns the
  offending rows. [release/](release), [tools/](tools), [cluster/](cluster) and [histograms/](histograms) belong to
  other commands.
- **Run it**: [run.sql](run.sql) is the whole run of a small example as one script, values written out, with recorded
  noise where Python draws noise: `duckdb < sql/run.sql` needs nothing of ours, and DuckDB 1.4 or later (tried in the
  shells 1.4.4, 1.5.0, 1.5.4 and 1.5.6, and in 2.0). `safetab-sql sql show t1` prints one statement ready to be pasted
  into DuckDB, and `safetab-sql sql show --all` a run with your inputs: it reads them where they lie and writes no file.
- **Start with the header** of a file: `reads` names every table it sees, `writes` its columns and what one row is,
  `params` the values that come from outside, `seconds` the time in a national run, `source` the section or algorithm it
  implements, `why` what is not obvious. Tests compare each header with what DuckDB says of the statement.
- **Zones.** A `public` statement sees parameters, geography and code lists, never a person. A `confidential` one may
  see people. A `noisy` table holds noisy counts, or what was chosen from them; Python fills it (kind `python`). A
  `published` statement sees noisy and public tables alone, on a database connection that never held another.
- **Noise, first time: [run/5_tables](run/5_tables) begins with it.** Python draws a noisy total of *every* population
  group, people or not (of empty groups whose total may be suppressed, it samples those that are not: the law is the
  same), and compares it with the thresholds of its level. Groups that reach no threshold get a fresh noisy total, as do
  those that are tabulated as totals only; in region types with `suppress`, small totals are dropped. The others come
  back as `stat_levels`: which groups earned a sex-by-age table, and which one. Only these are counted by sex and age.
- **Noise, second time: [run/6_publish](run/6_publish) begins with it.** Python adds noise to every cell of those
  tables, people or not; sets negative counts to 0 where the parameters say so; and
  hands `noisy_totals`, `noisy_cells` and what is known of their noise to a new connection. No exact count gets there.
- **Macros.** [macros/](macros) says how a value is read: a code that is stored as a number gets its leading zeros back,
  text that spells a number becomes one. Python only chooses the macro, by the type that a column is stored in: a
  statement says `code_from_number("QRACE1", 4)`. DuckDB puts a macro in place of its call, so it costs nothing.
- **Values.** `$name` is bound when a statement runs: paths, states, numbers. `{{ name }}` is text that SQL cannot bind:
  a column list, the call of a macro, or the expression of a region type. Filters write lists: columns (`of`, `named`,
  `summed`, `packed`), conditions (`known`, `equal`, `met`), tallies of several codes (`tallies_of_two`,
  `tallies_of_all`) and `union all`; an empty one takes its line and comma away. A statement of a run has at most two
  loops: `sql show` prints it without any.
  `{records}` in the header of a published file is what records are called: persons, stays.
- **Geo units and slices.** A geo unit is a finest piece of geography (such as a tract within a place). `persons`, of
  kind `stream`, is no table: its rows are handed on as they are read, in slices of about a million people, so that
  counts nearly fit into a processor's cache; two slices at a time. Tables of kind `slice` last as long as their slice;
  tables of kind `slices` collect the rows of all. With a single slice, as `sql show` prints it, the counts are the
  same. The rows of kind `range` are read range by range, because all of them may not fit into memory.
- **Parts.** Counts are sums over people, so any part of the records can be counted by itself, on another machine: the
  `slice_totals` and `group_finest_cells` of all parts, one after another, are those of a run. A check with the field
  `whole` is made of all records at once, whatever the parts.
- **Checks of kind `screened`** read the person files a second time, so a run makes them only where `people_left_out`
  says that some record cannot be counted, or where another check has found a problem. `validate` always makes them.
- **A population group is a number**: `level_sizes` and `level_regions` say how groups are numbered, and
  `published_regions` and `published_iterations` give them names again.
"""
_FOLDERS = {
    "run/1_inputs": "Outside formats become our columns; the only place that knows of `Null`, padding and pipes.\n"
    "`delimited_text` stands in scripts of `sql show` alone: a run reads text in Python.",
    "run/2_catalog/1_regions": "What is tabulated follows from public files alone. Here: geo units and regions.",
    "run/2_catalog/2_groups": "Population groups: levels, their regions and iterations, and how groups are numbered.",
    "run/2_catalog/3_tallies": "The sets of codes by which people are counted, and the iterations that add them up.",
    "run/2_catalog/4_tables": "The cells of tables: which finest cells, such as single years of age, each adds up.",
    "run/2_catalog/5_stability": "How many groups of a level one record can be in, which decides the noise it needs.",
    "run/3_kept": "People with several records: which of these are counted. Only where the parameters name the person.",
    "run/3_people": "From people to the characteristic iterations that their answers belong to.",
    "run/4_totals": "Exact totals of population groups, handed to the mechanisms and to nobody else.",
    "run/5_tables": "The first noise has chosen the groups that get a table; their exact counts by sex and age.",
    "run/6_publish": "The second noise is in; noisy tables become published tables.",
    "checks": "Each returns the offending rows.",
    "cluster": "People whom Spark counts in parts: statements of a run count and merge them, and these merge what the\n"
    "checks found.",
    "export": "`export`: a finished release in another format, from published tables alone.",
    "histograms/bottom_up": "`bottom-up`: a histogram of any table, and its margins.",
    "histograms/synthesize": "`synthesize`: histograms of groups of fields, and rows drawn from them.",
    "release": "What a release says of itself, for every command that reads one.",
    "tools/evaluate": "`evaluate`: noisy against exact, of public or synthetic data alone.",
    "tools/example": "`example`: the rows that it shows.",
    "tools/ground_truth": "`ground-truth`: exact tables, of public or synthetic data alone.",
    "tools/reconcile": "`reconcile`: a release made consistent, from published tables alone.",
    "tools/statistics": "`statistics`: the counts of which ratios, differences and quantiles are made.",
    "tools/moe": "`moe`: sums of published counts, and what suppression left out of them.",
    "tools/quality": "`report` and `evaluate`: strange patterns in published tables, and what noise explains.",
    "tools/report": "`report`: a release as one page.",
}


def readme() -> str:
    folders = dict.fromkeys(file.folder for file in sql_files().values())
    return "\n".join([_INTRODUCTION, *map(_folder, folders), _macros()])


def _macros() -> str:
    rows = [
        (f"[{name}({', '.join(macro.parameters)})](macros/{name}.sql)", macro.fields["gives"], macro.title.rstrip("."))
        for name, macro in macro_files().items()
    ]
    text = "How a value is read. No macro sees a table, and none calls another."
    return f"## macros\n\n{text}\n\n{_table(('macro', 'gives', 'what'), rows)}"


def _folder(name: str) -> str:
    files = [file for file in sql_files().values() if file.folder == name]
    head = ("file", "zone", "finds" if name == "checks" else "one row per")
    rows = [
        (_link(file), file.zone, file.grain.removeprefix("one row per ") if file.grain else file.title.rstrip("."))
        for file in files
    ]
    return f"## {name}\n\n{_FOLDERS[name]}\n\n{_table(head, rows)}"


def _link(file: SqlFile) -> str:
    kind = "" if file.kind == "table" else f" ({file.kind})"
    return f"[{file.name}]({file.folder}/{file.name}.sql){kind}"


def _table(head: tuple[str, str, str], rows: list[tuple[str, str, str]]) -> str:
    lines = [head, ("---", "---", "---"), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


if __name__ == "__main__":
    PATH.write_text(readme(), encoding="utf-8")
