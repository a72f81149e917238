"""Exact histograms of any Parquet table over public domains: one GROUP BY counts the cells with records."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from safetab_sql.confidential.counts import keep_records
from safetab_sql.confidential.records import find_records, unread_folders
from safetab_sql.histograms.public.domains import Domain, Value, Weight, columns_of, strides
from safetab_sql.histograms.public.synthesis_spec import BinnedTable
from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.database import Database, Resources, open_database, scratch_folder, stacked_table
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.progress import SILENT, Line, Progress, confidential_log
from safetab_sql.kit.sqlfiles import literal, sql_files
from safetab_sql.kit.words import exact_text
from safetab_sql.public.checks import EXAMPLES
from safetab_sql.public.columns import AMOUNT, ORDERED, PERSON, PLAIN, Kind, StoredTypes, column_expressions
from safetab_sql.public.inputs import attempt
from safetab_sql.public.sources import Source, changes, stamps, stored_types
from safetab_sql.public.text_files import parquet_files
from safetab_sql.public.values import bound_values
from safetab_sql.settings.unit import RECORDS, Unit

_JOINED = "\x1f"  # between the values of a key: ASCII's unit separator, which a domain refuses in values
_RESERVED = ("record_file", "file_row_number")  # columns that table_values.sql adds to the columns of the files


class ExactCells(NamedTuple):
    """The cells of one histogram that hold records: sorted ids, and records or sums of weights: int64[n] each."""

    cell_ids: Int64s
    exact_counts: Int64s


@dataclass(frozen=True, slots=True)
class CodedTable:
    """A table with a code for every value, in a locked database of its own.

    domains: of the codes. weight: what a record counts, if not 1. unit: what a record is. source: the files of the
    table. scratch: a private folder, removed on any exit. stage: call it with the name of each stage. log: writes a
    line to the confidential log.
    """

    domains: tuple[Domain, ...]
    weight: Weight | None
    unit: Unit
    source: Source
    database: Database
    scratch: Path
    stage: Line
    log: Line

    @property
    def codes(self) -> list[str]:
        """The columns of table_codes, of one domain each."""
        return [f"code_{place}" for place, _ in enumerate(self.domains, start=1)]

    @property
    def values(self) -> dict[str, str]:
        """The column of table_values for each column of the data."""
        return {column: f"value_{place}" for place, column in enumerate(columns_of(self.domains), start=1)}

    def key(self, domain: Domain) -> str:
        """The call that makes a record's key, to compare with value_key; NULL if one of its values is NULL."""
        values = [f"table_values.{self.values[column]}" for column in domain.columns]
        are_flags = [isinstance(value, bool) for value in (domain.values or [domain.columns])[0]]
        values = [f"flag_or_text({of})" if is_flag else of for of, is_flag in zip(values, are_flags, strict=True)]
        return reduce(lambda earlier, later: f"joined_values({earlier}, {later})", values)

    def candidates(self, domain: Domain, lookup: str) -> str:
        """The codes that a record's value may have, in the order of precedence: its code is the first that is not NULL.

        All are NULL where nothing counts the value. lookup: the name under which domain_codes is joined to the record.
        """
        value = f"table_values.{self.values[domain.columns[0]]}"
        number = f"signed_number_from_text({value})"
        found = []
        if domain.map:
            codes = [domain.mapped_code(each) for each in domain.map.values()]
            found.append(f"code_of_mapped({value}, {literal(list(domain.map))}, {literal(codes)})")
        if domain.null_code is not None:
            found.append(f"code_of_null({value}, {domain.null_code})")
        if domain.values:
            found.append(f"{lookup}.code")
        elif domain.bins:
            found += [f"code_in_bin({number}, {low}, {high}, {code})" for code, (low, high) in enumerate(domain.bins)]
        else:
            found.append(f"code_in_range({number}, {domain.minimum}, {domain.maximum})")
        outside = domain.other_code
        return ", ".join([*found, *([] if outside is None else [str(outside)])])


