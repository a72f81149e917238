"""Domains as a specification has them, with the values of their references: public tables, Parquet, or CSV as text."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

from safetab_sql.histograms.public.domains import Domain, Value, other_amiss, unprintable
from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.public.gate import NOTHING_CONFIDENTIAL, Confidential, Public, public_file
from safetab_sql.settings.reading import Document

_FIX = "name a Parquet file, or a CSV file with a header row"


def domains_of(
    document: Document, written: Sequence[Domain], problems: list[Problem], records: Confidential = NOTHING_CONFIDENTIAL
) -> tuple[tuple[Domain, ...], tuple[Public, ...]]:
    """The domains of the [domains] table of a spec, in its order, and their references; what is wrong is added.

    records: of the command; no reference may be one of their files.
    """
    references: dict[Path, Public] = {}
    found = [_domain(document, each, references, problems, records) for each in written]
    domains = tuple(domain for domain in found if domain is not None)
    counted = Counter(column.casefold() for domain in domains for column in domain.columns)
    for domain in domains:
        for column in [column for column in domain.columns if counted[column.casefold()] > 1]:
            what = f"column {column} stands in more than one place"
            fix = "name each column once; SQL does not tell capitals apart"
            problems.append(document.problem(("domains", domain.name), what, fix))
    return domains, tuple(references.values())


def _domain(
    document: Document,
    domain: Domain,
    references: dict[Path, Public],
    problems: list[Problem],
    records: Confidential,
) -> Domain | None:
    """The domain with the values of its reference, if it has one; None if these cannot be read."""
    if not domain.reference:
        return domain
    try:
        public = public_file("reference", document.path.parent / domain.reference, records)
        found = replace(domain, values=reference_rows(public, domain.reference_columns or domain.columns))
    except InputError as error:
        problems.extend(error.problems)
        return None
    references.setdefault(public.path, public)
    wrong = [*unprintable(found.rows), *(() if domain.other is None else other_amiss(domain, found.rows))]
    problems.extend(document.problem(("domains", domain.name), each.what, each.fix) for each in wrong)
    return found


def reference_rows(public: Public, columns: Sequence[str]) -> tuple[tuple[Value, ...], ...]:
    """The distinct values of some columns of a public file, sorted: text, whole numbers or booleans.

    Raises: InputError if the file cannot be read, lacks a column, or holds NULL or values of another kind.
    """
    table, path = reference_table(public, columns), public.path
    distinct = table.group_by(list(columns)).aggregate([])
    problems = [
        Problem(f"{path} [{name}]", "holds NULL", "leave those rows out: a domain lists values")
        for name in columns
        if distinct[name].null_count
    ]
    if problems:
        raise InputError(problems)
    if not distinct.num_rows:
        raise InputError([Problem(str(path), "holds no row", "a domain has at least one value")])
    return tuple(sorted(zip(*(distinct[name].to_pylist() for name in columns), strict=True)))


def reference_table(public: Public, columns: Sequence[str]) -> pa.Table:
    """Some columns of a public file: text, int64 or boolean. Raises: InputError as `reference_rows` does."""
    path = public.path
    if "::" in path.name or "file:" in path.parts:
        raise InputError([Problem(str(path), "is a table of a database, or a URL", f"{_FIX}, by its path")])
    is_csv = path.suffix.lower() == ".csv"
    try:
        found = pc.open_csv(path).schema.names if is_csv else pq.read_schema(path).names
        missing = [name for name in columns if name not in found]
        if missing:
            what = f"missing columns {', '.join(missing)}; found {', '.join(found)}"
            raise InputError([Problem(str(path), what, _FIX)])
        table = _csv(path, columns) if is_csv else pq.read_table(path, columns=list(columns))
        return pa.table({name: _plain(path, name, table[name]) for name in columns})
    except FileNotFoundError as error:
        raise InputError([Problem(str(path), "no file is there", _FIX)]) from error
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        if is_csv and "utf" in str(error).lower():
            raise InputError([Problem(str(path), f"is no UTF-8 text: {error}", "convert it to UTF-8")]) from error
        raise InputError([Problem(str(path), f"cannot be read: {error}", _FIX)]) from error


def _csv(path: Path, columns: Sequence[str]) -> pa.Table:
    """Some columns of a CSV file, as text: codes keep their leading zeros."""
    types = dict.fromkeys(columns, pa.string())
    return pc.read_csv(path, convert_options=pc.ConvertOptions(column_types=types, include_columns=list(columns)))


def _plain(path: Path, name: str, values: pa.ChunkedArray) -> pa.ChunkedArray:
    """The values as text, int64 or boolean. Raises: InputError where they are of another kind."""
    kind = values.type.value_type if pa.types.is_dictionary(values.type) else values.type
    if pa.types.is_boolean(kind):
        return values.cast(pa.bool_())
    if pa.types.is_integer(kind):
        return values.cast(pa.int64())
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return values.cast(pa.string())
    fix = "store it as text, whole numbers or booleans"
    raise InputError([Problem(f"{path} [{name}]", f"stored as {values.type}", fix)])
