"""codes_too_many: the codes of the code list beyond those that can be numbered."""

import pytest


def listed(codes: int) -> str:
    """A list of so many codes, with one of them twice and a row without a code."""
    rows = "\n".join(f"{number:05}" for number in range(codes))
    return f"code\n-\n{rows}\n00000\nNULL"


@pytest.mark.slow
def test_a_code_that_16_bits_do_not_number_is_returned(run_sql):
    assert run_sql("codes_too_many", given={"codes": listed(65_536)}) == [("65534",), ("65535",)]


@pytest.mark.slow
def test_as_many_codes_as_16_bits_number_are_fine(run_sql):
    assert run_sql("codes_too_many", given={"codes": listed(65_534)}) == []
