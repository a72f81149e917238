"""Numbers as text that stay bounds."""

from fractions import Fraction

import pytest

from safetab_sql.accounting.conversions import rounded_up
from safetab_sql.report.sections import percent_text


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (Fraction(2134, 1000), 6, "2.134"),
        (Fraction(12345641, 10**7), 6, "1.23457"),
        (Fraction(1, 3), 3, "0.334"),
        (0.05, 4, "0.05"),
        (18.2951258569, 4, "18.3"),
        (12.341, 4, "12.35"),
        (6.412e-7, 3, "6.42e-7"),
        (Fraction(0), 4, "0"),
        (Fraction(1234567), 6, "1.23457e+6"),
    ],
)
def test_a_bound_is_rounded_up_and_what_needs_no_rounding_stays(value, digits, text):
    assert rounded_up(value, digits) == text


@pytest.mark.parametrize("value", [Fraction(number, 7 * 10**4) for number in range(1, 200, 7)])
def test_a_bound_is_never_below_the_number(value):
    assert Fraction(rounded_up(value, 3)) >= value


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
