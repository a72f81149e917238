"""How the statements are written (CONTRIBUTING.md section 3); sqlfluff looks at the rest."""

import re
from collections.abc import Callable

from safetab_sql.kit.sqlfiles import FILTERS, SqlFile, sql_files
from tests.rules import parsed_sql
from tests.rules.test_python_style import ELLIPSIS

FILES = list(sql_files().values())
# Functions whose result is not determined by their arguments, and aggregates that depend on the order of rows.
UNDETERMINED = re.compile(
    r"random|setseed|uuid.*|gen_random_uuid|now|today|(get_)?current_\w+|transaction_timestamp|nextval|txid_current"
    r"|approx_\w+|reservoir_quantile|first|last|any_value|arbitrary"
)
ORDERED_AGGREGATES = ("list", "array_agg", "string_agg", "group_concat", "listagg")
UNORDERED = {"count", "count_star", "max", "sum"}
SORTED_FOLDERS = ("run/6_publish", "export", "tools/example", "tools/ground_truth", "tools/moe", "tools/report")
UNSORTED_TABLES = (  # read by other statements, or filtered, or too large
    *("published_regions", "published_iterations", "ladder_counts", "api_groups", "exported_rows"),
    *("published_rows", "row_shapes", "possible_rows", "summed_groups", "summed_rows"),
    *("ladder_rows", "ladder_statistics", "statistic_cells", "statistic_sums", "row_finest_cells"),
    "group_index",  # sorted before its rows are named
    *("plausible_tables", "exact_rows"),
)
# Published beside the release that they come from; read range by range; written as they are made.
SORTED_TABLES = ("reconciled_t1", "reconciled_t2", "slice_totals", "group_totals", "group_errors")


def found(look: Callable[[SqlFile], object]) -> dict[str, object]:
    """What `look` finds, by the statements in which it finds anything."""
    return {file.name: result for file in FILES if (result := look(file))}


def test_a_body_has_at_most_a_hundred_lines():
    sizes = {file.name: len(file.body.splitlines()) for file in FILES}
    assert {name: size for name, size in sizes.items() if size > 100} == {}


def test_no_comma_stands_before_a_closing_parenthesis():
    """DuckDB takes one in a window since 2.0 alone; shells are older. After a loop over columns it is easily left."""

    def left(file: SqlFile) -> list[str]:
        words = r"'(?:[^']|'')*'|--[^\n]*"
        text = re.sub(words, lambda it: "" if it[0][0] == "-" else "0", parsed_sql.statement(file.name).inlined)
        return re.findall(r"[^\n]*,\s*\)", text)

    assert found(left) == {}


def test_a_template_has_no_if():
    words = re.compile(r"{%-?\s*(if|set|macro|include|import|extends|block|filter|call)\b")
    assert found(lambda file: words.findall(file.body)) == {}


def test_no_statement_of_a_run_has_more_than_two_loops():
    run = [file for file in FILES if file.folder.startswith("run/")]
    assert {file.name for file in run if len(re.findall("{%-? for ", file.body)) > 2} == set()


def test_a_loop_runs_over_a_value_and_nothing_else():
    def others(file: SqlFile) -> list[str]:
        loops = re.findall(r"{%-?\s*for\b.*?%}", file.body)
        return [loop for loop in loops if not re.fullmatch(r"{%-? for \w+ in \w+(\.\w+)? %}", loop)]

    assert found(others) == {}


def test_a_templated_value_is_a_name_or_a_part_of_one_perhaps_through_a_filter():
    """As in column, attribute.name | quoted, reads[attribute.name], and amounts | summed("persons")."""
    one = r"\w+(\.\w+)?"
    filters = rf"( \| ({'|'.join(['quoted', 'literal', *FILTERS])})(\((\"?\w[\w. ]*\"?(, )?)+\))?)?"

    def others(file: SqlFile) -> list[str]:
        values = re.findall(r"{{(.*?)}}", file.body.replace('{{ "{" }}', "").replace('{{ "}" }}', ""))
        return [value for value in values if not re.fullmatch(rf" {one}(\[{one}\])?{filters} ", value)]

    assert found(others) == {}


def test_no_statement_selects_star():
    assert [file.name for file in FILES if parsed_sql.has_star(file.name)] == ["delimited_text"]


def test_rows_are_sorted_where_they_are_published_and_nowhere_else():
    def differs(file: SqlFile) -> bool:
        is_written = file.kind != "python" and file.name not in UNSORTED_TABLES
        is_published = file.folder in SORTED_FOLDERS and is_written
        return parsed_sql.is_ordered(file.name) != (is_published or file.name in SORTED_TABLES)

    assert found(differs) == {}


def test_no_function_gives_another_result_the_next_time():
    assert found(lambda file: [name for name in parsed_sql.functions(file.name) if UNDETERMINED.fullmatch(name)]) == {}


def test_lists_say_their_order():
    def unordered(file: SqlFile) -> list[str]:
        lists = [call for call in parsed_sql.calls(file.name) if call["function_name"] in ORDERED_AGGREGATES]
        return [call["function_name"] for call in lists if not call["order_bys"]["orders"]]

    assert found(unordered) == {}


def test_windows_say_their_order_unless_it_cannot_matter():
    def unordered(file: SqlFile) -> set[str]:
        windows = [call for call in parsed_sql.calls(file.name) if call["class"] == "WINDOW"]
        return {call["function_name"] for call in windows if not call["orders"]} - UNORDERED

    assert found(unordered) == {}


def test_no_table_is_sampled_no_semicolon_ends_and_the_noun_stands_where_it_is_needed():
    assert found(lambda file: [n for n in parsed_sql.nodes(parsed_sql.parsed(file.name)) if n.get("sample")]) == {}
    assert found(lambda file: ";" in file.body) == {}
    assert found(lambda file: ELLIPSIS.findall(file.header)) == {}


def test_lines_are_at_most_120_characters_long():
    def long(file: SqlFile) -> list[str]:
        return [line for line in [*file.header.splitlines(), *file.body.splitlines()] if len(line) > 120]

    assert found(long) == {}
