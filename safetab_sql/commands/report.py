"""`report`: one release as one HTML file."""

from pathlib import Path
from typing import Annotated

from safetab_sql.commands.options import Quiet, progress
from safetab_sql.commands.signatures import OneOf

_EXACT = OneOf(is_needed=False)


def report(
    release: Path,
    *,
    out: Path,
    code_lists: Path | None = None,
    ground_truth: Annotated[Path | None, _EXACT] = None,
    evaluation: Annotated[Path | None, _EXACT] = None,
    curve: Path | None = None,
    shapes: Path | None = None,
    figures: Path | None = None,
    overwrite: bool = False,
    quiet: Quiet = False,
) -> None:
    """Show a release as one HTML file that opens anywhere, without a network.

    example: demo/release --code-lists demo/nation/code-lists --out report.html

    release OUT: folder that `run` made, in Parquet
    out FILE: HTML file to make
    code_lists DIR: the four code lists, for the names of iterations; without them the names are those in OUT
    ground_truth DIR: also show errors: folder that `ground-truth` made, of public or synthetic data only; needs
        --code-lists
    evaluation DIR: also show errors: folder that `evaluate` made, of public or synthetic data only
    curve DIR: also show accuracy by epsilon: folder that `bottom-up curve` made, of public or synthetic data only
    shapes FILE: also show a map: GeoParquet with REGION_TYPE, REGION_ID and the polygon of each region
    figures DIR: folder to make, with every chart as SVG and PNG, for papers
    overwrite: replace the file, and the folder of figures
    """
    from safetab_sql.jobs.report import ExactFolders, report

    with progress(quiet=quiet) as shown:
        report(
            release,
            out,
            code_lists=code_lists,
            exact=ExactFolders(ground_truth, evaluation, curve),
            figures=figures,
            shapes=shapes,
            overwrite=overwrite,
            progress=shown,
        )
    print(out)
