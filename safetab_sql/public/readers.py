"""The values that read the inputs: the columns of each, and how each is read from its stored type."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.sqlfiles import literal, quoted_name
from safetab_sql.public import columns, values
from safetab_sql.public.columns import Kind, StoredTypes, code_of, column_expressions
from safetab_sql.public.expressions import columns_of
from safetab_sql.settings.attributes import Attribute
from safetab_sql.settings.ladders import Amount, amounts
from safetab_sql.settings.parameters import Parameters, flags_read
from safetab_sql.settings.questions import CODES_LIST, EVERYBODYS_NUMBER, MEMBERS_LIST, Question, Questions

T = TypeVar("T")

# The columns that the statements of sql/run/1_inputs add.
RESERVED_COLUMNS = ("person_file", "file_row_number", "listed_code", "code_number", "listed_place")
_ABOUT_LISTS = "store lists of text or of whole numbers in every file alike; or, of single codes, leave out at_most"


@dataclass(frozen=True, slots=True)
class _Answer:
    """A column of a question, and what is read in it, each an expression.

    own: the code that stands there, whatever other columns hold. code: what counts; of what is mapped, the code that it
    counts as. number: of this code: the code itself, or what is found in code_numbers.
    """

    question: Question
    name: str
    own: str
    code: str
    number: str


def person_columns(parameters: Parameters) -> dict[str, Kind]:
    """The columns that a person file must have."""
    wanted: dict[str, Kind] = {
        **attribute_columns(parameters),
        **values.place_kinds(parameters.geography),
        **{name: code_kind(each, parameters.questions) for each in parameters.questions.all for name in each.stored},
    }
    lists = [each.list_column for each in parameters.questions.several if each.places]
    wanted |= {name: replace(wanted[name], is_list=True, advice=_ABOUT_LISTS) for name in lists}
    wanted = {each.column: _amount_kind(each) for each in amounts(parameters.ladders)} | wanted
    unit = parameters.unit
    others = {
        **{name: columns.ORDERED for name, _ in unit.keep.columns},
        **dict.fromkeys([*unit.where, *([] if unit.id is None else [unit.id])], columns.PLAIN),
        **({} if unit.person is None else {unit.person: columns.PERSON}),
    }
    return wanted | {name: kind for name, kind in others.items() if name not in wanted}


def attribute_columns(parameters: Parameters) -> dict[str, Kind]:
    """The columns of attributes, each as its attribute reads it; a question may read the same column."""
    widths = {each.column: _width(each.values) for each in parameters.attributes}
    listed = {column: columns.PLAIN if width is None else code_of(width) for column, width in widths.items()}
    return {each.column: listed[each.column] if each.is_listed else columns.WHOLE for each in parameters.attributes}


def person_values(where: str, paths: Sequence[str], types: StoredTypes, parameters: Parameters) -> dict[str, object]:
    """Values that read the person files. Raises: InputError on missing columns."""
    taken = [name for name in RESERVED_COLUMNS if any(name in file for file in types)]
    refuse([Problem(f"{where} [{name}]", "is the name of a column of statements", "rename it") for name in taken])
    reads = partial(column_expressions, where, types)
    read = reads(person_columns(parameters))
    questions, geography, unit = parameters.questions, parameters.geography, parameters.unit
    lists = [each for each in questions.several if each.places]
    in_lists = {name: read[each.list_column] + name[len(each.list_column) :] for each in lists for name in each.places}
    read |= in_lists
    stored = reads({name: columns.ORDERED for name, _ in unit.keep.columns})
    coded = reads(attribute_columns(parameters))
    added = amounts(parameters.ladders)
    given = {each.given: each.column for each in parameters.attributes} | {each.given: each.column for each in added}
    numbers = {each.column: coded[each.column] for each in parameters.attributes if not each.is_listed}
    universe = {f"as_text({read[name]})": listed for name, listed in unit.where.items()}
    amount_reads = {  # in units of the last decimal that counts
        each.name: f"amount_with_decimals({column}, {10**each.decimals})" if each.decimals else column
        for each in added
        for column in reads({each.column: _amount_kind(each)}).values()
    }
    person = {} if unit.person is None else {"person_key": read[unit.person]}
    answers = _answers(parameters, read)
    known_places = values.table_places(geography, "geography_rows", _named_key(parameters, read))
    places = {name: read[name] for name in values.place_kinds(geography)}
    own = {each.name: each.own for each in answers}
    return {
        "persons": list(paths),
        "are_united": any(each != types[0] for each in types),
        "value_reads": own | places,
        "value_keys": {name: in_lists.get(name, quoted_name(name)) for name in own | places},
        "part_read": [],
        "record_keys": person | {f"kept_{n}": numbers.get(*each) for n, each in enumerate(stored.items(), start=1)},
        "place_columns": places,
        "person_key": _person_key(parameters, read, answers),
        "place_lookups": [known_places] if geography.other else [],
        "code_columns": {each.name: each.code for each in answers}
        | {name: read[name] for each in lists for name in each.places[-1:]},
        **_code_values(questions, {each.name: each.number for each in answers}),
        "clamped_amounts": {
            each.name: f"clamped_amount({amount_reads[each.name]}, {each.least}, {each.most})" for each in added
        },
        "code_lookups": _code_lookups(parameters, answers),
        "unread_columns": {},
        "universe_columns": universe,
        "universe": [f"is_listed({name}, {literal(each)})" for name, each in universe.items()],
        "attribute_reads": {each.number: _mapped_read(each, coded[each.column]) for each in parameters.attributes},
        "mapped_reads": _mapped_reads(parameters, coded, read, answers),
        "amount_reads": amount_reads,
        "given_values": {name: f"as_text({quoted_name(column)})" for name, column in given.items()},
        "person_columns": {"PERSON_ID": f"as_text({'null' if unit.id is None else read[unit.id]})"},
    }


def _mapped_reads(
    parameters: Parameters, coded: Mapping[str, str], read: Mapping[str, str], answers: Sequence[_Answer]
) -> dict[str, str]:
    """Whether each value that another stands for is mapped, by the column that says so."""
    geography = parameters.geography
    mapped = [values.is_empty(geography, read[column.name]) for column in geography.place if geography.null]
    mapped += [f"{_LISTED} is null"] if geography.other else []
    found = {values.PLACE_MAPPED: " or ".join(mapped)} if mapped else {}
    for each in [each for each in parameters.attributes if each.is_mapped]:
        given = coded[each.column]
        plain = f"place_in_list({given}, {literal(list(each.values))})" if each.is_listed else given
        found[each.mapped] = f"is_mapped({_mapped_read(each, given)}, {plain})"
    for one in [one for one in answers if one.name in one.question.mapped]:
        found[one.question.mapped[one.name]] = f"is_mapped({one.code}, {read[one.name]})"
    for question in [question for question in parameters.questions.all if values.null_beside(question)]:
        own = ", ".join(one.own for one in answers if one.question == question)
        found[values.null_beside(question)] = f"is_null_beside([{own}], {literal(question.counted_as.null)})"
    return found


def _code_values(questions: Questions, numbers: Mapping[str, str]) -> dict[str, object]:
    """The number of each code of a record where person_numbers has it. numbers: expressions, by column."""
    several = [
        numbers[question.columns[place]] if place < len(question.columns) else "null"
        for question in questions.several
        for place in range(values.answer_width(questions))
    ]
    codes = [code for each in values.packed_columns(questions).values() for code in each]
    single = {
        each.code_column: numbers[each.columns[0]] if each.columns else str(EVERYBODYS_NUMBER)
        for each in questions.single
    }
    return {"code_values": dict(zip_longest(codes, several, fillvalue="null")), "single_values": single}


def _amount_kind(amount: Amount) -> Kind:
    return columns.AMOUNT if amount.decimals else columns.WHOLE


def with_leading_zeros(mapped: Mapping[str, T], width: int | None) -> dict[str, T]:
    """What values count as, also of codes of so many digits that a file stores as numbers, without leading zeros."""
    padded = {given.zfill(width): value for given, value in mapped.items() if width and given.isdecimal()}
    return padded | dict(mapped)


def _width(listed: Sequence[str]) -> int | None:
    """The number of digits of values, where all are digits and equally long."""
    widths = {len(value) if value.isascii() and value.isdigit() else None for value in listed}
    return widths.pop() if len(widths) == 1 else None


def _mapped_read(attribute: Attribute, read: str) -> str:
    """The expression of the number of an attribute's value: of a value that is mapped, of the one that it counts as."""
    said: dict[str, str | int] = {**{value: value for value in attribute.beside}, **attribute.map}
    texts = {given: attribute.number_of(value) for given, value in said.items()}
    numbers = with_leading_zeros(texts, _width(attribute.values))
    otherwise = _number_read(attribute, read)
    if not numbers:
        return otherwise
    stored = f"as_text({quoted_name(attribute.column)})"
    text = read if attribute.is_listed else f"text_of_number({read}, {stored})"
    return f"mapped_number({text}, {literal(list(numbers))}, {literal(list(numbers.values()))}, {otherwise})"


