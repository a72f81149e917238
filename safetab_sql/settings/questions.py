"""Questions: the code columns of a record that lead to characteristic iterations, and the lists that say how.

[questions.ancestry]                           # any number of questions, each of one column or of several
columns = ["ANCESTRY_1", "ANCESTRY_2"]         # codes from the left; NULL, nothing and Null are no code
iterations = "ancestry-groups"                 # a list of iterations, in the folder of code lists
[questions.language]
columns = ["LANGUAGE_1", "LANGUAGE_2"]         # or a column of lists: column = "LANGUAGES", and at_most = 2
values = ["pt", "en", "none"]                  # the values are the iterations,
level = "language"                             # of this level; by default of level 1
map = { "2" = "en" }                           # what values of the file count as; of iterations of a list, its codes
null = "none"                                  # the code of a record without an answer; else that is an error
other = "none"                                 # the code of every value that is no code; else that is an error
[lists]
codes = "ancestry-codes"                       # the lists that questions with `iterations` share
members = "ancestry-members"

A level ALL, such as COUNTRY-ALL, has one iteration, ALL: everybody. Where no question is asked there is no other.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from safetab_sql.kit.errors import nearest
from safetab_sql.settings.markers import Switch, Texts, Word, Words, called, mapped_to, text, texts, whole
from safetab_sql.settings.reading import Document, Problems
from safetab_sql.settings.tables import Wrong, named, repeated, table

MOST_CODES = 8
MOST_DIGITS = 4  # of a code that is its own number
VALUES_LEVEL = "1"
EVERYBODY, EVERYBODYS_LEVEL = "ALL", "ALL"  # the iteration that everybody is in, and its level
EVERYBODYS_NUMBER = 65_535  # of the code of everybody, which no record holds
QUESTIONS_KEY, LISTS_KEY = "questions", "lists"
_ABOUT_NAME = "use small letters, digits and _, a letter first, at most 32 characters"
_ABOUT_LEVEL = "use letters, digits and _, at most 32 characters"
_Level = Annotated[str, text("[A-Za-z0-9_]{1,32}", _ABOUT_LEVEL)]
CODES_LIST, MEMBERS_LIST = "codes_list", "code_iterations"  # what the shared lists are called among the inputs
_ListName = Annotated[
    str | None,
    text("[A-Za-z0-9][A-Za-z0-9_-]{0,99}", "name a file in the folder of code lists, without folder and ending"),
]
_SeveralTexts = Annotated[
    tuple[str, ...], texts('write a list of texts in quotes, such as ["A", "B"]', Words, "name each once")
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

    iterations: the name of a list of iterations; None where `values` are the iterations, of level `level`.
    overlapping: whether a code may be in several iterations of one level and kind. is_several: whether a record may
    have several codes. list_column: of codes in a list; `columns` then are its places, such as LANGUAGE[1].
    """

    name: str
    columns: tuple[str, ...]
    iterations: str | None
    values: tuple[str, ...] = ()
    overlapping: bool = False
    level: str = VALUES_LEVEL
    is_several: bool = False
    counted_as: "CountedAs" = NOTHING_MAPPED
    list_column: str = ""

    @property
    def stored(self) -> tuple[str, ...]:
        """The columns of the files that hold its codes."""
        return (self.list_column,) if self.list_column else self.columns

    @property
    def places(self) -> tuple[str, ...]:
        """Of a list: the places of its codes, and the one behind them; else none."""
        return (*self.columns, f"{self.list_column}[{len(self.columns) + 1}]") if self.list_column else ()

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
    def source(self) -> str:
        """The name of its list of iterations among the inputs."""
        return f"{self.name}_iterations"


_OF_EVERYBODY = Question("everybody", (), None, (EVERYBODY,), level=EVERYBODYS_LEVEL)
TAKEN_NAMES = ("alone", "combination", "code", _OF_EVERYBODY.name)  # kinds and columns of ours


@table
class Lists:
    """The lists that questions with iterations share, and what their columns hold."""

    codes: Annotated[_ListName, "every code, in a list without ending; required with iterations"] = None
    members: Annotated[_ListName, "codes of iterations; a list without ending, required with iterations"] = None
    code: Annotated[Words, "the column of both that holds a code"] = "CODE"
    code_name: Annotated[Words, "the column of the list of codes that holds the name of a code"] = "CODE_NAME"
    digits: Annotated[
        int | None,
        whole(1, MOST_DIGITS, f"write how many digits every code has, 1 to {MOST_DIGITS}, or leave it out"),
        "how many digits every code has; without it codes may be any text",
    ] = None
    levels: Annotated[Texts, "every LEVEL that may be tabulated; without it any text"] = ()
    untabulated: Annotated[Texts, "every LEVEL beside these; its iterations have no flags"] = ()


