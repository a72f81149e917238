"""One release as one HTML file, with its errors where exact counts are public: `safetab-sql report`."""

import re
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.kit.database import scratch_folder
from safetab_sql.kit.errors import DRAWING, SHAPES, InputError, Problem, missing_extras, refuse
from safetab_sql.kit.figures import write_figures
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.kit.whole_folders import check_new_folder, inside_a_release, whole_folder, write_whole_file
from safetab_sql.report.change_section import change_problems
from safetab_sql.report.report import Report, release_report
from safetab_sql.report.sections import Section
from safetab_sql.statistics.names import Paths

_PIECE = re.compile(r"(\d+(-\d+)+|groups)\.js")


@dataclass(frozen=True, slots=True)
class ExactFolders:
    """Folders made from EXACT counts, of public or synthetic data only: each adds sections on errors to a report.

    ground_truth: made by `ground_truth`. evaluation: instead, made by `evaluate`. curve: made by `bottom-up curve`.
    """

    ground_truth: str | Path | None = None
    evaluation: str | Path | None = None
    curve: str | Path | None = None


def report(
    release: Paths,
    out: str | Path,
    *,
    code_lists: str | Path | None = None,
    exact: ExactFolders = ExactFolders(),
    figures: str | Path | None = None,
    shapes: str | Path | None = None,
    overwrite: bool = False,
    progress: Progress = SILENT,
) -> Report:
    """Write the report on the folder `release` to the HTML file `out`, which opens without a network.

    The counts of a large release lie in pieces in a folder beside it, called like the file, with -counts behind.

    release: several folders, the oldest first, for what changed: the last is reported, and compared with those before.
    code_lists: for the names of iterations; None for those in the release. exact: makes the report one for the
    custodian alone, of mode 0600. figures: folder to make, with every chart as SVG and PNG. shapes: GeoParquet of the
    regions, for a map: REGION_TYPE, REGION_ID and polygons.
    Raises: InputError where something cannot be read, `out` may not be made, or the package that draws is missing.
    """
    *earlier, release = [Path(release)] if isinstance(release, str | Path) else [Path(each) for each in release]
    out = Path(out)
    lists, place, outlines = (None if each is None else Path(each) for each in (code_lists, figures, shapes))
    needed = (DRAWING,) if shapes is None else (DRAWING, SHAPES)
    problems = [*missing_extras(*needed), *_problems(out, place, exact, overwrite=overwrite)]
    refuse([*problems, *(change_problems(release, earlier) if earlier else ())])
    accuracy = () if exact == ExactFolders() else _accuracy(release, lists, exact, progress)
    progress.stage("making the report")
    beside = out.with_name(f"{out.stem}-counts")
    found = release_report(release, lists, accuracy=accuracy, shapes=outlines, earlier=earlier, beside=beside.name)
    if place is not None:
        progress.stage("drawing the figures")
        contents = [f"{name}.{kind}" for name in found.figures for kind in ("svg", "png")]
        with whole_folder(place, contents, overwrite=overwrite, is_exact=bool(accuracy)) as folder:
            write_figures(folder, found.figures)
    if found.pieces:
        older = [file.name for file in beside.glob("*.js") if _PIECE.fullmatch(file.name)]  # of the page before
        with whole_folder(beside, [*found.pieces, *older], overwrite=overwrite, is_exact=bool(accuracy)) as folder:
            for name, text in found.pieces.items():
                (folder / name).write_text(text, encoding="utf-8")
    write_whole_file(out, found.html, overwrite=overwrite, mode=0o600 if accuracy else 0o644)
    return found


def _problems(out: Path, figures: Path | None, exact: ExactFolders, *, overwrite: bool) -> list[Problem]:
    problems = []
    if out.exists() and not overwrite:
        problems.append(Problem(str(out), "exists already", "name another file, or say --overwrite"))
    problems += inside_a_release(out)
    if figures is not None and figures.absolute() == out.absolute():
        problems.append(Problem("--figures", f"{figures} is the report itself", "name a folder beside it"))
    if exact.ground_truth is not None and exact.evaluation is not None:
        problems.append(Problem("--evaluation", "not allowed with --ground-truth", "give one of them"))
    if figures is not None and figures.exists() and not overwrite:
        problems += check_new_folder(figures, (), overwrite=False)
    return problems


def _accuracy(release: Path, code_lists: Path | None, exact: ExactFolders, progress: Progress) -> tuple[Section, ...]:
    """The sections made from exact counts. Raises: InputError where a folder is not what it should be."""
    from safetab_sql.report import accuracy_sections as made  # noqa: PLC0415  (it loads the other methods)

    evaluation = exact.evaluation
    found: tuple[Section, ...] = ()
    with scratch_folder(None) as scratch:
        if exact.ground_truth is not None:
            from safetab_sql.evaluation.evaluate import evaluate  # noqa: PLC0415  (half of what a report would load)

            evaluation = scratch / "evaluation"
            evaluate([release], evaluation, ground_truth=exact.ground_truth, code_lists=code_lists, progress=progress)
        if evaluation is not None:
            refuse(made.evaluation_problems(Path(evaluation), release))
            found = made.accuracy_sections(Path(evaluation))
    if exact.curve is None:
        return found
    table = Path(exact.curve) / "curve.parquet"
    try:
        return (*found, made.curve_section(pq.read_table(table)))
    except (OSError, KeyError, pa.ArrowException) as error:
        fix = "name a folder that `safetab-sql bottom-up curve` made, as it made it"
        raise InputError([Problem(str(table), f"cannot be read: {error}", fix)]) from error
