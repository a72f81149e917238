"""Runs that measure coarser tables too, from parameters to what readers of the release meet."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from safetab_sql.jobs.describe import describe, description_text
from safetab_sql.jobs.export import export
from safetab_sql.jobs.moe import sum_of_release
from safetab_sql.jobs.plan import plan, plan_json, plan_text
from safetab_sql.jobs.reconcile import reconcile
from safetab_sql.jobs.run import run
from safetab_sql.jobs.targets import settings_of
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError
from safetab_sql.public.inputs import InputPaths
from safetab_sql.public.measured import parts_of
from safetab_sql.settings.parameters import load_parameters
from safetab_sql.statistics.wanted_statistics import statistics_of
from tests.cli.command import call
from tests.statistics import recorded_bits

WARDS = 100
PARAMETERS = """
privacy_definition = "zcdp"
gamma = 0.1
allow_negative_counts = true
place.key = { WARD = "text" }
region_types.WARD.id = "WARD"
[attributes]
SEX.values = ["F", "M"]
AGE = { minimum = 0, maximum = 99, publish = ["FROM", "TO"], groups.three = [0, 18, 65] }
[ladders.T]
CHOOSE
subtotals = [{ SEX = "each" }]
statistics = [{ name = "sex by age", cells = { SEX = "each", AGE = "three" }, also_measured = [
    { table = "TOTAL", share = 0.15 }, { cells = { SEX = "each" }, share = 0.15 }, { cells = { AGE = "three" }, share = 0.001 },
] }]
levels = [{ each = ["WARD-ALL"], budget = 0.02THRESHOLDS }]
"""  # noqa: E501
CELLS = 6


def written(folder: Path, choose: str) -> InputPaths:
    random = Random(1)
    rows = [
        {"WARD": f"w{random.randrange(WARDS):02}", "SEX": random.choice("FM"), "AGE": random.randrange(100)}
        for _ in range(4_000)
    ]
    said = {"CHOOSE": f'choose = "{choose}"', "THRESHOLDS": ", thresholds = [40]" if choose == "stage 1" else ""}
    text = PARAMETERS
    for name, each in said.items():
        text = text.replace(name, each)
    (folder / "parameters.toml").write_text(text, encoding="utf-8")
    pq.write_table(pa.Table.from_pylist(rows), folder / "persons.parquet")
    pq.write_table(pa.table({"WARD": [f"w{number:02}" for number in range(WARDS)]}), folder / "geography.parquet")
    return InputPaths(folder / "parameters.toml", folder / "persons.parquet", folder / "geography.parquet")


@pytest.fixture(scope="module", params=["always", "stage 1"])
def inputs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> InputPaths:
    return written(tmp_path_factory.mktemp("fitted"), request.param)


@pytest.fixture(scope="module")
def release(inputs: InputPaths) -> Path:
    out = Path(inputs.parameters).parent / "out"
    return run(inputs, out, bits=recorded_bits("fitted runs"), resources=Resources(threads=1)).out


def counts(release: Path) -> pa.Table:
    """The rows of groups with a table, by ward."""
    table = pq.read_table(release / "t")
    return table.filter(pc.equal(table["STATISTIC"], "sex by age"))


def is_total(rows: pa.Table) -> pa.Array:
    return pc.and_(pc.equal(rows["SEX"], "*"), pc.equal(rows["FROM"], "*"))


def exact(inputs: InputPaths, sex: str, ages: tuple[int, int]) -> dict[str, int]:
    rows = pq.read_table(inputs.persons).to_pylist()
    held = [row for row in rows if sex in ("*", row["SEX"]) and ages[0] <= row["AGE"] <= ages[1]]
    return {f"w{ward:02}": sum(row["WARD"] == f"w{ward:02}" for row in held) for ward in range(WARDS)}


def test_counts_are_whole_numbers_of_parts_and_add_up_to_the_last_one(inputs: InputPaths, release: Path) -> None:
    parameters = load_parameters(inputs.parameters)
    parts, rows = parts_of(parameters, parameters.ladders[0])[1], counts(release)
    assert rows.schema.field("COUNT").type == pa.float64()
    in_parts = [Fraction(count) * parts for count in rows["COUNT"].to_pylist()]
    assert all(count.denominator == 1 for count in in_parts)
    assert any(count % parts for count in in_parts)
    wards: dict[str, dict[bool, Fraction]] = {}
    for ward, total, sex, age, count in zip(
        *(rows["REGION_ID"].to_pylist(), is_total(rows).to_pylist(), rows["SEX"].to_pylist(), rows["FROM"].to_pylist()),
        in_parts,
        strict=True,
    ):
        found = wards.setdefault(ward, {})
        if total:
            found[True] = count
        elif age != "*" and sex != "*":
            found[False] = found.get(False, Fraction(0)) + count
    assert len(wards) > WARDS / 4
    assert all(found[True] == found[False] for found in wards.values())


def test_intervals_hold_the_true_counts(inputs: InputPaths, release: Path) -> None:
    """False alarm below 1e-6 on fresh bits: of 100 independent totals, or cells, 19 or more would have to miss."""
    rows, wanted = counts(release), {("*", "*", "*"): (0, 99), ("F", "18", "64"): (18, 64)}
    for (sex, first, _), ages in wanted.items():
        own = rows.filter(pc.and_(pc.equal(rows["SEX"], sex), pc.equal(rows["FROM"], first)))
        true = exact(inputs, sex, ages)
        misses = [
            not low <= true[ward] <= high
            for ward, low, high in zip(
                *(own[name].to_pylist() for name in ("REGION_ID", "LOW95", "HIGH95")), strict=True
            )
        ]
        assert len(misses) > WARDS / 4
        assert sum(misses) < 19
        errors = [
            (count - true[ward]) ** 2
            for ward, count in zip(own["REGION_ID"].to_pylist(), own["COUNT"].to_pylist(), strict=True)
        ]
        assert 0.3 < sum(errors) / len(errors) / own["VARIANCE"][0].as_py() < 2.5


def test_a_total_is_narrower_and_a_cell_wider_than_from_cells_alone(release: Path) -> None:
    rows, seen = counts(release), plan(release.parent / "parameters.toml")
    levels: Any = plan_json(seen, None)["levels"]
    total, *_, cells = levels[0]["fitted"]["sex by age"]
    of_totals = rows.filter(is_total(rows))["MOE95"]
    assert set(of_totals.to_pylist()) == {total["moe95"]}
    assert total["deviation"] < 0.75 * total["deviation_alone"]
    assert 1 < cells["deviation"] / cells["deviation_alone"] < 1.2


def test_the_plan_says_what_is_not_worth_its_share(inputs: InputPaths) -> None:
    text = plan_text(plan(inputs.parameters), None)
    assert "Tables that are measured together" in text
    assert "sex by age: to measure AGE three does not pay" in text
    assert "TOTAL does not pay" not in text


WHOLE, WOMEN = """SEX = '*' and "FROM" = '*'""", """SEX = 'F' and "FROM" = '*'"""
OF_WOMEN = """SEX = 'F' and "FROM" <> '*' and STATISTIC = 'sex by age'"""


def test_a_sum_of_cells_has_the_margin_of_the_row_that_is_their_sum(release: Path) -> None:
    rows = counts(release)
    row = rows.filter(pc.and_(pc.equal(rows["SEX"], "F"), pc.equal(rows["FROM"], "*"))).to_pylist()[0]
    ward = f"REGION_ID = '{row['REGION_ID']}'"
    found = sum_of_release(release, plus=f"{ward} and {OF_WOMEN}")
    assert (found.estimate, found.moe95) == (row["COUNT"], pytest.approx(row["MOE95"], rel=1e-3))
    assert found.variance == pytest.approx(row["VARIANCE"])
    cancelled = sum_of_release(release, plus=f"{ward} and {WOMEN}", minus=f"{ward} and {OF_WOMEN}")
    assert (cancelled.estimate, cancelled.moe95, cancelled.p_value) == (0, 0, 1)


def test_sums_over_groups_add_variances_and_sums_within_one_do_not(release: Path) -> None:
    rows = counts(release)
    wards = pc.unique(rows["REGION_ID"]).to_pylist()[:2]
    each = [sum_of_release(release, plus=f"REGION_ID = '{ward}' and {WHOLE}") for ward in wards]
    both = sum_of_release(release, plus=f"REGION_ID in {tuple(wards)} and {WHOLE}")
    assert both.variance == pytest.approx(sum(one.variance or 0 for one in each))
    women, men = (rows.filter(pc.and_(pc.equal(rows["SEX"], sex), pc.equal(rows["FROM"], "*"))) for sex in "FM")
    assert (each[0].variance or 0) < 0.9 * (women["VARIANCE"][0].as_py() + men["VARIANCE"][0].as_py())


def test_statistics_of_a_group_hold_its_true_ones(inputs: InputPaths, release: Path) -> None:
    """False alarm below 1e-6 on fresh bits: of 100 independent statistics 19 or more would have to miss."""
    wards = sorted(pc.unique(counts(release)["REGION_ID"]).to_pylist())
    code = counts(release)["ITERATION_CODE"][0].as_py()
    kinds = {"count": ("F", None), "difference": ("F", "M"), "ratio": ("F", None), "quantile": (None, None)}
    asked = [
        {"KIND": kind, "REGION_TYPE": "WARD", "REGION_ID": ward, "ITERATION_CODE": code, "SEX": sex, "OTHER_SEX": other}
        for ward in wards
        for kind, (sex, other) in kinds.items()
    ]
    found = statistics_of(release, pa.Table.from_pylist(asked)).to_pylist()
    women, men = (exact(inputs, sex, (0, 99)) for sex in "FM")
    young, grown = (exact(inputs, "*", ages) for ages in ((0, 17), (18, 64)))
    misses = dict.fromkeys(kinds, 0)
    for row in found:
        ward, (low, high) = row["REGION_ID"], (row["LOW"], row["HIGH"])
        half = (women[ward] + men[ward]) / 2
        median = 0 if young[ward] >= half else 18 if young[ward] + grown[ward] >= half else 65
        true = {
            "count": women[ward],
            "difference": women[ward] - men[ward],
            "ratio": women[ward] / (2 * half),
            "quantile": median,
        }[row["KIND"]]
        misses[row["KIND"]] += not (low is None or low <= true) or not (high is None or true <= high)
    assert len(wards) > WARDS / 4
    assert max(misses.values()) < 19


@pytest.mark.slow
@pytest.mark.parametrize("integers", [False, True])
def test_a_release_is_reconciled_by_the_covariances_of_its_cells(tmp_path: Path, *, integers: bool) -> None:
    """False alarm below 1e-6 on fresh bits: of 100 independent totals 19 or more would have to miss."""
    inputs = written(tmp_path, "always")
    parameters = Path(inputs.parameters)
    text = parameters.read_text(encoding="utf-8").replace('["WARD-ALL"]', '["WARD-ALL", "TOWN-ALL"]')
    town = "region_types.TOWN.id = \"'town'\"\nregion_types.WARD.id"
    parameters.write_text(text.replace("region_types.WARD.id", town), encoding="utf-8")
    release = run(inputs, tmp_path / "out", bits=recorded_bits("reconciled"), resources=Resources(threads=1)).out
    done = reconcile(release, tmp_path / "reconciled", geography=Path(str(inputs.geography)), integers=integers)
    rows = pq.read_table(tmp_path / "reconciled" / "t")
    assert rows.schema.field("NOISY_COUNT").type == pa.float64()
    wholes = rows.filter(is_total(rows)).to_pylist()
    town_total = sum(row["COUNT"] for row in wholes if row["REGION_TYPE"] == "TOWN")
    wards = {row["REGION_ID"]: row for row in wholes if row["REGION_TYPE"] == "WARD"}
    assert sum(row["COUNT"] for row in wards.values()) == pytest.approx(town_total, abs=1e-6)
    for ward, whole in wards.items():
        cells = rows.filter(pc.and_(pc.equal(rows["REGION_ID"], ward), pc.not_equal(rows["FROM"], "*")))
        assert pc.sum(cells["COUNT"]).as_py() == pytest.approx(whole["COUNT"], abs=1e-6)
    true = exact(inputs, "*", (0, 99))
    assert sum(not row["LOW95"] <= true[ward] <= row["HIGH95"] for ward, row in wards.items()) < 19
    assert all(kind.reconciled_variance < kind.noisy_variance for kind in done.types) or integers


def test_the_command_that_reconciles_says_what_it_changed(inputs: InputPaths, release: Path, tmp_path: Path) -> None:
    done = call("reconcile", release, "--geography", str(inputs.geography), "--out", tmp_path / "made", "--quiet")
    assert (done.code, "WARD" in done.stdout) == (0, True), done.stderr


REFUSING: dict[str, Callable[[Path], object]] = {
    "targets": lambda release: settings_of(release.parent / "parameters.toml"),
}


@pytest.mark.parametrize("command", REFUSING)
def test_commands_that_do_not_know_the_noise_refuse_and_say_why(release: Path, command: str) -> None:
    with pytest.raises(InputError, match=r"counts of T are fitted to several measured tables \(also_measured\)"):
        REFUSING[command](release)


def test_a_release_is_described_and_exported(release: Path, tmp_path: Path) -> None:
    assert "WARD-ALL" in description_text(describe(release))
    made = export(release, tmp_path / "csv", format="csv")
    assert any(file.endswith(".csv") for file in made.files)
