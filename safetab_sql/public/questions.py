"""Questions: the code columns of a record that lead to characteristic iterations, and the lists that say how.

[questions.ancestry]                           # at most one question of several columns, and any number of one column
columns = ["ANCESTRY_1", "ANCESTRY_2"]         # codes from the left; NULL, nothing and Null are no code
iterations = "ancestry-groups"                 # a list of iterations, in the folder of code lists
[questions.diagnosis]
column = "MDC"
values = ["01", "02", "NA"]                    # the values are the iterations, of level 1
[lists]
codes = "ancestry-codes"                       # the lists that questions with `iterations` share
members = "ancestry-members"
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from safetab_sql.public.levels import DETAILED_ONLY
from safetab_sql.public.settings import (
    Settings,
    complain,
    complain_missing,
    complain_unknown,
    complain_value,
    is_true,
    table_at,
    text_at,
)

MOST_CODES = 8
VALUES_LEVEL = "1"
EVERYBODY, EVERYBODYS_LEVEL = "ALL", "ALL"  # the iteration, and its level, where no question is asked
STANDARD_KEY = "max_race_codes"
OWN_KEYS = ("questions", "lists", "total_only")
QUESTION_KEYS = ("column", "columns", "at_most", "iterations", "values", "overlapping")
LIST_KEYS = ("codes", "members")
RACE_COLUMNS = tuple(f"QRACE{place}" for place in range(1, MOST_CODES + 1))
QUESTION_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")
_TAKEN = ("alone", "combination", "code")  # kinds and columns of ours
LIST_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")


@dataclass(frozen=True, slots=True)
class Question:
    """Code columns of a record, read from the left. Without columns, every record has the one value.

    iterations: the name of a list of iterations without its ending; None where `values` are the iterations.
    overlapping: whether a code may be in several iterations of one level and kind.
    """

    name: str
    columns: tuple[str, ...]
    iterations: str | None
    values: tuple[str, ...] = ()
    overlapping: bool = False

    @property
    def source(self) -> str:
        """The name of its list of iterations among the inputs."""
        return f"{self.name}_iterations"

    @property
    def values_level(self) -> str:
        """The level of the iterations that are its values."""
        return VALUES_LEVEL if self.columns else EVERYBODYS_LEVEL


@dataclass(frozen=True, slots=True)
class Questions:
    """What a record is asked. several: the question of several columns. single: those of one column each.

    codes, members: the names of the code list and of the list of the codes of each iteration, where a question has
    iterations of a list. total_only: the flag of the iterations that get a total and no table. is_standard: whether
    these are the questions of the 2020 Census, whose codes are four digits.
    """

    several: Question | None
    single: tuple[Question, ...]
    codes: str | None
    members: str | None
    total_only: str | None
    is_standard: bool = False

    @property
    def all(self) -> tuple[Question, ...]:
        """The question of several columns, and the others."""
        return (*([self.several] if self.several else []), *self.single)

    @property
    def codes_read(self) -> int:
        """How many codes of the question of several columns are read; 1 without such a question."""
        return len(self.several.columns) if self.several else 1

    @property
    def lists(self) -> dict[str, str]:
        """The lists by their names among the inputs: their file names without the ending."""
        shared = {"codes_list": self.codes, "code_iterations": self.members}
        iterations = {question.source: question.iterations for question in self.all}
        wanted = {"codes_list": shared["codes_list"], **iterations, "code_iterations": shared["code_iterations"]}
        return {name: stem for name, stem in wanted.items() if stem is not None}


def standard_questions(codes: int) -> Questions:
    """The questions of the 2020 Census: race, of which so many codes are read, and ethnicity."""
    return Questions(
        several=Question("race", RACE_COLUMNS[:codes], "race-characteristic-iterations"),
        single=(Question("ethnicity", ("QSPAN",), "ethnicity-characteristic-iterations"),),
        codes="race-and-ethnicity-codes",
        members="race-and-ethnicity-code-to-iteration",
        total_only=DETAILED_ONLY,
        is_standard=True,
    )


def no_questions() -> Questions:
    """What stands in place of questions where none is asked: everybody is one iteration."""
    everybody = Question("everybody", (), None, values=(EVERYBODY,))
    return Questions(several=None, single=(everybody,), codes=None, members=None, total_only=None)


def questions_at(settings: Settings, *, are_needed: bool) -> Questions:
    """The questions in the file. A wrong setting adds a complaint, and gets some valid value.

    are_needed: whether a file without questions has those of the 2020 Census; otherwise it has none.
    """
    document = settings.document
    own = [key for key in OWN_KEYS if key in document]
    if own and STANDARD_KEY in document:
        what = f"{own[0]} and {STANDARD_KEY} stand in one file"
        fix = f"keep [questions] for questions of your own, or {STANDARD_KEY} for race and ethnicity of the 2020 Census"
        complain(settings, (), what, fix)
    if not own and not are_needed and STANDARD_KEY not in document:
        return no_questions()
    if not own:
        return standard_questions(_max_race_codes(settings))
    complain_missing(settings, (), ("questions",), document)
    tables = table_at(settings, ("questions",), document.get("questions", {}))
    found = [_question(settings, name, table_at(settings, ("questions", name), each)) for name, each in tables.items()]
    several = [question for question in found if "columns" in table_at(settings, (), tables.get(question.name, {}))]
    if len(several) > 1:
        what = f"{several[0].name} and {several[1].name} have `columns`"
        complain(settings, ("questions",), what, "give all but one of them a single `column`")
    _complain_columns(settings, found)
    if any(question.values for question in found) and any(question.iterations for question in found):
        what = "some questions have values, others iterations of a list"
        complain(settings, ("questions",), what, "write the values into the lists, or the lists as values")
    codes, members = _lists(settings, found)
    total_only = document.get("total_only")
    return Questions(
        several=several[0] if several else None,
        single=tuple(question for question in found if question not in several),
        codes=codes,
        members=members,
        total_only=None if total_only is None else text_at(settings, ("total_only",), total_only),
    )


def _max_race_codes(settings: Settings) -> int:
    value = settings.document.get(STANDARD_KEY, 1)
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MOST_CODES:
        return value
    complain_value(settings, (STANDARD_KEY,), value, f"write an integer from 1 to {MOST_CODES}")
    return 1


def _question(settings: Settings, name: str, table: Mapping[str, object]) -> Question:
    place = ("questions", name)
    if not QUESTION_NAME.fullmatch(name) or name in _TAKEN:
        fix = f"use small letters, digits and _, a letter first, at most 32 characters; not {', '.join(_TAKEN)}"
        complain(settings, place, f"'{name}' is no name for a question", fix)
    complain_unknown(settings, place, table, QUESTION_KEYS)
    _one_of_two(settings, place, table, ("column", "columns"))
    _one_of_two(settings, place, table, ("iterations", "values"))
    columns = _texts(settings, (*place, "columns"), table["columns"]) if "columns" in table else ()
    if "column" in table:
        columns = (text_at(settings, (*place, "column"), table["column"]),)
    most = table.get("at_most", min(len(columns), MOST_CODES))
    if not isinstance(most, int) or isinstance(most, bool) or not 1 <= most <= min(max(len(columns), 1), MOST_CODES):
        if columns:
            fix = f"write an integer from 1 to {min(len(columns), MOST_CODES)}: as many codes are read"
            complain_value(settings, (*place, "at_most"), most, fix)
        most = 1
    if len(columns) > MOST_CODES and "at_most" not in table:
        fix = f"say how many are read: at_most = {MOST_CODES} or less"
        complain(settings, place, f"has {len(columns)} columns", fix)
    return Question(
        name=name,
        columns=columns[:most],
        iterations=_list(settings, (*place, "iterations"), table.get("iterations")),
        values=_texts(settings, (*place, "values"), table["values"]) if "values" in table else (),
        overlapping=is_true(settings, (*place, "overlapping"), table.get("overlapping", False)),
    )


def _one_of_two(settings: Settings, place: tuple[str, ...], table: Mapping[str, object], keys: tuple[str, str]) -> None:
    found = [key for key in keys if key in table]
    if len(found) != 1:
        what = f"{keys[0]} and {keys[1]} stand together" if found else f"neither {keys[0]} nor {keys[1]} is there"
        complain(settings, place, what, "write one of the two")


def _texts(settings: Settings, place: tuple[str, ...], value: object) -> tuple[str, ...]:
    if isinstance(value, list) and value and all(isinstance(each, str) and each for each in value):
        for text, count in Counter(value).items():
            if count > 1:
                complain(settings, place[:-1], f"{place[-1]} has {text!r} {count} times", "name each once")
        return tuple(dict.fromkeys(value))
    complain_value(settings, place, value, 'write a list of texts in quotes, such as ["A", "B"]')
    return ()


def _list(settings: Settings, place: tuple[str, ...], value: object) -> str | None:
    """The name of a list, or None."""
    if value is None:
        return None
    text = text_at(settings, place, value)
    if text and not LIST_NAME.fullmatch(text):
        complain_value(settings, place, value, "name a file in the folder of code lists, without folder and ending")
    return text


def _complain_columns(settings: Settings, found: Sequence[Question]) -> None:
    columns = [column.upper() for question in found for column in question.columns]
    for column, count in Counter(columns).items():
        if count > 1:
            what = f"{column} is a column of two questions, or stands twice"
            complain(settings, ("questions",), what, "name every column once; capitals make no difference")


def _lists(settings: Settings, found: Sequence[Question]) -> tuple[str | None, str | None]:
    """The names of the code list and of the list of members; both are needed if a question has iterations of a list."""
    table = table_at(settings, ("lists",), settings.document.get("lists", {}))
    complain_unknown(settings, ("lists",), table, LIST_KEYS)
    needed = [question.name for question in found if question.iterations]
    if needed:
        complain_missing(settings, ("lists",), LIST_KEYS, table)
    elif table:
        complain(settings, ("lists",), "no question has iterations", "take the table out, or name `iterations`")
    codes, members = (_list(settings, ("lists", key), table.get(key)) for key in LIST_KEYS)
    return codes, members