def _number_read(attribute: Attribute, read: str) -> str:
    said = [attribute.other, attribute.other if attribute.null is None else attribute.null]
    other, missing = (None if each is None else attribute.number_of(each) for each in said)
    if other is not None or missing is not None or attribute.beside:
        places = ", ".join("null" if place is None else literal(place) for place in (other, missing))
        if attribute.is_listed:
            return f"place_or_other({read}, {literal(list(attribute.values))}, {places})"
        ends = f"{attribute.minimum}, {attribute.maximum}, {literal(list(attribute.unknown))}"
        return f"number_or_other({read}, as_text({quoted_name(attribute.column)}), {ends}, {places})"
    if attribute.is_listed:
        return f"place_in_list({read}, {literal(list(attribute.values))})"
    return f"known_value({read}, {literal(list(attribute.unknown))}, null)" if attribute.unknown else read


def _looks_codes_up(parameters: Parameters) -> bool:
    """Whether codes are looked up in the list: they are no numbers, or what is done with unknown ones is said."""
    is_said = "codes" in parameters.unit.leave_out or any(map(values.columns_of_others, parameters.questions.all))
    return not values.has_number_codes(parameters.questions) or is_said


def _answers(parameters: Parameters, read: Mapping[str, str]) -> list[_Answer]:
    """What is read in the columns of all questions, in their order."""
    found: list[_Answer] = []
    for question in parameters.questions.all:
        own, null = _own_answers(question, parameters.questions, read), question.counted_as.null
        is_plain = not question.mapped and not question.list_column
        for place, (name, each) in enumerate(own.items(), start=1):
            code = each if null is None else f"answer_of_place([{', '.join(own.values())}], {place}, {literal(null)})"
            number = quoted_name(name) if is_plain else code
            if _looks_codes_up(parameters):
                number = f"lookup_{len(found) + 1}.code_number"
            if values.columns_of_others(question):
                number = f"number_or_unknown({code}, {number}, other_{question.name}.code_number)"
            found.append(_Answer(question, name, each, code, number))
    return found


