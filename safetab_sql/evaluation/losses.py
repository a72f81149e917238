"""Empirical privacy losses of releases by level, from sql/tools/evaluate: as tables for files, and as text."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.evaluation.audit_epl import FEWEST_RESIDUALS, LARGEST_LOSS, LossAudit, LossTest
from safetab_sql.evaluation.coverage import PublishedNoise
from safetab_sql.evaluation.epl import Residuals
from safetab_sql.kit.database import Database
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.kit.text_tables import aligned

Int64s = npt.NDArray[np.int64]

_NAMES = ("population_group_level", "noise")
_LOSS_COLUMNS = (
    ("epl", pa.float64()),
    ("epl_lower", pa.float64()),
    ("epl_upper", pa.float64()),
    ("honest_epl", pa.float64()),
    ("honest_upper", pa.float64()),
    ("stated_loss", pa.float64()),
    ("worst_x", pa.int64()),
    ("stated_loss_there", pa.float64()),
    ("lower_bound_there", pa.float64()),
    ("passes", pa.bool_()),
)


def loss_tests(database: Database, noises: Sequence[PublishedNoise]) -> list[LossTest]:
    """The free residuals of every law of published noise that has any. Table `count_errors` must exist.

    Those of reconciled folders are of the counts as the noise left them, which stand there too.
    """
    database.create(sql_files()["residuals"])
    found: dict[tuple[str, str], dict[int, int]] = {}
    for row in database.table("residuals").to_pylist():
        found.setdefault((row["population_group_level"], row["noise"]), {})[row["residual"]] = row["counts"]
    return [
        LossTest(noise.level, noise.noise, noise.law, _residuals(found[noise.level, noise.noise]))
        for noise in noises
        if (noise.level, noise.noise) in found
    ]


def table_counts(path: Path, noisy: str, exact: str) -> tuple[Int64s, Int64s]:
    """Two columns of whole numbers of a Parquet file: int64[n] each.

    Raises: InputError if the file cannot be read, or if the columns are not whole numbers.
    """
    if noisy == exact:
        what = f"--noisy and --exact are both {noisy}"
        raise InputError([Problem(str(path), what, "name two columns")])
    try:
        found = pq.read_schema(path)
        missing = [name for name in (noisy, exact) if name not in found.names]
        if missing:
            what = f"missing columns {', '.join(missing)}; found {', '.join(found.names)}"
            raise InputError([Problem(str(path), what, "name columns of the file with --noisy and --exact")])
        stored = [name for name in (noisy, exact) if not pa.types.is_integer(found.field(name).type)]
        fix = "name columns that are stored as whole numbers"
        refuse([Problem(f"{path} [{name}]", f"stored as {found.field(name).type}", fix) for name in stored])
        table = pq.read_table(path, columns=[noisy, exact])
        values = [table[name].cast(pa.int64()) for name in (noisy, exact)]  # refuses fractions
    except (OSError, pa.ArrowException) as error:
        fix = "name a Parquet file and two of its columns of whole numbers"
        raise InputError([Problem(str(path), f"cannot be used: {error}", fix)]) from error
    holes = [name for name, column in zip((noisy, exact), values, strict=True) if column.null_count or not len(column)]
    fix = "leave those rows out"
    refuse([Problem(f"{path} [{name}]", "holds NULL, or nothing at all", fix) for name in holes])
    return values[0].to_numpy(), values[1].to_numpy()


def _residuals(counts: dict[int, int]) -> Residuals:
    first, last = min(counts), max(counts)
    return Residuals(first, np.array([counts.get(residual, 0) for residual in range(first, last + 1)], dtype=np.int64))


def loss_table(audits: Sequence[LossAudit]) -> pa.Table:
    """Table `epl` of an evaluation: one row per audit."""
    return pa.table(
        {
            "population_group_level": pa.array([audit.test.name for audit in audits], pa.string()),
            "noise": pa.array([audit.test.noise for audit in audits], pa.string()),
            "distribution": pa.array([audit.test.distribution for audit in audits], pa.string()),
            "residuals": pa.array([audit.test.residuals.size for audit in audits], pa.int64()),
            **{name: pa.array([getattr(audit, name) for audit in audits], kind) for name, kind in _LOSS_COLUMNS},
        }
    )


def curve_table(audits: Sequence[LossAudit]) -> pa.Table:
    """Table `epl_curve` of an evaluation: one row per audit and integer x on the range searched."""
    parts = [
        pa.table(
            {
                "population_group_level": pa.array([audit.test.name] * audit.curve.values.size, pa.string()),
                "noise": pa.array([audit.test.noise] * audit.curve.values.size, pa.string()),
                "x": audit.curve.values,
                "epl_of_x": pa.array(audit.curve.losses, from_pandas=True),  # NaN (not searched) becomes NULL
                "stated_loss": audit.curve.stated,
                "honest_lower": pa.array(audit.curve.honest_lower, from_pandas=True),
                "honest_upper": pa.array(audit.curve.honest_upper, from_pandas=True),
            }
        )
        for audit in audits
    ]
    return pa.concat_tables(parts) if parts else _NO_CURVE


_NO_CURVE = pa.schema(
    [
        ("population_group_level", pa.string()),
        ("noise", pa.string()),
        ("x", pa.int64()),
        *((name, pa.float64()) for name in ("epl_of_x", "stated_loss", "honest_lower", "honest_upper")),
    ]
).empty_table()


def losses_json(audits: Sequence[LossAudit], tests: Sequence[LossTest]) -> dict[str, object]:
    """The audits as JSON: the columns of `epl`, and of `epl_curve` for each; null where residuals were not searched."""
    curves = [
        {name: values for name, values in curve_table([audit]).to_pydict().items() if name not in _NAMES}
        for audit in audits
    ]
    rows = loss_table(audits).to_pylist()
    return {
        "audits": [{**row, "curve": curve} for row, curve in zip(rows, curves, strict=True)],
        "tests_with_too_few_residuals": len(tests) - len(audits),
    }


def losses_text(audits: Sequence[LossAudit], tests: Sequence[LossTest]) -> str:
    """The audits as text."""
    head = (
        *("level", "noise", "residuals", "EPL", "bootstrap", "honest noise"),
        *("at x", "lower bound", "stated", "noticed from", "verdict"),
    )
    rows = [
        (
            audit.test.name,
            audit.test.noise,
            f"{audit.test.residuals.size:,}",
            f"{audit.epl:.3f}",
            f"{audit.epl_lower:.3f}-{audit.epl_upper:.3f}",
            "-".join(
                "none" if loss >= LARGEST_LOSS else f"{loss:.3f}" for loss in (audit.honest_epl, audit.honest_upper)
            ),
            str(audit.worst_x),
            f"{audit.lower_bound_there:.3f}",
            f"{audit.stated_loss_there:.3f}",
            f"{audit.noticeable:.2f} x",
            "passes" if audit.passes else "FAILS",
        )
        for audit in audits
    ]
    left_out = len(tests) - len(audits)
    few = [f"{left_out} more with fewer than {FEWEST_RESIDUALS} residuals: not tested"] if left_out else []
    return "\n".join([aligned([head, *rows]), *few])
