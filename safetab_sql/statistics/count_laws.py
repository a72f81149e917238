"""The laws of published counts, by the level that a row names."""

from safetab_sql.release.facts import ReleaseFacts
from safetab_sql.statistics.intervals import CountLaw


def count_law(
    facts: ReleaseFacts, ladder: str, level: str | None, *, is_total_only: bool, is_total: bool, summed_counts: int = 1
) -> CountLaw:
    """The law of a count that adds up so many independent ones. level: its name in the index of groups.

    is_total_only: whether its group could get a total and nothing else. is_total: whether it is the total of a group
    without a table, which may have been published for its size. Raises: as `ReleaseFacts.level_called`.
    """
    found = facts.level_called(ladder, level)
    threshold = found.total_only_threshold if is_total_only else found.suppression_threshold
    return CountLaw(found.measured_law(is_total_only=is_total_only), summed_counts, threshold if is_total else None)
