"""What protects each part of a record: against counts of plain loops, and where region types or ladders are own."""

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql import InputPaths, Resources
from safetab_sql.accounting.plan import LevelPlan, level_plans
from safetab_sql.accounting.statement import RunSpending, run_statement
from safetab_sql.confidential.inputs import checked_inputs
from safetab_sql.kit.sqlfiles import packaged_folder
from safetab_sql.public.catalog import build_catalog
from safetab_sql.semantics.profiles import ADDED, Profile, run_profile
from safetab_sql.settings.parameters import Parameters, load_parameters
from tests import oracle
from tests.cli.command import call
from tests.conftest import REPOSITORY
from tests.counted import totals_and_cells
from tests.plans import ledger_at

GAMMA = Fraction("0.1")


@pytest.fixture(scope="module")
def parameters() -> Parameters:
    return load_parameters(REPOSITORY / "configs" / "ddhca-2020.toml")


@pytest.fixture(scope="module")
def entries(parameters) -> RunSpending:
    return ledger_at(parameters)


@pytest.fixture(scope="module")
def profile(parameters, entries) -> Profile:
    return run_profile(run_statement(entries, totals={}), parameters, "production")


def test_the_budget_of_a_run_is_of_one_person_added_or_removed_and_twice_that_of_one_replaced(profile):
    assert (profile.neighbours, profile.budget, profile.changed) == (ADDED, Fraction("4.944"), Fraction("9.888"))


def test_the_levels_of_both_parts_are_listed_with_their_budgets(profile, entries):
    assert profile.levels == tuple((level.name, level.budget) for level in entries.levels)


@pytest.mark.parametrize(
    ("secret", "rho"),
    [
        ("the whole record, replaced by another", "9.888"),
        ("race and ethnicity", "9.888"),
        ("the detailed race and ethnicity, given the regional one", 2 * Fraction("4.904")),  # 2 * 2.134 + 4 * 0.159
        ("sex and age", (1 - GAMMA) * Fraction("9.888")),
        ("where in the nation", Fraction("9.888") - 2 * Fraction("2.142")),
        ("where in the state", 2 * (4 * Fraction("0.159") + 3 * Fraction("0.008"))),
        ("where in the county", 2 * (3 * Fraction("0.159") + 2 * Fraction("0.008"))),
        ("where in the tract", 2 * (2 * Fraction("0.159") + Fraction("0.008"))),
    ],
)
def test_production_protects_each_part_of_a_record_with_the_levels_that_depend_on_it(profile, secret, rho):
    assert dict(profile.secrets)[secret] == Fraction(rho)


def test_a_persons_calls_are_those_of_every_group_of_the_larger_part(profile):
    assert sum(call.groups for call in profile.calls) == 11 * 9
    assert sum(call.groups * call.budgets.total_only for call in profile.calls) == Fraction("4.944")
    assert all(call.budgets.total_only == call.budgets.stage_1 + call.budgets.stage_2 for call in profile.calls)


# One person, alone in a nation of two states; everything about the person, one thing at a time.
BLOCKS = [
    oracle.Row(TABBLKST=st, TABBLKCOU=county, TABTRACTCE=tract, TABBLK=block, PLACEFP=place, AIANNHCE=area)
    for st, county, tract, block, place, area in [
        ("44", "001", "000100", "1000", "00100", "0010"),
        ("44", "001", "000100", "1001", "00200", "9999"),  # another block of the tract
        ("44", "001", "000100", "1002", "00100", "0010"),  # a block in all the same regions
        ("44", "001", "000200", "1000", "00200", "0010"),  # another tract of the county
        ("44", "003", "000100", "1000", "99999", "0020"),  # another county of the state
        ("02", "001", "000100", "1000", "00100", "9999"),  # another state
    ]
]
ITERATIONS = [
    oracle.Row(ITERATION_CODE=code, LEVEL=level, KIND=kind, DETAILED_ONLY=is_detailed_only, COARSE_ONLY=False)
    for code, level, kind, is_detailed_only in [
        ("R1", 1, "combination", False),
        ("R2", 1, "alone", False),
        ("D1", 2, "combination", False),
        ("D2", 2, "alone", False),
        ("D3", 2, "combination", False),
        ("D4", 2, "alone", True),
        ("E1", 1, "ethnicity", False),
        ("E2", 2, "ethnicity", False),
        ("E3", 2, "ethnicity", False),
    ]
]
LINKS = {
    *(("R1", "1000"), ("R1", "1001"), ("R2", "1000"), ("R2", "1001")),
    *(("D1", "1000"), ("D2", "1000"), ("D3", "1001"), ("D4", "1001")),
    *(("E1", "5000"), ("E1", "5001"), ("E2", "5000"), ("E3", "5001")),
}
PERSON = oracle.Row(
    **{name: BLOCKS[0][name] for name in ("TABBLKST", "TABBLKCOU", "TABTRACTCE", "TABBLK")},
    **{f"QRACE{place}": "1000" if place == 1 else None for place in range(1, 9)},
    QSPAN="5000",
    QSEX="1",
    QAGE=30,
)


