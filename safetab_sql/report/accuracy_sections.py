"""The errors of a release and of histograms, from the output of `evaluate`: for public or synthetic data only."""

import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.accounting.conversions import rounded_up
from safetab_sql.histograms.evaluation.curve import curve_figure
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.figures import INK, PALETTE, SOFT_INK
from safetab_sql.kit.words import said
from safetab_sql.published.manifest import unit_from_json
from safetab_sql.release.folder import RELEASE_FIX, manifest_digest, read_manifest
from safetab_sql.report import marks
from safetab_sql.report.sections import WORDS, Chart, Row, Rows, Section, Values, chart, section, table_of_rows, tips
from safetab_sql.settings.unit import Unit

_FIX = "name a folder that `safetab-sql evaluate` made, as it made it"
# The columns that are shown; safetab_sql/evaluation/__init__.py describes them.
_COVERAGE = ("counts", "coverage", "expected_coverage", "coverage_lower", "coverage_upper")
_COLUMNS = {
    "by_size": ("population_group_level", "size_bucket", "size_start", "median_relative_error"),
    "by_level": ("population_group_level", "runs", "population_groups", "share_suppressed", *_COVERAGE),
    "by_statistic": ("population_group_level", "statistic", "stated_moe95", "observed_moe95", "counts"),
    "epl": ("population_group_level", "noise", "residuals", "epl", "epl_lower", "epl_upper", "stated_loss", "passes"),
    "epl_curve": ("population_group_level", "noise", "x", "epl_of_x", "stated_loss", "honest_lower", "honest_upper"),
}
_FIELDS = {  # of the rows of charts, by the columns whose names they do not keep
    **{"population_group_level": "level", "population_groups": "groups", "share_suppressed": "share"},
    **{"size_bucket": "size", "median_relative_error": "error"},
    **{"stated_moe95": "promised", "observed_moe95": "observed"},
}
# The parameters in a manifest that decide counts and noise.
_SETTINGS = (
    *("privacy_definition", "questions", "gamma", "zero_suppression_chance", "allow_negative_counts"),
    *("place", "parts", "run", "elsewhere", "no_place", "region_types", "attributes", "ladders"),
)

_ROUND_LOSSES = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30]


def accuracy_sections(evaluation: Path) -> tuple[Section, ...]:
    """The sections on an output folder of `evaluate`. Raises: InputError where it is none."""
    manifest = _manifest(evaluation, _FIX)
    parameters = manifest.get("parameters")
    unit = unit_from_json(parameters.get("unit", {})) if isinstance(parameters, Mapping) else Unit()
    reconciled = said(WORDS["sentences"]["reconciled"], {}) if manifest.get("reconciled") else ""
    values = {"people": unit.people, "many": unit.many, "reconciled": reconciled}
    by_size, by_level, by_statistic, epl, curve = (_rows(evaluation, name) for name in _COLUMNS)
    runs = max((int(row["runs"]) for row in by_level), default=0)
    number = {"runs": "one run" if runs == 1 else f"{runs:,} runs on the same counts"}
    errors = (_error_chart(by_size, values), *_left_out_chart(by_level))
    coverage = (_coverage_chart(by_level), _promise_chart(by_statistic, values))
    sections = [section("errors", values | number, figures=errors), section("coverage", values, figures=coverage)]
    if epl:
        verdict = {"failed": [row for row in epl if not row["passes"]], "number": len(epl)}
        losses = (_epl_chart(epl), *_curve_chart(epl, curve, values))
        sections.append(section("empirical-privacy-loss", values | verdict, figures=losses))
    return tuple(sections)


def evaluation_problems(evaluation: Path, release: Path) -> list[Problem]:
    """Why an output folder of `evaluate` is not about the release in folder `release`; empty where it is.

    It must have measured this very release, or runs with the parameters and public files of this release.
    Raises: InputError where one of the two folders has no manifest.
    """
    measured = _manifest(evaluation, _FIX)
    released = _manifest(release, RELEASE_FIX)
    digests = measured.get("release_manifests", [])
    if digests:
        what = f"measured other releases than {release}"
        is_other = manifest_digest(release) not in digests
    else:
        what = f"measured runs with other parameters or public files than {release} has"
        is_other = _made_with(measured) != _made_with({name: released.get(name) for name in measured})
    fix = "name a folder that `safetab-sql evaluate` made of this release, or of its inputs"
    return [Problem(str(evaluation), what, fix)] if is_other else []


