"""A small sample of what `python -m tests.hostile.fuzz` does; the large one is run by hand."""

import pytest

from tests.hostile.fuzz import fuzz

CASES = {
    **{"toml": 150, "config.json": 150, "ledger": 150, "manifest": 150, "options": 60, "predicate": 50},
    **{"text table": 50, "region type": 8},
}


@pytest.mark.parametrize(("reader", "cases"), CASES.items(), ids=CASES)
def test_a_spoilt_input_is_read_or_refused_and_nothing_else(reader, cases):
    tally = fuzz(cases, seed=5, only=reader)
    assert tally.findings == []
    assert tally.outcomes[reader, "refused"] > 0
