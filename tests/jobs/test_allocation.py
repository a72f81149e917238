"""`targets --uses`: the file that it writes spends the loss to the last digit; what cannot be divided is refused."""

import shutil
from fractions import Fraction
from functools import cache
from pathlib import Path

import duckdb
import pytest

from safetab_sql.jobs.allocation import Allocated, allocation, allocation_text, allocation_toml
from safetab_sql.jobs.targets import Settings, settings_of
from safetab_sql.kit.errors import InputError
from safetab_sql.kit.sqlfiles import packaged_folder
from safetab_sql.settings.parameters import load_parameters
from safetab_sql.simulation.any_shape import simulate_shape

CONFIGS = packaged_folder("configs")
SIZES = "LEVEL,PEOPLE,GROUPS\nALL-1,9000,5\nALL-1,90000,1\nHOSPITAL-1,20,300\nHOSPITAL-1,700,40\nHOSPITAL-1,6000,2\n"
USES = """
[uses.totals]
levels = ["ALL-1", "HOSPITAL-1"]
margin = 20

[uses."outcomes of old women"]
levels = ["HOSPITAL-1"]
of = "sum"
where = { SEX = ["F"], AGE = [65, 110] }
people = [500]
percent = 10
weight = 2

[uses."share of the old"]
levels = ["ALL-1"]
of = "ratio"
where = { AGE = [65, 110] }
share = 0.3
margin = 1

[uses."median age"]
levels = ["ALL-1", "HOSPITAL-1"]
of = "median"
attribute = "AGE"
about = 50
density = 0.012
people = [5000]
margin = 2
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(CONFIGS / "hospitals.toml", tmp_path)
    (tmp_path / "uses.toml").write_text(USES)
    (tmp_path / "sizes.csv").write_text(SIZES)
    return tmp_path


@cache
def settings(name: str) -> Settings:
    return settings_of(CONFIGS / name)


def divided(folder: Path, **options: object) -> Allocated:
    return allocation(settings("hospitals.toml"), folder / "uses.toml", folder / "sizes.csv", **options)


def written(folder: Path, found: Allocated) -> Path:
    (folder / "best.toml").write_text(allocation_toml(found, "--uses uses.toml"))
    return folder / "best.toml"


def test_the_file_that_is_written_spends_the_loss_exactly(folder: Path) -> None:
    found = divided(folder)
    before, after = load_parameters(folder / "hospitals.toml"), load_parameters(written(folder, found))
    assert sum(level.budget for level in after.levels) == sum(level.budget for level in before.levels) == 1
    assert {level.level.name: level.budget for level in after.levels} == dict(found.budgets)
    assert {level.level.name: level.thresholds for level in after.levels} == dict(found.after.thresholds)
    assert after.gamma == found.gamma
    assert found.error_after < found.error_before


def test_another_loss_is_divided_exactly(folder: Path) -> None:
    after = load_parameters(written(folder, divided(folder, loss=Fraction("0.7"))))
    assert sum(level.budget for level in after.levels) == Fraction("0.7")


def test_both_errors_of_every_use_are_printed(folder: Path) -> None:
    found = divided(folder)
    said = allocation_text(found)
    assert all(
        line.use in said and f"{line.after:.4g}" in said and f"{line.before:.4g}" in said for line in found.lines
    )


def test_a_level_without_a_use_keeps_its_budget(folder: Path) -> None:
    (folder / "uses.toml").write_text('[uses.totals]\nlevels = ["HOSPITAL-1"]\nmargin = 20\n')
    found = divided(folder)
    budgets = {level.level.name: level.budget for level in load_parameters(written(folder, found)).levels}
    assert budgets == {"ALL-1": Fraction("0.4"), "HOSPITAL-1": Fraction("0.6")}
    assert dict(found.kept) == {"ALL-1": Fraction("0.4")}


def test_a_loss_that_levels_without_a_use_spend_is_refused(folder: Path) -> None:
    (folder / "uses.toml").write_text('[uses.totals]\nlevels = ["HOSPITAL-1"]\nmargin = 20\n')
    with pytest.raises(InputError, match="levels without a use spend all of it"):
        divided(folder, loss=Fraction("0.3"))


@pytest.mark.parametrize(
    ("was", "instead", "problem"),
    [
        ('levels = ["ALL-1", "HOSPITAL-1"]\nmargin = 20', 'levels = ["WARD-1"]\nmargin = 20', "none of its levels"),
        ('{ SEX = ["F"], AGE', '{ SEX = ["Q"], AGE', "SEX has no Q"),
        ("AGE = [65, 110] }\npeople", "AGE = [65, 900] }\npeople", r"AGE is \[65, 900\]"),
        ("{ AGE = [65, 110] }\nshare", '{ REGION = ["1"] }\nshare', "no attribute REGION"),
        ('attribute = "AGE"', 'attribute = "SEX"', "attribute is 'SEX'"),
        ("about = 50\n", "", "missing key 'about'"),
        ("margin = 2\n", "margin = 2\npercent = 3\n", "neither margin nor percent, or both"),
        ("people = [500]", "people = [500, 20]", r"people is \[500, 20\]"),
        ("people = [500]", 'people = [500]\nattribute = "AGE"', "attribute stands in a use of sum"),
    ],
)
def test_what_a_use_cannot_say_is_refused(was: str, instead: str, problem: str, folder: Path) -> None:
    assert USES.count(was) >= 1
    (folder / "uses.toml").write_text(USES.replace(was, instead))
    with pytest.raises(InputError, match=problem):
        divided(folder)


@pytest.mark.parametrize(
    ("sizes", "problem"),
    [
        ("LEVEL,PEOPLE\nALL-1,5\n", "missing columns GROUPS"),
        (SIZES.replace("HOSPITAL-1", "HOSPITAL-2"), "no HOSPITAL-1"),
        (SIZES.replace("9000,5", "9000,-5"), "not whole numbers, 0 or more"),
        (SIZES.replace("9000,5", "many,5"), "not whole numbers"),
    ],
)
def test_sizes_that_are_none_are_refused(sizes: str, problem: str, folder: Path) -> None:
    (folder / "sizes.csv").write_text(sizes)
    with pytest.raises(InputError, match=problem):
        divided(folder)


@pytest.mark.slow
def test_sizes_of_simulated_people_are_counted_and_of_others_refused(folder: Path) -> None:
    inputs = simulate_shape(folder / "sim", folder / "hospitals.toml", people=3000)
    found = allocation(settings("hospitals.toml"), folder / "uses.toml", folder / "sim")
    hospitals = f"from '{inputs.persons}' select count(*) as people where KIND = 'inpatient' group by HOSPITAL, MDC"
    known = duckdb.sql(f"select count(*) from ({hospitals})").fetchall()[0][0]
    assert [line.groups for line in found.lines if (line.use, line.level) == ("totals", "HOSPITAL-1")] == [known]
    text = (folder / "sim" / "parameters.toml").read_text()
    (folder / "sim" / "parameters.toml").write_text(text.replace("is_simulated = true", ""))
    with pytest.raises(InputError, match="does not say is_simulated = true"):
        allocation(settings("hospitals.toml"), folder / "uses.toml", folder / "sim")


def test_shares_by_kind_are_found_where_a_level_has_shares(tmp_path: Path) -> None:
    """A person of one race is in one alone group, others in up to eight in combination: alone groups get more."""
    shares = "shares = { alone = 1, in_combination = 1, ethnicity = 1 }"
    text = (CONFIGS / "example.toml").read_text().replace("[levels.STATE-2]\n", f"[levels.STATE-2]\n{shares}\n")
    (tmp_path / "p.toml").write_text(text.partition("\n")[2])
    assert shares in text
    (tmp_path / "uses.toml").write_text('[uses.totals]\nlevels = ["STATE-2", "USA-2"]\nmargin = 3\n')
    kinds = ("STATE-2 alone", "STATE-2 combination", "STATE-2 ethnicity", "USA-2")
    (tmp_path / "sizes.csv").write_text("LEVEL,PEOPLE,GROUPS\n" + "".join(f"{kind},200,50\n" for kind in kinds))
    found = allocation(settings_of(tmp_path / "p.toml"), tmp_path / "uses.toml", tmp_path / "sizes.csv")
    after = {level.level.name: level for level in load_parameters(written(tmp_path, found)).ladders[0].levels}
    assert dict(after["STATE-2"].shares).keys() == {"alone", "combination", "ethnicity"}
    assert dict(after["STATE-2"].shares)["alone"] > 3 * dict(after["STATE-2"].shares)["combination"]
    losses = [settings_of(tmp_path / name).ledger.loss.of_record for name in ("p.toml", "best.toml")]
    assert losses[0] == losses[1]
    assert found.error_after < 0.9 * found.error_before


@pytest.mark.slow
def test_the_uses_of_2020_name_levels_and_tables_of_the_census(tmp_path: Path) -> None:
    sizes = "".join(
        f"{region}-{level},{people},1\n"
        for region in ("USA", "STATE", "COUNTY", "TRACT", "PLACE", "PR-STATE", "PR-COUNTY", "PR-TRACT", "PR-PLACE")
        for level in (1, 2)
        for people in (300, 6000, 200_000)
    )
    (tmp_path / "sizes.csv").write_text("LEVEL,PEOPLE,GROUPS\n" + sizes + "AIANNH-2,2000,1\n")
    uses = CONFIGS / "uses-ddhca-2020.toml"
    found = allocation(settings("ddhca-2020.toml"), uses, tmp_path / "sizes.csv")
    assert dict(found.losses) == {"US": Fraction("4.944"), "PR": Fraction("2.643")}
    assert found.error_after < 0.8 * found.error_before
