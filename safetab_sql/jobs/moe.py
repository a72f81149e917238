"""`moe`: sums, differences and ratios of published counts, with their margins of error."""

from collections.abc import Sequence
from fractions import Fraction

from safetab_sql.statistics.evaluator import LEVEL
from safetab_sql.statistics.names import Paths, opened_releases
from safetab_sql.statistics.sums import PublishedSum, published_sum, wanted_rows


def sum_of_release(
    out: Paths,
    *,
    plus: str | Sequence[str],
    minus: str | Sequence[str] = (),
    of: str | Sequence[str] = (),
    level: Fraction = LEVEL,
) -> PublishedSum:
    """The sum over the rows of `out` that each predicate matches: rows of `plus` less rows of `minus`.

    of: with these, also the ratio of the sum to the rows that they match; nothing may be subtracted then.
    out: a folder that `run` or `reconcile` made, or several: then conditions name one by RELEASE (its position, '1',
    '2', ...), RELEASE_TITLE or RELEASE_DAY. Raises: InputError where `out` is no release with margins of error, with
    every problem of the predicates, and where one of them matches no row.
    """
    return published_sum(opened_releases(out), wanted_rows(plus, minus, of), level)


moe = sum_of_release  # the job of the command `moe`