@contextmanager
def coded_table(
    data: str | Path,
    domains: Sequence[Domain],
    resources: Resources,
    progress: Progress = SILENT,
    *,
    weight: Weight | None = None,
    unit: Unit = RECORDS,
    problems: Sequence[Problem] = (),
) -> Iterator[CodedTable]:
    """The records of `data`, with every value as its code.

    unit: whose records are bounded, if it names the person. problems: problems found before. A value outside its domain
    gets the code of the domain's `other`, or is an error if there is none. Weights are clamped; only the confidential
    log says how many.
    Raises: InputError with every problem of the files, or else every problem of the values, with example records.
    """
    found, columns = list(problems), list(_columns_read(domains, weight, replace(unit, id=None)))
    source = attempt(found, lambda: find_records(data, columns))
    if found or source is None:
        raise InputError(found)
    before = stamps([source])
    with (
        confidential_log(resources.confidential_log) as log,
        scratch_folder(resources.scratch) as scratch,
        open_database(scratch, source.files, [], resources, log, progress.step) as database,
    ):

        def stage(name: str) -> None:
            log(f"stage: {name}")
            progress.stage(name)

        for warning in unread_folders(source.given, source.files if source.is_parquet else (), columns):
            log(f"warning: {warning}")
            progress.warn(str(warning))
        stage("reading the table")
        table = CodedTable(tuple(domains), weight, unit, source, database, scratch, stage, log)
        # no later statement reads the files
        wrong = _coding_problems(table) or changes([source], before)
        for problem in wrong:
            log(str(problem))
        refuse(wrong)
        if unit.person is None:
            database.call("counted_codes", "table_codes")
        else:
            database.create(sql_files()["coded_records"])
            for name, other in {"person_numbers": "table_codes", "countable_records": "coded_records"}.items():
                database.call(name, other)
            keep_records(database, log)
            database.call("kept_codes", "kept_records")
            database.create(sql_files()["counted_codes"])
        yield table


def count_cells(table: CodedTable, domains: Sequence[Domain]) -> ExactCells:
    """The cells with records of the histogram over `domains` of the table, numbered in that order."""
    codes = {domain.name: name for domain, name in zip(table.domains, table.codes, strict=True)}
    factors = zip(domains, strides(domains), strict=True)
    table.database.set_values({"cell_terms": [{"name": codes[of.name], "stride": stride} for of, stride in factors]})
    table.database.create(sql_files()["histogram_cells"])
    cells = table.database.table("histogram_cells", order_by=["cell_id"])
    return ExactCells(cells["cell_id"].to_numpy(), cells["exact_count"].to_numpy())


def _coding_problems(table: CodedTable) -> list[Problem]:
    """Make table_codes; returns the problems of its records. Raises: InputError if files cannot be read."""
    files, weight, unit = parquet_files(table.database, table.source, table.scratch, "table"), table.weight, table.unit
    wanted = _columns_read(table.domains, weight, unit)
    types = stored_types(table.source, files)
    taken = sorted({name for file in types for name in file if name.casefold() in _RESERVED})
    what, fix = "is what statements call the place of a record", "rename it in the files, or leave it out"
    refuse([Problem(f"{table.source.given} [{name}]", what, fix) for name in taken])
    expressions = column_expressions(table.source.given, types, wanted)
    amounts = column_expressions(table.source.given, types, {weight.column: AMOUNT} if weight else {})
    given_weight = "1"
    if weight is not None:
        number, unit_of = f"bounded_number({amounts[weight.column]})", weight.unit
        fraction = f"units_of_weight({number}, {unit_of.numerator}, {unit_of.denominator})"
        given_weight = f"whole_weight({number})" if unit_of == 1 else fraction
    table.database.set_values(
        {
            "table_files": [str(file) for file in files],
            "value_columns": [{"name": of, "expression": expressions[name]} for name, of in table.values.items()],
            "given_weight": given_weight,
            "record_id": expressions[unit.id] if unit.id else "null",
            "weight": "1" if weight is None else f"clamped_weight(table_values.given_weight, {weight.maximum})",
            **_domain_values(table),
            **_person_values(table, types, expressions),
        }
    )
    table.database.hand_over("domain_codes", domain_codes(table.domains))
    for name in ("table_values", "table_codes"):
        table.database.create(sql_files()[name])
    originals = dict(zip(map(str, files), table.source.files, strict=True))
    made = chain(_value_problems(table), _record_problems(table, weight, unit))
    return [found for statement, problem in made for found in _problems(table, statement, problem, originals)]


