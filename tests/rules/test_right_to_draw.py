"""No noise without a right to draw: what the mechanisms draw from has a type that one module can make.

mypy, which `make check` runs, refuses a plain generator where a mechanism asks for a right; here is what it cannot say.
"""

import ast
from collections.abc import Iterable, Iterator

from safetab_sql.accounting.ledger_file import RightToDraw
from safetab_sql.mechanisms import bits
from tests.rules.package import Module, modules

MECHANISMS = [module for module in modules() if "mechanisms" in module.name.split(".")]


def naming(name: str) -> list[Module]:
    return [module for module in modules() if name in module.path.read_text(encoding="utf-8")]


def users(name: str) -> set[str]:
    return {
        module.name
        for module in naming(name)
        for node in ast.walk(module.tree)
        if (isinstance(node, ast.Name) and node.id == name) or (isinstance(node, ast.Attribute) and node.attr == name)
    }


def callers(name: str, within: Iterable[Module] = ()) -> set[str]:
    return {
        f"{module.name}.{function.name}"
        for module in within or naming(name)
        for function in ast.walk(module.tree)
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
    }


def parameters(module: Module) -> Iterator[tuple[str, str]]:
    """The function and the type of each parameter by which a module takes random bits."""
    for function in ast.walk(module.tree):
        if isinstance(function, ast.FunctionDef):
            for argument in (*function.args.args, *function.args.kwonlyargs):
                if argument.arg == "bits" and argument.annotation is not None:
                    yield f"{module.name}.{function.name}", ast.unparse(argument.annotation)


def test_every_mechanism_draws_from_a_right_and_from_nothing_else():
    found = {name: kind for module in MECHANISMS for name, kind in parameters(module)}
    plain = {name for name, kind in found.items() if kind != "BitSource"}
    assert plain == {"mechanisms.bits.generator", "mechanisms.bits.are_the_systems"}
    assert (len(found) > 20, bits.BitSource is RightToDraw) == (True, True)


def test_every_random_byte_of_a_mechanism_comes_through_one_function():
    assert callers("bits", MECHANISMS) == {"mechanisms.bits.random_bytes"}


def test_a_right_is_made_where_the_ledger_was_asked():
    made = {"right_to_draw", "right_without_people"}
    assert callers("RightToDraw") == {f"accounting.ledger_file.{name}" for name in made}
    assert callers("right_to_draw") == {"published.new_release.charge"}


def test_a_right_that_no_ledger_gives_serves_evaluations_alone():
    assert callers("right_without_people") == {"algorithm.noise_again", "histograms.bottom_up.drawn_without_people"}
    assert users("noise_again") == {"evaluation.evaluate"}
    assert users("drawn_without_people") == {"histograms.evaluation.curve"}


def test_the_systems_bits_are_named_as_a_default_and_never_drawn_from():
    allowed = {"mechanisms.bits", "algorithm", "histograms.bottom_up", "histograms.synthesize"}
    assert users("system_bits") == allowed
    assert callers("system_bits") == set()


def test_nothing_replaces_the_systems_bits():
    def replaces(module: Module) -> bool:
        targets = (target for node in ast.walk(module.tree) if isinstance(node, ast.Assign) for target in node.targets)
        return any(isinstance(target, ast.Attribute) and target.attr == "urandom" for target in targets)

    assert [module.name for module in modules() if replaces(module)] == []