def _own_answers(question: Question, questions: Questions, read: Mapping[str, str]) -> dict[str, str]:
    """The expression of the code that stands in each column of a question, whatever the others hold."""
    said = question.counted_as
    mapped = with_leading_zeros(said.map, code_kind(question, questions).width)
    lists = f"{literal(list(mapped))}, {literal(list(mapped.values()))}"
    own = {name: f"mapped_answer({read[name]}, {lists})" if mapped else read[name] for name in question.columns}
    if said.other is not None and question.values:
        listed = literal(list(question.values))
        own = {name: f"answer_or_other({each}, {listed}, {literal(said.other)})" for name, each in own.items()}
    return own


def _code_lookups(parameters: Parameters, answers: Sequence[_Answer]) -> list[dict[str, str]]:
    """What is looked up in code_numbers: the code of each column, and codes that count unknown ones.

    name: of the lookup. read: its expression. of: see `values.questions_list`.
    """
    others = [each for each in parameters.questions.all if values.columns_of_others(each)]
    found = [(f"lookup_{place}", each.code, each.question) for place, each in enumerate(answers, start=1)]
    found += [(f"other_{each.name}", literal(each.counted_as.other), each) for each in others]
    named = [{"name": name, "read": read, "of": values.questions_list(question)} for name, read, question in found]
    return named if _looks_codes_up(parameters) else []


def _person_key(parameters: Parameters, read: Mapping[str, str], answers: Sequence[_Answer]) -> str:
    """The key of a person's place; NULL, like the key of an unknown place, for records that cannot be counted."""
    geography, key = parameters.geography, _named_key(parameters, read)
    if geography.other:
        key = f"known_value({_LISTED}, cast([] as varchar[]), repeat(chr(31), {len(geography.place) - 1}))"  # of none
    conditions = _code_conditions(parameters, read, answers) if "codes" in parameters.unit.leave_out else []
    if parameters.unit.person is not None:
        conditions.append(f"{read[parameters.unit.person]} is not null")
    return f"key_of_usable([{', '.join(conditions)}], {key})" if conditions else key


_LISTED = "listed_places.listed_place"  # the key of a record, where the geography has a place of it


def _named_key(parameters: Parameters, read: Mapping[str, str]) -> str:
    """The key of the place that a record names.

    A key that is a number is made of the codes as they are stored, which is fast; where records may be left out because
    of their place, of the codes as the checks see them.
    """
    place, codes = parameters.geography.place, [read[column.name] for column in parameters.geography.place]
    if values.has_number_key(parameters.geography):
        codes = [quoted_name(column.name) for column in place]
        if "place" in parameters.unit.leave_out:
            codes = [f"code_of_digits({read[column.name]}, {column.digits})" for column in place]
    return values.key_expression(parameters.geography, codes)


