"""The values that read the person files: their columns, what the values mean, and which records count."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.kit.sqlfiles import literal, quoted_name
from safetab_sql.public.columns import Answer, Code, Kind, Plain, Whole, column_expressions
from safetab_sql.public.list_values import StoredTypes
from safetab_sql.public.parameters import Parameters
from safetab_sql.public.place_values import has_number_key, key_expression, place_kinds
from safetab_sql.public.questions import MOST_CODES, Question
from safetab_sql.public.statement_values import named

Values = dict[str, object]

# The columns that the statements of sql/run/1_inputs add.
RESERVED_COLUMNS = ("person_file", "file_row_number", "listed_code", "code_number")


def person_columns(parameters: Parameters, person_id: str | None = None) -> dict[str, Kind]:
    """The columns that a person file must have. person_id: the column of ids, if there is one."""
    questions, attributes = parameters.questions, parameters.attributes
    code = Code(4) if questions.is_standard else Answer()
    wanted: dict[str, Kind] = {
        attributes.age: Whole(),
        attributes.sex: Code(1) if attributes.has_standard_sexes else Plain(),
        **place_kinds(parameters.geography),
        **{name: code for question in questions.all for name in question.columns},
    }
    others = [*parameters.unit.where, *([] if person_id is None else [person_id])]
    return wanted | {name: Plain() for name in others if name not in wanted}


def person_values(
    where: str, paths: Sequence[str], types: StoredTypes, parameters: Parameters, person_id: str | None = None
) -> Values:
    """Values that read the person files. person_id: the column that holds the id of each person, if there is one.

    Raises: InputError on missing columns.
    """
    taken = [name for name in RESERVED_COLUMNS if any(name in file for file in types)]
    what = "is the name that statements give to a column of theirs"
    refuse([Problem(f"{where} [{name}]", what, "rename it") for name in taken])
    read = column_expressions(where, types, person_columns(parameters, person_id))
    questions, places = parameters.questions, place_kinds(parameters.geography)
    asked = [name for question in questions.all for name in question.columns]
    numbers = _code_numbers(parameters, asked)
    several = [numbers[name] for name in (questions.several.columns if questions.several else ())]
    return {
        "persons": list(paths),
        "place_columns": [{**named(name), "read": read[name]} for name in places],
        "person_key": _person_key(parameters, read),
        "code_columns": [{**named(name), "read": read[name]} for name in asked],
        "code_values": {
            f"race_code_{place + 1}": several[place] if place < len(several) else "null" for place in range(MOST_CODES)
        },
        "single_questions": [
            {"name": f"{one.name}_code", "kind": literal(one.name), "value": _single_number(one, numbers)}
            for one in questions.single
        ],
        "code_lookups": [
            {"name": f"lookup_{place}", "read": read[name], "code": f"lookup_{place}.listed_code"}
            for place, name in enumerate(asked if _looks_codes_up(parameters) else (), start=1)
        ],
        "universe_columns": [
            {"read": f"as_text({read[name]})", "listed": literal(list(listed))}
            for name, listed in parameters.unit.where.items()
        ],
        "person_columns": _attribute_values(parameters, read)
        | {"PERSON_ID": f"as_text({'null' if person_id is None else read[person_id]})"},
    }


def _attribute_values(parameters: Parameters, read: Mapping[str, str]) -> dict[str, str]:
    """The expressions of sex and age, as they are read and as the files have them.

    A sex that no check has passed is a number only if it is one of the two: 1.5, which a cast would round, is none.
    """
    attributes = parameters.attributes
    sex, stored = read[attributes.sex], quoted_name(attributes.sex)
    if not attributes.has_standard_sexes or "sex" in parameters.unit.leave_out:
        stored = f"sex_from_value({sex}, {literal(list(attributes.males))}, {literal(list(attributes.females))})"
    unknown = literal(list(attributes.unknown_ages))
    return {
        "QAGE": f"known_number({read[attributes.age]}, {unknown})" if attributes.unknown_ages else read[attributes.age],
        "QAGE_GIVEN": f"as_text({quoted_name(attributes.age)})",
        "QSEX": sex if attributes.has_standard_sexes else stored,
        "QSEX_GIVEN": f"as_text({quoted_name(attributes.sex)})",
        "QSEX_STORED": stored,
    }


def _looks_codes_up(parameters: Parameters) -> bool:
    """Whether codes are looked up in the list: they are no numbers, or records with unknown ones are left out."""
    return not parameters.questions.is_standard or "codes" in parameters.unit.leave_out


def _code_numbers(parameters: Parameters, asked: Sequence[str]) -> dict[str, str]:
    """The expression of the number of the code in each column: the code itself, or what is found in code_numbers."""
    if not _looks_codes_up(parameters):
        return {name: quoted_name(name) for name in asked}
    return {name: f"lookup_{place}.code_number" for place, name in enumerate(asked, start=1)}


def _single_number(question: Question, numbers: Mapping[str, str]) -> str:
    """The expression of the number of the answer to a question of one column; 1 where everybody has the one value."""
    return numbers[question.columns[0]] if question.columns else "1"


def _person_key(parameters: Parameters, read: Mapping[str, str]) -> str:
    """The key of a person's place; NULL, like the key of an unknown place, for records that are left out.

    A key that is a number is made of the codes as they are stored, which is fast; where records may be left out because
    of their place, of the codes as the checks see them.
    """
    place, leave_out = parameters.geography.place, parameters.unit.leave_out
    values = [read[column.name] for column in place]
    if has_number_key(place):
        values = [quoted_name(column.name) for column in place]
        if "place" in leave_out:
            values = [f"code_of_digits({read[column.name]}, {column.digits})" for column in place]
    key = key_expression(place, values)
    conditions = _code_conditions(parameters, read) if "codes" in leave_out else []
    return f"key_of_usable([{', '.join(conditions)}], {key})" if conditions else key


def _code_conditions(parameters: Parameters, read: Mapping[str, str]) -> list[str]:
    """That a record answers every question, with codes of the list, and leaves no gap."""
    questions = parameters.questions
    asked = [name for question in questions.all for name in question.columns]
    numbers = _code_numbers(parameters, asked)
    several = questions.several.columns if questions.several else ()
    given = [f"{numbers[question.columns[0]]} is not null" for question in questions.all if question.columns]
    known = [f"is_code_or_none({read[name]}, {numbers[name]})" for name in asked]
    return [*given, *known, *(f"is_no_gap({read[before]}, {read[name]})" for before, name in pairwise(several))]
