"""states_without_blocks: requested states without a block in the geography."""

ROWS = {
    "geography_rows": """
        TABBLKST
        --------
              01
              01
              44
    """
}


def test_a_requested_state_without_a_block_is_returned(run_sql):
    assert run_sql("states_without_blocks", given=ROWS, states=["01", "06", "44"]) == [("06",)]


def test_requested_states_that_have_one_are_fine(run_sql):
    assert run_sql("states_without_blocks", given=ROWS, states=["01", "44"]) == []


def test_states_that_nobody_asked_for_are_not_looked_at(run_sql):
    assert run_sql("states_without_blocks", given=ROWS, states=["44"]) == []
