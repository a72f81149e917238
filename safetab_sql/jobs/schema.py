"""`schema`: the JSON Schemas of the files that users write, and of the manifests that commands write."""

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from safetab_sql.histograms.public.bottom_up_spec import BottomUpFile
from safetab_sql.histograms.public.synthesis_spec import SynthesisFile
from safetab_sql.histograms.public.workload import WorkloadFile
from safetab_sql.histograms.published.manifests import BottomUpManifest, SynthesisManifest
from safetab_sql.public.parameters_schema import parameters_schema
from safetab_sql.published.manifest_models import ReleaseManifest
from safetab_sql.settings.schema import file_schema, written_schema

_PUBLISHES = {"anyOf": [{"required": ["margins"]}, {"required": ["publish_cells"]}]}
_ONE_BUDGET = {"not": {"required": ["epsilon", "rho"]}}
SCHEMAS: Mapping[str, Callable[[], Mapping[str, Any]]] = {
    "parameters": parameters_schema,
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
