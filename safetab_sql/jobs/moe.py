"""`moe`: sums, differences and ratios of published counts, with their margins of error."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
from pyarrow import dataset

from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.release.facts import RELEASE_FIX, release_facts
from safetab_sql.release.folder import INDEXED
from safetab_sql.release.ladder_tables import LadderTables, Rows, columns_of_tables
from safetab_sql.settings.ladders import GROUP_INDEX
from safetab_sql.statistics.absent_groups import NamedGroups, groups_of_public_files
from safetab_sql.statistics.evaluator import LEVEL
from safetab_sql.statistics.matched_rows import Source, sources_of
from safetab_sql.statistics.published_sum import PublishedSum
from safetab_sql.statistics.releases import Paths, opened_releases
from safetab_sql.statistics.sums import published_sum, wanted_rows


def sum_of_release(
    out: Paths,
    *,
    plus: str | Sequence[str],
    minus: str | Sequence[str] = (),
    of: str | Sequence[str] = (),
    second: tuple[str | Sequence[str], str | Sequence[str]] = ((), ()),
    geography: str | Path | None = None,
    code_lists: str | Path | None = None,
    level: Fraction = LEVEL,
) -> PublishedSum:
    """The sum over the rows of `out` that each predicate matches: rows of `plus` less rows of `minus`.

    of: with these, also the ratio of the sum to the rows that they match; nothing may be subtracted then. second: the
    rows of a second ratio, and those it is divided by; with these, also the first ratio less the second.
    out: a folder that `run` or `reconcile` made, or several: then conditions name one by RELEASE (its position, '1',
    '2', ...), RELEASE_TITLE or RELEASE_DAY. geography, code_lists: files of the run of one release; with both, every
    suppressed group that was asked for is counted. Raises: InputError where `out` is no release with margins of error,
    or the run had other public files, and as `sum_of_counts` does.
    """
    releases = opened_releases(out)
    several = geography is not None and len(releases.places) > 1
    what, fix = "suppressed groups are counted of one release alone", "name one folder, or leave it out"
    refuse([Problem("--geography", what, fix)] if several else [])
    named = groups_of_public_files(releases.facts[0], geography, code_lists)
    return published_sum(sources_of(releases, named), wanted_rows(plus, minus, of, *second), level)


moe = sum_of_release  # the job of the command `moe`


def sum_of_counts(
    tables: Mapping[str, object],
    manifest: object,
    *,
    plus: str | Sequence[str],
    minus: str | Sequence[str] = (),
    of: str | Sequence[str] = (),
    named: NamedGroups | None = None,
    level: Fraction = LEVEL,
) -> PublishedSum:
    """The sum of the published counts that `plus` matches, less those that `minus` matches; its ratio to `of`.

    tables: ALL rows of the tables of a release with one ladder: its table `t2`, its `group_index`, and its totals `t1`
    where they are no rows of its table; Arrow tables or datasets, DuckDB relations, or anything else that gives Arrow
    data. manifest: what its manifest.json holds. plus, minus: SQL conditions on the columns TABLE ('T1' or 'T2'),
    REGION_ID, REGION_TYPE, ITERATION_CODE, STATISTIC, attribute columns such as AGESTART, AGEEND, SEX ('*' in the
    marginals, NULL in T1), and COUNT; several, or one alone. A row that two of them match counts twice. named: all
    groups that there are; by default those that t1 names. Raises: InputError with every problem of the predicates, and
    where one of them matches no row.
    """
    facts = release_facts(manifest)
    ladder, *others = facts.parameters.ladders
    what, fix = f"a release with {1 + len(others)} ladders", "name its folder: sum_of_release"
    refuse([Problem("manifest", what, fix)] if others else [])
    columns = list(columns_of_tables(facts.parameters, ladder).values())
    wanted = {"t2": columns[-1], GROUP_INDEX: INDEXED, **({} if ladder.totals is None else {"t1": columns[0]})}
    refuse([Problem("tables", f"no {name} among them", RELEASE_FIX) for name in wanted if name not in tables])
    found = {name: _arrow(name, tables[name], needed) for name, needed in wanted.items()}
    own = LadderTables(ladder, found.get("t1"), found["t2"], found[GROUP_INDEX])
    return published_sum([Source([own], facts, named)], wanted_rows(plus, minus, of), level)


def _arrow(name: str, rows: object, columns: Sequence[str]) -> Rows:
    """`rows` as DuckDB can read them: datasets, or a table. Raises: InputError where they lack columns."""
    table = rows if isinstance(rows, dataset.Dataset) else pa.table(rows)
    missing = [column for column in columns if column not in table.schema.names]
    refuse([Problem(name, f"missing columns {', '.join(missing)}", RELEASE_FIX)] if missing else [])
    return table
