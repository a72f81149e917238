"""Validation of the data: every statement under sql/checks returns the offending rows."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from safetab_sql.kit.database import Database, Line
from safetab_sql.kit.errors import Problem
from safetab_sql.kit.progress import ignore
from safetab_sql.kit.sqlfiles import SqlFile, folder_files

EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class Findings:
    """What the checks found, for the custodian only: it quotes person records.

    problems: the inputs are refused. warnings: they are printed and have no other effect, because a warning may depend
    on a single person. The number of rows of a note, and of records that are left out, goes only to the confidential
    log.
    """

    problems: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)


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
    without a problem, as in `Unit`. each: by the field `each` of a check, what that check is made with.
    """

    database: Database
    tables: frozenset[str]
    places: Mapping[str, str]
    originals: Mapping[str, str]
    log: Line = ignore
    leave_out: Collection[str] = ()
    each: Mapping[str, Sequence[Each]] = field(default_factory=dict)

    def findings(self, *, screened: bool) -> Findings:
        """The findings of the checks, each with up to five examples: those of kind `screened`, or all others."""
        findings = Findings()
        for file in folder_files("checks"):
            once = [Each({}, {}, file.fields.get("leave"))]
            for each in self.each.get(file.fields["each"], ()) if "each" in file.fields else once:
                self.database.set_values(each.values)
                can_run = set(file.tables_read) <= self.tables and self.database.has_values(file)
                if can_run and file.kind.startswith("screened") == screened:
                    self._add_finding(findings, file, each)
        return findings

    def _add_finding(self, findings: Findings, file: SqlFile, each: Each) -> None:
        if not (count := self.database.found(file)):
            return
        places = {**self.places, **each.places}
        is_left_out = each.leave in self.leave_out
        if is_left_out or file.kind.endswith("note"):
            problem = _problem(file, count, (), places)
            self.log(f"left out: {problem.where}: {problem.what}" if is_left_out else str(problem))
            return
        examples = self.database.examples(file, EXAMPLES, lambda row: _example(row, self.originals))
        kind = findings.warnings if file.kind == "warning" else findings.problems
        kind.append(_problem(file, count, examples, places))


def _problem(file: SqlFile, count: int, examples: tuple[str, ...], places: Mapping[str, str]) -> Problem:
    return Problem(
        where=file.fields["where"].format_map(places),
        what=file.fields["problem"].format_map({**places, "n": f"{count:,}"}),
        fix=file.fields["fix"].format_map(places),
        examples=examples,
    )


def _example(row: Mapping[str, object], originals: Mapping[str, str]) -> str:
    """An offending row as one line: first the file and row of a person, then the values.

    A row that names a column holds its value after the name.
    """
    shown = {name: "NULL" if value is None else value for name, value in row.items() if "person_" not in name}
    if "column_name" in shown:
        column, (_, value), *others = shown.pop("column_name"), *shown.items()
        shown = {str(column): value, **dict(others)}
    values = [f"{name}={value}" for name, value in shown.items()]
    if "person_file" not in row:
        return ", ".join(values)
    file = originals.get(str(row["person_file"]), str(row["person_file"]))
    return ", ".join([f"{Path(file).name} row {row['person_row']}", *values])
