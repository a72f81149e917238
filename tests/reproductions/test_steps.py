"""The page of what each step buys is what the program writes, and its bounds are none that a step passes."""

import pytest

from docs.reproductions import steps
from tests.conftest import REPOSITORY

PAGE = REPOSITORY / "docs" / "reproductions" / "steps.md"


@pytest.mark.slow
def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == steps.page()


@pytest.mark.slow
def test_no_step_is_below_a_bound() -> None:
    for settings in steps.steps().values():
        found = steps.variances(settings)
        assert min(found) >= steps.alone(settings)
        assert sum(found) >= steps.joint_bound(settings)


@pytest.mark.slow
def test_all_steps_spend_the_loss_of_2020() -> None:
    assert {str(settings.ledger.parts["US"].of_record) for settings in steps.steps().values()} == {"618/125"}
