"""Pages of docs that are generated or name what the program has: each is as the program says."""

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import chdir
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from docs import notebook
from docs.generate import pages, with_columns, with_keys
from safetab_sql.statistics.sums import PublishedSum
from tests.cli.test_readme import commands, in_this_process
from tests.conftest import REPOSITORY


def test_the_generated_pages_are_current_and_made_of_headers_and_models():
    """Write them again with `make docs`."""
    outdated = [path.name for path, page in pages().items() if path.read_text(encoding="utf-8") != page]
    assert outdated == []
    made = with_columns("<!-- columns t1 -->\nearlier rows\n<!-- end -->")
    assert "earlier rows" not in made
    assert "| `MOE95` | double | half-width of the 95 % margin of error, persons;" in made
    made = with_keys("<!-- keys WrittenQuestion -->\n\n| earlier row |\nprose\n")
    assert "earlier row" not in made
    assert "| `at_most` | integer, at least 1 and at most 8 | none | how many of the columns are read" in made
    assert made.endswith("\nprose\n")


PAGE = (REPOSITORY / "docs" / "how-to" / "change.md").read_text(encoding="utf-8")


def blocks(language: str, page: str = PAGE) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)


@pytest.mark.slow
def test_the_page_goes_from_records_to_the_drawings(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(REPOSITORY / "configs", tmp_path / "configs")
    for name, text in zip(("wanted.csv", "ranks.csv"), blocks("text"), strict=True):
        (tmp_path / name).write_text(text)
    (tmp_path / "stays.toml").write_text(blocks("toml")[0])
    for command in commands(PAGE):
        code, output = in_this_process(command.line, tmp_path)
        assert code == command.code, output
    assert not (tmp_path / "2025").exists()
    assert {"change-outcomes.svg", "change-sex.png"} <= {path.name for path in (tmp_path / "figures").iterdir()}
    exec(compile(blocks("python")[0], "page", "exec"), {})


FEW = ("200_000", "20_000")  # people


def test_the_notebook_is_ten_lines_and_keeps_what_they_return():
    lines = [line for source in notebook.code_cells() for line in source.splitlines() if line.strip()]
    assert len(lines) <= 10
    kept = [text for data in notebook.results() for text in data["text/plain"]]
    assert [text[:10] for text in kept if text.startswith(("percentage", "[{'KIND': "))] == ["percentage", "[{'KIND': "]


@pytest.mark.slow
def test_its_cells_run_in_their_order(tmp_path):
    names: dict[str, object] = {}
    with chdir(tmp_path):
        release, rows, share, median = (
            notebook.outcome(source.replace(*FEW), names) for source in notebook.code_cells()
        )
        assert "<svg" in "".join(notebook.shown(release)["text/html"])
        assert len(rows) == 5
    assert isinstance(share, PublishedSum)
    assert share.ratio is not None
    assert 0.4 < share.ratio.low < share.ratio.high < 0.6
    assert 30 < median[0]["ESTIMATE"] < 45
    assert "percentage" in "".join(notebook.shown(share)["text/plain"])


PARAMETERS_PAGE = (REPOSITORY / "docs" / "reference" / "parameters.md").read_text(encoding="utf-8")
CONFIGS = REPOSITORY / "configs"
CLAIMS = re.findall(r"\[configs/[\w-]+\.toml\]\([./]+configs/([\w-]+)\.toml\)\s+has\s+every\s+key", PARAMETERS_PAGE)


def keys(schema: Mapping[str, Any]) -> Iterator[str]:
    for name, value in schema.get("properties", {}).items():
        yield name
        yield from keys(value)
    below = [*schema.get("patternProperties", {}).values(), *schema.get("anyOf", ())]
    for part in (schema.get("items"), schema.get("additionalProperties"), *below):
        if isinstance(part, dict):
            yield from keys(part)


@pytest.mark.parametrize("name", CLAIMS)
def test_a_file_that_is_said_to_have_every_key_has_every_key_of_its_schema(name):
    text = (CONFIGS / f"{name}.toml").read_text(encoding="utf-8")
    schema = (CONFIGS / text.splitlines()[0].removeprefix("#:schema ")).read_text(encoding="utf-8")
    if "as in bottom-up.toml" in text:
        text += (CONFIGS / "bottom-up.toml").read_text(encoding="utf-8")
    written = {name for name in re.findall(r"\w+", re.sub(r'"[^"]*"', "", text))}
    keyed = {name for name in written if re.search(rf"^[# ]*(\[+{name}\b|.*\b{name} = )", text, re.MULTILINE)}
    assert set(keys(json.loads(schema))) - keyed == set()


def test_the_page_says_of_two_files_that_they_have_every_key():
    assert CLAIMS == ["bottom-up", "strategy"]


VIEWS_PAGE = (REPOSITORY / "docs" / "how-to" / "person-views.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_example_of_the_page_makes_a_release(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "patients.toml").write_text(blocks("toml", VIEWS_PAGE)[0])
    exec(compile(blocks("python", VIEWS_PAGE)[0], "page", "exec"), {})
    assert (tmp_path / "patients" / "manifest.json").is_file()


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
    """Headers of statements, docstrings of the package (whatever has three quotation marks), comments of files."""
    for path in sorted((REPOSITORY / "sql").rglob("*.sql")):
        yield path, "\n".join(line[2:] for line in path.read_text(encoding="utf-8").splitlines() if line[:2] == "--")
    for path in sorted((REPOSITORY / "safetab_sql").rglob("*.py")):
        yield from ((path, text) for text in re.findall(r'"""(.*?)"""', path.read_text(encoding="utf-8"), re.DOTALL))
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
        ("ledger.md, sections 4.2 and 5; mechanisms.md", [("ledger", "4.2"), ("ledger", "5"), ("mechanisms", "")]),
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
