"""The values that read the code lists: which columns each list has, and how they are read by their stored type."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.kit.sqlfiles import literal
from safetab_sql.public import columns
from safetab_sql.public.parameters import Parameters, flags_read
from safetab_sql.public.questions import Question, Questions

StoredTypes = Sequence[Mapping[str, pa.DataType]]

CODES, MEMBERS = "codes_list", "code_iterations"


def all_lists(questions: Questions) -> dict[str, str]:
    """Every list that a run reads, by its name: its file name without the ending."""
    made = {question.source: question.source for question in questions.all if question.values}
    return {CODES: "codes", MEMBERS: "members", **made, **questions.lists} if made else questions.lists


def value_lists(parameters: Parameters, folder: Path) -> dict[str, object]:
    """Values that read the lists of the questions whose values are the iterations; they are written to `folder`."""
    values: dict[str, object] = {}
    for name, files in _written_lists(parameters.questions, folder).items():
        types = [dict.fromkeys(pq.read_schema(file).names, pa.string()) for file in files]
        values |= list_values(name, str(parameters.source), [str(file) for file in files], types, parameters)
    return values


def _written_lists(questions: Questions, folder: Path) -> dict[str, list[Path]]:
    """The files of each list, by its name."""
    written: dict[str, list[Path]] = {}
    for name, columns_ in lists_of_values(questions).items():
        file = folder / f"{name}.parquet"
        pq.write_table(pa.table({key: pa.array(texts, pa.string()) for key, texts in columns_.items()}), file)
        written[name] = [file]
    return written


def lists_of_values(questions: Questions) -> dict[str, dict[str, list[str]]]:
    """The columns of the lists of the questions whose values are the iterations, by the names of the lists."""
    lists: dict[str, dict[str, list[str]]] = {}
    for question in [question for question in questions.all if question.values]:
        codes = list(question.values)
        rows = {
            CODES: {"CODE": codes, "CODE_NAME": codes},
            MEMBERS: {"ITERATION_CODE": codes, "CODE": codes},
            question.source: {
                "ITERATION_CODE": codes,
                "ITERATION_NAME": codes,
                "LEVEL": [question.values_level] * len(codes),
            },
        }
        for name, columns_ in rows.items():
            own = lists.setdefault(name, {})
            for column, texts in columns_.items():
                own[column] = [*own.get(column, []), *texts]
    return lists


def code_kind(questions: Questions) -> columns.Kind:
    """How codes are read, in records and lists."""
    digits = questions.shared.digits
    return columns.Answer() if digits is None else columns.Code(digits)


def list_kinds(name: str, parameters: Parameters) -> dict[str, columns.Kind]:
    """The columns that the list called `name` must have, and how each is read."""
    questions = parameters.questions
    code, shared = code_kind(questions), questions.shared
    if name == CODES:
        return {shared.code: code, shared.code_name: columns.Text()}
    if name == MEMBERS:
        return {"ITERATION_CODE": code, shared.code: code}
    has_values = any(each.values for each in questions.all if each.source == name)
    flags = {} if has_values else dict.fromkeys(flags_read(parameters), columns.Flag())
    alone = {"ALONE": columns.Flag()} if _says_alone(name, questions) else {}
    return {"ITERATION_CODE": code, "ITERATION_NAME": columns.Text(), "LEVEL": columns.Plain(), **alone, **flags}


def _says_alone(name: str, questions: Questions) -> bool:
    several = questions.several
    return several is not None and several.source == name and not several.values


def list_values(
    name: str, where: str, paths: Sequence[str], types: StoredTypes, parameters: Parameters
) -> dict[str, object]:
    """Values that read the list called `name`; of a list of iterations, an element of `iteration_lists` by its name.

    Raises: InputError on missing columns.
    """
    wanted = list_kinds(name, parameters)
    read = columns.column_expressions(where, types, wanted)
    questions = parameters.questions
    if name == CODES:
        code, title = (read[column] for column in wanted)
        return {name: list(paths), "codes_columns": {"CODE": code, "NAME": title}}
    if name == MEMBERS:
        held = read[questions.shared.code]
        return {name: list(paths), "code_iterations_columns": {"ITERATION_CODE": read["ITERATION_CODE"], "CODE": held}}
    question = next(question for question in questions.all if question.source == name)
    given = ", ".join(f"{literal(flag)}: {read[flag]}" for flag in flags_read(parameters) if flag in read)
    return {
        name: {
            "files": literal(list(paths)),
            "code": read["ITERATION_CODE"],
            "title": read["ITERATION_NAME"],
            "level": f"as_text({read['LEVEL']})",
            "kind": _kind(question, questions, read),
            "flags": f"map {{ {given} }}",
        }
    }


def _kind(question: Question, questions: Questions, read: Mapping[str, str]) -> str:
    """The kind of an iteration: a question of several columns has iterations alone and in combination."""
    if question != questions.several:
        return literal(question.name)
    return f"kind_of_alone({read['ALONE']})" if "ALONE" in read else literal("combination")


def iteration_lists(values: Mapping[str, object], questions: Questions) -> dict[str, object]:
    """The value `iteration_lists` from the values of all lists of iterations; nothing if one could not be read."""
    sources = [question.source for question in questions.all]
    return {"iteration_lists": [values[name] for name in sources]} if set(sources) <= values.keys() else {}
