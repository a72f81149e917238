"""docs/reference/parameters.md names every key that the program accepts in a file, and no other."""

import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import pytest

from safetab_sql.histograms.public.bottom_up_spec import load_bottom_up_spec
from safetab_sql.histograms.public.synthesis_spec import load_synthesis_spec
from safetab_sql.histograms.public.workload import load_workload
from safetab_sql.public.parameters import load_parameters
from safetab_sql.public.settings import Settings
from safetab_sql.semantics.allocation import load_allocation
from tests.conftest import REPOSITORY

PAGE = (REPOSITORY / "docs" / "reference" / "parameters.md").read_text(encoding="utf-8")
CONFIGS = REPOSITORY / "configs"

REGION_TYPE = """
[region_types.SCHOOL]
id = "TABBLKST || SDELM"
is_sub_state = true
[levels.SCHOOL-2]
budget = 1
thresholds = [1, 2, 3]
"""
OWN = """
privacy_definition = "zcdp"
gamma = 0.1
lists = { codes = "codes", members = "members" }
questions.ancestry = { columns = ["A", "B"], iterations = "groups" }
place.key = { MUNICIPALITY = "text" }
parts.mainland.where.TERRITORY = ["M"]
region_types.MUNICIPALITY.id = "MUNICIPALITY"
[levels.MUNICIPALITY-2]
budget = 1
thresholds = [1, 2, 3]
"""
BOTTOM_UP = """
epsilon = 1
[domains.SEX]
values = ["1", "2"]
[margins]
sex = ["SEX"]
[[invariants]]
columns = ["SEX"]
totals = "totals.csv"
"""
SYNTHESIS = """
epsilon = 1
[domains.SEX]
values = ["1", "2"]
[[groups]]
fields = ["SEX"]
"""
TREE = """
epsilon = 1
[domains]
SEX = { values = ["1", "2"] }
AGE = { minimum = 0, maximum = 99 }
[[pairs]]
fields = ["SEX", "AGE"]
"""
# Kind of file, how it is read, what it may say, and the name of the table of keys for each table of the file.
FILES: Mapping[str, tuple[Callable[[Path], object], str, Mapping[str, str]]] = {
    "run": (
        load_parameters,
        (CONFIGS / "example.toml").read_text(encoding="utf-8") + REGION_TYPE,
        {"": "run", "levels": "levels", "region_types": "region_types"},
    ),
    "own geography": (
        load_parameters,
        OWN,
        {
            "": "run",
            "levels": "levels",
            "region_types": "own_region_types",
            "place": "place",
            "parts": "parts",
            "questions": "questions",
            "lists": "lists",
            "attributes": "attributes",
            "unit": "unit",
        },
    ),
    "own tables": (
        load_parameters,
        (CONFIGS / "ladders.toml").read_text(encoding="utf-8"),
        {"attributes": "own_attributes", "ladders": "ladders"},
    ),
    "bottom-up": (
        load_bottom_up_spec,
        BOTTOM_UP,
        {"": "bottom_up", "domains": "domains", "invariants": "invariants"},
    ),
    "synthesis": (load_synthesis_spec, SYNTHESIS, {"": "synthesis", "domains": "domains", "groups": "groups"}),
    "tree": (load_synthesis_spec, TREE, {"": "synthesis", "domains": "domains", "pairs": "pairs"}),
    "strategy": (
        load_workload,
        (CONFIGS / "strategy.toml").read_text(encoding="utf-8"),
        {"": "strategy", "domains": "domains", "queries": "queries", "measure": "measure"},
    ),
    "allocation": (
        load_allocation,
        (CONFIGS / "redistricting-2020.toml").read_text(encoding="utf-8"),
        {"": "allocation", "universes": "universes"},
    ),
}


def described(table: str) -> dict[str, str]:
    """The keys of a table of the page, each with what stands in the column of defaults."""
    rows = re.split(r"\n\n", PAGE.split(f"<!-- keys of {table} -->\n\n")[1])[0].splitlines()[2:]
    cells = [re.split(r"(?<!\\)\|", row) for row in rows]
    return {key: row[3].strip() for row in cells for key in re.findall(r"`(\w+)`", row[1])}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """By table of a file that is read: the keys that are known, and those that have to be there."""
    known: dict[str, set[str]] = defaultdict(set)
    required: dict[str, set[str]] = defaultdict(set)

    def note_known(settings: Settings, table: Sequence[str], keys: Iterable[str], names: Sequence[str]) -> None:
        known["".join(table[:1])] |= set(names)

    def note_required(settings: Settings, table: Sequence[str], keys: Iterable[str], present: Iterable[str]) -> None:
        required["".join(table[:1])] |= set(keys)

    for module in [module for name, module in sys.modules.items() if name.startswith("safetab_sql.")]:
        for name, note in (("complain_unknown", note_known), ("complain_missing", note_required)):
            if hasattr(module, name):
                monkeypatch.setattr(module, name, note)
    return known, required


@pytest.mark.parametrize("kind", FILES)
def test_the_page_has_the_keys_that_a_file_may_hold(asked, tmp_path: Path, kind: str) -> None:
    read, text, tables = FILES[kind]
    (tmp_path / "file.toml").write_text(text, encoding="utf-8")
    read(tmp_path / "file.toml")
    known, required = asked
    found = {name: set(described(name)) for name in tables.values()}
    assert found == {name: known[table] for table, name in tables.items()}
    unmarked = {
        key
        for table, name in tables.items()
        for key in required[table] & found[name]
        if not described(name)[key].startswith(("required", "none; required")) and key not in ("minimum", "maximum")
    }
    assert unmarked == set()
