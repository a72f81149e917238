"""What the columns of somebody's files probably mean: guesses from their names, and from the rows of public files.

Of person files only the names and types of columns are looked at: a parameter file is public, so nothing in it may
follow from a record.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import pyarrow as pa

from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.settings.questions import MOST_CODES
from safetab_sql.settings.unit import PERSON_ID

_SEX = ("sex", "gender", "qsex", "geschlecht", "sexe", "sexo", "kjonn")
_AGE = ("age", "qage", "age_years", "age_in_years", "years", "alter", "edad", "idade")
_ID = re.compile(r"(.*[_ ])?(id|no|nr|number|key|uuid|pid|pnr)")
_GROUP = re.compile(r"group|race|ethn|ancest|origin|nation|lang|tribe|caste|relig|diagn|code|question", re.IGNORECASE)
_NUMBERED = re.compile(r"(.*?)[_ ]?([0-9]{1,2})")
_WIDEST_CODE = 18


@dataclass(frozen=True, slots=True)
class Region:
    """A region type: its name, the column or columns whose values are its ids, and how many regions there are."""

    name: str
    columns: tuple[str, ...]
    regions: int


@dataclass(frozen=True, slots=True)
class Shape:
    """What the columns probably mean.

    place: the columns of the key, each with its digits, or None for text. regions: from coarse to fine, without the
    whole. sex, age: their columns, or None where no column looks like one. answers: the columns with codes of groups.
    are_named: whether the user named these. ids: columns that may hold the id of a record. persons: columns that may
    hold the id of a person, who may have several records.
    """

    place: Mapping[str, int | None]
    regions: tuple[Region, ...]
    sex: str | None
    age: str | None
    answers: tuple[str, ...]
    are_named: bool
    ids: tuple[str, ...]
    persons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """Columns of the person files that the user named. answers: those with codes of groups."""

    answers: tuple[str, ...] = ()
    sex: str | None = None
    age: str | None = None


NOTHING_NAMED = Named()


def guessed_shape(
    persons: Sequence[str], geography: pa.Table, named: Named = NOTHING_NAMED, *, has_groups: bool = False
) -> Shape:
    """The shape of files with these columns. persons: names of columns.

    has_groups: whether there is a table of groups. Raises: InputError where a named column is none, no place can be
    told, or there are no answers in spite of a table of groups.
    """
    _check_named(persons, named)
    place = _place(persons, geography)
    sex = named.sex or next((name for name in persons if name.lower() in _SEX), None)
    age = named.age or next((name for name in persons if name.lower() in _AGE), None)
    others = [name for name in persons if name not in (sex, age, *geography.column_names)]
    of_persons = tuple(name for name in others if PERSON_ID.fullmatch(name.lower()))
    ids = tuple(name for name in others if _ID.fullmatch(name.lower()))
    return Shape(
        place={name: _digits(geography[name]) for name in place},
        regions=tuple(_regions(geography, place)),
        sex=sex,
        age=age,
        answers=named.answers
        or _answers(persons, [name for name in others if name not in (*ids, *of_persons)], are_needed=has_groups),
        are_named=bool(named.answers),
        ids=ids,
        persons=of_persons,
    )


def _check_named(persons: Sequence[str], named: Named) -> None:
    """Raises: InputError where a named column is none of the person files, or too many are named."""
    given = {"--answers": named.answers, "--sex": (named.sex,), "--age": (named.age,)}
    found = [
        Problem(option, f"{name} is no column of the person files", f"name one of them: {', '.join(persons)}")
        for option, names in given.items()
        for name in names
        if name is not None and name not in persons
    ]
    if len(named.answers) > MOST_CODES:
        found.append(Problem("--answers", f"{len(named.answers)} columns", f"name at most {MOST_CODES}"))
    refuse(found)


def _place(persons: Sequence[str], geography: pa.Table) -> tuple[str, ...]:
    """The fewest columns of both files that tell the rows of the geography apart."""
    shared = [name for name in geography.column_names if name in persons]
    if not shared:
        what = f"has no column of the person files; found {', '.join(geography.column_names)}"
        fix = f"give the column of the place one name in both files; person files have {', '.join(persons)}"
        raise InputError([Problem("--geography", what, fix)])
    for size in range(1, len(shared) + 1):
        for names in combinations(shared, size):
            if _distinct(geography, names) == geography.num_rows:
                return names
    what = f"has several rows with the same {', '.join(shared)}"
    raise InputError([Problem("--geography", what, "give each place one row, with columns that records have too")])


def _distinct(table: pa.Table, names: Sequence[str]) -> int:
    rows = table.select(list(names)).group_by(list(names)).aggregate([]).num_rows
    return int(rows)


def _digits(column: pa.ChunkedArray) -> int | None:
    """The number of digits, where every value is text of as many; else None, and values are compared as text."""
    if not pa.types.is_string(column.type) and not pa.types.is_large_string(column.type):
        return None
    values = column.to_pylist()
    widths = {len(value) if value is not None and value.isascii() and value.isdigit() else 0 for value in values}
    (width,) = widths if len(widths) == 1 else (0,)
    return width if 1 <= width <= _WIDEST_CODE else None


def _regions(geography: pa.Table, place: Sequence[str]) -> list[Region]:
    """The columns that divide the geography, from few regions to many, and the place itself; names are left out."""
    sizes = {name: _distinct(geography, [name]) for name in geography.column_names}
    found: list[Region] = []
    for name in sorted(sizes, key=lambda name: (sizes[name], name not in place)):
        is_whole, is_finest = sizes[name] == 1, sizes[name] == geography.num_rows
        is_other_name = any(
            region.regions == sizes[name] == _distinct(geography, [name, *region.columns]) for region in found
        )
        if not is_whole and not is_finest and not is_other_name:
            found.append(Region(_region_name(name, found), (name,), sizes[name]))
    name = _region_name(place[-1] if len(place) == 1 else "PLACE", found)
    return [*found, Region(name, tuple(place), geography.num_rows)]


def _region_name(column: str, before: Sequence[Region]) -> str:
    """A name for the regions of a column that no region type has yet."""
    name = re.sub(r"[^A-Z0-9_-]", "_", column.upper())[:24]
    name = name if re.match(r"[A-Z]", name) else f"R{name}"
    taken = {"COUNTRY", *(region.name for region in before)}
    return next(free for free in (name, *(f"{name}_{number}" for number in range(2, 1000))) if free not in taken)


def _answers(persons: Sequence[str], others: Sequence[str], *, are_needed: bool) -> tuple[str, ...]:
    stems: dict[str, list[str]] = {}
    for name in others:
        if found := _NUMBERED.fullmatch(name):
            stems.setdefault(found[1], []).append(name)
    several = sorted(
        (names for names in stems.values() if len(names) > 1),
        key=lambda names: (not _GROUP.search(names[0]), -len(names)),
    )
    single = [name for name in others if _GROUP.search(name)] or (list(others) if len(others) == 1 else [])
    guessed = tuple(several[0][:MOST_CODES] if several else single[:1])
    if not guessed and are_needed:
        fix = f"name them: --answers A,B; columns are {', '.join(persons)}"
        raise InputError([Problem("--answers", "no column looks like codes of groups", fix)])
    return guessed
