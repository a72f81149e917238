"""Commands around the making of a release: `validate`, `plan`, `run` and `schema`."""

import sys
from typing import Annotated, Literal

from safetab_sql.commands.answers import json_text
from safetab_sql.commands.options import (
    CodeLists,
    Engine,
    Format,
    InputsOrTable,
    Json,
    Ledger,
    LoggedMachine,
    Out,
    ParameterFile,
    number_of,
)
from safetab_sql.commands.signatures import Means


def validate(*, inputs: InputsOrTable, json: Json = False, machine: LoggedMachine, engine: Engine) -> None:
    """Check the inputs and report every problem.

    example: INPUTS
    """
    from safetab_sql.jobs.on_spark import validate_on_spark
    from safetab_sql.jobs.validate import validate

    spark = engine.spark(inputs.persons_table)
    with machine.progress() as progress:
        if spark is None:
            warnings = validate(inputs.paths, resources=machine.resources, progress=progress)
        else:
            warnings = validate_on_spark(inputs.paths, spark, resources=machine.resources, progress=progress)
    # One person can change a warning, so stdout is the same with and without it: see refusals.md.
    print(json_text({"errors": 0}) if json else "no errors")
    if warnings:
        count = "1 warning, which refuses" if len(warnings) == 1 else f"{len(warnings)} warnings, which refuse"
        print(f"{count} no run.", file=sys.stderr)


def plan(
    *,
    parameters: ParameterFile,
    code_lists: CodeLists = None,
    geography: str | None = None,
    people: Annotated[int | None, number_of("people")] = None,
    json: Json = False,
) -> None:
    """Show what a run will do and cost, from public files alone.

    example: --parameters sim/parameters.toml --code-lists sim/code-lists --geography sim/geography.parquet

    geography F: one row per block; without it, no regions are counted
    people N: number of people, a public figure, for estimates of the size
    """
    from safetab_sql.jobs.plan import plan, plan_json, plan_text

    seen = plan(parameters, geography=geography, code_lists=code_lists)
    print(json_text(plan_json(seen, people)) if json else plan_text(seen, people))


def run(
    *,
    inputs: InputsOrTable,
    folder: Out,
    format: Format = "parquet",
    ledger: Ledger,
    json: Annotated[bool, Means("print the folder, the loss and the digests of the files as JSON")] = False,
    machine: LoggedMachine,
    engine: Engine,
) -> None:
    """Count, add noise and publish the tables.

    example: INPUTS --out release

    format: Parquet with margins of error, production's text, or text with the variables of the Census API
    """
    from safetab_sql.jobs.on_spark import ReleaseOptions, run_on_spark
    from safetab_sql.jobs.run import run

    spark = engine.spark(inputs.persons_table)
    release = ReleaseOptions(folder.out, format, folder.overwrite, ledger.file)
    with machine.progress() as progress:
        if spark is not None:
            made = run_on_spark(inputs.paths, release, spark, resources=machine.resources, progress=progress)
        else:
            made = run(
                inputs.paths,
                folder.out,
                format=format,
                overwrite=folder.overwrite,
                ledger_file=ledger.file,
                resources=machine.resources,
                progress=progress,
            )
    manifest = made.manifest
    loss = {name: manifest["ledger"][name] for name in ("privacy_definition", "totals")}
    answer = {"out": made.out, "releasable": manifest["releasable"], **loss, "files": manifest["files"]}
    print(json_text(answer) if json else folder.out)


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
