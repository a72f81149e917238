"""What catches a bug in what is added up: each test plants one in a statement."""

from pathlib import Path

import pytest

from tests.audit.stability import StabilityAudit, audit_stability
from tests.audit.test_planted_bugs import plant
from tests.golden.sums import MOST, stays, written

__all__ = ["plant"]  # a fixture
WARDS, MOST_STAYS = 4, 3
EXTREME = {"WARD": "w1", "GROUP": "b", "OUTCOME": "died", "SEX": "M", "DAYS": 10_000, "PATIENT": "longest"}
UNIT = f'person = "PATIENT"\nmost_records = {MOST_STAYS}'


def audited(folder: Path, definition: str = "zcdp") -> StabilityAudit:
    records = [*stays(200, WARDS), *[EXTREME] * 9]
    inputs = written(records, WARDS, folder, UNIT, definition=definition)
    return audit_stability(inputs, 4)


BOUNDS = {"zcdp": (MOST_STAYS**2, (MOST_STAYS * MOST) ** 2), "puredp": (MOST_STAYS, MOST_STAYS * MOST)}


@pytest.mark.parametrize("definition", BOUNDS)
@pytest.mark.each_time("zcdp")
def test_an_extreme_amount_reaches_the_bound_of_a_sum_and_nobody_goes_beyond(definition, tmp_path):
    audit = audited(tmp_path, definition)
    assert audit.violations == ()
    counts, sums = BOUNDS[definition]
    found = {level.name: (level.bound, level.most_changed) for level in audit.levels}
    assert found == {
        **dict.fromkeys(("ALL-1", "WARD-1"), (counts, counts)),
        **dict.fromkeys(("DAYS ALL-1", "DAYS WARD-1"), (sums, sums)),
    }


def test_amounts_with_decimals_are_counted_without_somebody_as_they_are_with_everybody(tmp_path):
    """The audit reads again what was read, in units of the last decimal."""
    records = [{**record, "DAYS": str(record["DAYS"] / 8).replace(".", ",")} for record in stays(40, WARDS)]
    inputs = written(records, WARDS, tmp_path, UNIT)
    file = Path(inputs.parameters)
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("sum = { clamp", "sum = { decimals = 2, clamp"), encoding="utf-8")
    assert "decimals = 2" in file.read_text(encoding="utf-8")
    assert audit_stability(inputs, 2).violations == ()


BUGS = {
    "no clamp": (
        "person_numbers",
        "clamped_amount({{ amount_reads[amount.name] }}, {{ amount.least }}, {{ amount.most }})",
        "cast({{ amount_reads[amount.name] }} as bigint)",
        "DAYS WARD-1: ",
    ),
    "an amount counts twice in a total": (
        "unit_tallies",
        "        cast(sum(geo_unit_finest_cells.{{ amount.name }}) as bigint)",
        "        cast(2 * sum(geo_unit_finest_cells.{{ amount.name }}) as bigint)",
        "do not change by as much as the total",
    ),
    "all records of a person are added up": ("kept_records", "<= $most_records", "<= 9", "DAYS ALL-1: "),
}


@pytest.mark.parametrize(("statement", "old", "new", "what"), BUGS.values(), ids=BUGS)
@pytest.mark.each_time("no clamp")
def test_a_bug_in_a_sum_is_found(statement, old, new, what, plant, tmp_path):
    plant(statement, old, new)
    assert any(what in text for text in audited(tmp_path / "stays").violations)