def _columns_read(domains: Sequence[Domain], weight: Weight | None, unit: Unit) -> dict[str, Kind]:
    """The columns that are read, and how each is read: where it is several things, as the first of these."""
    wanted = [(name, PLAIN) for name in columns_of(domains)]
    wanted += [(weight.column, AMOUNT)] if weight else []
    wanted += [(unit.id, PLAIN)] if unit.id else []
    wanted += [(unit.person, PERSON)] if unit.person else []
    wanted += [(name, ORDERED) for name, _ in unit.keep.columns]
    return {**dict(wanted), **dict(reversed(wanted))}


def _person_values(table: CodedTable, types: StoredTypes, expressions: Mapping[str, str]) -> dict[str, object]:
    """The values that bound the records of a person. types: of the columns of each file. expressions: of columns."""
    where, unit = table.source.given, table.unit
    numbers = [domain.columns[0] for domain in table.domains if not domain.values]
    ordered = column_expressions(where, types, {name: ORDERED for name, _ in unit.keep.columns})
    ordered |= {name: f"signed_number_from_text({expressions[name]})" for name in numbers if name in ordered}
    keys = {f"kept_{place}": read for place, read in enumerate(ordered.values(), start=1)}
    if unit.person is not None:
        keys["person_key"] = column_expressions(where, types, {unit.person: PERSON})[unit.person]
    return {**bound_values(unit), "record_keys": keys, "counted_columns": [*table.codes, "weight"]}


def _domain_values(table: CodedTable) -> dict[str, object]:
    """The values that table_codes needs."""
    coded, listed = list[Mapping[str, object]](), list[Mapping[str, object]]()
    for place, (domain, name) in enumerate(zip(table.domains, table.codes, strict=True)):
        lookup = f"codes_of_{place + 1}"
        coded.append({"name": name, "candidates": table.candidates(domain, lookup)})
        listed += [{"domain_id": place, "lookup": lookup, "key": table.key(domain)}] if domain.values else []
    return {"coded_domains": coded, "listed_domains": listed}


def _value_problems(table: CodedTable) -> Iterator[tuple[str, Problem]]:
    """The problem of every domain that has no code for the values of some records, and the statement of these."""
    if all(domain.other_code is not None for domain in table.domains):
        return
    table.database.create(sql_files()["uncoded_records"])
    uncoded = table.database.table("uncoded_records")
    for place, (domain, name) in enumerate(zip(table.domains, table.codes, strict=True)):
        if uncoded[name][0].as_py():
            candidates = table.candidates(domain, "domain_codes")
            examined = {"domain_id": place, "key": table.key(domain), "candidates": candidates}
            named = [{"name": column.replace('"', '""'), "value": table.values[column]} for column in domain.columns]
            table.database.set_values({"examined_domain": examined, "examined_columns": named})
            what = f"{{n}} record(s) with a value outside domain {domain.name}"
            fix = "correct the records, permit the value in the spec, or declare an `other` that counts such values"
            yield "unpermitted_records", Problem(f"{table.source.given} [{', '.join(domain.columns)}]", what, fix)


def _record_problems(table: CodedTable, weight: Weight | None, unit: Unit) -> Iterator[tuple[str, Problem]]:
    """The problems of weights, of records without a person, and of ids, each with the statement of its records."""
    if weight is not None:
        table.database.set_values({"maximum_weight": weight.maximum})
        clamped = table.database.found(sql_files()["clamped_weights"])
        units = "" if weight.unit == 1 else f" units of {exact_text(weight.unit)}"
        table.log(f"weights clamped to 0-{weight.maximum}{units}: {clamped:,} record(s)")
        number = "whole number" if weight.unit == 1 else "number"
        what = f"{{n}} record(s) with a weight that is missing or no {number}"
        fix = f"give every record a {number}: what it counts, with a point before decimals: 1.5, not 1,5"
        yield "unusable_weights", Problem(f"{table.source.given} [{weight.column}]", what, fix)
    if unit.person is not None:
        what, fix = "{n} record(s) without a person", "give every record the person it is of"
        yield "records_of_nobody", Problem(f"{table.source.given} [{unit.person}]", what, fix)
    if unit.id:
        what = "{n} record(s) whose id is missing or occurs more than once"
        fix = (
            "name a column with an id of each record, not of each person; or keep one record for each person. If a "
            "person has several, leave unit.id out, and write under [unit] one, many and records_of_a_person"
        )
        yield "repeated_ids", Problem(f"{table.source.given} [{unit.id}]", what, fix)


