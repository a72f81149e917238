"""What one record is, and which records count.

[unit]
one = "stay"                         # what messages, ledger and report call a record
many = "stays"
records_of_a_person = 5              # a person has at most so many records; without it and person_replaces: unknown
person_replaces = false              # true: one person can turn one record into another, as a household's
where = { KIND = ["inpatient"] }     # other records are outside the universe; the confidential log counts them
id = "STAY_NO"                       # a column in which no value may stand twice
leave_out = ["age", "sex"]           # records without a usable age or sex are left out, and no error
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Annotated

from safetab_sql.kit.errors import Problem
from safetab_sql.settings.markers import Means, ReadAs, Sized, Switch, Text, Texts, Whole
from safetab_sql.settings.reading import Document
from safetab_sql.settings.tables import table
from safetab_sql.settings.wrong import Wrong

UNIT_KEY = "unit"
UNUSABLE = ("place", "codes")  # what of a record may be unusable beside its attributes: see the checks of sql/checks
MOST_RECORDS = 10**9  # of a person
_PERSONS = ("person", "persons", "people")
_ABOUT_MOST = (
    "write the most records that any person has, a whole number of at least 1; leave it out if that is not known"
)
# In small letters, what a column is called that may hold the id of a person.
PERSON_ID = re.compile(
    r"(?:.*[_ ])?(?:patient|person|resident|citizen|inhabitant|client|customer|member|insured|beneficiary|student|"
    r"pupil|subject|individual|taxpayer|employee|respondent|user)s?(?:[_ ]?(?:id|no|nr|number|key|uuid|hash|code))?"
)
_Noun = Annotated[
    str, Text(r"[^\W\d_](?:(?:[^\W\d_]| |-){0,28}[^\W\d_])?", 'write a noun in small letters, such as "household"')
]
_Most = Annotated[int | None, Whole(1, MOST_RECORDS, _ABOUT_MOST), Means("the most records that any person has")]


def _words_amiss(given: Mapping[str, object]) -> Iterator[Wrong]:
    """What is wrong with the words of a table: one of two, or of a person for what is not all of one."""
    named = [key for key in ("one", "many") if key in given]
    if len(named) == 1:
        missing = "many" if named == ["one"] else "one"
        yield Wrong(f"missing key '{missing}'", f"add a line for {missing}")
    if "one" in given and _is_part_of_a_person(given):
        fix = 'call it something else, such as one = "record", many = "records"'
        yield Wrong(f"a {given['one']} is not all that there is of one person", fix)


def _is_person(noun: object) -> bool:
    """Whether a noun calls a record a person, in whatever letters."""
    return str(noun).casefold() in _PERSONS


def _is_part_of_a_person(given: Mapping[str, object]) -> bool:
    """Whether what is called a person is not all that there is of one."""
    is_all = given.get("records_of_a_person", 1) == 1 and given.get("person_replaces") is not True
    return _is_person(given.get("one", "person")) and not is_all


@table
class Unit:
    """What one record is, and which records count.

    one, many: what a record and several are called. records_of_a_person: the most records that a person has, as the
    custodian states it, or None if that is unknown. person_replaces: whether one person can turn one record into
    another: see accounting/loss.py. where: columns of a record, each with its values in the universe; records with
    other values are not counted. id: a column in which no value may stand twice. leave_out: what of a record may be
    unusable without an error: attributes in small letters, and some of `UNUSABLE`; such records are not counted.
    Raises: ValueError where a record is called a person and is not all that there is of one.
    """

    one: Annotated[_Noun, Means("what a record is called, such as household")] = "person"
    many: Annotated[_Noun, Means("what records are called, such as households")] = "persons"
    records_of_a_person: _Most = 1
    person_replaces: Annotated[Switch, Means("true: one person can turn one record into another")] = False
    where: Annotated[
        Mapping[str, Texts],
        Sized(
            1,
            what="where names no column",
            fix='say which records count, such as where = { KIND = ["inpatient"] }, or leave it out',
        ),
        Means("columns, and their values in records that count"),
    ] = field(default_factory=dict, hash=False)
    id: Annotated[str | None, Text(), Means("a column in which no value may stand twice")] = None
    leave_out: Annotated[Texts, Means("records without these are left out, and no error")] = ()

    def __post_init__(self) -> None:
        """What is called a person is one: its loss is printed as the loss of a person."""
        if self.is_person and (self.records_of_a_person != 1 or self.person_replaces):
            raise ValueError("a record that is called a person has to be all that there is of one")

    @property
    def is_person(self) -> bool:
        """Whether a record is a person: all that there is of one."""
        return _is_person(self.one)

    @property
    def people(self) -> str:
        """Several records, as a sentence says it: people, or stays."""
        return "people" if self.is_person else self.many

    @classmethod
    def keys_amiss(cls, given: Mapping[str, object]) -> Iterator[Wrong]:
        """What is wrong with its words."""
        return _words_amiss(given)

    @classmethod
    def filled(cls, given: Mapping[str, object]) -> Mapping[str, object]:
        """A part of a person has other words."""
        return {**given, "one": RECORDS.one, "many": RECORDS.many} if _is_part_of_a_person(given) else given

    def completed(self, given: Mapping[str, object]) -> "Unit":
        """With the number of records of a person that follows from what a record is."""
        is_known = "records_of_a_person" in given or self.is_person or self.person_replaces
        return self if is_known else replace(self, records_of_a_person=None)


RECORDS = Unit("record", "records", None)  # of which nothing is known


@table
class Records:
    """What a record is in the specification of another method, which counts all records."""

    one: Annotated[_Noun, Means("what a record is called, such as visit")] = RECORDS.one
    many: Annotated[_Noun, Means("what records are called, such as visits")] = RECORDS.many
    records_of_a_person: _Most = None

    @classmethod
    def keys_amiss(cls, given: Mapping[str, object]) -> Iterator[Wrong]:
        """What is wrong with its words."""
        return _words_amiss(given)

    @property
    def unit(self) -> Unit:
        """What it is in general."""
        is_person = _is_person(self.one)
        if is_person and self.records_of_a_person not in (None, 1):
            return RECORDS
        return Unit(self.one, self.many, 1 if is_person else self.records_of_a_person)


AnyRecords = Annotated[
    Unit, ReadAs(Records, lambda records: records.unit), Means("what a record is, and how many a person has")
]


def unit_problems(document: Document, unit: Unit, attributes: Sequence[str]) -> Iterator[Problem]:
    """What records may lack. attributes: the names of all that the file declares."""
    known = (*(name.lower() for name in attributes), *UNUSABLE)
    if not set(unit.leave_out) <= set(known):
        fix = f"name some of {', '.join(known)}: records in which that is missing or wrong are left out"
        yield document.value_problem((UNIT_KEY, "leave_out"), list(unit.leave_out), fix)


def several_rows(given: str, unit: Unit, stored: Collection[str], read: Collection[str]) -> list[Problem]:
    """A warning where a record is called a person, and a column that nothing reads may hold the id of a person.

    stored: the columns of the records. read: those that are read, an id that may not stand twice among them.
    """
    names = [name for name in stored if name not in read and PERSON_ID.fullmatch(name.lower())]
    if not unit.is_person or unit.id is not None or not names:
        return []
    what = f"each row is taken for one {unit.one}, and {', '.join(names)} looks like the id of a person"
    fix = f'if nobody has two rows, write [unit] id = "{names[0]}"; if not, one = "record" and many = "records"'
    return [Problem(given, what, fix)]
