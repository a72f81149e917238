"""`report`: one release as one HTML file."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.commands.options import Commands, add_quiet, new_command
from safetab_sql.evaluation.evaluate import evaluate_releases
from safetab_sql.kit.database import scratch_folder
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.figures import NO_LIBRARY, Figure, can_draw, write_figures
from safetab_sql.kit.progress import Progress, reported_progress
from safetab_sql.kit.whole_folders import check_new_folder, inside_a_release, whole_folder, write_whole_file
from safetab_sql.report.accuracy_sections import accuracy_sections, evaluation_problems
from safetab_sql.report.curve_section import curve_section
from safetab_sql.report.report import Report, release_report
from safetab_sql.report.sections import Section

_EXACT_MODE, _PUBLIC_MODE = 0o600, 0o644


def add_report(commands: Commands) -> None:
    """`report`: a release in figures and words."""
    summary = "show a release as one HTML file that opens anywhere, without a network"
    example = "demo/release --code-lists demo/nation/code-lists --out report.html"
    command = new_command(commands, "report", summary, example)
    command.add_argument("release", type=Path, metavar="OUT", help="folder that `run` made, in Parquet")
    command.add_argument("-o", "--out", type=Path, required=True, metavar="FILE", help="HTML file to make")
    what = "the four code lists, for the names of iterations; without them the report shows codes"
    command.add_argument("--code-lists", type=Path, metavar="DIR", help=what)
    exact = command.add_mutually_exclusive_group()
    what = "show errors too: folder that `ground-truth` made, of public or synthetic data only; needs --code-lists"
    exact.add_argument("--ground-truth", type=Path, metavar="DIR", help=what)
    what = "show errors too: folder that `evaluate` made, of public or synthetic data only"
    exact.add_argument("--evaluation", type=Path, metavar="DIR", help=what)
    what = "show accuracy by epsilon too: folder that `bottom-up curve` made, of public or synthetic data only"
    command.add_argument("--curve", type=Path, metavar="DIR", help=what)
    what = "folder to make, with every chart as SVG and PNG, for papers"
    command.add_argument("--figures", type=Path, metavar="DIR", help=what)
    command.add_argument("--overwrite", action="store_true", help="replace the file, and the folder of figures")
    add_quiet(command)
    command.set_defaults(command=_report)


def _report(options: argparse.Namespace) -> None:
    refuse(_problems(options))
    with reported_progress(is_quiet=options.quiet) as progress, _evaluation(options, progress) as evaluation:
        progress.stage("making the report")
        accuracy = _accuracy(options.release, evaluation, options.curve)
        found = release_report(options.release, options.code_lists, accuracy=accuracy)
        mode = _EXACT_MODE if accuracy else _PUBLIC_MODE
        if options.figures is not None:
            progress.stage("drawing the figures")
            _write_figures(options, found, mode)
        write_whole_file(options.out, found.html, overwrite=options.overwrite, mode=mode)
    print(options.out)


def _problems(options: argparse.Namespace) -> list[Problem]:
    """What is known to be wrong before anything is read."""
    problems = [] if can_draw() else [NO_LIBRARY]
    if options.out.exists() and not options.overwrite:
        problems.append(Problem(str(options.out), "exists already", "name another file, or say --overwrite"))
    problems += inside_a_release(options.out)
    if options.figures is not None and options.figures.absolute() == options.out.absolute():
        problems.append(Problem("--figures", f"{options.figures} is the report itself", "name a folder beside it"))
    if options.ground_truth is not None and options.code_lists is None:
        problems.append(Problem("--ground-truth", "needs --code-lists", "name the folder of the four code lists"))
    if options.figures is not None and options.figures.exists() and not options.overwrite:
        problems += check_new_folder(options.figures, (), overwrite=False)
    return problems


@contextmanager
def _evaluation(options: argparse.Namespace, progress: Progress) -> Iterator[Path | None]:
    """The output folder of `evaluate`: that which was named, or one made of the ground truth, private and passing."""
    if options.ground_truth is None:
        yield options.evaluation
        return
    with scratch_folder(None) as scratch:
        out = scratch / "evaluation"
        evaluate_releases([options.release], options.ground_truth, options.code_lists, out, progress=progress)
        yield out


def _accuracy(release: Path, evaluation: Path | None, curve: Path | None) -> tuple[Section, ...]:
    """The sections made from exact counts. Raises: InputError where a folder is not what it should be."""
    found: tuple[Section, ...] = ()
    if evaluation is not None:
        refuse(evaluation_problems(evaluation, release))
        found = accuracy_sections(evaluation)
    if curve is None:
        return found
    try:
        return (*found, curve_section(pq.read_table(curve / "curve.parquet")))
    except (OSError, KeyError, pa.ArrowException) as error:
        fix = "name a folder that `safetab-sql bottom-up curve` made, as it made it"
        raise InputError([Problem(str(curve / "curve.parquet"), f"cannot be read: {error}", fix)]) from error


def _write_figures(options: argparse.Namespace, found: Report, mode: int) -> None:
    figures: dict[str, Figure] = dict(found.figures)
    contents = [f"{name}.{kind}" for name in figures for kind in ("svg", "png")]
    with whole_folder(options.figures, contents, overwrite=options.overwrite) as folder:
        write_figures(folder, figures)
        for file in folder.iterdir():
            file.chmod(mode)
