"""The values that the statements under sql/ need, by name, from public parameters and stored types."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import pyarrow as pa

from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.kit.sqlfiles import literal, quoted_name
from safetab_sql.public import columns
from safetab_sql.public.parameters import Parameters, iteration_levels, tabulated_levels
from safetab_sql.public.place_values import has_number_key, key_expression, place_kinds, place_values
from safetab_sql.public.questions import MOST_CODES, Question, Questions

StoredTypes = Sequence[Mapping[str, pa.DataType]]

# The columns that the statements of sql/run/1_inputs add.
RESERVED_PERSON_COLUMNS = ("person_file", "file_row_number", "listed_code", "code_number")


def parameter_values(parameters: Parameters) -> dict[str, object]:
    """Values that follow from the parameters: states, race codes, region types and levels."""
    levels = [level.level for level in tabulated_levels(parameters)]
    kinds = {kind.name: kind for kind in parameters.region_types}
    tabulated_kinds = [kinds[name] for name in dict.fromkeys(level.region_type for level in levels)]
    return {
        **place_values(parameters),
        **question_values(parameters),
        "region_types": [
            {
                "name": kind.name,
                "id": kind.id,
                "none_id": literal(kind.none_id or ""),
                "part": literal(kind.part),
            }
            for kind in tabulated_kinds
        ],
        "level_region_types": [level.region_type for level in levels],
        "level_iteration_levels": [level.iteration_level for level in levels],
        "level_without": [kinds[level.region_type].without or "" for level in levels],
        **_total_only_values(parameters),
        "total_only": parameters.questions.total_only or "",
        "withouts": sorted({kind.without or "" for kind in parameters.region_types}),
    }


def _total_only_values(parameters: Parameters) -> dict[str, object]:
    """The iterations that the parameters of a level name to get a total alone: '' stands for all of the level."""
    without = {kind.name: kind.without or "" for kind in parameters.region_types}
    named = [
        (number, level.level, iteration)
        for number, level in enumerate(tabulated_levels(parameters), start=1)
        for iteration in ([""] if level.is_total_only else level.total_only)
    ]
    return {
        "total_only_level_ids": [number for number, _, _ in named],
        "total_only_names": [level.name for _, level, _ in named],
        "total_only_levels": [level.iteration_level for _, level, _ in named],
        "total_only_without": [without[level.region_type] for _, level, _ in named],
        "total_only_iterations": [iteration for _, _, iteration in named],
    }


def question_values(parameters: Parameters) -> dict[str, object]:
    """Values that follow from the questions."""
    questions = parameters.questions
    several = list(questions.several.columns) if questions.several else []
    return {
        "iteration_levels": list(iteration_levels(parameters)),
        "codes_read": questions.codes_read,
        "codes_are_numbers": questions.is_standard,
        "code_columns": [_named(name) for question in questions.all for name in question.columns],
        "answer_columns": [
            {"quoted": quoted_name(name), "kinds": literal(_kinds(questions, question))}
            for question in questions.all
            for name in question.columns
        ],
        "first_columns": [_named(question.columns[0]) for question in questions.all],
        "code_pairs": [{**_named(name), "before": quoted_name(before)} for before, name in pairwise(several)],
        "several_slots": [{"name": "race_codes_1_to_4"}] if several else [],
        "single_questions": [
            {"name": f"{question.name}_code", "kind": literal(question.name)} for question in questions.single
        ],
        "overlapping_kinds": [
            kind for question in questions.all if question.overlapping for kind in _kinds(questions, question)
        ],
        "level_pattern": "[0-2]" if questions.is_standard else "[^-]+",
        "major_level": "0" if questions.is_standard else "",
        "code_pattern": "[0-9]{4}" if questions.is_standard else "(?s).+",
    }


def _kinds(questions: Questions, question: Question) -> list[str]:
    """The kinds of the iterations that the codes of a question lead to."""
    return ["alone", "combination"] if question == questions.several else [question.name]


def _named(column: str) -> dict[str, str]:
    return {"name": column, "text": literal(column), "quoted": quoted_name(column)}


def person_values(
    where: str, paths: Sequence[str], types: StoredTypes, parameters: Parameters, person_id: str | None = None
) -> dict[str, object]:
    """Values that read the person files. person_id: the column that holds the id of each person, if there is one.

    Raises: InputError on missing columns.
    """
    taken = [name for name in RESERVED_PERSON_COLUMNS if any(name in file for file in types)]
    what = "is the name that statements give to a column of theirs"
    refuse([Problem(f"{where} [{name}]", what, "rename it") for name in taken])
    places, questions = place_kinds(parameters.geography), parameters.questions
    wanted = columns.person_columns(questions, places)
    id_column = {} if person_id is None or person_id in wanted else {person_id: columns.Plain()}
    read = columns.column_expressions(where, types, {**wanted, **id_column})
    asked = [name for question in questions.all for name in question.columns]
    numbers = _code_numbers(questions, asked)
    several = [numbers[name] for name in (questions.several.columns if questions.several else ())]
    return {
        "persons": list(paths),
        "place_columns": [{**_named(name), "read": read[name]} for name in places],
        "person_key": _person_key(parameters, read),
        "code_columns": [{**_named(name), "read": read[name]} for name in asked],
        "code_values": {
            f"race_code_{place + 1}": several[place] if place < len(several) else "null" for place in range(MOST_CODES)
        },
        "single_questions": [
            {"name": f"{one.name}_code", "kind": literal(one.name), "value": numbers[one.columns[0]]}
            for one in questions.single
        ],
        "code_lookups": [
            {"name": f"lookup_{place}", "read": read[name], "code": f"lookup_{place}.listed_code"}
            for place, name in enumerate(() if questions.is_standard else asked, start=1)
        ],
        "person_columns": {
            "QAGE_GIVEN": 'as_text("QAGE")',
            "PERSON_ID": f"as_text({'null' if person_id is None else read[person_id]})",
            "QAGE": read["QAGE"],
            "QSEX": read["QSEX"],
            "QSEX_STORED": quoted_name("QSEX"),
        },
    }


def _code_numbers(questions: Questions, asked: Sequence[str]) -> dict[str, str]:
    """The expression of the number of the code in each column: the code itself, or what is found in code_numbers."""
    if questions.is_standard:
        return {name: quoted_name(name) for name in asked}
    return {name: f"lookup_{place}.code_number" for place, name in enumerate(asked, start=1)}


def _person_key(parameters: Parameters, read: Mapping[str, str]) -> str:
    """The key of a person's place. A key that is a number is made of the codes as they are stored, which is fast."""
    place = parameters.geography.place
    stored = [quoted_name(column.name) for column in place]
    return key_expression(place, stored if has_number_key(place) else [read[column.name] for column in place])