def moved(block: oracle.Row) -> oracle.Row:
    return PERSON | {name: block[name] for name in ("TABBLKST", "TABBLKCOU", "TABTRACTCE", "TABBLK")}


CHANGES = {
    "where in the tract": [moved(BLOCKS[1])],
    "where in the county": [moved(BLOCKS[1]), moved(BLOCKS[3])],
    "where in the state": [moved(BLOCKS[1]), moved(BLOCKS[3]), moved(BLOCKS[4])],
    "where in the nation": [moved(BLOCKS[4]), moved(BLOCKS[5])],
    "the detailed race and ethnicity, given the regional one": [
        PERSON | {"QRACE1": "1001"},
        PERSON | {"QSPAN": "5001"},
        PERSON | {"QRACE2": "1001"},
    ],
    "sex and age": [PERSON | {"QSEX": "2"}, PERSON | {"QAGE": 0}, PERSON | {"QSEX": "2", "QAGE": 99}],
    "the whole record, replaced by another": [moved(BLOCKS[5]) | {"QRACE1": "1001", "QSEX": "2"}],
}


def changed_counts(person: oracle.Row, parameters: Parameters) -> tuple[dict[str, int], dict[str, int]]:
    """By level: how many totals change if PERSON becomes `person`, and the most cells of one stat level that do."""
    levels = {(each.level.region_type, int(each.level.iteration_level)): each.thresholds for each in parameters.levels}
    inputs = oracle.Inputs([PERSON], BLOCKS, ITERATIONS, LINKS, levels, 8, ["02", "44"], run_pr=False)
    before, after = oracle.exact_tables(inputs), oracle.exact_tables(replace(inputs, persons=[person]))
    level_of = {row["ITERATION_CODE"]: row["LEVEL"] for row in ITERATIONS}
    totals: dict[str, int] = {}
    for group, total in before[0].items():
        level = f"{group[0]}-{level_of[group[2]]}"
        totals[level] = totals.get(level, 0) + abs(after[0][group] - total)
    cells: dict[tuple[str, int], int] = {}
    for cell, count in before[1].items():
        for stat_level in oracle.AGE_STARTS:
            if cell[3] != "*" and (int(cell[3]), int(cell[4])) in oracle.age_bins(stat_level):
                level = f"{cell[0]}-{level_of[cell[2]]}", stat_level
                cells[level] = cells.get(level, 0) + abs(after[1][cell] - count)
    return totals, {name: max(cells[other] for other in cells if other[0] == name) for name, _ in cells}


@pytest.mark.parametrize(("secret", "person"), [(name, each) for name, people in CHANGES.items() for each in people])
@pytest.mark.each_time("where in the tract", "sex and age-person11", "the detailed race", "the whole record")
def test_no_change_of_a_secret_costs_more_than_what_protects_it(profile, parameters, entries, secret, person):
    """Stage-1 and lone totals that change, times their budget, and cells that change, times theirs."""
    totals, cells = changed_counts(person, parameters)
    spent = Fraction(0)
    for level in entries.levels:
        if level.part == "US":
            total_only, stage_1, stage_2 = (call.budget for call in level.calls.all)
            spent += totals[level.name] * stage_1 + max(cells[level.name], totals[level.name]) * stage_2
            assert stage_1 + stage_2 == total_only
    assert 0 < spent <= dict(profile.secrets)[secret]


def test_a_block_in_all_the_same_regions_changes_no_count(parameters):
    totals, cells = changed_counts(moved(BLOCKS[2]), parameters)
    assert not any(totals.values()) and not any(cells.values())  # noqa: PT018


def test_a_change_that_the_secret_does_not_cover_can_cost_more(profile, parameters):
    """Or the test above could not fail."""
    totals, _ = changed_counts(moved(BLOCKS[4]), parameters)
    assert totals["COUNTY-2"] > 0
    assert totals["STATE-2"] == 0


CONFIGS = packaged_folder("configs")


