"""Questions: the code columns of a record that lead to characteristic iterations, and the lists that say how.

[questions.ancestry]                           # at most one question of several columns, and any number of one column
columns = ["ANCESTRY_1", "ANCESTRY_2"]         # codes from the left; NULL, nothing and Null are no code
iterations = "ancestry-groups"                 # a list of iterations, in the folder of code lists
[questions.diagnosis]
column = "MDC"
values = ["01", "02", "NA"]                    # the values are the iterations, of level 1
map = { "2" = "02" }                           # what values of the file count as; of iterations of a list, its codes
null = "NA"                                    # the code of a record without an answer; else that is an error
other = "NA"                                   # the code of every value that is no code; else that is an error
[lists]
codes = "ancestry-codes"                       # the lists that questions with `iterations` share
members = "ancestry-members"
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated

from safetab_sql.kit.errors import Problem
from safetab_sql.settings.markers import (
    Means,
    Name,
    Named,
    ReadAs,
    Switch,
    Text,
    Texts,
    Whole,
    Words,
    mapped_to,
    texts,
)
from safetab_sql.settings.reading import Document
from safetab_sql.settings.tables import table
from safetab_sql.settings.wrong import Wrong

MOST_CODES = 8
MOST_DIGITS = 4  # of a code that is its own number
VALUES_LEVEL = "1"
EVERYBODY, EVERYBODYS_LEVEL = "ALL", "ALL"  # the iteration, and its level, where no question is asked
QUESTIONS_KEY, LISTS_KEY = "questions", "lists"
CODES_LIST, MEMBERS_LIST = "codes_list", "code_iterations"  # what the shared lists are called among the inputs
_ListName = Annotated[
    str | None,
    Text("[A-Za-z0-9][A-Za-z0-9_-]{0,99}", "name a file in the folder of code lists, without folder and ending"),
]
_SeveralTexts = Annotated[
    tuple[str, ...],
    ReadAs(texts('write a list of texts in quotes, such as ["A", "B"]', Words, "name each once"), tuple),
]


@dataclass(frozen=True, slots=True)
class CountedAs:
    """The codes that values of columns count as: of each that is mapped, of none at all, and of any that is no code.

    other, null: None where these are errors.
    """

    map: Mapping[str, str] = field(default_factory=dict, hash=False)
    null: str | None = None
    other: str | None = None

    @property
    def codes(self) -> dict[str, str]:
        """Each code, by what the question says of it."""
        others = {"null": self.null, "other": self.other}
        return {f"map {given}": code for given, code in self.map.items()} | {k: v for k, v in others.items() if v}


NOTHING_MAPPED = CountedAs()


@dataclass(frozen=True, slots=True)
class Question:
    """Code columns of a record, read from the left. Without columns, every record has the one value.

    iterations: the name of a list of iterations without its ending; None where `values` are the iterations.
    overlapping: whether a code may be in several iterations of one level and kind. counted_as: what values of the
    columns count as.
    """

    name: str
    columns: tuple[str, ...]
    iterations: str | None
    values: tuple[str, ...] = ()
    overlapping: bool = False
    counted_as: "CountedAs" = NOTHING_MAPPED

    @property
    def code_column(self) -> str:
        """SQL column name of the coded answer to a question of one column."""
        return f"{self.name}_code"

    @property
    def mapped(self) -> dict[str, str]:
        """By column, the SQL column name of whether its value counts as another one, where the question says so."""
        is_said = self.counted_as != NOTHING_MAPPED
        return {column: f"{self.name}_{n}_mapped" for n, column in enumerate(self.columns, start=1) if is_said}

    @property
    def columns_of_others(self) -> tuple[str, ...]:
        """The columns in which one code of the list counts every code that the list lacks."""
        return self.columns if self.counted_as.other is not None and not self.values else ()

    @property
    def source(self) -> str:
        """The name of its list of iterations among the inputs."""
        return f"{self.name}_iterations"

    @property
    def values_level(self) -> str:
        """The level of the iterations that are its values."""
        return VALUES_LEVEL if self.columns else EVERYBODYS_LEVEL


@table
class Lists:
    """The lists that questions with iterations share, and what their columns hold."""

    codes: Annotated[_ListName, Means("every code, in a list without folder and ending; required with iterations")] = (
        None
    )
    members: Annotated[_ListName, Means("codes of iterations, in a list without ending; required with iterations")] = (
        None
    )
    code: Annotated[Words, Means("the column of both that holds a code")] = "CODE"
    code_name: Annotated[Words, Means("the column of the list of codes that holds the name of a code")] = "CODE_NAME"
    digits: Annotated[
        int | None,
        Whole(1, MOST_DIGITS, f"write how many digits every code has, 1 to {MOST_DIGITS}, or leave it out"),
        Means("how many digits every code has; without it codes may be any text"),
    ] = None
    levels: Annotated[Texts, Means("every LEVEL that may be tabulated; without it any text")] = ()
    untabulated: Annotated[Texts, Means("every LEVEL beside these; its iterations have no flags")] = ()


@dataclass(frozen=True, slots=True)
class Questions:
    """What a record is asked. several: the question of several columns. single: the questions of one column each.

    shared: the lists of codes and of members, where a question has iterations of a list.
    """

    several: Question | None
    single: tuple[Question, ...]
    shared: Lists = field(default_factory=Lists)

    @property
    def all(self) -> tuple[Question, ...]:
        """The question of several columns, and the others."""
        return (*([self.several] if self.several else []), *self.single)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of all questions."""
        return tuple(name for question in self.all for name in question.columns)

    @property
    def codes_read(self) -> int:
        """How many codes of the question of several columns are read; 1 without such a question."""
        return len(self.several.columns) if self.several else 1

    @property
    def lists(self) -> dict[str, str]:
        """The lists by their names among the inputs: their file names without the ending."""
        iterations = {question.source: question.iterations for question in self.all}
        wanted = {CODES_LIST: self.shared.codes, **iterations, MEMBERS_LIST: self.shared.members}
        return {name: stem for name, stem in wanted.items() if stem is not None}


