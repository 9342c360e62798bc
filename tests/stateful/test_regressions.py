"""What the machine found, each as a test of its own."""

import pytest

from shared.queue import Doorbell
from tests.integration.conftest import system
from tests.support.system import System

__all__ = ["system"]


BELL = Doorbell(user_id="u1", session_id="s1").model_dump_json()


@pytest.mark.parametrize("message_id", [None, "m1"])
def test_r19_once_is_the_first_answer_and_not_the_first_attempt(system: System, message_id: str | None) -> None:
    # GIVEN a session with a role, whose first guided question the model failed to answer
    once = system.with_settings(role_guide_scope="once")
    once.ask("gardener asks")
    once.ring_all()
    named = {"message_id": message_id} if message_id else {}
    once.model.failing = True
    assert once.ask("and roses", **named).status == 502
    once.model.failing = False
    # WHEN it is asked again THEN that answer is guided, and it alone
    assert once.ask("and roses", **named).data["guidance"]["applied"]
    assert not once.ask("and tulips").data["guidance"]["applied"]


def test_r19_role_learned_before_the_retry_guides_the_first_answer(system: System) -> None:
    # GIVEN a first question that the model failed to answer and the worker has read meanwhile
    once = system.with_settings(role_guide_scope="once")
    once.model.failing = True
    once.ask("gardener asks", message_id="m1")
    once.model.failing = False
    once.ring_all()
    # WHEN it is retried THEN its answer is the first of a session that has a role
    assert once.ask("gardener asks", message_id="m1").data["guidance"]["applied"]


@pytest.mark.parametrize("later", [0, 1, 3])
def test_r7_retry_of_an_early_turn_has_the_window_before_that_turn(system: System, later: int) -> None:
    # GIVEN a question the model failed to answer, and turns after it
    narrow = system.with_settings(conversation_max_messages="2")
    narrow.ask("question 1")
    narrow.model.failing = True
    narrow.ask("question 2", message_id="m2")
    narrow.model.failing = False
    for number in range(later):
        narrow.ask(f"later {number}")
    # WHEN it is retried THEN the model sees what came before it, and nothing of what came after
    assert narrow.ask("question 2", message_id="m2").data["turn"] == 2
    asked = [message["content"] for message in narrow.model.requests[-1]]
    assert asked == ["question 1", "Answer to: question 1", "question 2"]


def test_r4_question_asked_after_an_erasure_is_read_also_when_the_track_has_expired(system: System) -> None:
    # GIVEN a deleted role, and two questions asked after that which wait until what is left of the role has expired
    system.ask("gardener asks")
    system.ring_all()
    system.call("POST", "/api/user/memory/delete", query={"session_id": "s1"})
    system.clock.advance(days=20)
    system.ask("baker asks")
    system.ask("baker asks more")
    system.clock.advance(days=15)
    # WHEN they are read THEN each has its snapshot
    system.learn(BELL)
    assert [snapshot["metadata"]["turn"] for snapshot in system.read("track").data] == [2, 3]
