"""The columns of sex and age, and what their values mean.

[attributes]
SEX = { column = "gender", groups.sex = { 1 = ["M"], 2 = ["F"] } }   # published code = values; by default QSEX
AGE = { column = "age", unknown = [99] }                             # QAGE by default; 99 is no age
"""

from collections.abc import Mapping
from dataclasses import dataclass

from safetab_sql.public.settings import (
    Settings,
    complain,
    complain_unknown,
    complain_value,
    table_at,
    text_at,
    texts_at,
)

ATTRIBUTES_KEY = "attributes"
_SEXES = ("1", "2")
_GROUPING = "sex"


@dataclass(frozen=True, slots=True)
class Attributes:
    """The columns of sex and age.

    males, females: the values of the column of sex that stand for 1 and 2. unknown_ages: the numbers in the column of
    age that stand for a missing one.
    """

    sex: str = "QSEX"
    males: tuple[str, ...] = ("1",)
    females: tuple[str, ...] = ("2",)
    age: str = "QAGE"
    unknown_ages: tuple[int, ...] = ()

    @property
    def has_standard_sexes(self) -> bool:
        """Whether the values of the column of sex are the published codes."""
        return (*self.males, *self.females) == _SEXES


def attributes_at(settings: Settings) -> Attributes:
    """The attributes in the file. A wrong setting adds a complaint, and gets some valid value."""
    tables = table_at(settings, (ATTRIBUTES_KEY,), settings.document.get(ATTRIBUTES_KEY, {}))
    complain_unknown(settings, (ATTRIBUTES_KEY,), tables, ("SEX", "AGE"))
    sex = table_at(settings, (ATTRIBUTES_KEY, "SEX"), tables.get("SEX", {}))
    age = table_at(settings, (ATTRIBUTES_KEY, "AGE"), tables.get("AGE", {}))
    complain_unknown(settings, (ATTRIBUTES_KEY, "SEX"), sex, ("column", "groups"))
    complain_unknown(settings, (ATTRIBUTES_KEY, "AGE"), age, ("column", "unknown"))
    males, females = _sexes(settings, sex)
    return Attributes(
        sex=text_at(settings, (ATTRIBUTES_KEY, "SEX", "column"), sex.get("column", "QSEX")),
        males=males,
        females=females,
        age=text_at(settings, (ATTRIBUTES_KEY, "AGE", "column"), age.get("column", "QAGE")),
        unknown_ages=_unknown_ages(settings, age),
    )


def _sexes(settings: Settings, table: Mapping[str, object]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The values that stand for each of the two sexes."""
    if "groups" not in table:
        return ("1",), ("2",)
    place = (ATTRIBUTES_KEY, "SEX", "groups")
    groupings = table_at(settings, place, table["groups"])
    codes = table_at(settings, (*place, _GROUPING), groupings.get(_GROUPING, {}))
    if set(groupings) != {_GROUPING} or set(codes) != set(_SEXES):
        fix = 'say which values are male (1) and which female (2): groups.sex = { 1 = ["M"], 2 = ["F"] }'
        complain_value(settings, place, table["groups"], fix)
        return ("1",), ("2",)
    males, females = (texts_at(settings, (*place, _GROUPING, code), codes[code]) for code in _SEXES)
    for value in [value for value in males if value in females]:
        complain(settings, (*place, _GROUPING), f"'{value}' stands for both sexes", "take it out of one of them")
    return males, females


def _unknown_ages(settings: Settings, table: Mapping[str, object]) -> tuple[int, ...]:
    """The numbers that stand for a missing age."""
    value = table.get("unknown", [])
    given = value if isinstance(value, list) else [None]
    numbers = [each for each in given if isinstance(each, int) and not isinstance(each, bool)]
    if numbers == given and all(abs(number) < 2**31 for number in numbers):
        return tuple(dict.fromkeys(numbers))
    fix = "write a list of whole numbers that stand for a missing age, such as [99]; text and NaN are missing anyway"
    complain_value(settings, (ATTRIBUTES_KEY, "AGE", "unknown"), value, fix)
    return ()
