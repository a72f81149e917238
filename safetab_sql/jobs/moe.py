"""`moe`: sums, differences and ratios of published counts, with their margins of error."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.statistics.absent_groups import groups_of_public_files
from safetab_sql.statistics.evaluator import LEVEL
from safetab_sql.statistics.published_sum import PublishedSum
from safetab_sql.statistics.releases import Paths, opened_releases
from safetab_sql.statistics.sums import published_sum, wanted_rows


def sum_of_release(
    out: Paths,
    *,
    plus: str | Sequence[str],
    minus: str | Sequence[str] = (),
    of: str | Sequence[str] = (),
    geography: str | Path | None = None,
    code_lists: str | Path | None = None,
    level: Fraction = LEVEL,
) -> PublishedSum:
    """The sum over the rows of `out` that each predicate matches: rows of `plus` less rows of `minus`.

    of: with these, also the ratio of the sum to the rows that they match; nothing may be subtracted then.
    out: a folder that `run` or `reconcile` made, or several: then conditions name one by RELEASE (its position, '1',
    '2', ...), RELEASE_TITLE or RELEASE_DAY. geography, code_lists: files of the run of one release; with both, every
    suppressed group that was asked for is counted. Raises: InputError where `out` is no release with margins of error,
    or the run had other public files, with every problem of the predicates, and where one of them matches no row.
    """
    releases = opened_releases(out)
    several = geography is not None and len(releases.places) > 1
    what, fix = "suppressed groups are counted of one release alone", "name one folder, or leave it out"
    refuse([Problem("--geography", what, fix)] if several else [])
    named = groups_of_public_files(releases.facts[0], geography, code_lists)
    return published_sum(releases, wanted_rows(plus, minus, of), level, named)


moe = sum_of_release  # the job of the command `moe`
