"""Sums and differences of published counts, and how far the noise may have moved them.

A sum over rows is taken apart into independent noisy counts, its atoms (see ladder_sums.py): an atom that is in several
rows counts several times, an atom that is added and subtracted cancels. The atoms that are left are independent, so
their variances add. Each ladder has atoms of its own.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from fractions import Fraction
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import dataset

from safetab_sql.jobs.absent_groups import together
from safetab_sql.jobs.ladder_sums import (
    LadderPart,
    joined_atoms,
    joined_rows,
    ladder_part,
    ladders_with_rows,
)
from safetab_sql.jobs.ladder_tables import LadderTables, Rows, columns_of_tables, tables_of_release
from safetab_sql.jobs.named_groups import NamedGroups, groups_of_public_files
from safetab_sql.jobs.published_sum import USES, PublishedSum, Selection, Use
from safetab_sql.jobs.sum_caveats import absence_caveats, bound_caveats, caveats, ladder_caveats
from safetab_sql.jobs.sum_noise import LEVEL, SumMethod, estimated_sum, level_problems, noise_of_sum
from safetab_sql.jobs.sum_ratio import SumPair, difference_of_ratios, ratio_of_sums
from safetab_sql.kit.database import reading_connection, scratch_folder
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.public.values import published_columns
from safetab_sql.published.empty_tables import INDEXED
from safetab_sql.published.predicates import Predicate, predicate, shortened
from safetab_sql.published.release import open_folder
from safetab_sql.published.release_facts import RELEASE_FIX, ReleaseFacts, release_facts, with_margins
from safetab_sql.settings.ladders import GROUP_INDEX

Int64s = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Found = TypeVar("Found")
Wanted = Mapping[Use, Sequence[str]]  # conditions by what is done with the rows that they match


def sum_of_release(
    out: str | Path,
    *,
    plus: str | Sequence[str],
    minus: str | Sequence[str] = (),
    of: str | Sequence[str] = (),
    second: tuple[str | Sequence[str], str | Sequence[str]] = ((), ()),
    geography: str | Path | None = None,
    code_lists: str | Path | None = None,
    level: Fraction = LEVEL,
) -> PublishedSum:
    """The sum over the rows of `out` that each predicate matches: those of `plus` less those of `minus`.

    of: with these, also the ratio of the sum to the rows that they match; nothing may be subtracted then. second: the
    rows of a second ratio, and those it is divided by; with these, also the first ratio less the second.
    out: a folder that `run` or `reconcile` made. geography, code_lists: those of the run; with both, every suppressed
    group that was asked for is counted. Raises: InputError where `out` is no release with margins of error, or the
    public files are not those of the run, and as `sum_of_counts` does.
    """
    release = open_folder(Path(out), or_reconciled=True)
    refuse(release.problems)
    named = groups_of_public_files(release.facts, geography, code_lists)
    return _sum(tables_of_release(release), release.facts, wanted_rows(plus, minus, of, *second), named, level)


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
    """The sum of the published counts that `plus` matches, less those that `minus` matches; its ratio to those of `of`.

    tables: ALL rows of the tables of a release with one ladder: its table `t2`, its `group_index`, and its totals `t1`
    where they are no rows of its table; Arrow tables or datasets, DuckDB relations, or anything else that gives Arrow
    data. manifest: what its manifest.json holds. plus, minus: SQL conditions on the columns TABLE ('T1' or 'T2'),
    REGION_ID, REGION_TYPE, ITERATION_CODE, STATISTIC, those of attributes, such as AGESTART, AGEEND, SEX ('*' in the
    marginals, NULL in T1), and COUNT; several, or one alone. A row that two of them match counts twice. named: all
    groups that there are; by default those that t1 names. Raises: InputError with every problem of the predicates, and
    where one of them matches no row.
    """
    facts = with_margins(release_facts(manifest))
    ladder, *others = facts.parameters.ladders
    what, fix = f"a release with {1 + len(others)} ladders", "name its folder: sum_of_release"
    refuse([Problem("manifest", what, fix)] if others else [])
    columns = list(columns_of_tables(facts.parameters, ladder).values())
    wanted = {"t2": columns[-1], GROUP_INDEX: INDEXED, **({} if ladder.totals is None else {"t1": columns[0]})}
    refuse([Problem("tables", f"no {name} among them", RELEASE_FIX) for name in wanted if name not in tables])
    found = {name: _arrow(name, tables[name], needed) for name, needed in wanted.items()}
    own = LadderTables(ladder, found.get("t1"), found["t2"], found[GROUP_INDEX])
    return _sum([own], facts, wanted_rows(plus, minus, of), named, level)


def wanted_rows(*given: str | Sequence[str]) -> Wanted:
    """What is added, subtracted, divided by; the second ratio likewise: conditions, one alone or several, by use."""
    listed = [[each] if isinstance(each, str) else each for each in given]
    return dict(zip(USES, [*listed, *[()] * len(USES)], strict=False))


def _sum(
    tables: Sequence[LadderTables],
    facts: ReleaseFacts,
    wanted: Wanted,
    named: NamedGroups | None,
    level: Fraction,
) -> PublishedSum:
    refuse([*_unfit_conditions(wanted), *level_problems(level, facts)])
    used = [(use, text) for use, listed in wanted.items() for text in listed]
    texts = list(dict.fromkeys(text for _, text in used))
    conditions, ladders = _parts(tables, facts, texts, named)
    places = [texts.index(text) for _, text in used]
    refuse([_unmatched(text) for place, text in enumerate(texts) if not ladders_with_rows(ladders, place)])
    uses = {use: np.array([each == use for each, _ in used], dtype=np.int64) for use in wanted}
    signs = uses["sum"] - uses["minus"]
    atoms = joined_atoms([one.atoms for one in ladders])
    parts = np.concatenate([one.parts for one in ladders], axis=1)[places]
    matched = [joined_rows(ladders, place) for place in places]
    net, is_mixed = signs @ parts, any(found.is_mixed for found in matched)
    most = np.max([abs(net), *(uses[use] @ parts for use in ("of", "second", "second of"))], axis=0)
    estimate = estimated_sum(signs, matched, net, atoms)
    absent = [together([one.absent[place] for one in ladders]) for place in places]
    selections = tuple(
        Selection(sign, use, text, found.row_ids.size, int(np.count_nonzero(part)), groups)
        for sign, (use, text), found, part, groups in zip(signs.tolist(), used, matched, parts, absent, strict=True)
    )
    pairs = _pair(parts, signs, uses["of"]), _pair(parts, uses["second"], uses["second of"])
    noise = noise_of_sum(signs, matched, net, atoms, facts, estimate, level)
    stated = (estimate, noise.variance, noise.moe95, noise.method)
    return PublishedSum(
        *stated,
        atoms=int(np.count_nonzero(net)),
        cancelled_atoms=int(np.count_nonzero((net == 0) & parts[signs != 0].any(axis=0))),
        selections=selections,
        caveats=(
            *caveats(most, atoms, facts, conditions, is_mixed=is_mixed),
            *_caveats_of_rows(texts, ladders, selections, noise.method, facts.parameters.unit.people),
        ),
        level=float(level),
        margin=noise.margin,
        low=noise.low,
        high=noise.high,
        p_value=noise.p_value if wanted["minus"] else None,
        ratio=ratio_of_sums(pairs[0], matched, atoms, facts, level) if wanted["of"] else None,
        difference=difference_of_ratios(pairs, matched, atoms, facts, level) if wanted["second"] else None,
        unit=facts.parameters.unit,
    )


def _pair(parts: Int64s, one: Int64s, other: Int64s) -> SumPair:
    return SumPair((one, other), (one @ parts, other @ parts))


def _caveats_of_rows(
    texts: Sequence[str],
    ladders: Sequence[LadderPart],
    selections: Sequence[Selection],
    method: SumMethod,
    people: str,
) -> Iterator[str]:
    for place, text in enumerate(texts):
        yield from ladder_caveats(text, ladders_with_rows(ladders, place), people)
    yield from bound_caveats(method)
    for one in selections:
        yield from absence_caveats(one.predicate, one.absent, people)


def _unfit_conditions(wanted: Wanted) -> Iterator[Problem]:
    if not (wanted["sum"] or wanted["minus"]):
        yield Problem("sum", "nothing is added up", "give at least one condition")
    if wanted["minus"] and wanted["of"]:
        yield Problem("ratio", "rows are subtracted from the sum that is to be divided", "give ratios of added rows")
    ends = [use for use in ("of", "second", "second of") if wanted[use]]
    if ends not in ([], ["of"], ["of", "second", "second of"]):
        what = "a difference of two ratios has four sums: sum and of, second and second of"
        yield Problem("second ratio", what, "give rows for each")


def _parts(
    tables: Sequence[LadderTables], facts: ReleaseFacts, texts: Sequence[str], named: NamedGroups | None
) -> tuple[list[Predicate], list[LadderPart]]:
    """The conditions that the texts say, and the part of each ladder. Raises: InputError with all their problems."""
    columns = published_columns(facts.parameters)
    with scratch_folder(None) as scratch, ExitStack() as stack:
        connections = [stack.enter_context(reading_connection(one.files, scratch / "spill")) for one in tables]
        conditions = _all_or_problems(predicate(connections[0].cursor(), text, columns) for text in texts)
        by_text = dict(zip(texts, conditions, strict=True))
        return conditions, [
            ladder_part(connection, one, facts, by_text, named)
            for connection, one in zip(connections, tables, strict=True)
        ]


def _unmatched(text: str) -> Problem:
    fix = "a suppressed total is no row, and no row is not zero; see which rows there are in the published tables"
    return Problem(shortened(text), "matches no published row", fix)


def _arrow(name: str, rows: object, columns: Sequence[str]) -> Rows:
    """`rows` as something with a schema that DuckDB can read: datasets as they are, all else as a table.

    Raises: InputError where it lacks columns.
    """
    table = rows if isinstance(rows, dataset.Dataset) else pa.table(rows)
    missing = [column for column in columns if column not in table.schema.names]
    refuse([Problem(name, f"missing columns {', '.join(missing)}", RELEASE_FIX)] if missing else [])
    return table


def _all_or_problems(found: Iterable[Found | Problem]) -> list[Found]:
    """All that was found. Raises: InputError with every problem among it."""
    everything = list(found)
    refuse([item for item in everything if isinstance(item, Problem)])
    return [item for item in everything if not isinstance(item, Problem)]
