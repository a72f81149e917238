"""What code, statements and parameter files cite of the specification is there: the chapter, and the section in it."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

CHAPTERS = REPOSITORY / "docs" / "specification"
_CHAPTER = re.compile(r"\b([a-z][a-z_-]*)\.md\b")
_SECTIONS = re.compile(r"sections? (\d+(?:\.\d+)*(?:(?:, | and )\d+(?:\.\d+)*)*)")
_HEADING = re.compile(r"^#{2,4} (\d+(?:\.\d+)*)\.? ", re.MULTILINE)


def cited(text: str) -> Iterator[tuple[str, str]]:
    """Chapter and section of every citation in a text; the section is empty where none is named.

    `tabulation.md sections 4.2 and 5; mechanisms.md` has three.
    """
    words = " ".join(text.split())
    found = list(_CHAPTER.finditer(words))
    ends = [*(later.start() for later in found[1:]), len(words)]
    for chapter, end in zip(found, ends, strict=False):
        named = re.split(r"[;\n]|\. [A-Z]", words[chapter.end() : end])[0]
        numbers = [number for group in _SECTIONS.findall(named) for number in re.split(r", | and ", group)]
        for number in numbers or [""]:
            yield chapter[1], number


@cache
def headings(chapter: str) -> set[str]:
    """The numbers of its sections, and "" for the chapter itself; nothing where there is no such chapter."""
    path = CHAPTERS / f"{chapter}.md"
    return {"", *_HEADING.findall(path.read_text(encoding="utf-8"))} if path.is_file() else set()


def texts() -> Iterator[tuple[Path, str]]:
    """Headers of statements, docstrings of the package, comments of parameter files."""
    for path in sorted((REPOSITORY / "sql").rglob("*.sql")):
        yield path, "\n".join(line[2:] for line in path.read_text(encoding="utf-8").splitlines() if line[:2] == "--")
    for path in sorted((REPOSITORY / "safetab_sql").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                yield path, ast.get_docstring(node) or ""
    for path in sorted((REPOSITORY / "configs").glob("*.toml")):
        yield path, "\n".join(line[1:] for line in path.read_text(encoding="utf-8").splitlines() if line[:1] == "#")


def test_every_citation_of_the_specification_finds_its_chapter_and_section():
    lost = {
        f"{path.relative_to(REPOSITORY)}: {chapter}.md {section}".rstrip()
        for path, text in texts()
        for chapter, section in cited(text)
        if section not in headings(chapter)
    }
    assert sorted(lost) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Source: tabulation.md.", [("tabulation", "")]),
        ("tabulation.md section 6 step 3 and section 7", [("tabulation", "6"), ("tabulation", "7")]),
        (
            "tabulation.md, sections 4.2 and 5; mechanisms.md",
            [("tabulation", "4.2"), ("tabulation", "5"), ("mechanisms", "")],
        ),
        ("accounting.md section 2. Section 3 of the paper", [("accounting", "2")]),
    ],
)
def test_a_citation_is_read_as_it_is_written(text, found):
    assert list(cited(text)) == found


def test_every_program_that_a_page_or_the_makefile_starts_is_there():
    pages = [REPOSITORY / "README.md", REPOSITORY / "Makefile", *(REPOSITORY / "docs").rglob("*.md")]
    named = {name for page in pages for name in re.findall(r"-m ((?:tests|docs)\.[\w.]*\w)", page.read_text("utf-8"))}
    places = {name: REPOSITORY.joinpath(*name.split(".")) for name in named}
    lost = [name for name, place in places.items() if not (place.is_dir() or place.with_suffix(".py").is_file())]
    assert (len(named) > 5, lost) == (True, [])


def test_a_sentence_below_a_table_is_no_row_of_it():
    """In Markdown a table ends with an empty line, a heading or a comment."""
    lines = {page: page.read_text(encoding="utf-8").splitlines() for page in (REPOSITORY / "docs").rglob("*.md")}
    swallowed = [
        f"{page.name}: {below}"
        for page, of in lines.items()
        for row, below in pairwise(of)
        if row.startswith("| ") and below and not below.startswith(("|", "#", "<!--"))
    ]
    assert swallowed == []


def test_pages_for_users_have_none_of_the_words_that_readers_stumbled_over():
    docs = REPOSITORY / "docs"
    pages = [REPOSITORY / "README.md", *docs.glob("*.md")]
    pages += [page for of in ("how-to", "explanation", "reference") for page in (docs / of).glob("*.md")]
    words = re.compile(r"\b(?:stands? in|alike|(?:is|are) none|is in no|Of what)\b")
    found = {page.name: words.findall(page.read_text(encoding="utf-8")) for page in pages}
    assert {name: said for name, said in found.items() if said} == {}
