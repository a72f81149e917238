"""What one record is, and which records count.

[unit]
where = { KIND = ["inpatient"] }     # other records are outside the universe; the confidential log counts them
id = "STAY_NO"                       # a column in which no value may stand twice
leave_out = ["age", "sex"]           # records without a usable age or sex are left out, and no error
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from safetab_sql.public.settings import (
    Settings,
    complain,
    complain_unknown,
    complain_value,
    table_at,
    text_at,
    texts_at,
)

UNIT_KEY = "unit"
UNUSABLE = ("age", "sex", "place", "codes")  # what of a record may be unusable: see the checks of sql/checks
_KEYS = ("where", "id", "leave_out")


@dataclass(frozen=True, slots=True)
class Unit:
    """What one record is, and which records count.

    where: columns of a record, each with its values in the universe; records with other values are not counted. id: a
    column in which no value may stand twice. leave_out: what of a record may be unusable without an error, of
    `UNUSABLE`; such records are not counted.
    """

    where: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    id: str | None = None
    leave_out: tuple[str, ...] = ()


def unit_at(settings: Settings) -> Unit:
    """The unit in the file. A wrong setting adds a complaint, and gets some valid value."""
    table = table_at(settings, (UNIT_KEY,), settings.document.get(UNIT_KEY, {}))
    complain_unknown(settings, (UNIT_KEY,), table, _KEYS)
    columns = table_at(settings, (UNIT_KEY, "where"), table.get("where", {}))
    if "where" in table and not columns:
        fix = 'say which records count, such as where = { KIND = ["inpatient"] }, or leave it out'
        complain(settings, (UNIT_KEY,), "where names no column", fix)
    return Unit(
        where={name: texts_at(settings, (UNIT_KEY, "where", name), given) for name, given in columns.items()},
        id=text_at(settings, (UNIT_KEY, "id"), table["id"]) if "id" in table else None,
        leave_out=_leave_out(settings, table),
    )


def _leave_out(settings: Settings, table: Mapping[str, object]) -> tuple[str, ...]:
    if "leave_out" not in table:
        return ()
    place = (UNIT_KEY, "leave_out")
    named = texts_at(settings, place, table["leave_out"])
    if not set(named) <= set(UNUSABLE):
        fix = f"name some of {', '.join(UNUSABLE)}: records in which that is missing or wrong are left out"
        complain_value(settings, place, table["leave_out"], fix)
    return tuple(name for name in UNUSABLE if name in named)
