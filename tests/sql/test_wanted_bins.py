"""wanted_bins: the counts by the values of an attribute, of the groups of which a quantile is wanted."""

from tests.sql.wanted_tables import WANTED_CELLS


def test_both_sexes_of_an_age_are_added_up_and_other_statistics_have_none(run_sql):
    assert run_sql("wanted_bins", given={"wanted_cells": WANTED_CELLS}) == [(5, 0, 17, 21), (5, 18, 115, 41)]
