"""How it is known that a choice keeps its promise."""

from sparsam.assess._proof import Proof, how_tested
from sparsam.assess._score import Score


def test_words_name_the_people_the_test_and_who_decided():
    proof = Proof(0.0123, 0.009, 0.95, 6000, 7, True, "exact", (4, None, 3), {"age": 2})
    assert proof.holds
    assert proof.words == (
        "Shown with 95 % confidence on 6,000 people who took no part in learning, by an exact "
        "test. 7 generalizations were tested in an order settled before, until one could not be "
        "shown. "
        "The people were divided in 3 ways, which decided together: they showed 4, no and 3 "
        "attributes to be enough."
    )
    assert proof.to_dict()["p_value"] == 0.01
    assert "0.0123" not in repr(proof)


def test_one_test_of_few_people_says_so():
    proof = Proof(0.5, 0.2, 0.9, 3, 1, how=how_tested(Score("auc")))
    assert not proof.holds
    assert proof.words == (
        "Shown with 90 % confidence on fewer than 5 people who took no part in learning, by a test "
        "for large samples."
    )


def test_a_sequence_that_was_shown_whole_says_so():
    words = Proof(0.01, 0.009, 0.95, 6000, 4, stopped=False).words
    assert words.endswith("were tested in an order settled before, and all were shown.")


def test_ways_that_could_not_change_the_answer_are_left_out():
    words = Proof(0.01, 0.009, 0.95, 6000, 4, counts=(2, 2), ways=3).words
    assert words.endswith(
        "they showed 2 and 2 attributes to be enough, and no other could change that."
    )


def test_more_attributes_than_would_do_are_explained():
    words = Proof(0.01, 0.009, 0.95, 6000, 4, counts=(2, 4, 4), ways=3, riskier=4).words
    assert words.endswith(
        "they showed 2, 4 and 4 attributes to be enough. 4 attributes would do as well, but in "
        "finer buckets, from which more can be recovered."
    )


def test_what_else_was_tested_is_told():
    proof = Proof(0.001, 0.009, 0.95, 6000, 4, others=11)
    assert proof.words.endswith(
        "4 generalizations were tested in an order settled before, until one could not be shown; "
        "and, at a tenth of what may go wrong, 11 more, which may protect better."
    )
    assert proof.to_dict()["others"] == 11


def test_the_way_in_the_middle_is_told():
    words = Proof(0.01, 0.19, 0.95, 6000, 4, counts=(2, None, 4), ways=3, middle=True).words
    assert words.endswith(
        "The people were divided in 3 ways, which decided together: the most useful inside the "
        "limit has 2, no and 4 attributes there, and the one that loses neither most nor least "
        "was taken."
    )
