"""`run`: count, add noise and publish."""

from typing import Annotated

from safetab_sql.commands.answers import json_text
from safetab_sql.commands.options import Engine, Format, InputsOrTable, Ledger, LoggedMachine, Out
from safetab_sql.commands.signatures import Means


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
