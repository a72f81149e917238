"""`schema`: JSON Schemas, with which editors complete and check files."""

from typing import Literal

Name = Literal[
    "parameters",
    "bottom-up",
    "synthesize",
    "strategy",
    "manifest",
    "bottom-up-manifest",
    "synthesize-manifest",
]


def schema(name: Name) -> None:
    """Print the JSON Schema of a kind of file, with which editors complete and check it.

    example: parameters

    name: which file: parameters of `run`, the specification of a method, or a manifest
    """
    from safetab_sql.jobs.schema import schema_text

    print(schema_text(name), end="")
