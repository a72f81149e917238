"""counted_codes: the records that are counted, as codes."""

import pytest

GIVEN = {
    "table_codes": "person_key | code_1 | code_2 | weight\n-\nann | 0 | 0 | 1\nbob | 1 | 1 | 5\nann | 2 | 2 | 9",
    "bounded_persons": "person_key\n-\nann",
    "kept_codes": "code_1 | code_2 | weight\n-\n2 | 2 | 9",
}


@pytest.mark.parametrize(
    ("bounds", "wanted"),
    [
        pytest.param([], [(0, 0, 1), (1, 1, 5), (2, 2, 9)], id="all where nothing is bounded"),
        pytest.param(["person_key"], [(1, 1, 5), (2, 2, 9)], id="of persons above the bound, those that are kept"),
    ],
)
def test_records_beyond_the_bound_are_gone_and_all_others_stay(run_sql, bounds, wanted):
    domains, given = (
        [{"name": "code_1"}, {"name": "code_2"}],
        GIVEN if bounds else {"table_codes": GIVEN["table_codes"]},
    )
    found = run_sql("counted_codes", given=given, coded_domains=domains, person_bounds=bounds)
    assert found == wanted
