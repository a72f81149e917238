"""`ground-truth`: the exact tables, of public or synthetic data."""

import sys

from safetab_sql.commands.options import PUBLIC_ONLY, Inputs, LoggedMachine, Out


def ground_truth(*, inputs: Inputs, dense: bool = False, folder: Out, machine: LoggedMachine) -> None:
    """Write the EXACT tables, of public or synthetic data only.

    example: INPUTS --out truth

    dense: write every zero too, as the Census tool does; without it, groups and cells with people alone
    """
    from safetab_sql.evaluation.ground_truth import ground_truth

    with machine.progress() as progress:
        ground_truth(
            inputs.paths(),
            folder.out,
            dense=dense,
            overwrite=folder.overwrite,
            resources=machine.resources,
            progress=progress,
        )
    print(f"{folder.out} holds EXACT counts: {PUBLIC_ONLY}", file=sys.stderr)
    print(folder.out)
