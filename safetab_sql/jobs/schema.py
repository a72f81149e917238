"""`schema`: the JSON Schemas of the files that users write, and of the manifests that commands write."""

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from safetab_sql.histograms.public.spec_schemas import bottom_up_schema, strategy_schema, synthesis_schema
from safetab_sql.histograms.published.manifest_models import BottomUpManifest, SynthesisManifest
from safetab_sql.published.manifest_models import ReleaseManifest
from safetab_sql.settings.parameters import parameters_schema
from safetab_sql.settings.schema import written_schema

SCHEMAS: Mapping[str, Callable[[], Mapping[str, Any]]] = {
    "parameters": parameters_schema,
    "bottom-up": bottom_up_schema,
    "synthesize": synthesis_schema,
    "strategy": strategy_schema,
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
