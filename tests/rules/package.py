"""The modules of the package as Python's parser sees them; nothing is imported."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from tests.conftest import REPOSITORY

PACKAGE = "safetab_sql"


@dataclass(frozen=True)
class Module:
    """One module. name: below the package, such as `settings.ladders`; empty for the package itself."""

    name: str
    path: Path

    @cached_property
    def tree(self) -> ast.Module:
        """The module as the parser sees it, parsed when first asked for."""
        return ast.parse(self.path.read_text(encoding="utf-8"))

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Every node of the tree: rules look at all of them again and again."""
        return tuple(ast.walk(self.tree))

    @property
    def room(self) -> str:
        """The folder the module lies in, or the module itself where it lies in none."""
        return self.name.partition(".")[0]


@cache
def modules() -> tuple[Module, ...]:
    """Every module of the package."""
    root = REPOSITORY / PACKAGE
    paths = {path: path.relative_to(root).with_suffix("").parts for path in sorted(root.rglob("*.py"))}
    return tuple(Module(".".join(part for part in parts if part != "__init__"), path) for path, parts in paths.items())


def named(*rooms: str) -> list[Module]:
    return [module for module in modules() if module.room in rooms]


def imports(module: Module) -> set[str]:
    """What the module imports, dotted: of the package, modules alone."""
    found: set[str] = set()
    for node in module.nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {_imported(node.module, alias.name) for alias in node.names}
    return found


def functions(module: Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in module.nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


@cache
def strings(module: Module) -> tuple[ast.Constant, ...]:
    """Every string that is not a docstring; the literal parts of f-strings among them."""
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    docstrings = {
        id(node.body[0].value)
        for node in module.nodes
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    texts = (node for node in module.nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return tuple(node for node in texts if id(node) not in docstrings)


def _imported(module: str, name: str) -> str:
    """`from a.b import c`: a.b.c where that is a module of the package, else a.b."""
    below = Path(*module.split("."), name)
    is_module = (REPOSITORY / below).is_dir() or (REPOSITORY / below.with_suffix(".py")).is_file()
    return f"{module}.{name}" if is_module else module
