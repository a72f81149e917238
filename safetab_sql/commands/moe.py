"""`moe`: the margin of error of a sum that was not published, or of a percentage."""

from fractions import Fraction
from pathlib import Path

from safetab_sql.commands.answers import json_text, members
from safetab_sql.commands.options import Json, Share


def moe(
    release: Path,
    *,
    sum: tuple[str, ...],
    minus: tuple[str, ...] = (),
    of: tuple[str, ...] = (),
    second: tuple[str, ...] = (),
    second_of: tuple[str, ...] = (),
    geography: str | None = None,
    code_lists: Path | None = None,
    level: Share = Fraction(95, 100),
    json: Json = False,
) -> None:
    """Add up published counts, or divide sums, with the margin of error.

    example: demo/release --sum "REGION_TYPE='STATE' and TABLE='T1' and ITERATION_CODE='6004'"

    release OUT: folder that `run` (in Parquet) or `reconcile` made
    sum PREDICATE: add the rows it matches: SQL condition on TABLE ('T1', 'T2'), REGION_ID, REGION_TYPE,
        ITERATION_CODE, STATISTIC, COUNT, and columns of attributes, such as AGESTART, AGEEND, SEX
    minus PREDICATE: subtract the rows it matches
    of PREDICATE: divide by the rows it matches: also show the percentage, with its interval at --level
    second PREDICATE: with --second-of: add the rows of a second percentage, which is subtracted from that of --sum and
        --of
    second_of PREDICATE: divide the second percentage by the rows it matches: shows the difference, its interval and its
        p-value
    geography F: the geography of the run; with --code-lists too, the suppressed groups that a sum asks for are counted
    code_lists DIR: the code lists of the run, see --geography
    level X: a level of which to show the margin too
    """
    from safetab_sql.jobs.moe import sum_of_release

    found = sum_of_release(
        release,
        plus=sum,
        minus=minus,
        of=of,
        second=(second, second_of),
        geography=geography,
        code_lists=code_lists,
        level=level,
    )
    print(json_text(members(found, without="unit")) if json else found)
