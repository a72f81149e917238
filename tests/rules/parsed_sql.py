"""The statements of sql/ as DuckDB's own parser sees them; nothing is bound, so no table and no file has to exist."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import duckdb

from safetab_sql.jobs.sql import display_values
from safetab_sql.kit.sqlfiles import Statement, render, sql_files
from safetab_sql.public.values import bound_values
from safetab_sql.settings.unit import Unit

FILE_READERS = ("read_parquet", "read_csv")
Node = Mapping[str, Any]
# Of persons with several records, so that no loop of a template is empty.
PERSONS = {
    **bound_values(Unit("stay", "stays", person="PATIENT", most_records=5)),
    "record_keys": {"person_key": "cast(null as varchar)", "kept_1": "cast(null as varchar)"},
    "keep_order": {"kept_1": "desc"},
    "mapped_reads": {"AGE_mapped": "true"},
    "place_lookups": [{"key": "geography_rows.TABBLK", "groups": "geography_rows.TABBLK", "read": "TABBLK"}],
    "partial_places": [
        {"key": "cast(geography_rows.TABBLK as bigint)", "groups": "cube (geography_rows.TABBLK)", "is_named": "true"}
    ],
}


@cache
def values() -> Mapping[str, object]:
    """What every statement asks for, with the parameters of the embedded example."""
    return display_values() | PERSONS


@cache
def statement(name: str) -> Statement:
    return render(sql_files()[name], values())


@cache
def parsed(name: str) -> Node:
    (tree,) = duckdb.execute("values (json_serialize_sql($text))", {"text": statement(name).text}).fetchall()[0]
    document = json.loads(tree)
    assert not document["error"], document
    (select,) = document["statements"]
    node = select["node"]
    assert isinstance(node, dict)
    return node


def nodes(tree: object) -> Iterator[Node]:
    waiting = [tree]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            yield part
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)


def tables_read(name: str) -> set[str]:
    """The tables that the statement reads, its own common table expressions apart."""
    found = list(nodes(parsed(name)))
    own = {entry["key"] for node in found for entry in _list((node.get("cte_map") or {"map": []})["map"])}
    return {str(node["table_name"]) for node in found if node.get("type") == "BASE_TABLE"} - own


def files_read(name: str) -> set[str]:
    """The bound parameters that the statement reads as files, with their mark."""
    readers = [node for node in nodes(parsed(name)) if node.get("function_name") in FILE_READERS]
    first_arguments = [_list(reader["arguments"])[0]["expression"] for reader in readers]
    return {f"${argument['identifier']}" for argument in first_arguments if "identifier" in argument}


def calls(name: str) -> list[Node]:
    return [node for node in nodes(parsed(name)) if node.get("class") in ("FUNCTION", "WINDOW")]


def functions(name: str) -> set[str]:
    return {str(call["function_name"]).lower() for call in calls(name)}


def has_star(name: str) -> bool:
    """Whether the statement selects `*` somewhere; `count(*)` and the hidden star of an unpivot are none."""
    selects = [node for node in nodes(parsed(name)) if node.get("type") == "SELECT_NODE"]
    return any(
        column.get("class") == "STAR"
        for select in selects
        if not (isinstance(select["from_table"], dict) and select["from_table"].get("type") == "PIVOT")
        for column in _list(select["select_list"])
    )


def is_ordered(name: str) -> bool:
    return any(modifier["type"] == "ORDER_MODIFIER" for modifier in _list(parsed(name)["modifiers"]))


def _list(value: object) -> list[dict[str, Any]]:
    assert isinstance(value, list)
    return value
