"""The section of checks of quality: strange patterns in the published tables, beside what noise explains."""

from collections.abc import Sequence

from safetab_sql.published.quality import FALSE_ALARMS, Check, quality_rows
from safetab_sql.report.sections import Section, Table

_LEGEND = (
    "Post-processing, or a fault, can leave patterns that no noise makes. Each line counts the cases of one in the "
    "published tables. Nobody's exact counts are read."
)
_JUDGED = (
    "Beside it stands the most that noise makes on average, whatever the true counts are; of ages, if the true "
    "count at age 20 is no larger than at 21. A line is marked if noise has hardly any chance to make so many: at most "
    f"{FALSE_ALARMS:.1%} of honest releases have a marked line. A marked line says that something is strange, and not "
    "what: it can be in the records, or come from what was done to the counts. An evaluation of synthetic data tells "
    "the two apart."
)
_NOT_JUDGED = (
    "Lines without an expectation are not judged: counts were made consistent, or cut off at 0, and then they share "
    "noise, or pile up at 0."
)


def quality_section(checks: Sequence[Check]) -> Section:
    """The checks as a table. There must be one at least."""
    is_open = any(check.expected is None for check in checks)
    rows = tuple(
        (what, looked, found, None if expected is None else f"{expected:,.1f}", verdict)
        for what, looked, found, expected, verdict in quality_rows(checks)
    )
    return Section(
        id="quality",
        title="Checks of quality",
        paragraphs=(_LEGEND, _JUDGED, *([_NOT_JUDGED] if is_open else [])),
        tables=(Table("Patterns", ("Looked at: found", "Cases", "Found", "Noise alone, at most", "Verdict"), rows),),
    )
