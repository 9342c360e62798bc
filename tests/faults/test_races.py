"""R1, R2, R9, R10: many writers at once, and nothing lost, doubled or out of order."""

from collections.abc import Callable, Iterator
from functools import partial

import pytest

from functions.chat.contract import ChatData
from shared.errors import InProgress
from shared.store.heads import SessionHead
from tests.faults.acting import ask, learn, log, store_questions, track
from tests.support.system import System
from tests.support.threads import AtOnce

ROUNDS = 200
WRITERS = 8


@pytest.fixture
def crew() -> Iterator[AtOnce]:
    with AtOnce(WRITERS) as crew:
        yield crew


def test_questions_at_once_each_get_a_turn_of_their_own(deployed: Callable[..., System], users: Iterator[str]) -> None:
    """R1, R7, R10: dense turns, every question stored once, each with its own answer, in order, and nobody is busy."""
    system = deployed(threads=3 * WRITERS).with_settings(conversation_max_messages="4")
    user, side_by_side = next(users), 4  # sessions, so that the pauses of one are the work of another
    with AtOnce(side_by_side * WRITERS) as crew:
        for number in range(ROUNDS // side_by_side):
            # WHEN questions arrive at once, in every fourth round the first ones of their sessions
            sessions = [f"s{number // 4}-{side}" for side in range(side_by_side)]
            questions = [f"question {number}.{writer}" for writer in range(WRITERS)]
            asked = [(session, question) for session in sessions for question in questions]
            replies = crew(*(partial(ask, system, user, question, session=session) for session, question in asked))
            # THEN each is answered as a turn of its own
            answered = [reply for reply in replies if isinstance(reply, ChatData)]
            assert len(answered) == len(asked), replies
            assert [(reply.session_id, reply.message.text) for reply in answered] == [
                (session, f"Answer to: {question}") for session, question in asked
            ]
            # AND the logs hold just that, in order, without a gap
            for session in sessions:
                turns = {reply.turn: reply.message.text for reply in answered if reply.session_id == session}
                first = number % 4 * WRITERS + 1
                assert log(system, user, session)[2 * first - 2 :] == [
                    message
                    for turn in range(first, first + WRITERS)
                    for message in (
                        (turn, "USER", turns[turn].removeprefix("Answer to: ")),
                        (turn, "ASSISTANT", turns[turn]),
                    )
                ]


def test_message_sent_five_times_at_once_is_one_turn(
    deployed: Callable[..., System], users: Iterator[str], crew: AtOnce
) -> None:
    """R9: equal replies, or a refusal that says when to come back; the model is asked once."""
    system = deployed(threads=15)
    user = next(users)
    for number in range(ROUNDS):
        system.model.requests.clear()
        # WHEN
        send = partial(ask, system, user, "the question", "m1", session=f"s{number}")
        replies = crew(*[send] * 5)
        # THEN
        answered = [reply for reply in replies if isinstance(reply, ChatData)]
        refused = [reply for reply in replies if isinstance(reply, InProgress)]
        assert len(answered) + len(refused) == 5, replies
        assert len({(reply.turn, reply.message.model_dump_json()) for reply in answered}) == 1
        assert all(refusal.retry_after for refusal in refused)
        assert len(system.model.requests) == 1
        stored = log(system, user, f"s{number}")
        assert [(turn, kind) for turn, kind, _ in stored] == [(1, "USER"), (1, "ASSISTANT")]
        # AND a retry gets the answer that was given
        assert send().message.to_json() == answered[0].message.to_json()


def test_two_workers_on_one_session_commit_each_question_once(
    deployed: Callable[..., System], users: Iterator[str], crew: AtOnce
) -> None:
    """R2, R3, R4: one snapshot a question, dense versions."""
    system = deployed()
    user, head = next(users), None
    for number in range(ROUNDS):
        # GIVEN an unread question, or two
        head = store_questions(system, user, *["gardener asks"] * (1 + number % 2), head=head)
        # WHEN two workers read at once
        assert crew(*[partial(learn, system, user)] * 2) == [None, None]
    # THEN
    learned = track(system, user)
    numbers = [*range(1, ROUNDS * 3 // 2 + 1)]
    assert [one["metadata"]["version"] for one in learned] == numbers
    assert [one["metadata"]["coveredTurns"] for one in learned] == [[turn] for turn in numbers]
    assert [one["text"]["conversationAnalysis"]["interactionCount"] for one in learned] == numbers


def test_two_sessions_teach_one_user_at_once(
    deployed: Callable[..., System], users: Iterator[str], crew: AtOnce
) -> None:
    """R2: with one role over all sessions each question still makes one snapshot, on top of the one before."""
    system = deployed().with_settings(role_scope="user")
    user, sessions = next(users), ("s1", "s2")
    heads: dict[str, SessionHead | None] = dict.fromkeys(sessions)
    for _ in range(ROUNDS):
        heads = {one: store_questions(system, user, "gardener asks", session=one, head=heads[one]) for one in sessions}
        assert crew(*(partial(learn, system, user, session=one) for one in sessions)) == [None, None]
    learned = track(system, user)
    numbers = [*range(1, 2 * ROUNDS + 1)]
    assert [one["metadata"]["version"] for one in learned] == numbers
    assert [one["text"]["conversationAnalysis"]["interactionCount"] for one in learned] == numbers
    taught = sorted((one["text"]["conversationId"], one["metadata"]["turn"]) for one in learned)
    assert taught == [(session, turn) for session in sessions for turn in range(1, ROUNDS + 1)]
