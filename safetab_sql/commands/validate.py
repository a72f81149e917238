"""`validate`: check the inputs, write nothing."""

import sys

from safetab_sql.commands.answers import json_text
from safetab_sql.commands.options import Engine, InputsOrTable, Json, LoggedMachine


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