@dataclass(frozen=True, slots=True)
class Questions:
    """What a record is asked. several: the questions of several columns. single: the questions of one column each.

    shared: the lists of codes and of members, where a question has a list.
    """

    several: tuple[Question, ...]
    single: tuple[Question, ...]
    shared: Lists = field(default_factory=Lists)

    @property
    def all(self) -> tuple[Question, ...]:
        """The questions of several columns, and the others."""
        return (*self.several, *self.single)

    @property
    def asked(self) -> tuple[Question, ...]:
        """The questions that a record answers in some column: all but everybody."""
        return tuple(question for question in self.all if question.columns)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the files that hold the codes of all questions."""
        return tuple(name for question in self.all for name in question.stored)

    @property
    def lists(self) -> dict[str, str]:
        """The lists by their names among the inputs: their file names without the ending."""
        iterations = {question.source: question.iterations for question in self.all}
        wanted = {CODES_LIST: self.shared.codes, **iterations, MEMBERS_LIST: self.shared.members}
        return {name: stem for name, stem in wanted.items() if stem is not None}

    @property
    def known_levels(self) -> tuple[str, ...]:
        """Every level that may be tabulated, where the lists say theirs or there are none; otherwise empty."""
        if self.lists and not self.shared.levels:
            return ()
        values = (question.level for question in self.all if question.values)
        return tuple(dict.fromkeys([*self.shared.levels, *values]))

    def kinds(self, question: Question) -> tuple[str, ...]:
        """The kinds of its iterations: alone and in combination, or its name. Two such questions name theirs."""
        of = f"{question.name} " if len(self.several) > 1 else ""
        return (f"{of}alone", f"{of}combination") if question.is_several else (question.name,)


@table
class WrittenQuestion:
    """A question as a file has it: with one column or several, and iterations of a list or values."""

    name: Annotated[str, called("a question", "[a-z][a-z0-9_]{0,31}", _ABOUT_NAME, TAKEN_NAMES)]
    column: Annotated[Word, "its column; either this or `columns`"] = None
    columns: Annotated[_SeveralTexts, "its columns, where a record may have several codes, from the left"] = ()
    at_most: Annotated[
        int | None,
        whole(1, MOST_CODES, f"write an integer from 1 to {MOST_CODES}: as many codes are read"),
        "how many of the columns are read, by default all; of a `column` of lists, the most codes of a record",
    ] = None
    iterations: Annotated[
        _ListName, "the list of its iterations, without folder and ending; either this or `values`"
    ] = None
    values: Annotated[_SeveralTexts, "the values of its columns, each an iteration; any other is an error"] = ()
    level: Annotated[_Level, "the level of the iterations that are its values"] = VALUES_LEVEL
    overlapping: Annotated[Switch, "true: a code may belong to several iterations of one level and kind"] = False
    map: Annotated[Mapping[str, str], mapped_to(Words), "values of the file, and the code that each counts as"] = field(
        default_factory=dict, hash=False
    )
    null: Annotated[Word, "the code of a record without an answer; without it such a record is an error"] = None
    other: Annotated[Word, "the code of every value that is no code; without it such a value is an error"] = None

    exclusive: ClassVar = tuple(
        (*keys, "write one of the two")
        for keys in (("column", "columns"), ("iterations", "values"), ("iterations", "level"))
    )

    @classmethod
    def keys_amiss(cls, keys: Mapping[str, object]) -> Iterator[Wrong]:
        """Neither of two, unless one of them is misspelt."""
        misspelt = [key for key in keys if key not in cls.__dataclass_fields__]
        for first, second, fix in cls.exclusive[:2]:
            if not {first, second} & keys.keys() and not any(nearest(key, [first, second]) for key in misspelt):
                yield Wrong(f"neither {first} nor {second} is there", fix)

    def amiss(self) -> Iterator[Wrong]:
        """More codes than are read, or than there are columns; and the level of everybody."""
        if self.level == EVERYBODYS_LEVEL:
            yield Wrong(f"level is {EVERYBODYS_LEVEL}", f"that is the level of everybody: {_ABOUT_LEVEL}")
        columns = len(self.columns)
        if self.at_most is not None and 0 < columns < self.at_most:
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
        places = range(1, 1 + (self.at_most or 0)) if self.column else ()
        listed = tuple(f"{self.column}[{place}]" for place in places)
        columns = listed or ((self.column,) if self.column else self.columns[: self.at_most])
        others = [each for each in (self.null, self.other) if each is not None and self.values]
        values = tuple(dict.fromkeys((*self.values, *others)))
        kept = (self.name, columns, self.iterations, values, self.overlapping, self.level)
        said = CountedAs(self.map, self.null, self.other)
        return Question(*kept, bool(listed or self.columns), said, (listed and self.column) or "")


@table
class Asked:
    """The keys of a parameter file that say what a record is asked."""

    questions: Annotated[tuple[WrittenQuestion, ...], named(), "columns of a record that lead to iterations"] = ()
    lists: Annotated[Lists, "the lists that questions with `iterations` share, which need them"] = Lists()


def questions_of(asked: Asked, levels: Iterable[str]) -> Questions:
    """The questions that a file asks; everybody is one iteration where it asks none, or has a level for it.

    levels: of the iterations that the file tabulates.
    """
    questions = [each.question for each in asked.questions]
    everybody = (_OF_EVERYBODY,) if not questions or EVERYBODYS_LEVEL in levels else ()
    return Questions(
        several=tuple(each for each in questions if each.is_several),
        single=(*(each for each in questions if not each.is_several), *everybody),
        shared=asked.lists,
    )


def question_problems(document: Document, asked: Asked) -> Problems:
    """What is wrong with the questions as a whole."""
    if LISTS_KEY in document.tables and QUESTIONS_KEY not in document.tables:
        yield document.missing_key((), QUESTIONS_KEY)
    for column in repeated(name.upper() for each in asked.questions for name in each.question.stored):
        what = f"{column} is a column of two questions, or stands twice"
        yield document.problem(("questions",), what, "name every column once; capitals make no difference")
    given = document.tables.get(LISTS_KEY, {})
    keys = given if isinstance(given, Mapping) else ()
    if any(each.iterations for each in asked.questions):
        for key in [key for key in ("codes", "members") if key not in keys]:
            yield document.missing_key((LISTS_KEY,), key)
    elif keys:
        fix = "take the table out, or name `iterations`"
        yield document.problem((LISTS_KEY,), "no question has iterations", fix)