@table
class WrittenQuestion:
    """A question as a file has it: with one column or several, and iterations of a list or values."""

    name: Annotated[
        str,
        Name(
            "a question",
            "[a-z][a-z0-9_]{0,31}",
            "use small letters, digits and _, a letter first, at most 32 characters",
            taken=("alone", "combination", "code"),  # kinds and columns of ours
        ),
    ]
    column: Annotated[str | None, Text(), Means("its column; either this or `columns`")] = None
    columns: Annotated[
        _SeveralTexts, Means("its columns, of the one question that may have several, read from the left")
    ] = ()
    at_most: Annotated[
        int | None,
        Whole(1, MOST_CODES, f"write an integer from 1 to {MOST_CODES}: as many codes are read"),
        Means("how many of the columns are read, by default all"),
    ] = None
    iterations: Annotated[
        _ListName, Means("the list of its iterations, without folder and ending; either this or `values`")
    ] = None
    values: Annotated[_SeveralTexts, Means("the values of the column, each an iteration; any other is an error")] = ()
    overlapping: Annotated[Switch, Means("true: a code may belong to several iterations of one level and kind")] = False
    map: Annotated[
        Mapping[str, str], mapped_to(Words), Means("values of the file, and the code that each counts as")
    ] = field(default_factory=dict, hash=False)
    null: Annotated[
        str | None, Text(), Means("the code of a record without an answer; without it such a record is an error")
    ] = None
    other: Annotated[
        str | None, Text(), Means("the code of every value that is no code; without it such a value is an error")
    ] = None

    @classmethod
    def exclusive(cls) -> tuple[tuple[str, str], ...]:
        """One of two, twice."""
        return ("column", "columns"), ("iterations", "values")

    @classmethod
    def keys_amiss(cls, keys: Mapping[str, object]) -> Iterator[Wrong]:
        """Both of two, or neither."""
        for first, second in cls.exclusive():
            if (first in keys) == (second in keys):
                together = f"{first} and {second} stand together"
                what = together if first in keys else f"neither {first} nor {second} is there"
                yield Wrong(what, "write one of the two")

    def amiss(self) -> Iterator[Wrong]:
        """More codes than are read, or than there are columns."""
        columns = len(self.columns) or 1
        if self.at_most is not None and self.at_most > columns:
            fix = f"write an integer from 1 to {min(columns, MOST_CODES)}: as many codes are read"
            yield Wrong(f"at_most is {self.at_most}", fix)
        if columns > MOST_CODES and self.at_most is None:
            yield Wrong(f"has {columns} columns", f"say how many are read: at_most = {MOST_CODES} or less")
        for given, code in self.map.items() if self.values else ():
            if code not in self.question.values:
                yield Wrong(f"map {given} is '{code}', none of the values", "add it to values, or correct it")

    @property
    def question(self) -> Question:
        """The question; the codes of missing and of other answers are values too."""
        columns = (self.column,) if self.column else self.columns[: self.at_most]
        others = [each for each in (self.null, self.other) if each is not None and self.values]
        values = tuple(dict.fromkeys((*self.values, *others)))
        said = CountedAs(self.map, self.null, self.other)
        return Question(self.name, columns, self.iterations, values, self.overlapping, said)


@table
class Asked:
    """The keys of a parameter file that say what a record is asked."""

    questions: Annotated[
        tuple[WrittenQuestion, ...], Named(), Means("columns of a record that lead to iterations")
    ] = ()
    lists: Annotated[Lists, Means("the lists that questions with `iterations` share, which need them")] = Lists()


def questions_of(asked: Asked) -> Questions:
    """The questions that a file asks; where it asks none, everybody is one iteration."""
    if not asked.questions:
        return Questions(None, (Question("everybody", (), None, values=(EVERYBODY,)),))
    several = [each.question for each in asked.questions if each.columns]
    return Questions(
        several=several[0] if several else None,
        single=tuple(each.question for each in asked.questions if not each.columns),
        shared=asked.lists,
    )


def question_problems(document: Document, asked: Asked) -> Iterator[Problem]:
    """What is wrong with the questions as a whole."""
    if LISTS_KEY in document.tables and QUESTIONS_KEY not in document.tables:
        yield document.missing_key((), QUESTIONS_KEY)
    several = [each.name for each in asked.questions if each.columns]
    if len(several) > 1:
        what = f"{several[0]} and {several[1]} have `columns`"
        yield document.problem(("questions",), what, "give all but one of them a single `column`")
    for column, count in Counter(name.upper() for each in asked.questions for name in each.question.columns).items():
        if count > 1:
            what = f"{column} is a column of two questions, or stands twice"
            yield document.problem(("questions",), what, "name every column once; capitals make no difference")
    if any(each.values for each in asked.questions) and any(each.iterations for each in asked.questions):
        what = "some questions have values, others iterations of a list"
        yield document.problem(("questions",), what, "write the values into the lists, or the lists as values")
    yield from _list_problems(document, asked)


def _list_problems(document: Document, asked: Asked) -> Iterator[Problem]:
    given = document.tables.get("lists", {})
    keys = given if isinstance(given, Mapping) else ()
    if any(each.iterations for each in asked.questions):
        for key in [key for key in ("codes", "members") if key not in keys]:
            yield document.missing_key(("lists",), key)
    elif keys:
        fix = "take the table out, or name `iterations`"
        yield document.problem(("lists",), "no question has iterations", fix)
