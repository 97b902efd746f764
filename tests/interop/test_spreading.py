"""Both products spread the same review at the same time, and a flag that one loses the other finds."""

import threading
from concurrent.futures import ThreadPoolExecutor

from reaffirm.decisions import DecisionTraces
from tests.decisions.bulk import bulk
from tests.interop.worlds import PERSON, POLICY, POLICY_2, PROJECT, Both, write_graph

FLAGS = """
MATCH (d:Decision) WHERE d.project_id = $project AND d.choice_key STARTS WITH 'bulk-'
RETURN d.review_state AS state, count(d) AS n
"""
PENDING = "MATCH (d:Decision) WHERE d.review_pending = true RETURN count(d) AS n"
CLAIM = """
MATCH (d:Decision) WHERE d.review_pending = true
SET d.review_pending = false
WITH count(d) AS claimed
MATCH (p:Project) WHERE p.project_id = $project
SET p.review_incomplete = false
RETURN claimed
"""
WEB = [(number, (number - 1) // 3) for number in range(1, 45)] + [(number, number - 7) for number in range(8, 45)]


def test_both_at_once_flag_everything_and_agree_that_it_is_complete(both: Both) -> None:
    made = write_graph(both)
    below = bulk(both.store, both.ours_of(made.backup), WEB)
    both.theirs.documents.update(POLICY, POLICY_2)

    begun = threading.Barrier(4)

    def ours() -> int:
        traces, units = DecisionTraces(both.store, project_id=PROJECT, agent_id=PERSON), 0
        begun.wait()
        while done := traces.continue_decision_review(2):
            units += done
        return units

    def theirs() -> int:
        units = 0
        begun.wait()
        while done := both.theirs.decisions.continue_decision_review(limit=3):
            units += done
        return units

    with ThreadPoolExecutor(4) as pool:
        waiting = [pool.submit(each) for each in (ours, ours, ours, theirs)]
        assert sum(each.result() for each in waiting) > 0
    both.spread("ours")
    assert both.store.read(PENDING) == [{"n": 0}]
    assert both.store.read(FLAGS, project=PROJECT) == [{"state": "needs_review", "n": len(below)}]
    assert both.ours.sweep_lost_flags() == 0
    both.spread("theirs")


def test_fault_19_what_it_claimed_and_never_flagged_is_found(both: Both) -> None:
    """It dies after the claim: the project is called complete, and nobody would look again."""
    made = write_graph(both)
    both.theirs.documents.update(POLICY, POLICY_2)
    both.store.write(CLAIM, project=PROJECT)
    assert made.budget not in both.their_flags()
    assert both.ours.sweep_lost_flags() > 0
    both.spread("ours")
    assert {made.budget, made.alert} <= set(both.flags())
    assert both.ours.sweep_lost_flags() == 0
