"""What finds each planted bug of docs/attacks.

    python -m tests.benchmarks.planted_bugs [--results FILE...] [--write]

Plants them all by the tests that the pages name, or reads what such a run has left (`pytest --junit-xml FILE`), and
prints a row for each page and module of tests that finds its bug: how many bugs were planted, and how many of them were
found. --write puts it into docs/attacks/index.md.
"""

import argparse
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

from tests.conftest import REPOSITORY
from tests.rules.test_attacks import HEAD, INDEX, PAGES, TABLE, finders

PAGE = REPOSITORY / "docs" / "attacks" / "index.md"

Test = tuple[str, str]  # file and name
Results = Mapping[Test, Sequence[bool]]  # of each variant: whether the bug was found


def planted(tests: Sequence[Test], results: Path) -> None:
    """Run tests, whatever comes of them."""
    ids = [f"{file}::{name}" for file, name in dict.fromkeys(tests)]
    words = [sys.executable, "-m", "pytest", "-q", f"--junit-xml={results}", *ids]
    subprocess.run(words, cwd=REPOSITORY, check=False, stdout=sys.stderr)


def read_results(results: Sequence[Path]) -> Results:
    """What runs of pytest have left, by test, the last of each variant; what was skipped is left out."""
    variants: dict[tuple[str, str], bool] = {}
    for case in (case for file in results for case in ElementTree.parse(file).iter("testcase")):
        if case.find("skipped") is None:
            file = f"{case.attrib['classname'].replace('.', '/')}.py"
            variants[file, case.attrib["name"]] = case.find("failure") is None and case.find("error") is None
    found: dict[Test, list[bool]] = {}
    for (file, name), variant in variants.items():
        found.setdefault((file, name.partition("[")[0]), []).append(variant)
    return found


def rows(results: Results) -> Iterator[tuple[str, ...]]:
    """A row for each page and what finds its bug."""
    for page, by, tests in finders():
        tried = [variant for test in tests for variant in results.get(test, ())]
        title = PAGES[page].partition("\n")[0].removeprefix("# ")
        yield f"[{title}]({page}.md)", by, str(len(tried)), str(sum(tried))


def main() -> int:
    """Print the table; 1 if a bug was not found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=Path, nargs="+", help="of runs of pytest, as their --junit-xml")
    parser.add_argument("--write", action="store_true", help="put the table into docs/attacks/index.md")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        if (results := options.results) is None:
            results = [Path(folder) / "results.xml"]
            planted([test for *_, tests in finders() for test in tests], results[0])
        found = list(rows(read_results(results)))
    lines = [HEAD, ("---",) * len(HEAD), *found]
    table = "".join(f"| {' | '.join(row)} |\n" for row in lines)
    print(table, end="")
    if options.write:
        PAGE.write_text(TABLE.sub(lambda at: at[1] + table, INDEX), encoding="utf-8")
    return int(any(row[2] != row[3] for row in found))


if __name__ == "__main__":
    raise SystemExit(main())
