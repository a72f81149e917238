"""What one record is, and which records count.

[unit]
one = "stay"                         # what messages, ledger and report call a record
many = "stays"
records_of_a_person = 5              # a person has at most so many records; without it: unknown
where = { KIND = ["inpatient"] }     # other records are outside the universe; the confidential log counts them
id = "STAY_NO"                       # a column without repeated values
leave_out = ["age", "sex"]           # records without a usable age or sex are left out, and no error

Where a person may have several records, a column names the person, and a budget is what one person loses:

[unit]
person = "PATIENT"                   # in place of records_of_a_person
most_records = 5                     # at most so many records of a person are counted
keep = { order = ["DATE desc"] }     # which records are kept; otherwise those that come first by hash
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Annotated, ClassVar

from safetab_sql.settings.budgets import PrivacyDefinition
from safetab_sql.settings.markers import Texts, Word, Words, text, texts, whole
from safetab_sql.settings.reading import Document, Problems
from safetab_sql.settings.tables import Wrong, repeated, sized_table, table

UNIT_KEY = "unit"
UNUSABLE = ("place", "codes")  # what of a record may be unusable beside its attributes: see the checks of sql/checks
PERSON = "person"  # what a record may lack whose parameters name the column of the person
MOST_RECORDS = 10**9  # of a person
MOST_KEPT = 10**4  # records of a person that are counted
_PERSONS = ("person", "persons", "people")
_ABOUT_MOST = "write the most records that any person has, a whole number from 1; leave it out if that is not known"
_Noun = Annotated[
    str, text(r"[^\W\d_](?:(?:[^\W\d_]| |-){0,28}[^\W\d_])?", 'write a noun in small letters, such as "household"')
]
_ABOUT_ONE, _ABOUT_MANY = "the name of a record, such as household", "its plural, such as households"
_Most = Annotated[int | None, whole(1, MOST_RECORDS, _ABOUT_MOST), "the most records that any person has"]
_ABOUT_WHERE = 'say which records count, such as where = { KIND = ["inpatient"] }, or leave it out'
_ONE_BOUND = "take records_of_a_person out: most_records bounds what is counted of a person"
_ABOUT_ORDER = 'write a list of columns, each with " desc" behind it or nothing, such as ["DATE desc"]'
_ORDER = re.compile(r"(?s:(?P<column>.*\S))(?: (?P<direction>asc|desc))")


@table
class Keep:
    """Which records of a person are kept. order: columns of a record; the first comes first, or with desc the last."""

    order: Annotated[
        tuple[str, ...],
        texts(_ABOUT_ORDER, Words, "name each column once"),
        "columns, each with asc or desc behind it or nothing; missing values come last",
    ] = ()

    @property
    def columns(self) -> tuple[tuple[str, bool], ...]:
        """Each column, and whether its largest value comes first."""
        found = [(_ORDER.fullmatch(each), each) for each in self.order]
        return tuple((each, False) if it is None else (it["column"], it["direction"] == "desc") for it, each in found)

    def amiss(self) -> Iterator[Wrong]:
        """A column that stands in it twice."""
        names = [name for name, _ in self.columns]
        for name in repeated(names):
            yield Wrong(f"order has the column {name} {names.count(name)} times", "name each column once")


def _is_person(noun: object) -> bool:
    return str(noun).casefold() in _PERSONS


def _is_part_of_a_person(given: Mapping[str, object]) -> bool:
    """Whether what is called a person is not all that there is of one."""
    is_all = given.get("records_of_a_person", 1) == 1
    is_whole = "person" not in given or given.get("most_records") == 1
    return _is_person(given.get("one", "person")) and not (is_all and is_whole)


@table
class Unit:
    """What one record is, which records count, and how many of a person.

    leave_out: attributes in small letters, and some of `UNUSABLE`. person: None where a record is what is protected.
    With it, neighbours differ by all records of one person, and a budget is what one person loses.
    Raises: ValueError where a record is called a person and is not all that there is of one.
    """

    one: Annotated[_Noun, _ABOUT_ONE] = "person"
    many: Annotated[_Noun, _ABOUT_MANY] = "persons"
    records_of_a_person: _Most = 1
    where: Annotated[
        Mapping[str, Texts],
        sized_table(1, what="where names no column", fix=_ABOUT_WHERE),
        "columns, and their values in records that count",
    ] = field(default_factory=dict, hash=False)
    id: Annotated[Word, "a column without repeated values"] = None
    leave_out: Annotated[Texts, "records without these are left out, and no error"] = ()
    person: Annotated[Word, "the column that names the person of a record"] = None
    most_records: Annotated[
        int | None,
        whole(1, MOST_KEPT, f"write a whole number from 1 to {MOST_KEPT:,}"),
        "at most so many records of a person are counted",
    ] = None
    keep: Annotated[Keep, "which records of a person are kept"] = Keep()

    exclusive: ClassVar = (("person", "records_of_a_person", _ONE_BOUND),)

    def __post_init__(self) -> None:
        """What is called a person is one: its loss is printed as the loss of a person."""
        if self.is_person and self.records_of_a_person != 1:
            raise ValueError("a record that is called a person has to be all that there is of one")

    @property
    def is_person(self) -> bool:
        """Whether a record is a person: all that there is of one."""
        return self.person is None and _is_person(self.one)

    @property
    def people(self) -> str:
        """Several of what is counted, as a sentence says it: people, or stays."""
        return "people" if _is_person(self.one) else self.many

    @property
    def holder(self) -> str:
        """Whose loss a budget is: a stay's; a person's, where a column names the person."""
        return self.one if self.person is None else "person"

    @property
    def holders(self) -> str:
        """Several of them, as a sentence says it."""
        return "people" if _is_person(self.holder) else self.many

    @property
    def record(self) -> str:
        """What a row is called."""
        return "record" if self.person is not None and _is_person(self.one) else self.one

    @property
    def protected(self) -> str:
        """What neighbours differ by: one stay; or one person, with all stays of that person."""
        if self.person is None:
            return f"one {self.one}"
        records = "records" if self.record == "record" else self.many
        return f"one person, with all {records} of that person"

    @property
    def most_change(self) -> int:
        """By how much what is protected changes one count at most: D_g of tabulation.md section 4.4."""
        return self.most_records or 1

    def bound(self, stability: int, definition: PrivacyDefinition, of_record: int = 1) -> int:
        """By how much what is protected can change the counts of one level at most, in the norm of the definition.

        stability: the most population groups of the level that a record is in. of_record: by how much a record changes
        the count of each at most, `Ladder.most_change`. Where a person changes the count of group g by D_g, this bounds
        the sum of D_g (puredp) or of D_g^2 (zcdp) over the groups of the level: each of most_records records changes
        each of its groups by of_record. Source: tabulation.md sections 4.4 and 5.9.
        """
        change = self.most_change * of_record
        return stability * (change if definition == "puredp" else change**2)

    @classmethod
    def keys_amiss(cls, given: Mapping[str, object]) -> Iterator[Wrong]:
        """One of two words, or the word of a person for what is not all of one; and a bound of nobody, or none."""
        for key, other in (("one", "many"), ("many", "one")):
            if key in given and other not in given:
                yield Wrong(f"missing key '{other}'", f"add a line for {other}")
        if "one" in given and _is_part_of_a_person(given):
            fix = 'call it something else, such as one = "record", many = "records"'
            yield Wrong(f"a {given['one']} is not all that there is of one person", fix)
        if "person" in given and "most_records" not in given:
            fix = "write how many records of a person are counted at most, such as most_records = 5"
            yield Wrong("missing key 'most_records'", fix)
        for key in [key for key in ("most_records", "keep") if key in given and "person" not in given]:
            yield Wrong(f"{key} stands without person", 'name the column of the person, such as person = "PATIENT"')

    @classmethod
    def filled(cls, given: Mapping[str, object]) -> Mapping[str, object]:
        """A part of a person has other words."""
        return {**given, "one": RECORDS.one, "many": RECORDS.many} if _is_part_of_a_person(given) else given

    def completed(self, given: Mapping[str, object]) -> "Unit":
        """With the number of records of a person that follows from what a record is."""
        is_known = {"records_of_a_person", "person"} & given.keys() or self.is_person
        return self if is_known else replace(self, records_of_a_person=None)


@table
class UnitOfRecords(Unit):
    """The unit of another method than a run: of records, where nothing else is said."""

    one: Annotated[_Noun, _ABOUT_ONE] = "record"
    many: Annotated[_Noun, _ABOUT_MANY] = "records"

    only: ClassVar = ("one", "many", "id", "records_of_a_person", "person", "most_records", "keep")


RECORDS = UnitOfRecords(records_of_a_person=None)  # of which nothing is known
AnyRecords = Annotated[UnitOfRecords, "the kind of record, and how many a person has, or counts"]


def unit_problems(document: Document, unit: Unit, attributes: Sequence[str]) -> Problems:
    """What records may lack. attributes: the names of all that the file declares."""
    known = (*(name.lower() for name in attributes), *UNUSABLE, *(() if unit.person is None else (PERSON,)))
    if not set(unit.leave_out) <= set(known):
        fix = f"name some of {', '.join(known)}: records in which that is missing or wrong are left out"
        yield document.value_problem((UNIT_KEY, "leave_out"), list(unit.leave_out), fix)
