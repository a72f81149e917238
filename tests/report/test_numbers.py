"""Shares as text."""

import pytest

from safetab_sql.report.sections import percent_text


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
