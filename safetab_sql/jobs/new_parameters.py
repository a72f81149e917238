"""The text of the parameter file that `new` writes: every key with a comment, every guess with the word GUESS."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from safetab_sql.accounting.charges import exact_text
from safetab_sql.jobs.guessed_shape import Region, Shape
from safetab_sql.jobs.lists import CODES, ITERATIONS, MEMBERS, Groups
from safetab_sql.settings.questions import EVERYBODYS_LEVEL, VALUES_LEVEL

WHOLE = "COUNTRY"
_MALES = ["M", "m", "Male", "male", "1"]
_FEMALES = ["F", "f", "Female", "female", "2"]
_PLAIN_KEY = re.compile(r"[A-Za-z0-9_-]+")
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FILE = """\
# Made by `safetab-sql new` from the names of columns, the geography and the table of groups; no record was read.
# Look at every line with the word GUESS, and change what is wrong. All of this is public and stands in the manifest.
# docs/reference/parameters.md explains every key; `safetab-sql plan` says how precise the counts will be.

# title = "What the release is called"
# publisher = "Who publishes it"

# Budgets are rho, spent on discrete Gaussian noise. Neighbours differ by one record added or removed; where
# [unit] names the person, by all records of one person.
privacy_definition = "zcdp"
# The share of each budget for the noisy total that picks the detail of a group's table.
gamma = 0.1

# The columns that tell the place of a record, in records and geography alike: how many digits, or "text".
{place}  # GUESS: the fewest columns of both files that tell the places apart

# Kinds of regions that get tables. The id is an SQL expression over the columns of the geography.
# GUESS: every column that divides the places. Take out what you do not publish: each costs some of the budget.
[region_types]
{regions}

{questions}

# The columns of sex and age. Behind each published code, 1 male and 2 female, stand the values of yours that mean it.
[attributes]
{attributes}

# Which records count. A record without usable age, sex, place or codes is an error, unless it is named here: then it
# is left out, and the confidential log has the number of such records.
[unit]
{unit}

# One table for each level: region type, hyphen, level of groups. budget: rho; the loss of one record is the sum.
# thresholds: noisy records at which a group's table gets sex by 4, 9 and 23 ages.
# GUESS: 1 in all, alike for every level; thresholds at which a cell holds about ten times its margin of error.
{levels}
"""


@dataclass(frozen=True, slots=True)
class NewFile:
    """What a new parameter file is made of. thresholds: by level; those that are not there are 0."""

    shape: Shape
    groups: Groups | None
    leave_out: tuple[str, ...]
    thresholds: Mapping[str, tuple[int, ...]]


def parameters_text(new: NewFile) -> str:
    """The text of the file."""
    keys = ", ".join(f"{_key(name)} = {digits or _text('text')}" for name, digits in new.shape.place.items())
    return _FILE.format(
        place=f"place.key = {{ {keys} }}",
        regions="\n".join([f"{WHOLE}.id = \"'all'\"", *map(_region, new.shape.regions)]),
        questions="\n".join(_questions(new)),
        attributes="\n".join(_attributes(new.shape)),
        unit="\n".join(_unit(new)),
        levels="\n".join(_levels(new)),
    )


def _region(region: Region) -> str:
    quoted = [name if _PLAIN_NAME.fullmatch(name) else '"' + name.replace('"', '""') + '"' for name in region.columns]
    expression = " || '-' || ".join(quoted)
    return f"{region.name}.id = {_text(expression)}  # {region.regions:,}"


def _questions(new: NewFile) -> list[str]:
    answers = new.shape.answers
    if not answers:
        return ["# GUESS: no column looks like codes of groups, so everybody is one group, of level ALL."]
    head = ["# The columns with the codes of groups.", "[questions.group]"]
    columns = f"column = {_text(answers[0])}"
    if len(answers) > 1:
        columns = f"columns = [{', '.join(map(_text, answers))}]"
    lines = [*head, columns if new.shape.are_named else f"{columns}  # GUESS: by the names of the columns"]
    if new.groups is None:
        fix = "write the values, or give `safetab-sql new` a table of groups"
        return [*lines, f'values = ["A", "B"]  # GUESS: {fix}']
    if new.groups.overlap:
        lines.append("overlapping = true  # a code is in several groups of a level")
    lists = ["", "[lists]", f'codes = "{CODES}"', f'members = "{MEMBERS}"']
    return [*lines, f'iterations = "{ITERATIONS}"', *lists]


def _attributes(shape: Shape) -> list[str]:
    values = f"1 = {json.dumps(_MALES)}, 2 = {json.dumps(_FEMALES)}"
    why = "values; no record was read" if shape.sex else "name and values; no column looks like it: --sex COLUMN"
    sex = f"SEX = {{ column = {_text(shape.sex or 'QSEX')}, groups.sex = {{ {values} }} }}  # GUESS: {why}"
    why = (
        "# beside it, unknown = [99], if 99 stands for a missing age"
        if shape.age
        else "# GUESS: no column looks like it: --age COLUMN"
    )
    return [sex, f"AGE = {{ column = {_text(shape.age or 'QAGE')} }}  {why}"]


def _unit(new: NewFile) -> list[str]:
    named = ", ".join(map(_text, new.leave_out))
    why = "if it is the id of a record, none may stand twice"
    return [
        f"leave_out = [{named}]" if named else '# leave_out = ["age", "sex", "place", "codes"]',
        *(f"# id = {_text(name)}  # GUESS: {why}" for name in new.shape.ids),
        *_of_persons(new.shape),
        '# where = { COLUMN = ["value"] }  # if only some records are of the universe',
    ]


def _of_persons(shape: Shape) -> list[str]:
    """Where a column looks like the id of a person, a row may be less than a person: it is called a record."""
    if not shape.persons:
        return []
    names = ", ".join(shape.persons)
    return [
        f"# GUESS: {names} looks like the id of a person. Are there several rows a person? Which column is it?",
        "# - Several: name the column, and how many rows of a person count; a budget is what a person loses then:",
        f"# person = {_text(shape.persons[0])}",
        "# most_records = 5",
        "#   Call a row what it is, such as stay and stays. Margins are 5 times as wide: raise thresholds.",
        "# - One: take out one and many, and name the column as id.",
        "# As it stands, a row is protected, called a record here: somebody with k rows loses up to k^2 times as much.",
        'one = "record"',
        'many = "records"',
    ]


def level_names(shape: Shape, groups: Groups | None) -> list[str]:
    """The levels: every region type with every level of groups."""
    levels = [VALUES_LEVEL if shape.answers else EVERYBODYS_LEVEL] if groups is None else list(groups.levels)
    return [f"{name}-{level}" for name in (WHOLE, *(region.name for region in shape.regions)) for level in levels]


def _levels(new: NewFile) -> Sequence[str]:
    names = level_names(new.shape, new.groups)
    budget = exact_text(Fraction(max(1, 1000 // len(names)), 1000))
    tables = [(name, list(new.thresholds.get(name, (0, 0, 0)))) for name in names]
    return [f"[levels.{_key(name)}]\nbudget = {budget}\nthresholds = {listed}" for name, listed in tables]


def _key(name: str) -> str:
    return name if _PLAIN_KEY.fullmatch(name) else _text(name)


def _text(value: str) -> str:
    """The value as TOML text."""
    return json.dumps(value, ensure_ascii=False)
