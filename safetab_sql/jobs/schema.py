"""`schema`: the JSON Schemas of the files that users write, and of the manifests that commands write."""

import json
from collections.abc import Callable, Mapping
from functools import partial

from safetab_sql.histograms.public.spec_schemas import bottom_up_schema, strategy_schema, synthesis_schema
from safetab_sql.histograms.published.manifest_schemas import bottom_up_manifest_schema, synthesis_manifest_schema
from safetab_sql.public.json_schema import Schema
from safetab_sql.public.parameters_schema import parameters_schema
from safetab_sql.published.manifest_schema import manifest_schema
from safetab_sql.semantics.allocation import AllocationFile
from safetab_sql.settings.schema import file_schema

SCHEMAS: Mapping[str, Callable[[], Schema]] = {
    "parameters": parameters_schema,
    "bottom-up": bottom_up_schema,
    "synthesize": synthesis_schema,
    "strategy": strategy_schema,
    "allocation": partial(file_schema, "A budget allocation", AllocationFile),
    "manifest": manifest_schema,
    "bottom-up-manifest": bottom_up_manifest_schema,
    "synthesize-manifest": synthesis_manifest_schema,
}


def schema(name: str) -> dict[str, object]:
    """The JSON Schema of a kind of file: one of SCHEMAS."""
    return dict(SCHEMAS[name]())


def schema_text(name: str) -> str:
    """The schema as the text of a file."""
    return json.dumps(schema(name), indent=2, ensure_ascii=False) + "\n"