def _problems(table: CodedTable, statement: str, problem: Problem, originals: Mapping[str, Path]) -> list[Problem]:
    """`problem` with {n} as the number of records that the statement returns, and examples; no problem if it is 0."""
    file = sql_files()[statement]
    count = table.database.found(file)
    if not count:
        return []
    examples = table.database.examples(file, EXAMPLES, lambda row: _example(row, originals))
    return [Problem(problem.where, problem.what.format(n=f"{count:,}"), problem.fix, examples)]


def _example(row: dict[str, object], originals: Mapping[str, Path]) -> str:
    """An offending record as one line: first its file and row, then its values."""
    place = f"{originals[str(row.pop('record_file'))].name} row {row.pop('record_row')}"
    return ", ".join([place, *(f"{name}={'NULL' if value is None else value}" for name, value in row.items())])


def domain_codes(domains: Sequence[Domain]) -> pa.Table:
    """Table `domain_codes` of sql/histograms/bottom_up: one row per listed value of a domain."""
    listed = [(place, domain.values) for place, domain in enumerate(domains) if domain.values]
    parts = (([place] * len(rows), list(map(_written, rows)), range(len(rows))) for place, rows in listed)
    return stacked_table("domain_codes", parts)


def _written(row: tuple[Value, ...]) -> str:
    """The values as DuckDB writes them as text, joined."""
    return _JOINED.join(str(value).lower() if isinstance(value, bool) else str(value) for value in row)


# Exact tables of pairs and triples of fields, and the scores by which they are chosen. A score never leaves this room
# but for the exponential mechanism. Source: histograms.md sections 7.3 and 7.5.

_ROWS = 2**18  # records that are counted at a time


def count_tables(table: CodedTable, finest: Sequence[Int64s], wanted: Sequence[BinnedTable]) -> list[Int64s]:
    """The exact counts of each of these tables, in its shape. finest: the finest bin of each code, of each field.

    The engine has coded the records; the tables are counted here, because one statement a table takes five times as
    long, and there are thousands of tables. A record changes one cell of each, by 1.
    """
    counts = [np.zeros(one.shape, dtype=np.int64) for one in wanted]
    for batch in table.database.batches("counted_codes", table.codes, _ROWS):
        codes = [bins[batch[name].to_numpy()] for bins, name in zip(finest, table.codes, strict=True)]
        for one, cells in zip(wanted, counts, strict=True):
            of = zip(one.fields, one.bins, one.shape, strict=True)
            places, *others = [codes[field] if bins.size == size else bins[codes[field]] for field, bins, size in of]
            for binned, size in zip(others, one.shape[1:], strict=True):
                places = places * size + binned
            np.add(cells, np.bincount(places, minlength=cells.size).reshape(cells.shape), out=cells)
    return counts


def table_counts(table: BinnedTable, counts: Int64s) -> Int64s:
    """The exact counts of a pair's table, from those in the finest bins: int64[bins, bins] both."""
    one, other = (
        np.searchsorted(bins, np.arange(number)) for bins, number in zip(table.bins, table.shape, strict=True)
    )
    return np.add.reduceat(np.add.reduceat(counts, one), other, axis=1)


def score(exact_counts: Int64s, independent: Int64s, cost: int) -> int:
    """How far the records of a table are from independent fields, less what its noise costs.

    The distance is the sum over cells of |records - records if the two fields were independent|, in whole records; the
    latter follows from noisy counts. A record more or less changes one cell by 1, so it changes a score by at most 1.
    """
    return int(np.abs(exact_counts - independent).sum()) - cost
