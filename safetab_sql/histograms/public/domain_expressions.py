"""The expressions with which sql/histograms/bottom_up finds the code of a value, made only from public domains."""

from collections.abc import Mapping, Sequence

import pyarrow as pa

from safetab_sql.histograms.public.domains import (
    Domain,
    IntegerBins,
    IntegerRange,
    Listed,
    Value,
    null_code,
    other_code,
)

_JOINED = "\x1f"  # between the values of a key: ASCII's unit separator, which `domains_at` refuses in values


def value_names(domains: Sequence[Domain]) -> dict[str, str]:
    """The column of table_values for each column of the data."""
    columns = [column for domain in domains for column in domain.columns]
    return {column: f"value_{place}" for place, column in enumerate(columns, start=1)}


def domain_codes(domains: Sequence[Domain]) -> pa.Table:
    """Table `domain_codes` of sql/histograms/bottom_up: one row per listed value of a domain."""
    listed = [(place, domain.values.rows) for place, domain in enumerate(domains) if isinstance(domain.values, Listed)]
    return pa.table(
        {
            "domain_id": pa.array([place for place, rows in listed for _ in rows], pa.int32()),
            "value_key": pa.array([_key(row) for _, rows in listed for row in rows], pa.string()),
            "code": pa.array([code for _, rows in listed for code, _ in enumerate(rows)], pa.int64()),
        }
    )


def key_expression(domain: Domain, names: Mapping[str, str]) -> str:
    """The expression of a record's key, to compare with value_key; NULL if one of its values is NULL."""
    return " || chr(31) || ".join(f"table_values.{names[column]}" for column in domain.columns)


def code_expression(domain: Domain, names: Mapping[str, str], lookup: str) -> str:
    """The expression of the code of a record's value; NULL if no code counts the value.

    lookup: the name under which domain_codes is joined to the record.
    """
    value = f"table_values.{names[domain.columns[0]]}"
    number = whole_number(value)
    cases = []
    if null_code(domain) is not None:
        cases.append(f"when {value} is null then {null_code(domain)}")
    match domain.values:
        case Listed():
            cases.append(f"when {lookup}.code is not null then {lookup}.code")
        case IntegerRange(first, last):
            cases.append(f"when {number} between {first} and {last} then {number} - {first}")
        case IntegerBins(intervals):
            cases += [f"when {number} between {low} and {high} then {c}" for c, (low, high) in enumerate(intervals)]
    outside = other_code(domain)
    return f"case {' '.join(cases)} else {'null' if outside is None else outside} end"


def whole_number(text: str) -> str:
    """The expression of the whole number that a text spells, as bigint; NULL if it spells none: 2.5 is not rounded."""
    return f"try_cast(case when regexp_full_match({text}, '[+-]?[0-9]+') then {text} end as bigint)"


def _key(row: tuple[Value, ...]) -> str:
    """The values as DuckDB writes them as text, joined."""
    return _JOINED.join(str(value).lower() if isinstance(value, bool) else str(value) for value in row)
