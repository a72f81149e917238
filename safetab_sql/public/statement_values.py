"""The values that the statements under sql/ need, by name, from public parameters; for records: person_values.py."""

from itertools import pairwise

from safetab_sql.kit.sqlfiles import literal, quoted_name
from safetab_sql.public.ladder_values import counting_values, ladder_level_values, publishing_values
from safetab_sql.public.parameters import Parameters, iteration_levels, tabulated_levels
from safetab_sql.public.place_values import place_values
from safetab_sql.public.questions import Question, Questions


def parameter_values(parameters: Parameters) -> dict[str, object]:
    """Values that follow from the parameters: places, codes, region types, levels, and ladders.

    Of what differs between ladders, those of the first.
    """
    levels = tabulated_levels(parameters)
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
        "known_region_types": [kind.name for kind in parameters.region_types],
        "level_names": [level.name for level in levels],
        "level_region_types": [level.region_type for level in levels],
        "level_iteration_levels": [level.iteration_level for level in levels],
        "level_kinds": [level.kind or "" for level in levels],
        "level_without": [kinds[level.region_type].without or "" for level in levels],
        **counting_values(parameters),
        **ladder_level_values(parameters),
        **publishing_values(parameters, parameters.ladders[0]),
        "withouts": sorted({kind.without or "" for kind in parameters.region_types}),
    }


def question_values(parameters: Parameters) -> dict[str, object]:
    """Values that follow from the questions."""
    questions, shared = parameters.questions, parameters.questions.shared
    several = list(questions.several.columns) if questions.several else []
    return {
        "iteration_levels": list(iteration_levels(parameters)),
        "codes_read": questions.codes_read,
        "codes_are_numbers": shared.digits is not None,
        "code_columns": [named(name) for question in questions.all for name in question.columns],
        "answer_columns": [
            {"quoted": quoted_name(name), "kinds": literal(_kinds(questions, question))}
            for question in questions.all
            for name in question.columns
        ],
        "first_columns": [named(question.columns[0]) for question in questions.all if question.columns],
        "code_pairs": [{**named(name), "before": quoted_name(before)} for before, name in pairwise(several)],
        "several_slots": [{"name": "codes_1_to_4"}] if several else [],
        "single_questions": [
            {"name": f"{question.name}_code", "kind": literal(question.name)} for question in questions.single
        ],
        "overlapping_kinds": [
            kind for question in questions.all if question.overlapping for kind in _kinds(questions, question)
        ],
        "known_levels": [*shared.levels, *shared.untabulated],
        "untabulated_levels": list(shared.untabulated),
        "code_pattern": "(?s).+" if shared.digits is None else f"[0-9]{{{shared.digits}}}",
    }


def _kinds(questions: Questions, question: Question) -> list[str]:
    """The kinds of the iterations that the codes of a question lead to."""
    return ["alone", "combination"] if question == questions.several else [question.name]


def named(column: str) -> dict[str, str]:
    """What statements need of a column that they name: its name, as a text, and as an identifier."""
    return {"name": column, "text": literal(column), "quoted": quoted_name(column)}
