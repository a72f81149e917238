"""Releases whose counts are fitted to several measured tables: evaluated, audited, and bugs planted in their noise."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import sqrt
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from safetab_sql.accounting.plan import MechanismCall
from safetab_sql.evaluation.audit_canaries import audit_canaries
from safetab_sql.evaluation.audit_epl import LossAudit
from safetab_sql.evaluation.audit_stability import audit_stability
from safetab_sql.evaluation.audited_counts import audited_losses, counts_of_releases
from safetab_sql.evaluation.evaluate import Evaluation, evaluate
from safetab_sql.evaluation.evaluate_attacks import evaluate_attacks
from safetab_sql.evaluation.ground_truth import ground_truth
from safetab_sql.jobs.audit_replay import Replayed, audit_replay
from safetab_sql.jobs.run import run
from safetab_sql.kit.database import Resources
from safetab_sql.laws.quantiles import variance
from safetab_sql.mechanisms import tabulate
from safetab_sql.public.inputs import InputPaths
from safetab_sql.public.measured import Measurement
from safetab_sql.published.count_laws import chances_in_persons, covariance
from safetab_sql.release.facts import ReleaseFacts
from safetab_sql.release.folder import open_folder
from safetab_sql.settings.parameters import load_parameters
from tests.jobs.test_fitted_runs import written
from tests.statistics import recorded_bits

ONE_THREAD = Resources(threads=1)
RUNS, MANY_RUNS, GROUPS = 2, 6, 100
TABLE, TOTAL, SEXES = "sex by age", "TOTAL of sex by age", "SEX each of sex by age"


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> InputPaths:
    return written(tmp_path_factory.mktemp("fitted releases"), "always")


@pytest.fixture(scope="module")
def truth(inputs: InputPaths) -> Path:
    return ground_truth(inputs, Path(inputs.parameters).parent / "truth", dense=True, resources=ONE_THREAD).out


def released(inputs: InputPaths, name: str, runs: int = RUNS) -> list[Path]:
    folder = Path(inputs.parameters).parent
    bits = [recorded_bits(f"{name} {number}") for number in range(runs)]
    return [
        run(inputs, folder / f"{name}-{number}", bits=own, resources=ONE_THREAD).out for number, own in enumerate(bits)
    ]


@pytest.fixture(scope="module")
def releases(inputs: InputPaths) -> list[Path]:
    return released(inputs, "honest")


@pytest.fixture(scope="module")
def evaluation(releases: list[Path], truth: Path) -> Evaluation:
    return evaluate(releases, truth.parent / "evaluation", ground_truth=truth, resources=ONE_THREAD)


def audits(releases: Sequence[Path], truth: Path) -> dict[str, LossAudit]:
    found = audited_losses(counts_of_releases(releases, truth, None))
    return {audit.test.noise: audit for audit in found}


# --- what is said of honest noise ---


def test_each_measured_table_is_a_statistic_and_its_counts_err_as_its_exact_law_says(evaluation: Evaluation) -> None:
    """Of recorded bits; of fresh ones, a deviation of 200 totals is 25 % off in fewer than 1 of 10^6 runs."""
    rows = {row["statistic"]: row for row in evaluation.tables["by_statistic"].to_pylist()}
    assert {name: row["counts"] for name, row in rows.items()} == {
        TABLE: 6 * RUNS * GROUPS,
        TOTAL: RUNS * GROUPS,
        SEXES: 2 * RUNS * GROUPS,
    }
    for row in rows.values():
        assert row["is_as_expected"]
        assert row["observed_deviation"] == pytest.approx(row["stated_deviation"], rel=0.25)
        assert row["observed_moe95"] == pytest.approx(row["stated_moe95"], rel=0.35)
    assert rows[TOTAL]["independent_counts"] == RUNS * GROUPS
    assert rows[SEXES]["independent_counts"] < 2 * RUNS * GROUPS


def test_a_level_and_the_error_report_have_the_cells_alone(evaluation: Evaluation) -> None:
    (level,) = evaluation.tables["by_level"].to_pylist()
    assert (level["counts"], set(evaluation.errors["MEASURED_COUNTS"].to_pylist())) == (6 * RUNS * GROUPS, {6})


def test_the_losses_of_totals_sums_and_cells_are_those_of_their_exact_laws(releases: list[Path], truth: Path) -> None:
    found = audits(releases, truth)
    assert found.keys() == {TABLE, TOTAL, SEXES}
    assert all(audit.passes for audit in found.values())
    assert {audit.test.distribution for audit in found.values()} == {"sums of discrete gaussian"}
    law = found[TOTAL].test.law
    values, chances = chances_in_persons(law)  # type: ignore[arg-type]
    middle = found[TOTAL].curve.filter(pc.equal(found[TOTAL].curve["x"], 3))["stated_loss"][0].as_py()
    place = int(np.searchsorted(values, 3))
    assert middle == pytest.approx(np.log(chances[place] / chances[place + 1]))


def joint_noise(facts: ReleaseFacts) -> tuple[Measurement, tuple[MechanismCall, ...]]:
    from safetab_sql.public.measured import measurements

    (ladder,), (level,) = facts.parameters.ladders, facts.levels
    return measurements(facts.parameters, ladder)[0], level.calls.of_table(1)


def cells_of(table: Path) -> np.ndarray:
    rows = pq.read_table(table)
    rows = rows.filter(pc.and_(pc.not_equal(rows["SEX"], "*"), pc.not_equal(rows["FROM"], "*")))
    numbers = rows.append_column("AGE", pc.cast(rows["FROM"], "int64"))
    ordered = numbers.sort_by([(name, "ascending") for name in ("REGION_ID", "SEX", "AGE")])
    return np.asarray(ordered["COUNT"].to_numpy(), dtype=np.float64).reshape(-1, 6)


def squares(releases: Sequence[Path], truth: Path) -> float:
    """By how many of its deviations the sum of all r' V^-1 r, of residuals r with covariance V, is off its mean."""
    measurement, calls = joint_noise(open_folder(releases[0]).facts)
    inverse = np.linalg.inv(covariance(measurement, calls))
    errors = np.concatenate([cells_of(out / "t") for out in releases]) - np.tile(
        cells_of(truth / "t.parquet"), (len(releases), 1)
    )
    found = np.einsum("gi,ij,gj->g", errors, inverse, errors)
    weights = measurement.weights / measurement.parts
    spread = np.array([float(variance(call.law)) for call in calls])[measurement.table_of_draws]
    form = (weights.T @ inverse @ weights) * np.sqrt(np.outer(spread, spread))
    # Of discrete Gaussians this wide, kurtosis adds nothing that shows.
    return float((found.mean() - 6) / sqrt(2 * (form**2).sum() / found.size))


