"""Pages that tests hold: docs/attacks, refusals, and every sentence on a person and a loss."""

import ast
import re
from functools import cache

import pytest

from safetab_sql.kit.sqlfiles import folder_files
from tests.conftest import REPOSITORY
from tests.rules.losses_of_persons import REASONS, is_on_both, listed, sentences

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


def test_every_planting_test_makes_our_software_do_something_else_and_what_notices_it_exists():
    for test, node in planting().items():
        used = {argument.arg for argument in node.args.args} | set(marks(node).get("usefixtures", []))
        assert used & CHANGING, test
    for pages, *_, name, file in ROW.findall(INDEX):
        assert name in functions_of(file), pages


@pytest.mark.parametrize("page", sorted(PAGES))
def test_a_page_is_listed_and_has_its_three_parts(page):
    parts = re.findall(r"^\*\*(.*)\.\*\*", PAGES[page], re.MULTILINE)
    assert parts == ["Elsewhere", "The smallest example", "Why ours is not hit"]
    assert f"]({page}.md)" in INDEX


TEXT = (REPOSITORY / "docs" / "specification" / "refusals.md").read_text(encoding="utf-8")
ROWS = {name: row for row in TEXT.splitlines() for name in re.findall(r"`(\w+)`", row.split(" | ")[0])}


def test_every_check_has_a_row_and_one_person_can_change_it_only_where_it_refuses_nothing():
    for file in folder_files("checks"):
        answer = ROWS[file.name].split(" | ")[1]
        is_told = file.kind.endswith(("warning", "note"))
        assert (answer == "yes", answer.startswith("no")) == (is_told, not is_told), file.name


def test_every_section_is_numbered():
    heads = re.findall(r"^## (.*)$", TEXT, re.MULTILINE)
    assert [head.split(".")[0] for head in heads] == [str(number) for number in range(1, len(heads) + 1)]


def test_every_sentence_on_a_person_and_a_loss_has_a_reason_for_which_it_is_true():
    """`python -m tests.rules.losses_of_persons` prints the list anew; say why in place of a question mark."""
    assert set(sentences()) - listed().keys() == set()
    assert set(listed().values()) <= set(REASONS)


@pytest.mark.parametrize(
    "sentence",
    [
        *("One person loses at most rho = 4.944.", "Somebody in an alone iteration loses up to 2."),
        *("Neighbours differ by one person added or removed.", "The budget of a level is each person's."),
    ],
)
def test_the_sentences_that_were_false_of_records_are_among_those_that_are_looked_for(sentence):
    assert is_on_both(sentence)
