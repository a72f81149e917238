"""How the statements are written (CONTRIBUTING.md section 4); sqlfluff looks at the rest."""

import re

import pytest

from safetab_sql.kit.sqlfiles import SqlFile, sql_files
from tests.rules import parsed_sql

FILES = list(sql_files().values())
EVERY_FILE = pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)

# Functions whose result is not determined by their arguments, and aggregates that depend on the order of rows.
UNDETERMINED = re.compile(
    r"random|setseed|uuid.*|gen_random_uuid|now|today|(get_)?current_\w+|transaction_timestamp|nextval|txid_current"
    r"|approx_\w+|reservoir_quantile|first|last|any_value|arbitrary"
)
ORDERED_AGGREGATES = ("list", "array_agg", "string_agg", "group_concat", "listagg")
UNORDERED = {"count", "count_star", "max", "sum"}
SORTED_FOLDERS = (
    "run/6_publish",
    *(f"tools/{tool}" for tool in ("audit", "example", "ground_truth", "moe", "report")),
)
UNSORTED_TABLES = ("published_groups", "possible_rows", "unnamed_rows")  # read by other statements, or filtered
SORTED_TABLES = ("reconciled_t1", "reconciled_t2")  # published beside the release that they come from


@EVERY_FILE
def test_a_body_has_at_most_a_hundred_lines(file: SqlFile) -> None:
    assert len(file.body.splitlines()) <= 100


@EVERY_FILE
def test_a_template_has_no_if(file: SqlFile) -> None:
    assert not re.search(r"{%-?\s*(if|set|macro|include|import|extends|block|filter|call)\b", file.body)


@EVERY_FILE
def test_a_loop_runs_over_a_value_and_nothing_else(file: SqlFile) -> None:
    loops = re.findall(r"{%-?\s*for\b.*?%}", file.body)
    assert all(re.fullmatch(r"{%- for \w+ in \w+ %}", loop) for loop in loops)


@EVERY_FILE
def test_a_templated_value_is_a_name_and_at_most_one_part_of_it(file: SqlFile) -> None:
    values = re.findall(r"{{(.*?)}}", file.body.replace('{{ "{" }}', "").replace('{{ "}" }}', ""))
    assert [value for value in values if not re.fullmatch(r" \w+(\.\w+)? ", value)] == []


@EVERY_FILE
def test_no_statement_selects_star(file: SqlFile) -> None:
    assert parsed_sql.has_star(file.name) == (file.name == "delimited_text")


@EVERY_FILE
def test_rows_are_sorted_where_they_are_published_and_nowhere_else(file: SqlFile) -> None:
    is_written = file.kind != "python" and file.name not in UNSORTED_TABLES
    is_sorted = (file.folder in SORTED_FOLDERS and is_written) or file.name in SORTED_TABLES
    assert parsed_sql.is_ordered(file.name) == is_sorted


@EVERY_FILE
def test_no_function_gives_another_result_the_next_time(file: SqlFile) -> None:
    assert not [name for name in parsed_sql.functions(file.name) if UNDETERMINED.fullmatch(name)]


@EVERY_FILE
def test_lists_say_their_order(file: SqlFile) -> None:
    lists = [call for call in parsed_sql.calls(file.name) if call["function_name"] in ORDERED_AGGREGATES]
    assert all(call["order_bys"]["orders"] for call in lists)


@EVERY_FILE
def test_windows_say_their_order_unless_it_cannot_matter(file: SqlFile) -> None:
    windows = [call for call in parsed_sql.calls(file.name) if call["class"] == "WINDOW"]
    assert {call["function_name"] for call in windows if not call["orders"]} <= UNORDERED


@EVERY_FILE
def test_no_table_is_sampled(file: SqlFile) -> None:
    assert not [node for node in parsed_sql.nodes(parsed_sql.parsed(file.name)) if node.get("sample")]


@EVERY_FILE
def test_a_statement_ends_without_a_semicolon(file: SqlFile) -> None:
    assert ";" not in file.body


@EVERY_FILE
def test_lines_are_at_most_120_characters_long(file: SqlFile) -> None:
    assert max(map(len, [*file.header.splitlines(), *file.body.splitlines()])) <= 120
