"""Files in configs/ of which docs/reference/parameters.md says that they have every key do."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from tests.conftest import REPOSITORY

PAGE = (REPOSITORY / "docs" / "reference" / "parameters.md").read_text(encoding="utf-8")
CONFIGS = REPOSITORY / "configs"
CLAIMS = re.findall(r"\[configs/[\w-]+\.toml\]\(\.\./\.\./configs/([\w-]+)\.toml\)\s+has\s+every\s+key", PAGE)


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
