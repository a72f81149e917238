"""The attributes of a parameter file: columns of a record, their values, and how these are grouped.

[attributes.EDUCATION]                       # a listed attribute
column = "EDU"                               # by default its name
values = ["0", "1", "2", "X"]
groups.two = { low = ["0"], other = ["1", "2", "X"] }   # published code = values; `each` is built in
publish = "EDUCATION"                        # column of the published table; by default its name
total = "*"                                  # the published code for all of them
other = "X"                                  # the value that counts every other value; else another value is an error
null = "X"                                   # the value that counts missing ones; by default that of others
[attributes.AGE]                             # an attribute of whole numbers
minimum = 0
maximum = 120
groups.three = [0, 18, 67]                   # first numbers of ranges
publish = ["AGE_FROM", "AGE_TO"]             # the ends of a range in two columns, or in one, as in 0-17
unknown = [999]                              # numbers that stand for a missing one
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from safetab_sql.public.attributes import (
    AGE,
    EACH,
    LARGEST_DOMAIN,
    SEX,
    SEX_GROUPING,
    Attribute,
    standard_attributes,
)
from safetab_sql.public.settings import (
    Place,
    Settings,
    complain,
    complain_missing,
    complain_unknown,
    complain_value,
    shown,
    table_at,
    text_at,
    texts_at,
)

ATTRIBUTES_KEY = "attributes"
SEX_KEYS, AGE_KEYS = ("column", "groups"), ("column", "unknown")  # of a file without ladders
_NUMBERS = ("minimum", "maximum")
_OTHERS = ("other", "null")
ATTRIBUTE_KEYS = ("column", "values", *_NUMBERS, "groups", "publish", "total", "unknown", *_OTHERS)
ATTRIBUTE_NAME = re.compile(r"[A-Z][A-Z0-9_]{0,31}")
_COLUMN = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,62}")
CODE = re.compile(r"[^\x00-\x1f\x7f|\"]{1,60}")
_OUR_COLUMNS = (
    *("REGION_ID", "REGION_TYPE", "ITERATION_CODE", "STATISTIC", "IS_MARGINAL", "COUNT", "VARIANCE", "MOE95"),
    *("LOW95", "HIGH95", "NOISY_COUNT", "TABLE"),
)
_ABOUT_COLUMN = "use letters, digits and _, a letter first, and no column that every table has: "


def attributes_at(settings: Settings) -> tuple[Attribute, ...]:
    """The attributes of a file that declares ladders, in its order. A wrong one adds a complaint, and is left out."""
    tables = table_at(settings, (ATTRIBUTES_KEY,), settings.document.get(ATTRIBUTES_KEY, {}))
    complain_missing(settings, (), (ATTRIBUTES_KEY,), settings.document)
    read = [_attribute(settings, name, each) for name, each in tables.items()]
    found = [each for each in read if each is not None]
    columns = [column for each in found for column in each.publish]
    for column in sorted({column for column in columns if [*map(str.upper, columns)].count(column.upper()) > 1}):
        what = f"{column} is published by two attributes, or twice by one"
        complain(settings, (ATTRIBUTES_KEY,), what, "publish each column once; capitals make no difference")
    numbers = {column: each.name for each in found for column in each.number_columns}
    for column in [column for column in columns if column.upper() in numbers]:
        what = f"{column} is published, and is the column of the numbers of {numbers[column.upper()]}"
        complain(settings, (ATTRIBUTES_KEY,), what, "publish another name: every table has that column beside yours")
    return tuple(found)


def _attribute(settings: Settings, name: str, value: object) -> Attribute | None:
    place, before = (ATTRIBUTES_KEY, name), len(settings.problems)
    table = table_at(settings, place, value)
    if not ATTRIBUTE_NAME.fullmatch(name):
        fix = "use capitals, digits and _, a capital first, at most 32 characters"
        complain(settings, place, f"'{name}' is no name for an attribute", fix)
    complain_unknown(settings, place, table, ATTRIBUTE_KEYS)
    column = text_at(settings, (*place, "column"), table.get("column", name))
    publish = _publish(settings, place, table.get("publish", name))
    total = _code(settings, (*place, "total"), table.get("total", "*"))
    is_listed = "values" in table
    if is_listed == any(key in table for key in _NUMBERS):
        what = "values and minimum, maximum stand together" if is_listed else "neither values nor minimum, maximum"
        complain(settings, place, what, "list the values, or give the smallest and the largest number")
        return None
    if is_listed:
        found = _listed(settings, place, table, Attribute(name, column, publish, total=total))
    else:
        found = _ranged(settings, place, table, Attribute(name, column, publish, total=total))
    return found if len(settings.problems) == before else None


def _listed(settings: Settings, place: Place, table: Mapping[str, object], made: Attribute) -> Attribute:
    for key in ("unknown",):
        if key in table:
            complain(settings, place, f"{key} stands beside values", "leave it out: a value that is not listed is none")
    values = texts_at(settings, (*place, "values"), table["values"])
    others = {key: _code(settings, (*place, key), table[key]) for key in _OTHERS if key in table}
    values = tuple(dict.fromkeys((*values, *others.values())))
    for text in values:
        _code(settings, (*place, "values"), text)
    if len(made.publish) > 1:
        complain_value(settings, (*place, "publish"), table["publish"], "name one column: only a range has two ends")
    if made.total in values:
        complain(settings, place, f"total is '{made.total}', which is a value", "choose another code for all values")
    groups = table_at(settings, (*place, "groups"), table.get("groups", {}))
    read = {name: _codes(settings, (*place, "groups", name), each, values, made) for name, each in groups.items()}
    return Attribute(
        made.name,
        made.column,
        made.publish,
        values,
        groups=read,
        total=made.total,
        other=others.get("other"),
        null=others.get("null"),
    )


def _codes(
    settings: Settings, place: Place, value: object, values: Sequence[str], made: Attribute
) -> dict[str, tuple[str, ...]]:
    """The values of each published code of one grouping."""
    _complain_each(settings, place)
    table = table_at(settings, place, value)
    groups = {code: texts_at(settings, (*place, code), listed) for code, listed in table.items()}
    for code in groups:
        _code(settings, (*place, code), code)
        if code == made.total:
            complain(settings, place, f"the code '{code}' is the one for all values", "choose another code")
    listed = [each for group in groups.values() for each in group]
    for each in dict.fromkeys(listed):
        if listed.count(each) > 1:
            complain(settings, place, f"{shown(each)} is in two groups", "leave it in one of them")
        if each not in values:
            complain(settings, place, f"{shown(each)} is none of the values", "take it out, or add it to values")
    if missing := [each for each in values if each not in listed]:
        what = f"no group holds {', '.join(map(shown, missing[:5]))}{', ...' if len(missing) > 5 else ''}"
        complain(settings, place, what, "put every value into a group")
    return groups


def _ranged(settings: Settings, place: Place, table: Mapping[str, object], made: Attribute) -> Attribute:
    before = len(settings.problems)
    complain_missing(settings, place, _NUMBERS, table)
    minimum, maximum = (_whole(settings, (*place, key), table.get(key, 0)) for key in _NUMBERS)
    if len(settings.problems) > before:
        return made
    if minimum > maximum:
        complain(settings, place, f"maximum {maximum} is below minimum {minimum}", "exchange the two")
        return made
    if maximum - minimum >= LARGEST_DOMAIN:
        what = f"{maximum - minimum + 1:,} values, from minimum to maximum"
        complain(settings, place, what, f"an attribute has at most {LARGEST_DOMAIN:,}: narrow it")
        return made
    groups = table_at(settings, (*place, "groups"), table.get("groups", {}))
    read = {name: _firsts(settings, (*place, "groups", name), each, minimum, maximum) for name, each in groups.items()}
    unknown = unknown_numbers(settings, (*place, "unknown"), table.get("unknown", []))
    others = {
        key: _number_of_others(settings, (*place, key), table[key], minimum, maximum) for key in _OTHERS if key in table
    }
    ranged = Attribute(made.name, made.column, made.publish, (), minimum, maximum, groups=read, total=made.total)
    return replace(ranged, unknown=unknown, other=others.get("other"), null=others.get("null"))


def _number_of_others(settings: Settings, place: Place, value: object, minimum: int, maximum: int) -> int:
    """A permitted number, which counts others."""
    if isinstance(value, int) and not isinstance(value, bool) and minimum <= value <= maximum:
        return value
    complain_value(settings, place, value, f"write a number from {minimum} to {maximum}: it counts these records too")
    return minimum


def _firsts(settings: Settings, place: Place, value: object, minimum: int, maximum: int) -> tuple[int, ...]:
    """The first numbers of the ranges of one grouping."""
    _complain_each(settings, place)
    given = value if isinstance(value, list) else []
    firsts = [each for each in given if isinstance(each, int) and not isinstance(each, bool)]
    is_rising = firsts == sorted(set(firsts))
    if firsts and firsts == value and is_rising and firsts[0] == minimum and firsts[-1] <= maximum:
        return tuple(firsts)
    fix = f"write the first number of each range, rising, the first {minimum} and none above {maximum}"
    complain_value(settings, place, value, fix)
    return (minimum,)


def _complain_each(settings: Settings, place: Place) -> None:
    if place[-1] == EACH:
        complain(settings, place[:-1], f"'{EACH}' is the grouping in which each value is a group", "rename yours")


def _whole(settings: Settings, place: Place, value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**31:
        return value
    complain_value(settings, place, value, "write a whole number of at most 32 bits")
    return 0


def _code(settings: Settings, place: Place, value: object) -> str:
    """A published code: text of one line, without the signs that separate columns."""
    if isinstance(value, str) and CODE.fullmatch(value):
        return value
    complain_value(settings, place, value, 'write 1 to 60 characters in quotes, none of them | or "')
    return ""


def _publish(settings: Settings, place: Place, value: object) -> tuple[str, ...]:
    columns = (value,) if isinstance(value, str) else value
    if not isinstance(columns, list | tuple) or not 1 <= len(columns) <= 2:
        complain_value(settings, (*place, "publish"), value, "name one column, or two for the ends of a range")
        return (place[-1],)
    for column in columns:
        if not isinstance(column, str) or not _COLUMN.fullmatch(column) or column.upper() in _OUR_COLUMNS:
            complain_value(settings, (*place, "publish"), column, _ABOUT_COLUMN + ", ".join(_OUR_COLUMNS))
            return (place[-1],)
    return tuple(columns)


def standard_attributes_at(settings: Settings) -> tuple[Attribute, ...]:
    """The attributes of a file without ladders: age and sex, and what their values mean.

    [attributes]
    SEX = { column = "gender", groups.sex = { 1 = ["M"], 2 = ["F"] } }   # published code = values; by default QSEX
    AGE = { column = "age", unknown = [99] }                             # QAGE by default; 99 is no age
    """
    tables = table_at(settings, (ATTRIBUTES_KEY,), settings.document.get(ATTRIBUTES_KEY, {}))
    complain_unknown(settings, (ATTRIBUTES_KEY,), tables, (SEX.name, AGE.name))
    sex = table_at(settings, (ATTRIBUTES_KEY, SEX.name), tables.get(SEX.name, {}))
    age = table_at(settings, (ATTRIBUTES_KEY, AGE.name), tables.get(AGE.name, {}))
    complain_unknown(settings, (ATTRIBUTES_KEY, SEX.name), sex, SEX_KEYS)
    complain_unknown(settings, (ATTRIBUTES_KEY, AGE.name), age, AGE_KEYS)
    return standard_attributes(
        sex_column=text_at(settings, (ATTRIBUTES_KEY, SEX.name, "column"), sex.get("column", SEX.column)),
        sexes=_sexes(settings, sex),
        age_column=text_at(settings, (ATTRIBUTES_KEY, AGE.name, "column"), age.get("column", AGE.column)),
        unknown_ages=unknown_numbers(settings, (ATTRIBUTES_KEY, AGE.name, "unknown"), age.get("unknown", [])),
    )


def _sexes(settings: Settings, table: Mapping[str, object]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The values that stand for each of the two sexes."""
    if "groups" not in table:
        return ("1",), ("2",)
    place = (ATTRIBUTES_KEY, SEX.name, "groups")
    groupings = table_at(settings, place, table["groups"])
    codes = table_at(settings, (*place, SEX_GROUPING), groupings.get(SEX_GROUPING, {}))
    if set(groupings) != {SEX_GROUPING} or set(codes) != set(SEX.values):
        fix = (
            'say which values are male (1) and which female (2): groups.sex = { 1 = ["M"], 2 = ["F"] }; for other '
            "tables, as with a third sex, see docs/how-to/ladders.md"
        )
        complain_value(settings, place, table["groups"], fix)
        return ("1",), ("2",)
    males, females = (texts_at(settings, (*place, SEX_GROUPING, code), codes[code]) for code in SEX.values)
    for value in [value for value in males if value in females]:
        complain(settings, (*place, SEX_GROUPING), f"'{value}' stands for both sexes", "take it out of one of them")
        return ("1",), ("2",)
    return males, females


def unknown_numbers(settings: Settings, place: Place, value: object) -> tuple[int, ...]:
    """The numbers that stand for a missing one."""
    given = value if isinstance(value, list) else [None]
    numbers = [each for each in given if isinstance(each, int) and not isinstance(each, bool)]
    if numbers == given and all(abs(number) < 2**31 for number in numbers):
        return tuple(dict.fromkeys(numbers))
    fix = "write a list of whole numbers that stand for a missing one, such as [99]; text and NaN are missing anyway"
    complain_value(settings, place, value, fix)
    return ()
