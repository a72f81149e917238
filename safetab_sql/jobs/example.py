"""The embedded example: a small synthetic nation, its release, and a few of its rows."""

from pathlib import Path

from safetab_sql.jobs.run import run
from safetab_sql.kit.database import Resources, open_database, scratch_folder
from safetab_sql.kit.errors import DRAWING, SHAPES, missing_extras
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.kit.whole_folders import whole_folder
from safetab_sql.kit.words import aligned
from safetab_sql.published.manifest import Made
from safetab_sql.release.folder import table_files
from safetab_sql.report.report import release_report
from safetab_sql.settings.ladders import GROUP_INDEX
from safetab_sql.simulation.simulate import simulate

PEOPLE = 200_000
CONTENTS = ("nation", "release", "report.html")


def example(out: str | Path, *, overwrite: bool = False, progress: Progress = SILENT) -> Made:
    """Simulate a nation into `out`/nation, release it into `out`/release and report on it in `out`/report.html.

    All of it appears at once, or nothing. Without the package that draws, there is no report. Returns the release.
    Raises: InputError where `out` may not be made.
    """
    out = Path(out)
    with whole_folder(out, CONTENTS, overwrite=overwrite) as folder:
        nation = folder / "nation"
        progress.stage(f"simulating {PEOPLE:,} people")
        made = run(simulate(nation, people=PEOPLE), folder / "release", progress=progress)
        if not missing_extras(DRAWING):
            progress.stage("making the report")
            shapes = nation / "shapes.parquet" if not missing_extras(SHAPES) else None
            page = release_report(folder / "release", shapes=shapes)
            (folder / "report.html").write_text(page.html, encoding="utf-8")
    return Made(out / "release", made.manifest)


def example_text(out: Path) -> str:
    """Where the tables of the example are, and a few of their rows, with the names of their iterations."""
    t2, index = (table_files(out / "release" / name) for name in ("t2", GROUP_INDEX))
    with scratch_folder(None) as scratch, open_database(scratch, [*t2, *index], [], Resources()) as database:
        database.set_values({"t2_files": list(map(str, t2))})
        database.show(GROUP_INDEX, index)
        database.create(sql_files()["example_rows"])
        found = database.table("example_rows").to_pylist()
    rows = [
        (row["iteration_name"], row["age"], row["sex"], f"{row['count']:,}", f"± {row['moe95']:.0f}") for row in found
    ]
    page, problems = out / "report.html", missing_extras(DRAWING)
    header = ("population group (nation)", "age", "sex", "COUNT", "MOE95")
    places = [
        ("totals", str(out / "release" / "t1" / "t1.parquet")),
        ("sex by age", str(out / "release" / "t2" / "t2.parquet")),
        ("what it cost", str(out / "release" / "manifest.json")),
        ("the people (made up)", str(out / "nation")),
        ("the same in pictures", f"no report: {problems[0].fix}, and run this again" if problems else str(page)),
    ]
    return "\n".join([aligned([header, *rows]), "", aligned(places)])
