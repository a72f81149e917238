"""`validate`: check the inputs, write nothing."""

import argparse
import sys
from functools import partial

from safetab_sql.commands.answers import json_text
from safetab_sql.commands.options import (
    INPUT_EXAMPLE,
    Commands,
    add_engine,
    add_inputs,
    add_json,
    add_object_storage,
    add_region_names,
    add_resources,
    inputs_of,
    new_command,
    resources_of,
    spark_of,
)
from safetab_sql.jobs.on_spark import validate_on_spark
from safetab_sql.jobs.validate import validate
from safetab_sql.kit.progress import reported_progress


def add_validate(commands: Commands) -> None:
    """`validate`: every check, nothing written."""
    command = new_command(commands, "validate", "check the inputs and report every problem", INPUT_EXAMPLE)
    add_inputs(command, or_table=True)
    add_region_names(command)
    add_object_storage(command)
    add_json(command)
    add_resources(command)
    add_engine(command)
    command.set_defaults(command=_validate)


def _validate(options: argparse.Namespace) -> None:
    spark = spark_of(options)
    check = validate if spark is None else partial(validate_on_spark, spark=spark)
    with reported_progress(is_quiet=options.quiet) as progress:
        warnings = check(inputs_of(options), resources=resources_of(options), progress=progress)
    # One person can change a warning, so stdout is the same with and without it: see refusals.md.
    print(json_text({"errors": 0}) if options.json else "no errors")
    if warnings:
        count = "1 warning, which refuses" if len(warnings) == 1 else f"{len(warnings)} warnings, which refuse"
        print(f"{count} no run.", file=sys.stderr)