def test_all_cells_of_a_group_follow_their_joint_law(releases: list[Path], truth: Path) -> None:
    """Chi-square: 5 deviations are exceeded in fewer than 1 of 10^6 runs; of recorded bits it is the same each time."""
    assert abs(squares(releases, truth)) < 5


# --- bugs ---


def scaled_total(budgets: Fraction):  # type: ignore[no-untyped-def]
    """A mechanism that draws the noise of the total as if it had so many times its budget; the ledger is as before."""
    honest = tabulate._fitted

    def fitted(exact, measurement, calls, bits):  # type: ignore[no-untyped-def]
        total, *others = calls
        law = type(total.law)(total.budget * budgets)
        return honest(exact, measurement, (replace(total, law=law), *others), bits)

    return fitted


@pytest.mark.slow
@pytest.mark.parametrize(("budgets", "how"), [(Fraction(1, 6), "wide"), (Fraction(25), "narrow")])
def test_noise_of_a_wrong_scale_in_one_coarser_table_is_noticed(
    inputs: InputPaths, truth: Path, budgets: Fraction, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tabulate, "_fitted", scaled_total(budgets))
    wrong = released(inputs, how, MANY_RUNS)
    found = evaluate(wrong, truth.parent / f"evaluation-{how}", ground_truth=truth, resources=ONE_THREAD)
    rows = {row["statistic"]: row for row in found.tables["by_statistic"].to_pylist()}
    assert not rows[TOTAL]["is_as_expected"]
    # Too little noise in one of six directions hardly shows in the joint law of so few groups.
    assert how == "narrow" or abs(squares(wrong, truth)) > 5


def test_a_stability_audit_counts_each_measured_table(inputs: InputPaths) -> None:
    assert audit_stability(inputs, 3, resources=ONE_THREAD).violations == ()


def test_a_person_who_is_in_two_cells_of_a_coarser_table_is_noticed(
    inputs: InputPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = Measurement.sums
    monkeypatch.setattr(Measurement, "sums", lambda own, cells: [2 * each for each in honest(own, cells)])
    (first, *_) = audit_stability(inputs, 1, resources=ONE_THREAD).violations
    assert "calls on the tables that are measured together" in first


# --- one run and its neighbours ---


@pytest.mark.slow
def test_a_release_of_fitted_counts_and_its_neighbours_are_equal_to_the_byte(inputs: InputPaths) -> None:
    audit = audit_replay(Replayed("run", Path(inputs.parameters), inputs), 3)
    assert audit.violations == ()
    assert max(trial.cost for trial in audit.trials) == Fraction(2, 50) == 2 * audit.stated


@pytest.mark.slow
def test_canaries_show_much_of_the_loss_of_several_tables_and_no_more_than_it(tmp_path: Path) -> None:
    """Honest noise shows more than is stated in at most 5 of 100 runs, and 1.4 times as much in 1 of 10^6."""
    written(tmp_path, "always")
    text = (tmp_path / "parameters.toml").read_text().replace('"zcdp"', '"puredp"').replace("0.02", "4")
    (tmp_path / "parameters.toml").write_text(text)
    load_parameters(tmp_path / "parameters.toml")
    (audit,) = audit_canaries(InputPaths(tmp_path / "parameters.toml", "", ""), 400, resources=ONE_THREAD)
    assert 1 < audit.found < 1.4 * audit.stated


@pytest.mark.slow
def test_attacks_on_fitted_counts_guess_from_persons_and_not_from_parts(inputs: InputPaths, tmp_path: Path) -> None:
    found = evaluate_attacks(inputs, tmp_path / "attacks", resources=ONE_THREAD)
    (cells,) = (row for row in found.attacks.to_pylist() if (row["method"], row["kind"]) == ("this release", "cell"))
    assert cells["root_mean_square_error"] < 50
