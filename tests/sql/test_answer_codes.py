"""answer_codes: the race codes of each answer to the race question, as a set."""

import pytest


@pytest.fixture
def answer_codes(run_sql):
    def rows(*answers):
        header = "answer_id | race_codes_1_to_4 | race_codes_5_to_8 | ethnicity_code\n-\n"
        return run_sql("answer_codes", given={"answers": header + "\n".join(answers)})

    return rows


def test_every_one_of_eight_codes_is_found(answer_codes):
    rows = answer_codes("3 | 1001100210031004 | 1005100610071008 | NULL")
    assert rows == [(3, code) for code in range(1001, 1009)]


def test_a_code_that_stands_twice_counts_once(answer_codes):
    assert answer_codes("3 | 1001100210010000 | 0000100200000000 | NULL") == [(3, 1001), (3, 1002)]


def test_places_without_a_code_give_none(answer_codes):
    assert answer_codes("3 | 1001000000000000 | 0 | NULL") == [(3, 1001)]


def test_codes_with_leading_zeros_are_found(answer_codes):
    assert answer_codes("3 | 0000000000500009 | 0001000000000000 | NULL") == [(3, 1), (3, 9), (3, 50)]


def test_answers_that_share_a_code_both_have_it(answer_codes):
    rows = answer_codes("3 | 1001000000000000 | 0 | NULL", "4 | 1002100100000000 | 0 | NULL")
    assert rows == [(3, 1001), (4, 1001), (4, 1002)]


def test_an_answer_to_the_ethnicity_question_has_no_race_codes(answer_codes):
    assert answer_codes("3 | NULL | NULL | 2000") == []