def profile_of(parameters: Parameters, stability: int) -> Profile:
    return run_profile(run_statement(ledger_at(parameters, stability), totals={}), parameters, "release")


# Stage 2 spends 0.8 of the two levels of OUTCOMES (1), and all of SEX (0.1); one changed record costs twice as much.
STAYS = {
    "the whole record, replaced by another": "2.2",
    "the answers to all questions": "2.2",
    "OUTCOME": "1.6",
    "AGE": "1.6",
    "SEX": "1.8",
    "OUTCOME, AGE and SEX": "1.8",
    "where": "2.2",
}


def test_an_attribute_costs_the_cells_of_the_ladders_that_use_it():
    found = profile_of(load_parameters(CONFIGS / "ladders.toml"), 1)
    assert dict(found.secrets) == {name: Fraction(budget) for name, budget in STAYS.items()}
    assert [name for name, _ in found.levels] == ["OUTCOMES ALL-1", "OUTCOMES HOSPITAL-1", "SEX ALL-1"]


@pytest.mark.parametrize("said", [{"null": ("9",)}, {"null": ("9",), "other": True}])
def test_where_is_one_secret_where_a_record_may_leave_every_region_but_the_nation(parameters, said):
    """A block that is not listed, in a tract that is, counts in no tract, county or state."""
    found = dict(profile_of(replace(parameters, geography=replace(parameters.geography, **said)), 9).secrets)
    whole = found["the whole record, replaced by another"]
    assert {name: budget for name, budget in found.items() if name.startswith("where")} == {"where": whole}


def test_a_table_that_no_noise_picks_is_one_call_of_the_whole_budget():
    """T3 and T4 spend nothing on a choice: a household meets 9 calls a level, and what changes one spares the other."""
    found = profile_of(load_parameters(CONFIGS / "dhcb-2020.toml"), 9)
    secrets = dict(found.secrets)
    whole = Fraction("8.895302")
    assert (found.budget, found.changed) == (whole, 2 * whole)
    assert (secrets["HOUSEHOLD_TYPE"], secrets["TEN"], secrets["HOUSEHOLD_TYPE and TEN"]) == (whole, whole, 2 * whole)
    assert sum(call.groups for call in found.calls) == 2 * 11 * 9
    assert sum(call.groups * call.budgets.stage_2 for call in found.calls) == whole


def test_both_kinds_of_ladder_are_composed_together():
    found = profile_of(load_parameters(CONFIGS / "ladders.toml"), 1)
    assert [call.budgets.stage_2 for call in found.calls if not call.budgets.stage_1] == [Fraction("0.1")]
    assert (len(found.calls), sum(call.groups * call.budgets.total_only for call in found.calls)) == (
        3,
        Fraction("1.1"),
    )


def test_the_loss_of_a_person_is_stated_where_a_record_is_a_household(tmp_path):
    (tmp_path / "small.toml").write_text(
        """privacy_definition = "puredp"
unit = { one = "household", many = "households", records_of_a_person = 2 }
place.key = { TOWN = "text" }
region_types.ALL.id = "'all'"
attributes.TENURE.values = ["owner", "renter"]
[ladders.TENURE]
choose = "always"
statistics = [{ name = "tenure", cells = { TENURE = "each" } }]
levels = [{ each = ["ALL-ALL"], budget = 0.75 }]
"""
    )
    done = call("semantics", "--parameters", tmp_path / "small.toml", "--json")
    said = json.loads(done.stdout)
    assert (said["one_record"]["exact"], said["one_person"]["exact"]) == ("3/4", "3/2")
    assert "one household added or removed" in said["neighbours"]


