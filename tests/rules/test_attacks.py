"""docs/attacks: its table names the tests that plant the bug of each page, and they do; what notices it is run."""

import ast
import re
from functools import cache

import pytest

from tests.conftest import REPOSITORY

PAGES = {page.stem: page.read_text(encoding="utf-8") for page in (REPOSITORY / "docs" / "attacks").glob("*.md")}
INDEX = PAGES.pop("index")
TEST = r"\[`(\w+)`\]\(\.\./\.\./(tests/[\w/]+\.py)\)"
PAGE = re.compile(r"\]\(([\w-]+)\.md\)")
ROW = re.compile(rf"^\| (\[[^|]*\.md\)) \| {TEST} \| {TEST} \|$", re.MULTILINE)  # of one attack or several
CHANGING = {"plant", "monkeypatch", "without_validation", "fault"}  # what makes our software do something else
Test = tuple[str, str]  # file and name


@cache
def functions_of(file: str) -> dict[str, ast.FunctionDef]:
    tree = ast.parse((REPOSITORY / file).read_text(encoding="utf-8"))
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test")}


def marks(test: ast.FunctionDef) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for mark in test.decorator_list:
        call = mark if isinstance(mark, ast.Call) else ast.Call(mark, [], [])
        texts = [str(each.value) for one in call.args for each in ast.walk(one) if isinstance(each, ast.Constant)]
        found.setdefault(ast.unparse(call.func).removeprefix("pytest.mark."), []).extend(texts)
    return found


def planting() -> dict[Test, ast.FunctionDef]:
    files = (path for path in (REPOSITORY / "tests").rglob("test_*.py") if "mark.planted(" in path.read_text("utf-8"))
    named = (str(path.relative_to(REPOSITORY)) for path in files if path.name != "test_attacks.py")
    return {
        (file, name): test for file in named for name, test in functions_of(file).items() if "planted" in marks(test)
    }


def test_there_is_a_page_for_each_planted_bug_and_a_planted_bug_for_each_page():
    told = {(page, (file, name)) for cell, name, file, *_ in ROW.findall(INDEX) for page in PAGE.findall(cell)}
    planted = {(page, test) for test, node in planting().items() for page in marks(node)["planted"]}
    assert told == planted
    assert {page for page, _ in told} == PAGES.keys()
    assert len(PAGES) >= 20


def test_every_planting_test_makes_our_software_do_something_else():
    for test, node in planting().items():
        used = {argument.arg for argument in node.args.args} | set(marks(node).get("usefixtures", []))
        assert used & CHANGING, test


def test_what_notices_a_bug_is_a_test_that_there_is():
    for pages, *_, name, file in ROW.findall(INDEX):
        assert name in functions_of(file), pages


@pytest.mark.parametrize("page", sorted(PAGES))
def test_a_page_is_listed_and_has_its_three_parts(page):
    parts = re.findall(r"^\*\*(.*)\.\*\*", PAGES[page], re.MULTILINE)
    assert parts == ["Elsewhere", "The smallest example", "Why ours is not hit"]
    assert f"]({page}.md)" in INDEX