def _code_conditions(parameters: Parameters, read: Mapping[str, str], answers: Sequence[_Answer]) -> list[str]:
    """That a record answers every question, with codes of the list, and leaves no gap, nor gives too many."""
    ends = [name for each in parameters.questions.several for name in each.places[-1:]]
    pairs = [(before, each) for before, each in pairwise(answers) if before.question == each.question]
    return [
        *(f"{each.number} is not null" for each in answers if each.name == each.question.columns[0]),
        *(f"is_none_or_with({each.code}, {each.number})" for each in answers),
        *(f"{read[name]} is null" for name in ends),
        *(f"is_none_or_with({each.code}, {before.code})" for before, each in pairs),
    ]


PART_COLUMN = "part_name"  # the column of ours that stands beside the columns of the geography


def geography_values(where: str, paths: Sequence[str], types: StoredTypes, parameters: Parameters) -> dict[str, object]:
    """Values that read the columns of the geography that a run needs. Raises: InputError on missing columns."""
    tabulated = {level.region_type for level in values.tabulated_levels(parameters)}
    kinds = [kind for kind in parameters.region_types if kind.name in tabulated]
    spelling = {name.upper(): name for name in types[0]}  # expressions may name a column in other capitals
    named = (*columns_of("id", kinds), *columns_of("name", kinds))
    areas = list(dict.fromkeys(spelling.get(name.upper(), name) for name in named))
    geography, shared = parameters.geography, values.place_kinds(parameters.geography)
    others = [*(column for part in geography.parts_run for column in part.where), *areas]
    wanted = shared | {name: columns.GEOGRAPHY.get(name, columns.PLAIN) for name in others if name not in shared}
    read = column_expressions(where, types, wanted)
    coded = [name for name, each in wanted.items() if each.width is not None or name in shared]
    return {
        "geography": list(paths),
        "geography_columns": {name: read[name] for name in wanted},
        "area_columns": areas,
        "coded_columns": {name: values.pattern_of(wanted[name].width) for name in coded if name in areas},
        "coded_places": {name: values.pattern_of(wanted[name].width) for name in coded if name not in areas},
    }


def value_lists(parameters: Parameters, folder: Path) -> dict[str, object]:
    """Values that read the lists of the questions whose values are the iterations; they are written to `folder`."""
    found: dict[str, object] = {}
    for name, held in lists_of_values(parameters).items():
        file = folder / f"{name}.parquet"
        pq.write_table(pa.table({column: pa.array(texts, pa.string()) for column, texts in held.items()}), file)
        found |= list_values(name, str(parameters.source), [str(file)], [dict.fromkeys(held, pa.string())], parameters)
    return found


def lists_of_values(parameters: Parameters) -> dict[str, dict[str, list[str]]]:
    """The columns of the lists of the questions whose values are the iterations, by the names of the lists."""
    lists: dict[str, dict[str, list[str]]] = {}
    for question in [question for question in parameters.questions.all if question.values]:
        codes, labels = list(question.values), parameters.labels.get(question.name, {})
        names, level = [labels.get(code, code) for code in codes], [question.level] * len(codes)
        lists[question.source] = {"ITERATION_CODE": codes, "ITERATION_NAME": names, "LEVEL": level, "CODE": codes}
    return lists


def code_kind(question: Question | None, questions: Questions) -> Kind:
    """How codes of a question are read, in records and lists. question: None for the lists that questions share."""
    digits = _width(question.values) if question is not None and question.values else questions.shared.digits
    return columns.ANSWER if digits is None else code_of(digits)


def list_kinds(name: str, parameters: Parameters) -> dict[str, Kind]:
    """The columns that the list called `name` must have, and how each is read."""
    questions, shared = parameters.questions, parameters.questions.shared
    question = next((each for each in questions.all if each.source == name), None)
    code = code_kind(question, questions)
    if name == CODES_LIST:
        return {shared.code: code, shared.code_name: columns.TEXT}
    if question is None:
        return {"ITERATION_CODE": code, shared.code: code}
    flags = [*(["ALONE"] if question.is_several else []), *flags_read(parameters)]
    others = {"CODE": code} if question.values else dict.fromkeys(flags, columns.FLAG)
    return {"ITERATION_CODE": code, "ITERATION_NAME": columns.TEXT, "LEVEL": columns.PLAIN, **others}