PEOPLE = 24
PEOPLE_OF_TOWNS = """privacy_definition = "zcdp"
gamma = 0.9
place.key = { TOWN = "text" }
region_types.TOWN.id = "TOWN"
questions.ward = { column = "WARD", values = ["a", "e"] }
attributes.SEX.values = ["F", "M"]
attributes.OUT.values = ["home", "died"]
"""
ONE_TABLE = """[ladders.%s]
choose = "stage 1"
%sstatistics = [{ name = "one", cells = { %s = "each" } }]
levels = [{ each = ["TOWN-1"], budget = %s, thresholds = [9] }]
"""
BY_SEX = ONE_TABLE % ("SEX", "", "SEX", "1")
PERSONS = 'unit = { one = "stay", many = "stays", person = "PERSON", most_records = 3%s }\n'
OF_A_SECRET = {  # parameters, what is changed to what, and what is said of it
    "kept by hash": (PERSONS % "" + PEOPLE_OF_TOWNS + BY_SEX, "SEX", "M", "2"),
    "kept by its order": (PERSONS % ', keep = { order = ["SEX"] }' + PEOPLE_OF_TOWNS + BY_SEX, "SEX", "M", "2"),
    "kept, for another ladder": (
        PERSONS % "" + PEOPLE_OF_TOWNS + ONE_TABLE % ("OUT", "", "OUT", "1") + ONE_TABLE % ("SEX", "", "SEX", "0.01"),
        *("SEX", "M", "2.02"),
    ),
    "in the universe": ('unit.where = { SEX = ["F"] }\n' + PEOPLE_OF_TOWNS + BY_SEX, "SEX", "M", "2"),
    "left out": ('unit.leave_out = ["sex"]\n' + PEOPLE_OF_TOWNS + BY_SEX, "SEX", "unknown", "2"),
    "left out, an amount": (
        'unit.leave_out = ["days"]\n'
        + PEOPLE_OF_TOWNS
        + (BY_SEX + ONE_TABLE % ("DAYS", "sum.clamp = [0, 30]\n", "SEX", "0.01")),
        *("DAYS", None, "2.02"),
    ),
    "an amount": (PEOPLE_OF_TOWNS + ONE_TABLE % ("DAYS", "sum.clamp = [0, 30]\n", "SEX", "1"), "DAYS", 30, "1"),
    "an amount that is an attribute": (
        PEOPLE_OF_TOWNS
        + "attributes.DAYS = { minimum = 0, maximum = 30 }\n"
        + ONE_TABLE % ("COST", 'sum = { column = "DAYS", clamp = [0, 30] }\n', "DAYS", "1"),
        *("DAYS", 30, "2"),
    ),
}


def counts_by_town(folder: Path, records: list[dict[str, object]]) -> tuple[list[LevelPlan], list[dict[int, int]]]:
    """The plans of the ladders, and of each the totals of groups and the cells of its tables, by number."""
    pq.write_table(pa.Table.from_pylist(records), folder / "persons.parquet")
    inputs = InputPaths(folder / "p.toml", folder / "persons.parquet", folder / "places.parquet", folder)
    with checked_inputs(inputs, Resources(threads=1)) as intake:
        catalog = build_catalog(intake.database, intake.parameters)
        plans = list(level_plans(catalog, intake.parameters))
        totals, cells = totals_and_cells(intake, catalog, plans)
    found = []
    for plan in plans:
        each, ids = cells[plan.first_statistic], totals.population_group_ids.tolist()
        found.append(dict(zip(ids, totals.of(plan.measure).tolist(), strict=True)))
        places = (each.population_group_ids * 100 + each.cell_positions).tolist()
        found.append(dict(zip(places, each.exact_counts.tolist(), strict=True)))
    return plans, found


@pytest.mark.parametrize("case", OF_A_SECRET)
@pytest.mark.each_time("by its order", "left out, an amount", "that is an attribute")
def test_what_a_secret_decides_costs_no_more_than_is_said(case, tmp_path):
    """Every person, alone in a town, has three records in each of two wards; half of them have another secret."""
    text, secret, other, said = OF_A_SECRET[case]
    (tmp_path / "p.toml").write_text(text)
    towns = [f"{town:02}" for town in range(2 * PEOPLE)]
    pq.write_table(pa.table({"TOWN": towns}), tmp_path / "places.parquet")
    several = "person" in text.split("\n", 1)[0]
    records: list[dict[str, object]] = [
        {"PERSON": f"p{town}", "TOWN": town, "WARD": ward, "SEX": "F", "OUT": "home", "DAYS": 0, **changed}
        for place, town in enumerate(towns)
        for changed in [{secret: other} if place >= PEOPLE else {}]
        for ward in ("aaaeee" if several else "a")
    ]
    plans, found = counts_by_town(tmp_path, records)
    lost: Counter[int] = Counter()
    for number, counts in enumerate(found):
        plan, cells = plans[number // 2], 100 if number % 2 else 1
        budget = plan.calls.budgets.stage_2 if number % 2 else plan.calls.budgets.stage_1
        first, of_town = plan.catalog.first_population_group_id * cells, plan.catalog.iterations * cells
        further = PEOPLE * of_town
        for place in {(each - first) % further for each in counts}:
            changed_by = counts.get(first + place, 0) - counts.get(first + place + further, 0)
            lost[place // of_town] += budget * changed_by**2
    stated = dict(profile_of(load_parameters(tmp_path / "p.toml"), 1).secrets)[secret]
    assert 0 < max(lost.values()) <= stated == Fraction(said)
