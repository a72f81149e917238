"""`report`: one release as one HTML file."""

import argparse
from pathlib import Path

from safetab_sql.commands.options import Commands, add_quiet, new_command
from safetab_sql.jobs.report import ExactFolders, report
from safetab_sql.kit.progress import reported_progress


def add_report(commands: Commands) -> None:
    """`report`: a release in figures and words."""
    summary = "show a release as one HTML file that opens anywhere, without a network"
    example = "demo/release --code-lists demo/nation/code-lists --out report.html"
    command = new_command(commands, "report", summary, example)
    command.add_argument("release", type=Path, metavar="OUT", help="folder that `run` made, in Parquet")
    command.add_argument("--out", type=Path, required=True, metavar="FILE", help="HTML file to make")
    what = "the four code lists, for the names of iterations; without them the names are those in OUT"
    command.add_argument("--code-lists", type=Path, metavar="DIR", help=what)
    exact = command.add_mutually_exclusive_group()
    what = "also show errors: folder that `ground-truth` made, of public or synthetic data only; needs --code-lists"
    exact.add_argument("--ground-truth", type=Path, metavar="DIR", help=what)
    what = "also show errors: folder that `evaluate` made, of public or synthetic data only"
    exact.add_argument("--evaluation", type=Path, metavar="DIR", help=what)
    what = "also show accuracy by epsilon: folder that `bottom-up curve` made, of public or synthetic data only"
    command.add_argument("--curve", type=Path, metavar="DIR", help=what)
    what = "also show a map: GeoParquet with REGION_TYPE, REGION_ID and the polygon of each region"
    command.add_argument("--shapes", type=Path, metavar="FILE", help=what)
    what = "folder to make, with every chart as SVG and PNG, for papers"
    command.add_argument("--figures", type=Path, metavar="DIR", help=what)
    command.add_argument("--overwrite", action="store_true", help="replace the file, and the folder of figures")
    add_quiet(command)
    command.set_defaults(command=_report)


def _report(options: argparse.Namespace) -> None:
    with reported_progress(is_quiet=options.quiet) as progress:
        report(
            options.release,
            options.out,
            code_lists=options.code_lists,
            exact=ExactFolders(options.ground_truth, options.evaluation, options.curve),
            figures=options.figures,
            shapes=options.shapes,
            overwrite=options.overwrite,
            progress=progress,
        )
    print(options.out)
