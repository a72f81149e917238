"""A parameter file and code lists for somebody's files, with every guess marked: `safetab-sql new`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.jobs.guessed_shape import KNOWN, Shape, TheirFiles, guessed_shape
from safetab_sql.kit.database import Resources, open_database, scratch_folder
from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.kit.sqlfiles import quoted_name
from safetab_sql.kit.whole_folders import whole_folder
from safetab_sql.kit.words import exact_text, filled
from safetab_sql.public.expressions import named_columns_of
from safetab_sql.public.gate import Public, public_source, records_at
from safetab_sql.public.inputs import InputPaths, attempt, checked_public_inputs
from safetab_sql.public.lists import Groups, read_groups, write_lists
from safetab_sql.public.sources import find_source
from safetab_sql.public.text_files import parquet_files, source_columns
from safetab_sql.settings.questions import EVERYBODYS_LEVEL, MOST_CODES, VALUES_LEVEL
from safetab_sql.settings.unit import UNUSABLE

PARAMETERS, LISTS = "parameters.toml", "code-lists"
_BANDS = (*(f"{age}-{age + 4}" for age in range(0, 90, 5)), "90+")
_MANY_REGIONS = 50  # so many of a kind, and more, are mostly small


@dataclass(frozen=True, slots=True)
class NewFiles:
    """What was made: the inputs of a run, and the text of the parameter file."""

    inputs: InputPaths
    text: str


def new(theirs: TheirFiles, out: str | Path, *, overwrite: bool = False) -> NewFiles:
    """Write parameters.toml and code-lists/ to the folder `out`: a beginning, to be read and changed by hand.

    Of the person files only names and types of columns get into it, though the first lines of a text are checked; the
    geography and the table of groups are public, and read whole. Raises: InputError with every problem of the files.
    """
    out = Path(out)
    shape, groups = _looked_at(theirs)
    values = _values(shape, groups, theirs.leave_out)
    with whole_folder(out, (PARAMETERS, LISTS), overwrite=overwrite) as folder:
        if groups is not None:
            (folder / LISTS).mkdir()
            write_lists(groups, folder / LISTS, several=len(shape.answers) > 1 or shape.answers[0] in shape.lists)
        (folder / PARAMETERS).write_text(filled(__file__, "new.toml", values), encoding="utf-8")
        with checked_public_inputs(folder / PARAMETERS, None, folder / LISTS if groups else None, Resources()):
            text = filled(__file__, "new.toml", {**values, "asks": True})
        (folder / PARAMETERS).write_text(text, encoding="utf-8")
    lists = None if groups is None else out / LISTS
    return NewFiles(InputPaths(out / PARAMETERS, theirs.persons, theirs.geography, lists), text)


def _looked_at(theirs: TheirFiles) -> tuple[Shape, Groups | None]:
    """The probable shape of the files, and the table of groups. Raises: InputError with every problem."""
    known = ("age", "sex", *UNUSABLE)
    wrong, fix = [word for word in theirs.leave_out if word not in known], f"name some of {', '.join(known)}"
    found = [Problem("--leave-out", f"'{word}' is unknown", fix) for word in wrong]
    records = records_at(theirs.persons)
    persons = attempt(found, lambda: source_columns(find_source(theirs.persons), is_checked=True))
    geography = attempt(found, lambda: _geography(public_source("geography", theirs.geography, records)))
    groups = None if theirs.groups is None else attempt(found, lambda: read_groups(Path(str(theirs.groups)), records))
    shape = None
    if persons is not None and geography is not None:
        if groups is not None and not theirs.answers:  # a column of records that is called like the codes in the table
            theirs = replace(theirs, answers=tuple(name for name in groups.guessed[:1] if name in persons))
        shape = attempt(found, lambda: guessed_shape(persons, geography, theirs))
    if found or shape is None:
        raise InputError(found)
    return shape, groups


def _geography(public: Public) -> pa.Table:
    """The rows of the geography, in columns of single values. Raises: InputError where they cannot be read."""
    source = public.source
    with scratch_folder(None) as scratch, open_database(scratch, source.files, [], Resources()) as database:
        tables = [pq.read_table(file) for file in parquet_files(database, source, scratch, "geography")]
    table = pa.concat_tables(tables, promote_options="default")
    if not table.num_rows:
        raise InputError([Problem(public.given, "holds no row", "give each place one row")])
    return table.select([each.name for each in table.schema if not pa.types.is_nested(each.type)])


def _values(shape: Shape, groups: Groups | None, leave_out: tuple[str, ...]) -> Mapping[str, object]:
    """What the template is filled with: a file that can be read, without questions."""
    of_groups = ([VALUES_LEVEL] if shape.answers else []) if groups is None else list(groups.levels)
    # no question is called like a level of groups: the level of its values has its name
    keys = {name: f"{name}_of_question" if name in of_groups else name for name in shape.questions}
    asked = shape.questions if groups is not None else {"group": shape.answers, **shape.questions}
    kinds = [EVERYBODYS_LEVEL, *of_groups, *keys.values()]
    levels = [f"{name}-{kind}" for name in ("COUNTRY", *(region.name for region in shape.regions)) for kind in kinds]
    return {
        "shape": shape,
        "ids": {region.name: " || '-' || ".join(map(_column, region.columns)) for region in shape.regions},
        "inner": {
            name: f"id = \"{_column(coarser)} || '-' || {_column(name)}\"" for name, coarser in shape.repeated.items()
        },
        "names": {region.name: _column(region.names) for region in shape.regions if region.names is not None},
        "keys": keys,
        "most_codes": MOST_CODES,
        "bands": _BANDS,
        "ages": {f"{shape.born - age}": age for age in range(116)} if shape.born else {},
        "groups": groups,
        "leave_out": leave_out,
        "asks": False,
        "known": dict(_known({keys.get(name, name): columns for name, columns in asked.items()})),
        "many": _MANY_REGIONS,
        "levels": levels,
        "budget": exact_text(Fraction(max(1, 1000 // len(levels)), 1000)),
    }


def _known(asked: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Of questions of one column that many files have: what is published, of which codes, and what it is called."""
    for name, columns in asked.items():
        if len(columns) == 1 and (one := KNOWN.get(columns[0].upper())) is not None:
            values = {code: f"{one['letter']}{code}" for code in range(one["first"], one["last"] + 1)}
            codes = {written: value for code, value in values.items() for written in (f"{code}", f"{code:02}")}
            labels = dict(zip(values.values(), one.get("labels", ()), strict=False))
            yield name, {"published": [*values.values()], "map": codes, "labels": labels}


def _column(name: str) -> str:
    """A column as an expression names it: in quotation marks, where SQL reads its name as something else."""
    return name if named_columns_of((name,)) == (name,) else quoted_name(name)


def new_text(made: NewFiles) -> str:
    """The guesses that were made, and the next commands, for people to read."""
    inputs, lines = made.inputs, enumerate(made.text.splitlines(), 1)
    guesses = [f"line {number}: {line}" for number, line in lines if re.search("GUESS:|= \\?{3}", line)]
    files = f"--persons '{inputs.persons}' --geography '{inputs.geography}'"
    lists = "" if inputs.code_lists is None else f" --code-lists {inputs.code_lists}"
    return "\n".join(
        [
            f"{inputs.parameters} has guesses; look at them before anything is released:",
            *(f"  {line}" for line in guesses),
            "then:",
            f"  safetab-sql validate --parameters {inputs.parameters} {files} --confidential-log validate-log",
            f"  safetab-sql run --parameters {inputs.parameters} {files} --out release --confidential-log run-log",
            f"  safetab-sql report release{lists} --out report.html",
            "Keep the logs: they say how many records are left out, and why. They are confidential.",
        ]
    )
