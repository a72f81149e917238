"""groups_cut: how often a person is not counted in a group because of the bound of groups, by level."""

from tests.sql.test_person_finest_cells import GROUPS


def test_only_groups_in_which_a_person_does_not_count_are_cut(run_sql):
    assert run_sql("groups_cut", given={"person_groups": GROUPS}) == [(1, 1)]
