"""Every sentence of the product that speaks of a person and of a loss: `python -m tests.rules.losses_of_persons`.

Printed as it stands in losses_of_persons.txt, with the reason why the sentence is true; a new one gets `?`, and a test
fails until somebody has looked at it and says why.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.rules.package import modules

ROOT = Path(__file__).parents[2]
LIST = Path(__file__).with_suffix(".txt")
REASONS = {
    "person": "the loss is one of a person: the noise is made for all records, or their number is stated",
    "rule": "says how the loss of a person follows, or that it is unknown",
    "census": "of records that are persons",
    "other": "is not about whose loss it is",
}
_PERSON = re.compile(
    r"\b(?:one|a|each|any|every) (?:single )?(?:person|resident|individual|inhabitant)\b|\bperson's\b|"
    r"\b(?:some|any|every|no)body\b",
    re.IGNORECASE,
)
_LOSS = re.compile(r"\b(?:los(?:e|es|s|ses)|spends?|costs?|budgets?|rho|epsilon|added or removed)\b", re.IGNORECASE)
_KINDS = ("*.py", "*.sql", "*.jinja", "words.toml")
_COMMENT = {".py": None, ".sql": r"^-- ?(.*)$", ".toml": r"#+ ?(.*)$", ".jinja": r"#+ ?(.*)$", ".md": r"^(.*)$"}


def sentences() -> Iterator[tuple[str, str]]:
    """Each file and each of its sentences that has a person and a loss in it."""
    files = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "configs").rglob("*.toml"), ROOT / "README.md"]
    files += [file for of in ("safetab_sql", "sql") for kind in _KINDS for file in (ROOT / of).rglob(kind)]
    for file in sorted(files):
        name = file.relative_to(ROOT).as_posix()
        if not name.startswith("docs/reproductions/") and name != "sql/run.sql":  # words of papers; made of the others
            for text in filter(_is_on_both_somewhere, _texts(file)):
                for sentence in re.split(r"(?<=[.:;?])\s|\n\s*\n| \| ", text):
                    words = " ".join(sentence.split())
                    if is_on_both(words):
                        yield name, words


def is_on_both(sentence: str) -> bool:
    """Whether a sentence has a person and a loss in it."""
    return bool(_PERSON.search(sentence) and _LOSS.search(sentence))


def _is_on_both_somewhere(text: str) -> bool:
    return is_on_both(" ".join(text.split()))


def _texts(file: Path) -> Iterator[str]:
    """The strings of a Python file, docstrings among them; the comments of others; a page; sentences with values."""
    if file.suffix == ".py":
        yield from _strings(file)
    else:
        text = file.read_text(encoding="utf-8")
        pattern = _COMMENT[".md" if file.name == "words.toml" else file.suffix] or ""
        yield "\n".join(re.findall(pattern, text, re.MULTILINE))


def _strings(file: Path) -> Iterator[str]:
    """Strings as they are said: what is put into an f-string is {}."""
    (nodes,) = (module.nodes for module in modules() if module.path == file)
    joined = [node.values for node in nodes if isinstance(node, ast.JoinedStr)]
    for values in joined:
        yield "".join(str(each.value) if isinstance(each, ast.Constant) else "{}" for each in values)
    parts = {id(each) for values in joined for each in values}
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
            yield node.value


def listed() -> dict[tuple[str, str], str]:
    """The reason why each sentence of the list is true."""
    rows = [line.split("\t") for line in LIST.read_text(encoding="utf-8").splitlines()] if LIST.exists() else []
    return {(file, sentence): reason for reason, file, sentence in rows}


if __name__ == "__main__":
    known = listed()
    for found in dict.fromkeys(sentences()):
        print("\t".join((known.get(found, "?"), *found)))
