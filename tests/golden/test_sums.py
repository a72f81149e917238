"""Sums of amounts: exact tables against plain loops, the law of their noise, and whose groups and tables they have."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from safetab_sql.evaluation.ground_truth import ground_truth
from safetab_sql.jobs.run import run
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError
from safetab_sql.laws.noise import Law, noise_law
from safetab_sql.public.inputs import InputPaths
from tests.golden.sums import LEAST, MOST, added_up, rows_of, stays, written
from tests.nations import PERSON_COLUMNS, oracle_inputs, tables, write_nation, write_text
from tests.oracle import exact_tables
from tests.properties.test_persons import nation_of_stays
from tests.statistics import fits, pmf, power, recorded_bits, support, widened

ONE = Resources(threads=1)


def exact(inputs: InputPaths, out: Path) -> Path:
    return ground_truth(inputs, out, dense=True, resources=ONE).out


def test_exact_sums_are_what_plain_loops_add_up(tmp_path):
    """A record whose amount is no whole number is left out on request."""
    records = stays(600, 5)
    unfit = {**records[0], "DAYS": 2.5}
    out = exact(written([*records, unfit], 5, tmp_path, 'leave_out = ["days"]'), tmp_path / "exact")
    found, expected = rows_of(out / "days.parquet", "SUM"), added_up(records)
    assert {key: row["value"] for key, row in found.items() if row["value"]} == {
        key: days for key, (_, days) in expected.items()
    }
    assert len(found) == 6 * 3 * (1 + 2 + 4)
    assert max(row["DAYS"] for row in records) > MOST
    assert min(row["DAYS"] for row in records) < LEAST


@pytest.mark.parametrize("codes", [2, 8])
@pytest.mark.slow
def test_people_with_several_codes_add_their_amounts_to_every_group_once(codes, tmp_path):
    """The oracle counts each person as often as the person's amount says: its counts are sums."""
    nation = nation_of_stays(40).with_parameters(max_race_codes=codes)
    amounts = [1 + number % 5 for number in range(len(nation.persons))]
    with_amounts = [
        {**row, "N": amount + 7 * (amount == 5)} for row, amount in zip(nation.persons, amounts, strict=True)
    ]
    inputs = write_nation(nation, tmp_path)
    write_text(tmp_path / "person-records.txt", [*PERSON_COLUMNS, "N"], with_amounts)
    states = json.dumps(nation.parameters["state_filter_us"])
    levels = [name for name in nation.parameters["levels"] if not name.startswith("PR-")]
    Path(inputs.parameters).write_text(
        LADDERS_OF_2020.format(levels=json.dumps(levels), codes=codes, states=states), encoding="utf-8"
    )
    made = tables(exact(inputs, tmp_path / "exact"), "sums.parquet", "weight.parquet", "SUM")
    repeated = [row for row, amount in zip(nation.persons, amounts, strict=True) for _ in range(amount)]
    assert (made.t1, made.t2) == exact_tables(replace(oracle_inputs(nation), persons=repeated))


LADDERS_OF_2020 = """
base = "census-2020.toml"
run = ["US"]
parts.US.where.TABBLKST = {states}
[questions.race]
at_most = {codes}
[ladders.T2]
levels = [{{ each = {levels}, budget = 0.1, thresholds = [4, 8, 16] }}]
[ladders.WEIGHT]
sum = {{ column = "N", clamp = [0, 5] }}
totals = "SUMS"
total_only = "DETAILED_ONLY"
subtotals = [{{ SEX = "sex" }}]
statistics = [
    {{ name = "age4", cells = {{ SEX = "sex", AGE = "age4" }} }},
    {{ name = "age9", cells = {{ SEX = "sex", AGE = "age9" }} }},
    {{ name = "age23", cells = {{ SEX = "sex", AGE = "age23" }} }},
]
levels = [{{ each = {levels}, budget = 0.1, thresholds = [4, 8, 16] }}]
"""
# Of budget 2 and two stays a person.
LAWS = {"zcdp": Fraction(2) / (2**2 * MOST**2), "puredp": Fraction(2) / (2 * MOST)}
WARDS = 500
UNIT = 'person = "PATIENT"\nmost_records = 2'


@pytest.fixture(scope="module", params=LAWS)
def released(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, np.ndarray, Path]:
    """Definition, noisy less exact of sums with noise of their own, and the release: few stays in many wards.

    Nobody has more stays than are counted, so that plain loops add them up.
    """
    folder = tmp_path_factory.mktemp("released")
    records = [{**row, "PATIENT": f"p{number // 2}"} for number, row in enumerate(stays(4_000, WARDS))]
    inputs = written(records, WARDS, folder, UNIT, definition=request.param, budget="2")
    made = run(inputs, folder / "out", bits=recorded_bits("sums"), resources=ONE)
    rows, sums = rows_of(made.out / "days" / "days.parquet", "SUM"), added_up(records)
    measured = {key: row["value"] for key, row in rows.items() if not row["IS_MARGINAL"]}
    return request.param, np.array([value - sums.get(key, (0, 0))[1] for key, value in measured.items()]), made.out


@pytest.mark.each_time("zcdp")
def test_sums_have_noise_of_the_law_for_the_most_that_a_person_adds(released):
    """False alarm 1e-6. Noise for one stay in place of two is noticed, and noise twice as wide."""
    definition, errors, out = released
    call = json.loads((out / "manifest.json").read_text())["ledger"]["levels"][-1]["calls"][-1]
    said = call.get("sigma2", call.get("scale"))["exact"], call["budget"]["exact"]  # what a stay of 30 days loses
    assert said == {"zcdp": ("900", "1/2"), "puredp": ("30", "1")}[definition]
    law = noise_law(definition, LAWS[definition])
    assert errors.size > 1_500
    assert fits(errors, law)
    for factor in (Fraction(1, 2), Fraction(2)):
        assert power(on_support(widened(law, factor), law), law, errors.size) > 0.99


def on_support(wrong: Law, law: Law) -> np.ndarray:
    """The chances of `wrong` on the support of `law`."""
    found, size = np.zeros(support(law).size), support(wrong).size
    inside = (min(found.size, size) - 1) // 2
    middle = (found.size - 1) // 2, (size - 1) // 2
    ours, theirs = (slice(each - inside, each + inside + 1) for each in middle)
    found[ours] = pmf(wrong)[theirs]
    return found / found.sum()


@pytest.mark.parametrize(
    ("amounts", "shown"),
    [
        *(([None, 3], "DAYS=NULL"), ([2.5, 3], "DAYS=2.5")),
        *((["many", "3"], "DAYS=many"), ([2**40, 3], "DAYS=1099511627776")),
    ],
)
@pytest.mark.each_time("amounts1-DAYS=2.5")
def test_an_amount_that_is_no_whole_number_is_refused(amounts, shown, tmp_path):
    records = [{**row, "DAYS": amount} for row, amount in zip(stays(2, 1), amounts, strict=True)]
    with pytest.raises(
        InputError, match=r"1 record.s. whose DAYS, which DAYS adds up, is missing, or no whole"
    ) as refused:
        run(written(records, 2, tmp_path / "refused"), tmp_path / "out", bits=recorded_bits("sums"), resources=ONE)
    assert any(shown in example for problem in refused.value.problems for example in problem.examples)