def list_values(
    name: str, where: str, paths: Sequence[str], types: StoredTypes, parameters: Parameters
) -> dict[str, object]:
    """Values that read a list: an element of `read_together`, by its name. Raises: InputError on missing columns."""
    read, questions = column_expressions(where, types, list_kinds(name, parameters)), parameters.questions
    shared = questions.shared
    question = next((each for each in questions.all if each.source == name), None)
    code, title = (shared.code, shared.code_name) if question is None else ("CODE", "ITERATION_NAME")
    named = {"code": code, "iteration": "ITERATION_CODE", "title": title}
    found = {"files": literal(list(paths)), "of": literal("" if question is None else values.questions_list(question))}
    found |= {key: read.get(column, "") for key, column in named.items()}
    if question is not None:
        kinds = list(map(literal, questions.kinds(question)))  # of several columns: alone and in combination
        given = ", ".join(f"{literal(flag)}: {read[flag]}" for flag in flags_read(parameters) if flag in read)
        found |= {
            "level": f"as_text({read['LEVEL']})",
            "kind": f"kind_of_alone({read['ALONE']}, {kinds[0]}, {kinds[1]})" if "ALONE" in read else kinds[-1],
            "flags": f"map {{ {given} }}",
        }
    return {name: found}


def read_together(read: Mapping[str, object], questions: Questions) -> dict[str, object]:
    """Values that read lists one after another, from the values of each; nothing where one could not be read."""
    made = [question.source for question in questions.all if question.values]
    shared = [CODES_LIST] if CODES_LIST in questions.lists else []
    members = [MEMBERS_LIST] if MEMBERS_LIST in questions.lists else []
    lists = {
        "code_lists": [*shared, *made],
        "member_lists": [*members, *made],
        "iteration_lists": [question.source for question in questions.all],
    }
    known = {key: names for key, names in lists.items() if set(names) <= read.keys()}
    return {key: [read[name] for name in names] for key, names in known.items()}


TOTALS = "totals"  # what published totals are called, by which a ladder picks tables


def totals_values(where: str, paths: Sequence[str], types: StoredTypes, parameters: Parameters) -> dict[str, object]:
    """The values that read published totals, of a release or production's. Raises: InputError on missing columns."""
    questions = parameters.questions
    code = columns.ANSWER if any(each.values for each in questions.all) else code_kind(None, questions)
    wanted = {"REGION_ID": columns.TEXT, "REGION_TYPE": columns.TEXT, "ITERATION_CODE": code, "COUNT": columns.PLAIN}
    return {TOTALS: list(paths), "total_columns": column_expressions(where, types, wanted)}


REGION_NAMES, GIVEN_NAMES = "region_names", "given_region_names"  # what the input is called, and the table
REGION_COLUMNS = {"REGION_TYPE": "region_type", "REGION_ID": "region_id", "NAME": "region_name"}
_MOST_EXAMPLES = 3


def no_region_names() -> pa.Table:
    """Table `given_region_names` of sql/run/1_inputs where nobody gives a file of names."""
    return pa.schema([(name, pa.string()) for name in REGION_COLUMNS.values()]).empty_table()


def region_names_table(where: str, files: Sequence[Path], wanted: Mapping[str, str] = REGION_COLUMNS) -> pa.Table:
    """Table `given_region_names`, or one of other columns, the first two a key. Raises: InputError, of all problems."""
    first, second, name = wanted
    fix = f"give the columns {first}, {second} and {name} as text, with codes as the tables of a release write them"
    types = [dict(zip(each.names, each.types, strict=True)) for each in map(pq.read_schema, files)]
    try:
        column_expressions(where, types, dict.fromkeys(wanted, columns.TEXT))
    except InputError as error:
        raise InputError([replace(each, fix=fix) for each in error.problems]) from error
    text = pa.schema([(name, pa.string()) for name in wanted])
    named = pa.concat_tables([pq.read_table(file, columns=list(wanted)).cast(text) for file in files])
    refuse(_row_problems(where, named))
    return named.rename_columns(list(wanted.values()))


def _row_problems(where: str, named: pa.Table) -> list[Problem]:
    missing = sum(column.null_count for column in named.columns)
    rows = Counter(zip(named[0].to_pylist(), named[1].to_pylist(), strict=True))
    twice = [f"{kind} {region}" for (kind, region), count in rows.items() if count > 1]
    shown, (first, second, _) = ", ".join(twice[:_MOST_EXAMPLES]), named.column_names
    whats = {f"a row without {first}, {second} or name": "leave such rows out"} if missing else {}
    whats |= {f"{len(twice):,} code(s) stand more than once: {shown}": "keep one row"} if twice else {}
    return [Problem(where, what, fix) for what, fix in whats.items()]
