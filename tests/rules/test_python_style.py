"""Sizes, numbers and strings in the package (CONTRIBUTING.md section 3); ruff looks at the rest."""

import ast
import re
from collections.abc import Callable, Iterable

import pytest

from tests.conftest import REPOSITORY
from tests.rules.package import Module, functions, imports, modules, named, strings

# Words that stand for a noun, also where a line ends between them.
ELLIPSIS = re.compile(r"\b(?:(?:those|that)[\s#-]+of|whichever)\b", re.I)
EXACT_ROOMS = ("settings", "public", "laws", "mechanisms")
INTEGER_MATH = {"isqrt", "gcd", "lcm", "comb", "perm", "factorial", "prod"}
# Where statements of one line stand: pragmas and copies; empty tables; the trial of a user's expression.
SQL_MODULES = {"kit.database", "kit.sqlfiles", "jobs.sql", "public.expressions"}
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
def test_sql_in_a_string_is_recognized(text):
    assert SQL.search(text)


WORDS = list((REPOSITORY / "safetab_sql").rglob("words.toml"))


def found(where: Iterable[Module], look: Callable[[Module], object]) -> dict[str, object]:
    """What `look` finds, by the modules in which it finds anything."""
    return {module.name: result for module in where if (result := look(module))}


def code_lines(module: Module) -> dict[str, int]:
    """How many lines of code each function has: neither its docstring, nor blanks, nor comments of whole lines."""
    lines = module.path.read_text(encoding="utf-8").splitlines()
    return {
        function.name: sum(not line.strip().startswith("#") and bool(line.strip()) for line in lines[first - 1 : last])
        for function in functions(module)
        for first, last in [_body(function)]
    }


def _body(function: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[int, int]:
    body = function.body[1:] if ast.get_docstring(function) else function.body
    return (body[0].lineno, function.end_lineno or 0) if body else (1, 0)


def test_no_statement_hides_in_a_string():
    others = [module for module in modules() if module.name not in SQL_MODULES]
    assert found(others, lambda one: [(n.lineno, n.value) for n in strings(one) if SQL.search(n.value)]) == {}
    whole = named("public")
    assert found(whole, lambda one: [n.value for n in strings(one) if re.search(r"\bselect\b", n.value, re.I)]) == {}


def test_a_statement_in_a_string_is_one_line():
    def longer(module: Module) -> list[int]:
        return [node.lineno for node in strings(module) if SQL.search(node.value) and "\n" in node.value.strip()]

    assert found(modules(), longer) == {}


def test_exact_code_has_no_float_literal():
    def literals(module: Module) -> list[int]:
        constants = [node for node in module.nodes if isinstance(node, ast.Constant)]
        return [node.lineno for node in constants if isinstance(node.value, float | complex)]

    assert found(named(*EXACT_ROOMS), literals) == {}


def test_exact_code_makes_no_float():
    def floats(module: Module) -> list[tuple[int, str]]:
        names = [node for node in module.nodes if isinstance(node, ast.Name | ast.Attribute)]
        called = [(node.lineno, node.id if isinstance(node, ast.Name) else node.attr) for node in names]
        return [(line, name) for line, name in called if re.fullmatch(r"float(16|32|64|128|ing|_)?|double", name)]

    assert found(named(*EXACT_ROOMS), floats) == {}


def test_exact_code_uses_the_integer_functions_of_math_alone():
    def other_functions(module: Module) -> set[str]:
        taken = {
            alias.name
            for node in module.nodes
            if isinstance(node, ast.ImportFrom) and node.module == "math"
            for alias in node.names
        }
        return (taken - INTEGER_MATH) | (imports(module) & {"cmath", "decimal", "statistics"})

    assert found(named(*EXACT_ROOMS), other_functions) == {}


def test_exact_code_imports_math_by_name_so_that_its_functions_show():
    def whole(module: Module) -> bool:
        nodes = [node for node in module.nodes if isinstance(node, ast.Import)]
        return "math" in {alias.name for node in nodes for alias in node.names}

    assert found(named(*EXACT_ROOMS), whole) == {}


def test_a_module_has_at_most_600_lines():
    sizes = {module.path: len(module.path.read_text(encoding="utf-8").splitlines()) for module in modules()}
    assert {path.stem: size for path, size in sizes.items() if size > 600} == {}


def test_a_function_has_at_most_50_lines_of_code():
    def longer(module: Module) -> dict[str, int]:
        return {name: size for name, size in code_lines(module).items() if size > 50}

    assert found(modules(), longer) == {}


def test_a_module_says_what_it_is_for_in_whole_sentences_and_leaves_nothing_to_be_done():
    assert found(modules(), lambda one: bool(one.tree.body) and not ast.get_docstring(one.tree)) == {}
    # Commands are left out: their docstrings are the printed help.
    others = [module for module in modules() if module.room != "commands"]
    assert found(others, lambda one: ELLIPSIS.findall(one.path.read_text(encoding="utf-8"))) == {}
    assert [file for file in WORDS if ELLIPSIS.search(file.read_text(encoding="utf-8"))] == []
    assert found(modules(), lambda one: [function.name for function in functions(one) if function.args.kwarg]) == {}
    words = re.compile(r"\b(TODO|FIXME|XXX|HACK|NotImplementedError)\b")
    assert found(modules(), lambda one: words.findall(one.path.read_text(encoding="utf-8"))) == {}
