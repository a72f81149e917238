"""counted_codes: the records that are counted, as codes."""

GIVEN = {
    "table_codes": "person_key | code_1 | code_2 | weight\n-\nann | 0 | 0 | 1\nbob | 1 | 1 | 5\nann | 2 | 2 | 9",
    "bounded_persons": "person_key\n-\nann",
    "kept_codes": "code_1 | code_2 | weight\n-\n2 | 2 | 9",
}


def test_of_persons_above_the_bound_those_that_are_kept_are_there_and_of_all_others_all(run_sql):
    domains = [{"name": "code_1"}, {"name": "code_2"}]
    assert run_sql("counted_codes", given=GIVEN, coded_domains=domains) == [(1, 1, 5), (2, 2, 9)]
