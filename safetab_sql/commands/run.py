"""`run`: count, add noise and publish."""

import argparse

from safetab_sql.cluster.spark import Spark
from safetab_sql.commands.answers import json_text
from safetab_sql.commands.options import (
    INPUT_EXAMPLE,
    Commands,
    add_engine,
    add_inputs,
    add_json,
    add_ledger,
    add_object_storage,
    add_out,
    add_region_names,
    add_resources,
    inputs_of,
    ledger_file_of,
    new_command,
    resources_of,
    spark_of,
)
from safetab_sql.jobs.on_spark import ReleaseOptions, run_on_spark
from safetab_sql.jobs.run import run
from safetab_sql.kit.progress import Progress, reported_progress
from safetab_sql.published.manifest import Made


def add_run(commands: Commands) -> None:
    """`run`: the main job."""
    command = new_command(commands, "run", "count, add noise and publish the tables", f"{INPUT_EXAMPLE} --out release")
    add_inputs(command, or_table=True)
    add_region_names(command)
    add_object_storage(command)
    add_out(command)
    choices = ["parquet", "census", "api"]
    command.add_argument(
        "--format",
        choices=choices,
        default="parquet",
        help="Parquet with margins of error, production's text, or text with the variables of the Census API",
    )
    add_ledger(command)
    add_json(command, "print the folder, the loss and the digests of the files as JSON")
    add_resources(command)
    add_engine(command)
    command.set_defaults(command=_run)


def _run(options: argparse.Namespace) -> None:
    spark = spark_of(options)
    with reported_progress(is_quiet=options.quiet) as progress:
        made = _made(options, progress) if spark is None else _made_on(spark, options, progress)
    print(json_text(_answer(made)) if options.json else options.out)


def _made(options: argparse.Namespace, progress: Progress) -> Made:
    return run(
        inputs_of(options),
        options.out,
        format=options.format,
        overwrite=options.overwrite,
        ledger_file=ledger_file_of(options),
        resources=resources_of(options),
        progress=progress,
    )


def _made_on(spark: Spark, options: argparse.Namespace, progress: Progress) -> Made:
    release = ReleaseOptions(options.out, options.format, options.overwrite, ledger_file_of(options))
    return run_on_spark(inputs_of(options), release, spark, resources=resources_of(options), progress=progress)


def _answer(made: Made) -> dict[str, object]:
    """What was made, in the words of its manifest."""
    manifest = made.manifest
    loss = {name: manifest["ledger"][name] for name in ("privacy_definition", "totals")}
    return {"out": made.out, "releasable": manifest["releasable"], **loss, "files": manifest["files"]}
