"""Nothing in the product calls the loss of a record the loss of a person: every sentence on both has been looked at."""

import pytest

from tests.rules.losses_of_persons import REASONS, is_on_both, listed, sentences


def test_every_sentence_on_a_person_and_a_loss_has_a_reason_for_which_it_is_true():
    """`python -m tests.rules.losses_of_persons` prints the list anew; say why in place of a question mark."""
    assert set(sentences()) - listed().keys() == set()
    assert set(listed().values()) <= set(REASONS)


@pytest.mark.parametrize(
    "sentence",
    [
        "One person loses at most rho = 4.944.",
        "Somebody in an alone iteration loses up to 2.",
        "Neighbours differ by one person added or removed.",
        "The budget of a level is each person's.",
    ],
)
def test_the_sentences_that_were_false_of_records_are_among_those_that_are_looked_for(sentence):
    assert is_on_both(sentence)
