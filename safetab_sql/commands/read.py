"""Commands that read a release: `describe`, `report`, `export`, `moe`, `statistics`, `reconcile` and `semantics`."""

from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from safetab_sql.commands.options import Machine, Out, Share, json_text, members


def describe(release: Path, *, ledger: Path | None = None, json: bool = False) -> None:
    """Describe a release, and compare its files with its manifest.

    example: release

    release OUT: folder that `run` or `reconcile` made
    ledger F: the custodian's ledger: check that it holds the digest of this manifest, so that no word of it was changed
    """
    from safetab_sql.jobs import release as job

    found = job.describe(release, ledger=ledger)
    print(json_text(job.description_json(found)) if json else job.description_text(found))


def report(
    release: Path,
    *,
    out: Path,
    code_lists: Path | None = None,
    earlier: tuple[Path, ...] = (),
    ground_truth: Path | None = None,
    evaluation: Path | None = None,
    curve: Path | None = None,
    shapes: Path | None = None,
    figures: Path | None = None,
    overwrite: bool = False,
    quiet: bool = False,
) -> None:
    """Show a release as one HTML file that opens anywhere, without a network, and answers any question on its counts.

    example: demo/release --code-lists demo/nation/code-lists --out report.html

    release OUT: folder that `run` made
    out FILE: HTML file to make, and beside it, of a large release, a folder of its counts: report-counts of report.html
    code_lists DIR: the four code lists, for the names of iterations; without them the names are those in OUT
    earlier OUT...: also show what changed since earlier releases of the same kind, the oldest first
    ground_truth DIR: also show errors: folder that `ground-truth` made, of public or synthetic data only; needs
        --code-lists
    evaluation DIR: also show errors: folder that `evaluate` made, of public or synthetic data only
    curve DIR: also show accuracy by epsilon: folder that `bottom-up curve` made, of public or synthetic data only
    shapes FILE: also show a map: GeoParquet with REGION_TYPE, REGION_ID and the polygon of each region
    figures DIR: folder to make, with every chart as SVG and PNG, for papers
    overwrite: replace the file, and the folder of figures
    """
    from safetab_sql.jobs.report import ExactFolders, report
    from safetab_sql.kit.progress import reported_progress

    exact = ExactFolders(ground_truth, evaluation, curve)
    how: dict[str, Any] = {"figures": figures, "shapes": shapes, "overwrite": overwrite}
    with reported_progress(is_quiet=quiet) as shown:
        report((*earlier, release), out, code_lists=code_lists, exact=exact, progress=shown, **how)
    print(out)


def export(
    release: Path,
    *,
    format: Literal["census", "api", "csv", "duckdb", "excel", "json-stat", "px", "sdmx"],
    folder: Out,
    names: tuple[Path, ...] = (),
    json: bool = False,
    machine: Machine,
) -> None:
    """Write a finished release in another format, for other programs. Needs no records, and spends no budget.

    example: demo/release --format csv --out csv

    release OUT: folder that `run` or `reconcile` made
    format: production's text, the variables of the Census API, CSV with its metadata, one DuckDB database, one Excel
        workbook, JSON-stat 2.0, px of PxWeb, or SDMX-CSV 2.0 with its structure
    names FILE: CSV or Parquet with REGION_TYPE, REGION_ID, NAME, or with COLUMN, CODE, MEANING: names over those in
        OUT; repeat for several
    """
    from safetab_sql.jobs.export import export

    with machine.used() as used:
        made = export(release, folder.out, format=format, names=names, overwrite=folder.overwrite, **used)
    print(json_text(made) if json else folder.out)


def moe(
    release: tuple[Path, ...],
    *,
    sum: tuple[str, ...],
    minus: tuple[str, ...] = (),
    of: tuple[str, ...] = (),
    level: Share = Fraction(95, 100),
    json: bool = False,
) -> None:
    """Add up published counts, or divide sums, with the margin of error.

    example: demo/release --sum "REGION_TYPE='STATE' and TABLE='T1' and ITERATION_CODE='6004'"

    release OUT...: folder that `run` or `reconcile` made; of several, conditions name one:
        RELEASE = '1', '2', ..., or RELEASE_TITLE, or RELEASE_DAY
    sum PREDICATE: add the rows it matches: SQL condition on TABLE ('T1', 'T2'), REGION_ID, REGION_TYPE,
        ITERATION_CODE, STATISTIC, COUNT, and columns of attributes, such as AGESTART, AGEEND, SEX
    minus PREDICATE: subtract the rows it matches
    of PREDICATE: divide by the rows it matches: also show the percentage, with its interval at --level
    level X: a level of which to show the margin too
    """
    from safetab_sql.jobs.statistics import sum_of_release

    found = sum_of_release(release, plus=sum, minus=minus, of=of, level=level)
    print(json_text(members(found, without=("unit", "unit_of"))) if json else found)


