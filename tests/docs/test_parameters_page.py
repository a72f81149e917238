"""docs/reference/parameters.md names every key that the program accepts in a file, and no other."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from safetab_sql.histograms.public.bottom_up_spec import BottomUpFile, WrittenInvariant
from safetab_sql.histograms.public.domains import Domain
from safetab_sql.histograms.public.synthesis_spec import SynthesisFile, WrittenGroup, WrittenPair
from safetab_sql.histograms.public.workload import Measure, Queries, WorkloadFile
from safetab_sql.settings.attributes import Attribute
from safetab_sql.settings.geography import Part, PlaceKey, RegionType
from safetab_sql.settings.ladders import Ladder, Statistic, WrittenLevel
from safetab_sql.settings.parameters import ParameterFile
from safetab_sql.settings.questions import Lists, WrittenQuestion
from safetab_sql.settings.records import View, ViewTable
from safetab_sql.settings.tables import keys_of
from safetab_sql.settings.unit import Unit
from tests.conftest import REPOSITORY

PAGE = (REPOSITORY / "docs" / "reference" / "parameters.md").read_text(encoding="utf-8")
CONFIGS = REPOSITORY / "configs"

CLAIMS = re.findall(r"\[configs/[\w-]+\.toml\]\(\.\./\.\./configs/([\w-]+)\.toml\)\s+has\s+every\s+key", PAGE)


def keys(schema: Mapping[str, Any]) -> Iterator[str]:
    """Every key that a schema allows, at any depth."""
    for name, value in schema.get("properties", {}).items():
        yield name
        yield from keys(value)
    below = [*schema.get("patternProperties", {}).values(), *schema.get("anyOf", ())]
    for part in (schema.get("items"), schema.get("additionalProperties"), *below):
        if isinstance(part, dict):
            yield from keys(part)


@pytest.mark.parametrize("name", CLAIMS)
def test_a_file_that_is_said_to_have_every_key_has_every_key_of_its_schema(name: str) -> None:
    text = (CONFIGS / f"{name}.toml").read_text(encoding="utf-8")
    schema = (CONFIGS / text.splitlines()[0].removeprefix("#:schema ")).read_text(encoding="utf-8")
    if "as in bottom-up.toml" in text:
        text += (CONFIGS / "bottom-up.toml").read_text(encoding="utf-8")
    written = {name for name in re.findall(r"\w+", re.sub(r'"[^"]*"', "", text))}
    keyed = {name for name in written if re.search(rf"^[# ]*(\[+{name}\b|.*\b{name} = )", text, re.MULTILINE)}
    assert set(keys(json.loads(schema))) - keyed == set()


def test_the_page_says_of_two_files_that_they_have_every_key() -> None:
    assert CLAIMS == ["bottom-up", "strategy"]


# The models whose keys stand in a table of the page.
MODELS: Mapping[str, tuple[type, ...]] = {
    "run": (ParameterFile,),
    "levels": (WrittenLevel,),
    "region_types": (RegionType,),
    "place": (PlaceKey,),
    "parts": (Part,),
    "questions": (WrittenQuestion,),
    "lists": (Lists,),
    "unit": (Unit,),
    "records": (View, ViewTable),
    "attributes": (Attribute,),
    "ladders": (Ladder, Statistic, WrittenLevel),
    "bottom_up": (BottomUpFile,),
    "domains": (Domain,),
    "invariants": (WrittenInvariant,),
    "synthesis": (SynthesisFile,),
    "pairs": (WrittenPair,),
    "groups": (WrittenGroup,),
    "strategy": (WorkloadFile,),
    "queries": (Queries,),
    "measure": (Measure,),
}


def described(table: str) -> dict[str, str]:
    """The keys of a table of the page, each with what stands in the column of defaults."""
    rows = re.split(r"\n\n", PAGE.split(f"<!-- keys of {table} -->\n\n")[1])[0].splitlines()[2:]
    cells = [re.split(r"(?<!\\)\|", row) for row in rows]
    return {key: row[3].strip() for row in cells for key in re.findall(r"`(\w+)`", row[1])}


@pytest.mark.parametrize("name", MODELS)
def test_the_page_has_the_keys_of_the_model(name: str) -> None:
    keys = {key for model in MODELS[name] for key in keys_of(model)}
    assert set(described(name)) == keys - ({"each"} if name == "levels" else set())
