"""Numbers as text: bounds in few digits, and shares."""

import pytest

from safetab_sql.accounting.conversions import rounded_up
from safetab_sql.report.sections import percent_text


@pytest.mark.parametrize(
    ("value", "digits", "text"), [(0.05, 4, "0.05"), (12.341, 4, "12.35"), (6.412e-7, 3, "6.42e-7")]
)
def test_a_bound_in_few_digits_is_rounded_up(value, digits, text):
    assert rounded_up(value, digits) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.9156, "91.56 %"),
        (0.5, "50 %"),
        (1, "100 %"),
        (0, "0 %"),
        (0.99999, "99.99 %"),
        (0.00001, "1e-03 %"),
        (1.5, "150 %"),
        (None, None),
    ],
)
def test_a_share_is_shown_in_per_cent_and_never_as_all_or_nothing_that_it_is_not(value, text):
    assert percent_text(value) == text
