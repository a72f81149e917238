"""`schema`: the JSON Schemas of the files that users write, and of the manifests that commands write.

They are made from the models of the files: with these, editors check and complete what users write. A schema knows
keys, types and ranges of single settings. What settings mean together the models know, which refuse everything that a
schema refuses. Source: json-schema.org, draft 2020-12.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from itertools import product
from typing import Any

from pydantic import TypeAdapter

from safetab_sql.histograms.public.bottom_up_spec import BottomUpFile
from safetab_sql.histograms.public.strategies import WorkloadFile
from safetab_sql.histograms.public.synthesis_spec import SynthesisFile
from safetab_sql.histograms.published.manifests import BottomUpManifest, SynthesisManifest
from safetab_sql.published.manifest import ReleaseManifest
from safetab_sql.settings.census import GEOGRAPHY_KEYS, REQUIRED_IN_SHORT, TWINS
from safetab_sql.settings.geography import REQUIRED
from safetab_sql.settings.parameters import ParameterFile
from safetab_sql.settings.reading import BASE

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def file_schema(title: str, kind: Any, conditions: Collection[Mapping[str, object]] = ()) -> dict[str, object]:
    """The schema of a file. kind: its model. conditions: of a file that is not laid over another one.

    Such a file has all keys that its tables require.
    """
    whole = _tidy(kind)
    alone = [each for each in (_required(whole), {"required": list(kind.required)}, *conditions) if each]
    over = {"if": {"not": {"required": [BASE]}}, "then": {"allOf": alone}}
    for each in _schemas(whole):
        each.pop("required", None)
    return {"$schema": DIALECT, "title": title, **whole, **over}


def written_schema(title: str, kind: Any) -> dict[str, object]:
    """The schema of a file that a command writes. kind: its model, or a union of models."""
    return {"$schema": DIALECT, "title": title, **_tidy(kind)}


def _tidy(kind: Any) -> dict[str, Any]:
    """The schema of a model without empty lists, and without the titles and defaults that pydantic adds."""
    found = TypeAdapter(kind).json_schema()
    for each in [each for part in (found, *found.get("$defs", {}).values()) for each in _schemas(part)]:
        for key in [key for key, value in each.items() if key in ("title", "default") or value == []]:
            del each[key]
        if "patternProperties" in each:
            each["additionalProperties"] = False
    return found


def _schemas(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A schema and those in it, but for definitions that it shares."""
    yield schema
    inner = [*schema.get("properties", {}).values(), *schema.get("patternProperties", {}).values()]
    inner += [schema[key] for key in ("items", "additionalProperties") if isinstance(schema.get(key), Mapping)]
    for each in (*inner, *schema.get("anyOf", ())):
        yield from _schemas(each)


def _required(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The keys that a schema requires, and the schemas in it; nothing where there are none."""
    below = {key: _required(each) for key, each in schema.get("properties", {}).items()}
    inner = {key: schema[key] for key in ("items", "additionalProperties") if isinstance(schema.get(key), Mapping)}
    either = [_required(each) for each in schema.get("anyOf", ())]
    found = {
        "required": schema.get("required"),
        "properties": {key: each for key, each in below.items() if each},
        **{key: _required(each) for key, each in inner.items()},
        "anyOf": either if all(either) else [],
    }
    return {key: each for key, each in found.items() if each}


_OWN_GEOGRAPHY = {"anyOf": [{"required": [key]} for key in GEOGRAPHY_KEYS]}
_OF_PARAMETERS: tuple[Mapping[str, object], ...] = (
    {"anyOf": [{"required": ["levels"]}, {"required": ["ladders"]}]},
    {"if": _OWN_GEOGRAPHY, "then": {"required": list(REQUIRED)}, "else": {"required": list(REQUIRED_IN_SHORT)}},
    {"if": {"required": ["ladders"]}, "then": {"required": ["attributes"]}},
    *({"not": {"required": list(pair)}} for ours, others in TWINS for pair in product(ours, others)),
)
_PUBLISHES = {"anyOf": [{"required": ["margins"]}, {"required": ["publish_cells"]}]}
_ONE_BUDGET = {"not": {"required": ["epsilon", "rho"]}}
SCHEMAS: Mapping[str, Callable[[], Mapping[str, Any]]] = {
    "parameters": partial(file_schema, "Parameters of safetab-sql", ParameterFile, _OF_PARAMETERS),
    "bottom-up": partial(file_schema, "A bottom-up histogram", BottomUpFile, [_PUBLISHES]),
    "synthesize": partial(file_schema, "Synthetic rows", SynthesisFile, [_ONE_BUDGET]),
    "strategy": partial(file_schema, "Queries of your own", WorkloadFile),
    "manifest": partial(written_schema, "Manifest of a release of safetab-sql", ReleaseManifest),
    "bottom-up-manifest": partial(written_schema, "Manifest of a histogram of safetab-sql", BottomUpManifest),
    "synthesize-manifest": partial(written_schema, "Manifest of synthetic rows of safetab-sql", SynthesisManifest),
}


def schema(name: str) -> dict[str, object]:
    """The JSON Schema of a kind of file: one of SCHEMAS."""
    return dict(SCHEMAS[name]())


def schema_text(name: str) -> str:
    """The schema as the text of a file."""
    return json.dumps(schema(name), indent=2, ensure_ascii=False) + "\n"
