"""The values that read the person files: their columns, what the values mean, and which records count."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.kit.sqlfiles import literal, quoted_name
from safetab_sql.public.attributes import Attribute, columns_of
from safetab_sql.public.columns import Code, Kind, Plain, Whole, column_expressions
from safetab_sql.public.ladder_values import attribute_names
from safetab_sql.public.list_values import StoredTypes, code_kind
from safetab_sql.public.parameters import Parameters
from safetab_sql.public.place_values import has_number_key, key_expression, place_kinds
from safetab_sql.public.questions import MOST_CODES, Question
from safetab_sql.public.statement_values import named

Values = dict[str, object]

# The columns that the statements of sql/run/1_inputs add.
RESERVED_COLUMNS = ("person_file", "file_row_number", "listed_code", "code_number")


def person_columns(parameters: Parameters, person_id: str | None = None) -> dict[str, Kind]:
    """The columns that a person file must have. person_id: the column of ids, if there is one."""
    questions = parameters.questions
    code = code_kind(questions)
    wanted: dict[str, Kind] = {
        **{attribute.column: _kind(attribute) for attribute in parameters.attributes},
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
        "row_ranges": [],
        "place_columns": [{**named(name), "read": read[name]} for name in places],
        "person_key": _person_key(parameters, read),
        "code_columns": [{**named(name), "read": read[name]} for name in asked],
        "code_values": {
            f"code_{place + 1}": several[place] if place < len(several) else "null" for place in range(MOST_CODES)
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
        **_attribute_values(parameters, read),
        "person_columns": {"PERSON_ID": f"as_text({'null' if person_id is None else read[person_id]})"},
    }


def _kind(attribute: Attribute) -> Kind:
    """How the column of an attribute is read: whole numbers, codes of so many digits, or any text."""
    if not attribute.is_listed:
        return Whole()
    return Plain() if attribute.width is None else Code(attribute.width)


def _number_read(attribute: Attribute, read: str) -> str:
    """The expression of the number of a value, by which statements know it. read: that of the value."""
    other, missing = attribute.numbers_of_others
    if other is not None or missing is not None:
        places = ", ".join("null" if place is None else literal(place) for place in (other, missing))
        if attribute.is_listed:
            return f"place_or_other({read}, {literal(list(attribute.values))}, {places})"
        ends = f"{attribute.minimum}, {attribute.maximum}, {literal(list(attribute.unknown))}"
        return f"number_or_other({read}, {ends}, {places})"
    if attribute.is_listed:
        return f"place_in_list({read}, {literal(list(attribute.values))})"
    return f"known_number({read}, {literal(list(attribute.unknown))})" if attribute.unknown else read


def _attribute_values(parameters: Parameters, read: Mapping[str, str]) -> dict[str, object]:
    """The values that read attributes. read: the expression that reads each column by its stored type."""
    return {
        "attributes": [
            {**attribute_names(attribute), "read": _number_read(attribute, read[attribute.column])}
            for attribute in parameters.attributes
        ],
        "given_values": [
            {**named(columns_of(attribute.name)[1]), "read": f"as_text({quoted_name(attribute.column)})"}
            for attribute in parameters.attributes
        ],
    }


def _looks_codes_up(parameters: Parameters) -> bool:
    """Whether codes are looked up in the list: they are no numbers, or records with unknown ones are left out."""
    return parameters.questions.shared.digits is None or "codes" in parameters.unit.leave_out


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
