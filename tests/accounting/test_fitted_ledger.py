"""The ledger of a run that measures coarser tables too: a call for each, and the same loss."""

from fractions import Fraction
from pathlib import Path

import pytest

from safetab_sql.accounting.ledger import DELTA, RunLedger, fitted_notes, run_statement, uncomposed
from safetab_sql.accounting.written import members_of
from safetab_sql.settings.parameters import Parameters, load_parameters
from safetab_sql.settings.reading import adapter
from tests.plans import ledger_at
from tests.settings.test_also_measured import FITTED, written

ALONE = FITTED.replace(FITTED[FITTED.index(", also_measured") : FITTED.index("] },\n]") + 1], "")


@pytest.fixture(scope="module", params=["zcdp", "puredp"])
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Parameters, Parameters]:
    """The parameters of one run, with coarser tables and without."""
    folder: Path = tmp_path_factory.mktemp("fitted")
    texts = (text.replace('"zcdp"', f'"{request.param}"') for text in (FITTED, ALONE))
    fitted, alone = (load_parameters(written(folder, text)) for text in texts)
    assert (fitted.ladders[0].is_fitted, alone.ladders[0].is_fitted) == (True, False)
    return fitted, alone


def test_the_loss_is_the_same_exactly(both: tuple[Parameters, Parameters]) -> None:
    fitted, alone = map(ledger_at, both)
    assert fitted.loss == alone.loss
    assert fitted.total == alone.total


def test_the_calls_of_a_table_add_up_to_stage_2_exactly(both: tuple[Parameters, Parameters]) -> None:
    for level in ledger_at(both[0]).levels:
        calls = level.calls.of_table(2)
        assert [call.table for call in calls] == ["TOTAL", "edu", "EDU each", "both"]
        assert sum(call.budget for call in calls) == level.calls.stage_2.budget
        assert [call.budget / level.calls.stage_2.budget for call in calls[:3]] == [
            Fraction(share) for share in ("0.05", "0.1", "0.125")
        ]
        assert level.calls.of_table(1) == (level.calls.stage_2,)


def test_a_manifest_states_each_call_and_is_read_again(both: tuple[Parameters, Parameters]) -> None:
    made = run_statement(ledger_at(both[0]), delta=DELTA)
    read = adapter(RunLedger).validate_python(members_of(made))
    assert [level.calls for level in read.levels] == [level.calls for level in made.levels]
    assert "in place of stage_2" in made.loss.composition
    stated = members_of(made)["levels"][0]["calls"]  # type: ignore[index, call-overload]
    assert [(call.get("stat_level"), call.get("table")) for call in stated] == [  # type: ignore[union-attr]
        *[(None, None)] * 3,
        *((2, table) for table in ("TOTAL", "edu", "EDU each", "both")),
    ]


def test_an_account_says_where_the_noise_of_fitted_counts_stands(both: tuple[Parameters, Parameters]) -> None:
    fitted, alone = map(ledger_at, both)
    (note,) = fitted_notes(fitted)
    assert note.startswith("T: tables with also_measured spend stage 2 on several calls")
    assert fitted_notes(alone) == []
    assert {call.name for call in fitted.levels[0].calls.tables} >= {"stage_2 of TOTAL in 2", "stage_2 of both in 2"}


def test_accountants_that_need_every_call_say_why_they_have_no_result(both: tuple[Parameters, Parameters]) -> None:
    fitted, alone = map(ledger_at, both)
    assert bool(uncomposed(fitted)) == (fitted.privacy_definition == "zcdp")
    assert uncomposed(alone) == ""
