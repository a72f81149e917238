"""The values that the statements under sql/ need, by name, from public parameters; for inputs: readers.py."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import reduce
from itertools import pairwise, product

from safetab_sql.kit.sqlfiles import literal, quoted_name
from safetab_sql.public.columns import PLAIN, Kind, code_of
from safetab_sql.settings import ladders
from safetab_sql.settings.attributes import Attribute
from safetab_sql.settings.geography import LONGEST_NUMBER, Geography, Part
from safetab_sql.settings.parameters import Parameters, level_position, tabulated
from safetab_sql.settings.questions import EVERYBODYS_NUMBER, MOST_CODES, Question, Questions
from safetab_sql.settings.unit import Unit


def parameter_values(parameters: Parameters) -> dict[str, object]:
    """Values that follow from the parameters; where ladders differ, from the first."""
    levels = tabulated_levels(parameters)
    kinds = {kind.name: kind for kind in parameters.region_types}
    tabulated = [kinds[name] for name in dict.fromkeys(level.region_type for level in levels)]
    return {
        **place_values(parameters),
        **question_values(parameters),
        "region_types": tabulated,
        "region_ids": {each.name: f"region_or_none({each.id}, {literal(each.no_region)})" for each in tabulated},
        "named_region_types": [kind for kind in tabulated if kind.region_name is not None],
        "known_region_types": [kind.name for kind in parameters.region_types],
        "level_names": [level.name for level in levels],
        "level_region_types": [level.region_type for level in levels],
        "level_iteration_levels": [level.iteration_level for level in levels],
        "level_without": [kinds[level.region_type].without or "" for level in levels],
        **counting_values(parameters),
        **bound_values(parameters.unit),
        **ladder_level_values(parameters),
        **publishing_values(parameters, parameters.ladders[0]),
        "withouts": sorted({kind.without or "" for kind in parameters.region_types}),
    }


def bound_values(unit: Unit) -> dict[str, object]:
    """Values that bound what is counted of a person."""
    return {
        "person_bounds": [] if unit.person is None else ["person_key"],
        "most_records": unit.most_records or 1,
        "keep_order": {
            f"kept_{place}": "desc" if is_descending else "asc"
            for place, (_, is_descending) in enumerate(unit.keep.columns, start=1)
        },
    }


def question_values(parameters: Parameters) -> dict[str, object]:
    """Values that follow from the questions."""
    questions, shared = parameters.questions, parameters.questions.shared
    known, levels = questions.known_levels, sorted({each.level.iteration_level for each in parameters.levels})
    kinds = [(question, kind) for question in questions.all for kind in questions.kinds(question)]
    packed, width = packed_columns(questions), answer_width(questions)
    places = [f"{name}, {place}" for name in packed for place in range(1, 1 + _CODES_A_NUMBER)]
    answers = [places[start * width : (start + 1) * width] for start in range(len(questions.several))]
    codes = [question.code_column for question in questions.single]
    return {
        "iteration_levels": list(dict.fromkeys([*shared.levels, *levels])),  # that are tabulated, or may be
        "kind_names": [kind for _, kind in kinds],
        "kind_questions": [question.name for question, _ in kinds],
        "kind_is_several": [question.is_several for question, _ in kinds],
        "kind_is_alone": [question.is_several and kind == questions.kinds(question)[0] for question, kind in kinds],
        "kind_codes_read": [max(1, len(question.columns)) for question, _ in kinds],
        "codes_are_numbers": has_number_codes(questions),
        "everybodys_number": EVERYBODYS_NUMBER,
        **checked_columns(questions.asked),
        "single_questions": questions.single,
        "packed_columns": packed,
        "single_codes": codes,
        "several_questions": [
            dict(zip(("name", "first", "second", "third"), (question.name, *each), strict=False))
            | {"places": {f"slots_{number}": place for number, place in enumerate(each, start=1)}}
            for question, each in zip(questions.several, answers, strict=True)
        ],
        "answer_gaps": [{"before": before, "code": code} for each in answers for before, code in pairwise(each)],
        "counted_columns": [
            *("geo_unit_id", "finest_position"),  # of a record of a run, beside its answers
            *(*packed, *codes, *(each.name for each in ladders.amounts(parameters.ladders))),
        ],
        "value_kinds": [kind for question, kind in kinds if question.values],
        "overlapping_kinds": [kind for question, kind in kinds if question.overlapping],
        "known_levels": [*known, *shared.untabulated] if known else [],
        "untabulated_levels": list(shared.untabulated),
        "code_pattern": "(?s).+" if shared.digits is None else f"[0-9]{{{shared.digits}}}",
    }


def checked_columns(asked: Sequence[Question]) -> dict[str, object]:
    """Values of the checks of answers to these questions."""
    return {
        "asked_columns": {
            name: questions_list(each) for each in asked if not columns_of_others(each) for name in each.columns
        },
        "first_column": next((question.columns[0] for question in asked), ""),
        "beyond_column": next((each.places[-1] for each in asked if each.places), ""),
        "code_pairs": {name: before for each in asked for before, name in pairwise(each.columns)},
        **_columns(
            ("counted_lists", "counted_by", "counted_codes"),
            ((questions_list(each), said, code) for each in asked for said, code in each.counted_as.codes.items()),
        ),
    }


_CODES_A_NUMBER = 4  # that packed_codes holds


def answer_width(questions: Questions) -> int:
    """How many places an answer to a question of several columns has: at least three, of which any may stay empty."""
    return max(3, *(len(question.columns) for question in questions.all))


def packed_columns(questions: Questions) -> dict[str, list[str]]:
    """The columns of packed codes of the questions of several columns, one question after another; at least two.

    Of each, what person_numbers calls its four codes.
    """
    codes = max(MOST_CODES, answer_width(questions) * len(questions.several))
    return {
        f"codes_{first}_to_{first + _CODES_A_NUMBER - 1}": [f"code_{first + place}" for place in range(_CODES_A_NUMBER)]
        for first in range(1, 1 + codes, _CODES_A_NUMBER)
    }


def columns_of_others(question: Question) -> tuple[str, ...]:
    """The columns in which one code of the list counts every code that the list lacks."""
    return question.columns if question.counted_as.other is not None and not question.values else ()


def null_beside(question: Question) -> str:
    """What statements call whether the code of `null` stands beside another one; empty where that cannot be."""
    return f"{question.name}_null_beside" if question.counted_as.null and len(question.columns) > 1 else ""


def has_number_codes(questions: Questions) -> bool:
    """Whether every code that a record holds is of digits, and its own number."""
    return questions.shared.digits is not None and not any(question.values for question in questions.asked)


def questions_list(question: Question) -> str:
    """What table `codes` has as question_name of the codes of a question: its name, or empty for the shared list."""
    return question.name if question.values else ""


_JOINABLE = "[^\\x1f]+"  # text that joined_values keeps apart from the values beside it


def place_kinds(geography: Geography) -> dict[str, Kind]:
    """How the columns are read that records and geography share."""
    return {column.name: PLAIN if column.digits is None else code_of(column.digits) for column in geography.place}


PLACE_MAPPED = "place_mapped"  # what statements call whether the place of a record counts as another one


def place_values(parameters: Parameters) -> dict[str, object]:
    """Values that follow from the geography in the parameters."""
    geography = parameters.geography
    places = [column.name for column in geography.place]
    listed = table_places(geography, "geography_rows")
    none = "|".join(["", *map(re.escape, ["", *geography.null])]) if geography.null else ""
    wheres = [part.where for part in geography.parts]
    # The values of columns that tell whether a place exists, without the file of the geography.
    known = {
        name: "|".join(sorted({*each}.union(*(of.get(name, ()) for of in wheres))))
        for name, each in geography.elsewhere.items()
    }
    part_values = [{"name": name, "listed": each} for part in geography.parts_run for name, each in part.where.items()]
    return {
        "block_columns": {  # in a record, where NULL is nothing
            column.name: "(?s).*" if geography.other else known.get(column.name, pattern_of(column.digits)) + none
            for column in geography.place
        },
        "geography_key": listed["key"],
        "place_groups": listed["groups"],
        "no_places": ["", *geography.null],
        "partial_places": [listed] if geography.null else [],
        "record_key": table_places(geography, "person_records")["key"],
        "parts": {part.name: _condition(part) for part in geography.parts_run},
        "part_values": part_values,
        "record_part_values": [column for column in part_values if column["name"] in places],
        "is_requested": _is_requested(geography, places),
        "must_be_listed": "false" if geography.other else _is_requested(geography, places),
    }


def has_number_key(geography: Geography) -> bool:
    """Whether the key of a place is a number: all codes are of digits, at most 18 together, and none may be missing."""
    digits = [column.digits for column in geography.place if column.digits is not None]
    return not geography.null and len(digits) == len(geography.place) and sum(digits) <= LONGEST_NUMBER


def key_expression(geography: Geography, values: Sequence[str]) -> str:
    """The key of a place from its codes, each an expression. Of one that is missing, the key has an empty text."""
    if not has_number_key(geography):
        none = literal(list(geography.null))
        known = [f"known_value({value}, {none}, '')" for value in values] if geography.null else values
        return reduce(lambda earlier, later: f"joined_values({earlier}, {later})", known)
    digits = [column.digits or 0 for column in geography.place]
    behind = [sum(digits[number:]) for number in range(1, len(digits) + 1)]
    return " + ".join(f"number_in_key({value}, {10**after})" for value, after in zip(values, behind, strict=True))


def is_empty(geography: Geography, read: str) -> str:
    """Whether a column of the place holds nothing, or what means none."""
    return f"known_value({read}, {literal(list(geography.null))}, '') = ''"


def table_places(geography: Geography, table: str, read: str = "") -> dict[str, str]:
    """The places of a table: the key of one, what rows are grouped by, and whether a row has all columns.

    Where `null` is said, also places of which a record may name some columns alone. read: the key of a record.
    """
    columns = [f"{table}.{quoted_name(column.name)}" for column in geography.place]
    groups = f"cube ({', '.join(columns)})" if geography.null else ", ".join(columns)
    is_named = " and ".join(f"not ({is_empty(geography, each)})" for each in columns)
    return {"key": key_expression(geography, columns), "groups": groups, "is_named": is_named, "read": read}


def _condition(part: Part, of: str = "") -> str:
    """Whether a place is in a part: true, false, or NULL where one of its columns is NULL."""
    terms = [f"list_contains({literal(list(listed))}, {of}{quoted_name(name)})" for name, listed in part.where.items()]
    return " and ".join(terms) or "true"


def _is_requested(geography: Geography, places: Collection[str]) -> str:
    """Whether the geography file must list the place of a record; places: the columns that a record has.

    A record is known to be of no part that is run if its own columns say so.
    """
    if geography.elsewhere:
        return " or ".join(_condition(part, "person_records.") for part in geography.parts_run)
    others = [part for part in geography.parts if part not in geography.parts_run and part.where.keys() <= set(places)]
    known = " or ".join(_condition(part, "person_records.") for part in others)
    return f"({known}) is not true" if known else "true"


def pattern_of(digits: int | None) -> str:
    """What a code of a place looks like. digits: how many it has; None for any text."""
    return _JOINABLE if digits is None else f"[0-9]{{{digits}}}"


def statistic_finest_cells(
    attributes: Sequence[Attribute], finest: ladders.FinestCells, cells: ladders.Cells
) -> Iterator[tuple[int, int]]:
    """Each finest cell, and the cell of a statistic that it belongs to; cells are numbered first attribute slowest."""
    by_name = {attribute.name: attribute for attribute in attributes}
    groupings = {name: by_name[name].grouping(grouping) for name, grouping in cells}
    strides = dict(zip(groupings, ladders.strides_of([len(each.codes) for each in groupings.values()]), strict=True))
    terms = []  # of each attribute, what each class adds to the number of the cell
    for name, classes in finest.classes.items():
        members = groupings[name].members if name in groupings else (0,) * len(classes)
        term = {class_: member * strides.get(name, 0) for class_, member in zip(classes, members, strict=True)}
        terms.append(term.values())
    yield from enumerate(map(sum, product(*terms)))


def measure(among: Sequence[ladders.Ladder], name: str) -> str:
    """The SQL column of what the ladder of that name counts or adds up."""
    return next((each.name for each in ladders.amounts(among) if each.ladder == name), ladders.COUNTED)


def first_statistic(among: Sequence[ladders.Ladder], ladder: ladders.Ladder) -> int:
    """The id of the first statistic of a ladder: statistics are numbered 1, 2, ... ladder by ladder, coarse to fine."""
    before = among[: [each.name for each in among].index(ladder.name)]
    return 1 + sum(len(each.statistics) for each in before)


def counting_values(parameters: Parameters) -> dict[str, object]:
    """Values that say how records fall into finest cells, and finest cells into the cells of all statistics."""
    attributes, tabulated_by = parameters.attributes, parameters.ladders
    finest = ladders.finest_cells(attributes, tabulated_by)
    listed = [
        (attribute.name, number, class_ * finest.strides[attribute.name])
        for attribute in attributes
        for number, class_ in zip(attribute.numbers, finest.classes[attribute.name], strict=True)
    ]
    cells = [
        (number, position, cell)
        for ladder in tabulated_by
        for number, statistic in enumerate(ladder.statistics, start=first_statistic(tabulated_by, ladder))
        for position, cell in statistic_finest_cells(attributes, finest, statistic.cells)
    ]
    return {
        "attributes": attributes,
        "attribute_numbers": {each.number: f"{quoted_name(each.name)}.value_number" for each in attributes},
        "amounts": ladders.amounts(tabulated_by),
        **_columns(("attribute_names", "value_numbers", "class_offsets"), listed),
        **_columns(("statistic_ids", "finest_positions", "cell_positions"), cells),
    }


def ladder_levels(parameters: Parameters, ladder: ladders.Ladder) -> tuple[ladders.LevelParameters, ...]:
    """The levels that a ladder tabulates: a budget above 0, and a region type whose part is being run."""
    geography = parameters.geography
    levels = tabulated(ladder.levels, geography)
    return tuple(level for level in levels if geography.part_of(level.level.region_type) in geography.run)


def tabulated_levels(parameters: Parameters) -> tuple[ladders.PopulationGroupLevel, ...]:
    """The levels that the run tabulates in some ladder, each once."""
    levels = {each.level for ladder in parameters.ladders for each in ladder_levels(parameters, ladder)}
    return tuple(sorted(levels, key=lambda level: level_position(level, parameters.geography)))


def ladder_level_values(parameters: Parameters) -> dict[str, object]:
    """Values that say which levels each ladder tabulates, and where it publishes a total alone."""
    ids = {level: number for number, level in enumerate(tabulated_levels(parameters), start=1)}
    without = {kind.name: kind.without or "" for kind in parameters.region_types}
    levels: list[tuple[object, ...]] = []
    total_only: list[tuple[object, ...]] = []
    for number, ladder in enumerate(parameters.ladders, start=1):
        by_totals, said = ladder.choose == "published", ladder.total_only or ""
        for each in ladder_levels(parameters, ladder):
            ladder_level, level = (number, ids[each.level]), each.level
            levels.append((*ladder_level, said, by_totals, ", ".join(map(str, each.thresholds))))
            named = (*ladder_level, level.name, level.iteration_level, without[level.region_type])
            total_only += [(*named, iteration) for iteration in ([""] if each.is_total_only else each.total_only)]
    of_levels = ("ladder_ids", "ladder_level_ids", "ladder_total_only", "ladder_by_totals", "ladder_thresholds")
    of_total_only = ("ladder_ids", "level_ids", "names", "levels", "without", "iterations")
    return _columns(of_levels, levels) | _columns([f"total_only_{each}" for each in of_total_only], total_only)


def publishing_values(parameters: Parameters, ladder: ladders.Ladder) -> dict[str, object]:
    """Values with which statements publish one ladder."""
    rows = rows_of(parameters, ladder)
    totals = {row for statistic, _, row in rows.measured if statistic == 0}
    own = ladders.attributes_of(ladder, parameters.attributes)
    names = [column for attribute in own for column in attribute.publish]
    numbers = [column for attribute in own for column in attribute.number_columns]
    most = max(len(each.statistics) for each in parameters.ladders)
    return {
        "ladder_id": ladder_id(parameters, ladder),
        "level_prefix": level_prefix(parameters, ladder),
        "share_columns": {f"share_stat_level_{number}": number for number in range(1 + most)},
        "ladder_columns": dict(zip(names, zip(*rows.codes, strict=True), strict=True)),
        "number_columns": dict(zip(numbers, zip(*rows.numbers, strict=True), strict=True)),
        "other_columns": [name for name in published_columns(parameters) if name not in names],
        "counted": [ladder.counted],
        "measure": measure(parameters.ladders, ladder.name),
        "table_name": ladder.name,
        "totals_name": ladder.totals or "",
        "has_totals": ladder.totals is not None,
        "ladder_rows": len(rows.codes),
        "statistic_names": [ladder.total_name, *(statistic.name for statistic in ladder.statistics)],
        **_columns(("measured_stat_levels", "measured_cells", "measured_rows"), rows.measured),
        **_columns(("summed_stat_levels", "summed_cells", "summed_rows"), rows.sums),
        **_columns(("held_rows", "held_finest_positions"), [each for each in rows.finest if each[0] not in totals]),
    }


def published_columns(parameters: Parameters) -> tuple[str, ...]:
    """The columns of attributes in the published tables of all ladders."""
    return tuple(column for attribute in parameters.attributes for column in attribute.publish)


def level_prefix(parameters: Parameters, ladder: ladders.Ladder) -> str:
    """What stands before the names of a ladder's levels: nothing where it is the only ladder."""
    return "" if len(parameters.ladders) == 1 else f"{ladder.name} "


def ladder_id(parameters: Parameters, ladder: ladders.Ladder) -> int:
    """The number of a ladder: 1, 2, ... in the order of the parameters."""
    return 1 + [each.name for each in parameters.ladders].index(ladder.name)


def rows_of(parameters: Parameters, ladder: ladders.Ladder) -> ladders.LadderRows:
    """The published rows of a ladder."""
    return ladders.ladder_rows(ladder, parameters.attributes, parameters.ladders)


def _columns(names: Sequence[str], rows: Iterable[Sequence[object]]) -> dict[str, object]:
    listed = list(rows)
    return {name: [row[place] for row in listed] for place, name in enumerate(names)}