def _manifest(folder: Path, fix: str) -> Mapping[str, Any]:
    """The manifest of a folder. Raises: InputError, with `fix`, where it has none."""
    path = folder / "manifest.json"
    found = read_manifest(path, fix)
    if not isinstance(found, Mapping):
        raise InputError([Problem(str(path), "is no manifest", fix)])
    return found


def _made_with(manifest: Mapping[str, Any]) -> tuple[object, object]:
    """What decides the counts and the noise of a run: settings, and digests of public files, where it states them."""
    parameters, inputs = manifest.get("parameters"), manifest.get("public_inputs")
    settings = {name: parameters.get(name) for name in _SETTINGS} if isinstance(parameters, Mapping) else None
    return settings, inputs


def _rows(folder: Path, name: str) -> list[dict[str, Any]]:
    path = folder / f"{name}.parquet"
    try:
        found = pq.read_table(path)
    except (OSError, pa.ArrowException) as error:
        raise InputError([Problem(str(path), f"cannot be read: {error}", _FIX)]) from error
    missing = [column for column in _COLUMNS[name] if column not in found.column_names]
    refuse([Problem(str(path), f"missing columns {', '.join(missing)}", _FIX)] if missing else [])
    names = [_FIELDS.get(column, column) for column in _COLUMNS[name]]
    rows = found.select(list(_COLUMNS[name])).rename_columns(names).to_pylist()
    return [
        # JSON cannot express infinity and NaN.
        {name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in row.items()}
        for row in rows
    ]


def _picked(rows: Iterable[Row], *fields: str) -> list[dict[str, Any]]:
    return [{name: row[name] for name in fields} for row in rows]


def _error_chart(by_size: Rows, values: Values) -> Chart:
    known = (row for row in sorted(by_size, key=lambda row: row["size_start"]) if row["error"] is not None)
    rows = _picked(known, "level", "size", "error")
    levels = list(dict.fromkeys(row["level"] for row in by_size))
    sizes = list(dict.fromkeys(row["size"] for row in rows))
    axis = {"title": f"{values['people']} in the group, exact", "labelAngle": 0, "ticks": False, "labelLimit": 0}
    x = {"field": "size", "type": "ordinal", "sort": sizes, "axis": axis}
    # Shade tells magnitude, from 0.1 % to 100 %; the number on it is what counts.
    scale = {"type": "log", "domain": [0.001, 1], "range": [0.04, 0.62], "clamp": True}
    shade = {"field": "error", "type": "quantitative", "scale": scale, "legend": None}
    shown = {"opacity": shade, "tooltip": tips("error-by-size", rows, values)}
    squares = {
        "transform": [{"calculate": "max(datum.error, 1e-9)", "as": "error"}],
        **marks.layer({"type": "rect", "color": PALETTE[1]}, shown),
    }
    text = {"field": "error", "type": "quantitative", "format": ".2~p"}
    numbers = marks.layer({"type": "text", "color": INK}, {"text": text})
    drawn = marks.by_level({"x": x, "y": {**marks.LEVELS, "sort": levels}}, squares, numbers)
    return chart("error-by-size", rows, drawn, values)


def _left_out_chart(by_level: Rows) -> Iterator[Chart]:
    rows = _picked((row for row in by_level if row["share"]), "level", "share", "groups")
    axis = {"format": ".0%", "tickCount": 5}
    x = marks.amount("share", "share of the tabulated groups", axis, {"domain": [0, 1]})
    bars = {"mark": {**marks.BAR, "color": SOFT_INK, "opacity": 0.55}}
    if rows:
        yield chart("left-out-by-level", rows, marks.by_level({"x": x}, bars, marks.texts("share", ".1%")), {})


def _coverage_chart(by_level: Rows) -> Chart:
    rows = _picked((row for row in by_level if row["coverage"] is not None), "level", *_COVERAGE)
    axis = {"format": ".1~%", "tickCount": 6}
    x = marks.amount("coverage", "share of counts within their MOE95", axis, {"zero": False, "nice": True})
    said = {"tooltip": tips("coverage-by-level", rows, {})}
    band = {"type": "bar", "height": 10, "color": PALETTE[0], "opacity": 0.28}
    promised = {"type": "rule", "strokeDash": [4, 3], "color": SOFT_INK}
    drawn = marks.by_level(
        {},
        {"data": {"values": [{"coverage": 0.95}]}, **marks.layer(promised, {"x": x, "y": None})},
        marks.across(band, x, "coverage_lower", "coverage_upper", said),
        marks.across(marks.tick(PALETTE[0], 2, 14), x, "expected_coverage"),
        marks.layer(marks.dot(70, PALETTE[1]), {"x": x, **said}),
    )
    return chart("coverage-by-level", rows, drawn, {})


