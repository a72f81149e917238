"""The calls of macros with which sql/histograms/bottom_up finds the code of a value, from public domains alone."""

from collections.abc import Mapping, Sequence
from functools import reduce

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
    """The call that makes a record's key, to compare with value_key; NULL if one of its values is NULL."""
    values = [f"table_values.{names[column]}" for column in domain.columns]
    return reduce(lambda earlier, later: f"joined_values({earlier}, {later})", values)


def code_candidates(domain: Domain, names: Mapping[str, str], lookup: str) -> str:
    """The codes that a record's value may have, in the order of precedence: its code is the first that is not NULL.

    All are NULL where the value is outside and nothing counts such values. lookup: the name under which domain_codes is
    joined to the record.
    """
    value = f"table_values.{names[domain.columns[0]]}"
    number = f"signed_number_from_text({value})"
    candidates = []
    if null_code(domain) is not None:
        candidates.append(f"code_of_null({value}, {null_code(domain)})")
    match domain.values:
        case Listed():
            candidates.append(f"{lookup}.code")
        case IntegerRange(first, last):
            candidates.append(f"code_in_range({number}, {first}, {last})")
        case IntegerBins(intervals):
            candidates += [f"code_in_bin({number}, {low}, {high}, {c})" for c, (low, high) in enumerate(intervals)]
    outside = other_code(domain)
    return ", ".join([*candidates, *([] if outside is None else [str(outside)])])


def _key(row: tuple[Value, ...]) -> str:
    """The values as DuckDB writes them as text, joined."""
    return _JOINED.join(str(value).lower() if isinstance(value, bool) else str(value) for value in row)