def statistics(
    release: tuple[Path, ...],
    *,
    wanted: Path,
    out: Path,
    adjust: Literal["holm", "bh"] | None = None,
    level: Share = Fraction(95, 100),
    overwrite: bool = False,
    json: bool = False,
    machine: Machine,
) -> None:
    """Compute ratios, differences, medians, ranks and counts with intervals, for a table of wanted ones.

    example: demo/release --wanted wanted.csv --out answers.csv

    release OUT...: folder that `run` made, or `reconcile`; of several, RELEASE and OTHER_RELEASE name one
        by its title, its day or its position: 1, 2, ...
    wanted F: one row a statistic, CSV or Parquet: KIND (count, difference, ratio, growth, quantile, ratio_difference,
        rank), its group and values
    out F: file to make, .csv or .parquet: the same rows with ESTIMATE, LOW, HIGH, P_VALUE and NOTE
    adjust: allow for how many comparisons there are, in P_ADJUSTED, LOW_ADJUSTED and HIGH_ADJUSTED: holm, for intervals
        that hold jointly; bh, for a rate of false discoveries
    level X: level of the intervals
    json: print how many statistics there are, and how many have an interval, as JSON
    """
    from safetab_sql.jobs.statistics import statistics
    from safetab_sql.kit.words import counted

    with machine.used() as used:
        resources = used["resources"]
        made = statistics(release, wanted, out, adjust=adjust, level=level, overwrite=overwrite, resources=resources)
    ends = zip(made["LOW"].to_pylist(), made["HIGH"].to_pylist(), strict=True)
    answered = sum(both != (None, None) for both in ends)
    answer = {"out": out, "statistics": made.num_rows, "intervals": answered}
    told = f"{out}: {counted(made.num_rows, 'statistic', 'statistics')}, {answered:,} with an interval"
    print(json_text(answer) if json else told)


def reconcile(
    release: Path,
    *,
    folder: Out,
    geography: str | None = None,
    code_lists: Path | None = None,
    integers: bool = False,
    json: bool = False,
    machine: Machine,
) -> None:
    """Make the counts of a release add up, by least squares, in another folder.

    example: demo/release --out reconciled

    release OUT: folder that `run` made; it stays as it is
    geography F: the geography file of the run; without it, region types with suppressed totals stay as they are
    code_lists DIR: the code lists of the run: iterations that make up another one add up to it; also counts the totals
        that are larger than totals that include their people
    integers: make whole numbers that are unbiased and add up
    """
    from safetab_sql.jobs.reconcile import reconcile, reconciliation_text
    from safetab_sql.release.folder import open_folder

    public: dict[str, Any] = {"geography": geography, "code_lists": code_lists}
    with machine.used() as used:
        done = reconcile(release, folder.out, **public, integers=integers, overwrite=folder.overwrite, **used)
    unit = open_folder(release).facts.parameters.unit
    print(json_text(members(done, without=("manifest",))) if json else reconciliation_text(done, unit))


def semantics(
    *,
    manifest: Path | None = None,
    parameters: Path | None = None,
    code_lists: str | None = None,
    rho: str | None = None,
    epsilon: str | None = None,
    delta: str | None = None,
    order: str | None = None,
    allocation: Path | None = None,
    level: tuple[str, ...] = (),
    json: bool = False,
    figures: Path | None = None,
    overwrite: bool = False,
) -> None:
    """Say what a budget means for those whom it protects: tests, beliefs, and the budget that protects each attribute.

    example: --rho 2.63

    manifest F: manifest.json of a release, or its folder
    code_lists DIR: with --parameters: folder of the code lists; default: code-lists beside P, or P
    rho R: a budget of zero-concentrated differential privacy
    epsilon E: a budget of pure differential privacy
    delta D: with --epsilon: of an (epsilon, delta) guarantee
    order A: with --epsilon: of a Renyi divergence that is at most epsilon, both ways
    allocation F: TOML: shares of rho by levels and queries, as docs/specification/semantics.md shows
    level X: level of a test: chance of a wrong accusation; repeat for several; default: 0.01 0.05 0.10
    json: as JSON, with every digit and both bounds
    figures DIR: folder to make, with the figures as SVG
    overwrite: with --figures: replace the folder if it exists
    """
    from safetab_sql.jobs.semantics import BudgetSource, semantics, summary_json, summary_text

    source = BudgetSource(manifest, parameters, code_lists, rho, epsilon, delta, order, allocation)
    found = semantics(source, figures, levels=level, overwrite=overwrite)
    print(json_text(summary_json(found)) if json else summary_text(found))
