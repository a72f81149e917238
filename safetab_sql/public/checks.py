"""Validation of the data: every statement under sql/checks returns the offending rows."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from safetab_sql.kit.database import Database
from safetab_sql.kit.errors import Problem
from safetab_sql.kit.progress import Line, ignore
from safetab_sql.kit.sqlfiles import SqlFile, folder_files, sql_files
from safetab_sql.public.sources import Source
from safetab_sql.public.values import PLACE_MAPPED, checked_columns, columns_of_others, null_beside
from safetab_sql.settings.attributes import Attribute
from safetab_sql.settings.ladders import Amount, amounts
from safetab_sql.settings.parameters import Parameters
from safetab_sql.settings.questions import CODES_LIST, MEMBERS_LIST, Question
from safetab_sql.settings.unit import PERSON

EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class Findings:
    """What the checks found, for the custodian only: it quotes person records.

    problems: the inputs are refused. warnings: they are printed and have no other effect, as one may depend on a single
    person. The number of rows of a note, and of records that are left out, goes to the confidential log alone.
    """

    problems: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Found:
    """The rows that one check returned, of all records or of a part of them.

    check: name of its statement. number: of what it is made with once each, the first being 0; 0 for all others.
    records: how many rows. examples: of these, at most five; none of a note, and of records that are left out.
    """

    check: str
    number: int
    records: int
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Each:
    """What a check with the field `each` is made with once. values: of its statement. places: of its header.

    leave: what the parameters call it among what may be unusable.
    """

    values: Mapping[str, object]
    places: Mapping[str, str]
    leave: str | None = None


@dataclass(frozen=True, slots=True)
class Checks:
    """The checks that can be made on the inputs in `database`: those that read only `tables`.

    places: input name -> the file or folder as the user gave it. originals: file that was read -> file of the user, for
    text files that were rewritten. log: gets all rows that a check returns. leave_out: what of a record may be unusable
    without a problem, as in `Unit`. each: by the field `each` of a check, what that check is made with. files: the
    checks that are made as far as they can be.
    """

    database: Database
    tables: frozenset[str]
    places: Mapping[str, str]
    originals: Mapping[str, str]
    log: Line = ignore
    leave_out: Collection[str] = ()
    each: Mapping[str, Sequence[Each]] = field(default_factory=dict)
    files: Sequence[SqlFile] = field(default_factory=lambda: folder_files("checks"))

    def findings(self, *, screened: bool) -> Findings:
        """The findings of the checks, each with up to five examples; `screened` selects which kind runs."""
        return self.judged(self.found(screened=screened))

    def found(self, *, screened: bool) -> Iterator[Found]:
        """Results of the checks that returned rows; `screened` selects which kind runs."""
        for file in self.files:
            for number, each in enumerate(self._made_with(file)):
                self.database.set_values(each.values)
                can_run = set(file.tables_read) <= self.tables and {*file.parameters} <= self.database.values.keys()
                if can_run and file.kind.startswith("screened") == screened and (count := self.database.found(file)):
                    is_told = not (each.leave in self.leave_out or file.kind.endswith("note"))
                    told = partial(example_of, originals=self.originals)
                    examples = self.database.examples(file, EXAMPLES, told) if is_told else ()
                    yield Found(file.name, number, count, examples)

    def judged(self, found: Iterable[Found]) -> Findings:
        """What was found as problems and warnings; the others go to the log."""
        findings = Findings()
        for one in found:
            file = sql_files()[one.check]
            each = self._made_with(file)[one.number]
            problem = _problem(file, one.records, one.examples, {**self.places, **each.places})
            if each.leave in self.leave_out:
                self.log(f"left out: {problem.where}: {problem.what}")
                if one.records >= self.database.rows("person_records") > 0:
                    what = f"every record is left out: unit.leave_out has {each.leave}"
                    findings.warnings.append(replace(problem, what=what))
            elif file.kind.endswith("note"):
                self.log(str(problem))
            else:
                (findings.warnings if file.kind.endswith("warning") else findings.problems).append(problem)
        return findings

    def _made_with(self, file: SqlFile) -> Sequence[Each]:
        once = [Each({}, {}, file.fields.get("leave"))]
        return self.each.get(file.fields["each"], ()) if "each" in file.fields else once


def checks_made(*, in_parts: bool) -> list[SqlFile]:
    """The checks of records that add up over parts of them; or all others, of public inputs and of all records."""
    records = {name for name, file in sql_files().items() if file.zone == "confidential"}
    files = folder_files("checks")
    return [each for each in files if in_parts == ("whole" not in each.fields and bool(records & {*each.tables_read}))]


def _problem(file: SqlFile, count: int, examples: tuple[str, ...], places: Mapping[str, str]) -> Problem:
    tells_nothing = file.kind == "warning" and "person_row" in file.body  # of records, by a run that goes on
    return Problem(
        where=file.fields["where"].format_map(places),
        what=file.fields["problem"].format_map({**places, "n": "some" if tells_nothing else f"{count:,}"}),
        fix=file.fields["fix"].format_map(places),
        examples=() if tells_nothing else examples,
    )


def example_of(row: Mapping[str, object], originals: Mapping[str, str]) -> str:
    """An offending row as one line: file and row of a person, then values, after the name of a column its value."""
    shown = {name: "NULL" if value is None else value for name, value in row.items() if "person_" not in name}
    if "column_name" in shown:
        column, (_, value), *others = shown.pop("column_name"), *shown.items()
        shown = {str(column): value, **dict(others)}
    values = [f"{name}={value}" for name, value in shown.items()]
    if "person_file" not in row:
        return ", ".join(values)
    file = originals.get(str(row["person_file"]), str(row["person_file"]))
    return ", ".join([f"{Path(file).name} row {row['person_row']}", *values])


def places_of(parameters: Parameters, sources: Mapping[str, Source]) -> dict[str, str]:
    """What the checks say of the inputs and the parameters: the names in braces in their headers."""
    shared = parameters.questions.shared
    place = ", ".join(column.name for column in parameters.geography.place)
    iterations = [sources[each.source].given for each in parameters.questions.all if each.source in sources]
    return {
        "parameters": str(parameters.source),
        "place": place,
        "universe": ", ".join(parameters.unit.where),
        "person": parameters.unit.person or "",
        "iterations": ", ".join(iterations) or str(parameters.source),
        "code_column": shared.code,
        "levels": ", ".join([*shared.untabulated, *shared.levels]) or "a text without a hyphen",
        CODES_LIST: str(parameters.source),
        MEMBERS_LIST: str(parameters.source),
        **{name: source.given for name, source in sources.items()},
    }


def checked_parts(parameters: Parameters, places: Mapping[str, str]) -> dict[str, list[Each]]:
    """What checks are made with once each, by the word of their field `each`. places: of inputs, as in `places_of`."""
    unit, questions = parameters.unit, parameters.questions
    return {
        "named_persons": [Each({}, {}, PERSON)] if unit.person else [],
        "named_ids": [Each({}, {})] if unit.id else [],
        "stated_universes": [Each({}, {})] if unit.where else [],
        "kept_columns": [
            Each({"kept_name": f"kept_{n}"}, {"column": each}) for n, (each, _) in enumerate(unit.keep.columns, start=1)
        ],
        "asked_questions": [_each_question(each, places) for each in questions.asked],
        "list_questions": [_each_question(each, places) for each in questions.several if each.places],
        "listed_attributes": [_each_attribute(each) for each in parameters.attributes if each.is_listed],
        "number_attributes": [_each_attribute(each) for each in parameters.attributes if not each.is_listed],
        "mapped_columns": [*_mapped_columns(parameters, places)],
        "null_questions": [
            Each({"null_beside": null_beside(each)}, _each_question(each, places).places)
            for each in questions.all
            if null_beside(each)
        ],
        "other_columns": [
            Each({"other_column": column}, {"column": column, "table": f"questions.{question.name}"})
            for question in questions.all
            for column in columns_of_others(question)
        ],
        "amounts": [_each_amount(amount, amount.ladder.lower()) for amount in amounts(parameters.ladders)],
        "clamped_amounts": [_each_amount(amount, None) for amount in amounts(parameters.ladders)],
    }


def _each_question(question: Question, places: Mapping[str, str]) -> Each:
    table = f"questions.{question.name}"
    named = {
        "answers": ", ".join(question.stored),
        "at_most": f"{len(question.columns)}",
        "table": table,
        "listed": f"the values of [{table}]" if question.values else places[CODES_LIST],
        "of_list": ", a code" + ("" if question.values else f" of {places[CODES_LIST]}"),
    }
    return Each(checked_columns([question]), named, "codes")


# What is no amount, and what is, where no decimals count and where some do.
_AMOUNTS = (
    (
        "or no whole number of at most 32 bits",
        "a whole number, or say how many decimals count: with decimals = 2 beside clamp, both are in hundredths",
    ),
    ("below 0, or no number of at most 32 bits", "a number of 0 or more, such as 2.06 or 2,06"),
)


def _each_amount(amount: Amount, leave: str | None) -> Each:
    places = {"ladder": amount.ladder, "column": amount.column, "clamp": f"[{amount.least}, {amount.most}]"}
    no_amount, an_amount = _AMOUNTS[amount.decimals > 0]
    words = {"no_amount": no_amount, "an_amount": an_amount, "leave": f'unit.leave_out = ["{leave}"]'}
    return Each({"amount": amount}, {**places, **words}, leave)


def _mapped_columns(parameters: Parameters, places: Mapping[str, str]) -> Iterator[Each]:
    """Columns of which the parameters say what values count as."""
    if parameters.geography.null:
        yield Each({"mapped_column": PLACE_MAPPED}, {"column": places["place"], "table": "place"})
    for each in [each for each in parameters.attributes if each.is_mapped]:
        yield Each({"mapped_column": each.mapped}, {"column": each.column, "table": f"attributes.{each.name}"})
    for question in parameters.questions.all:
        for column, name in question.mapped.items():
            yield Each({"mapped_column": name}, {"column": column, "table": f"questions.{question.name}"})


def _each_attribute(attribute: Attribute) -> Each:
    values = ", ".join(attribute.values[:8]) + ", ..." * (len(attribute.values) > 8)
    values = values if attribute.is_listed else f"{attribute.minimum} to {attribute.maximum}"
    leave, places = attribute.name.lower(), {"attribute": attribute.name, "column": attribute.column, "values": values}
    return Each({"attribute": attribute}, {**places, "leave": f'unit.leave_out = ["{leave}"]'}, leave)
