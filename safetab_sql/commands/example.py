"""`example`: a small nation, its release and its report."""

from safetab_sql.commands.options import Out, Quiet, progress


def example(*, folder: Out, quiet: Quiet = False) -> None:
    """Simulate a small nation, run it, and show a few rows.

    example: --out demo
    """
    from safetab_sql.jobs.example import example, example_text

    with progress(quiet=quiet) as shown:
        example(folder.out, overwrite=folder.overwrite, progress=shown)
    print(example_text(folder.out))
