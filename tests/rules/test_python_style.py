"""Sizes, numbers and strings in the package (CONTRIBUTING.md section 3.3)."""

import ast
import re

import pytest

from tests.rules.package import Module, functions, imports, modules, named, strings

EVERY_MODULE = pytest.mark.parametrize("module", modules(), ids=lambda module: module.name or "package")
EXACT_ROOMS = ("public", "laws", "mechanisms")
EXACT_MODULE = pytest.mark.parametrize("module", named(*EXACT_ROOMS), ids=lambda module: module.name)
INTEGER_MATH = {"isqrt", "gcd", "lcm", "comb", "perm", "factorial", "prod"}

# Where statements of one line stand: pragmas and copies; empty tables; the trial of a user's expression.
SQL_MODULES = {"kit.database", "jobs.sql", "public.region_expressions"}
SQL = re.compile(
    r"\bselect\b|\b(create|drop)\s+(or\s+replace\s+)?(temp\w*\s+)?(table|view|macro)\b|\binsert\s+into\b"
    # an expression; advice to users may name a cast, so one counts where it begins the string or takes a value
    r"|\bcase\s+when\b|\bwhen\b.*\bthen\b|\bregexp_\w+\(|\bprintf\(|^(try_)?cast\(|cast\($|\b(least|greatest|coalesce)\("
    r"|\bnullif\($|\|\| ?chr\(",
    re.I,
)


HIDDEN = {
    "a statement": "select 1",
    "a macro": "create temporary macro",
    "a condition": "case when {} is null then 1 end",
    "a branch": "when {} between 1 and 2 then 1",
    "a pattern": "regexp_full_match({}, '[0-9]+')",
    "a format": "printf('%04d', {})",
    "a cast": "cast(null as varchar)",
    "a cast of a value": "1 + try_cast(",
    "a function of a value": "nullif(",
    "a joined value": " || chr(31) || ",
    "a bound": "least(greatest(weight, 0), 4)",
}


@pytest.mark.parametrize("text", HIDDEN.values(), ids=HIDDEN)
def test_sql_in_a_string_is_recognized(text: str) -> None:
    assert SQL.search(text)


@EVERY_MODULE
def test_no_statement_hides_in_a_string(module: Module) -> None:
    if module.name not in SQL_MODULES:
        assert [(node.lineno, node.value) for node in strings(module) if SQL.search(node.value)] == []


@pytest.mark.parametrize("module", named("public"), ids=lambda module: module.name)
def test_no_string_selects_anything(module: Module) -> None:
    assert [node.value for node in strings(module) if re.search(r"\bselect\b", node.value, re.I)] == []


@EVERY_MODULE
def test_a_statement_in_a_string_is_one_line(module: Module) -> None:
    assert [node.lineno for node in strings(module) if SQL.search(node.value) and "\n" in node.value.strip()] == []


@EXACT_MODULE
def test_exact_code_has_no_float_literal(module: Module) -> None:
    floats = [node for node in ast.walk(module.tree) if isinstance(node, ast.Constant)]
    assert [node.lineno for node in floats if isinstance(node.value, float | complex)] == []


@EXACT_MODULE
def test_exact_code_makes_no_float(module: Module) -> None:
    names = [node for node in ast.walk(module.tree) if isinstance(node, ast.Name | ast.Attribute)]
    called = [(node.lineno, node.id if isinstance(node, ast.Name) else node.attr) for node in names]
    assert [(line, name) for line, name in called if re.fullmatch(r"float(16|32|64|128|ing|_)?|double", name)] == []


@EXACT_MODULE
def test_exact_code_uses_the_integer_functions_of_math_alone(module: Module) -> None:
    taken = {
        alias.name
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ImportFrom) and node.module == "math"
        for alias in node.names
    }
    assert taken <= INTEGER_MATH
    assert not imports(module) & {"cmath", "decimal", "statistics"}


@EXACT_MODULE
def test_exact_code_imports_math_by_name_so_that_its_functions_show(module: Module) -> None:
    whole = [node for node in ast.walk(module.tree) if isinstance(node, ast.Import)]
    assert "math" not in {alias.name for node in whole for alias in node.names}


@EVERY_MODULE
def test_a_module_has_at_most_400_lines(module: Module) -> None:
    assert len(module.path.read_text(encoding="utf-8").splitlines()) <= 400


@EVERY_MODULE
def test_a_function_has_at_most_70_lines(module: Module) -> None:
    sizes = {function.name: (function.end_lineno or 0) - function.lineno + 1 for function in functions(module)}
    assert {name: size for name, size in sizes.items() if size > 70} == {}


@EVERY_MODULE
def test_a_function_has_at_most_8_arguments(module: Module) -> None:
    counts = {
        function.name: len(function.args.posonlyargs + function.args.args + function.args.kwonlyargs)
        for function in functions(module)
    }
    assert {name: count for name, count in counts.items() if count > 8} == {}


@EVERY_MODULE
def test_a_module_says_what_it_is_for(module: Module) -> None:
    assert ast.get_docstring(module.tree) or not module.tree.body


@EVERY_MODULE
def test_no_function_takes_arguments_of_any_name(module: Module) -> None:
    assert [function.name for function in functions(module) if function.args.kwarg] == []


@EVERY_MODULE
def test_input_is_never_checked_by_assert(module: Module) -> None:
    assert [node.lineno for node in ast.walk(module.tree) if isinstance(node, ast.Assert)] == []


@EVERY_MODULE
def test_nothing_is_left_to_be_done(module: Module) -> None:
    text = module.path.read_text(encoding="utf-8")
    assert re.findall(r"\b(TODO|FIXME|XXX|HACK|NotImplementedError)\b", text) == []