def _promise_chart(by_statistic: Rows, values: Values) -> Chart:
    rows = _picked(by_statistic, "level", "statistic", "promised", "observed", "counts")
    x, color = marks.margins("observed", f"half-width, {values['many']}"), marks.series("statistic")
    said = {"tooltip": tips("moe-promised-observed", rows, values)}
    place = {"x": x, "yOffset": {"field": "statistic", "sort": None}}
    promised = marks.across(marks.tick(INK, 2, 26), x, "promised", others=said)
    observed = marks.layer(marks.dot(55), {**place, "color": color, "shape": color, **said})
    drawn = marks.by_level({}, promised, observed, step=marks.WIDE_STEP)
    return chart("moe-promised-observed", rows, drawn, values)


def _epl_chart(epl: Rows) -> Chart:
    rows = [
        {
            "level": f"{row['level']}, {row['noise'].partition(' (')[0]}",
            **{name: row[name] for name in ("residuals", "epl", "epl_lower", "epl_upper", "stated_loss")},
            "shown": _shown(row["stated_loss"]),
            "passes": "yes" if row["passes"] else "no",
        }
        for row in epl
    ]
    axis = {"values": _ROUND_LOSSES, "format": "~g"}
    x = marks.amount("epl", "privacy loss of one count", axis, {"type": "log", "nice": False, "padding": 14})
    said = {"tooltip": tips("empirical-privacy-loss", rows, {})}
    drawn = marks.by_level(
        {},
        marks.across({"type": "rule", "color": PALETTE[1], "strokeWidth": 2}, x, "epl_lower", "epl_upper"),
        marks.layer(marks.dot(70, PALETTE[1]), {"x": x, **said}),
        marks.across(marks.tick(PALETTE[0], 3, 18), x, "stated_loss", others=said),
    )
    return chart("empirical-privacy-loss", rows, drawn, {})


def _curve_chart(epl: Rows, curve: Rows, values: Values) -> Iterator[Chart]:
    """The loss at every size of error, of the noise with the most errors."""
    most = max(epl, key=lambda row: row["residuals"])
    level, noise = most["level"], most["noise"]
    own = (row for row in curve if (row["level"], row["noise"]) == (level, noise))
    picked = _picked(own, "x", "epl_of_x", "stated_loss", "honest_lower", "honest_upper")
    rows = [{**row, "shown": _shown(row["stated_loss"])} for row in picked]
    if not rows:
        return
    x = marks.amount("x", f"error, {values['many']}", {"tickCount": 8, "tickMinStep": 1})
    y = marks.amount("epl_of_x", "log p(x) / p(x + 1)", {"tickCount": 6})
    ends = {"y": {**y, "field": "honest_lower"}, "y2": {"field": "honest_upper"}}
    band = marks.layer({"type": "area", "color": PALETTE[0], "opacity": 0.22}, ends)
    dashes = {"type": "line", "color": PALETTE[0], "strokeDash": [5, 3]}
    stated = marks.layer(dashes, {"y": {**y, "field": "stated_loss"}})
    points = {"color": PALETTE[1], "size": 22}
    observed = marks.layer({"type": "line", "color": PALETTE[1], "strokeWidth": 2, "point": points}, {"y": y})
    drawn = {"height": 240, "encoding": {"x": x}, "layer": [band, stated, observed]}
    yield chart("empirical-loss-curve", rows, drawn, {**values, "level": level, "noise": noise})


def _shown(loss: float | None) -> str | None:
    """A stated loss with 4 digits, rounded up."""
    return None if loss is None else rounded_up(loss, 4)


# --- histograms ---


def curve_section(curve: pa.Table) -> Section:
    """The curve in the HTML report."""
    drawn = curve_figure(curve)
    table = table_of_rows("bottom-up-curve", drawn["title"], drawn["data"]["values"], {})
    caption = WORDS["charts"]["bottom-up-curve"]["caption"]
    return section("bottom-up-curve", {}, figures=(Chart("bottom-up-curve", drawn, caption, table),))
