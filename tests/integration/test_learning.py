"""The worker: unread questions in order, one snapshot each, over tables made from the template."""

import json

import pytest

from functions.role_memory.extract import Extract
from shared.errors import Busy, ModelOutputUnusable, ModelUnavailable
from shared.queue import Doorbell
from tests.support.faults import Killed
from tests.support.system import System

BELL = Doorbell(user_id="u1", session_id="s1").model_dump_json()


def track(system: System, **who: str) -> list[dict]:  # type: ignore[type-arg]
    data: list[dict] = system.read("track", **who).data  # type: ignore[type-arg]
    return data


def test_failing_question_is_left_to_the_next_delivery(system: System) -> None:
    """R5, R6: before the last delivery a failure commits nothing and the cursor stays."""
    system.ask("gardener asks")
    system.reader.failing = ModelOutputUnusable("The model did not answer with JSON.")
    with pytest.raises(ModelOutputUnusable):
        system.learn(BELL)
    assert track(system) == []
    assert system.read("latest").json["roleMemory"] == {"version": None, "cursor": 0, "lastTurn": 1, "pending": True}


def test_failing_question_is_skipped_on_its_last_delivery_and_blocks_nothing(system: System) -> None:
    """R5, R6: SKIPPED with the error, the role as it was, and the log moves on."""
    # GIVEN a learned role and a question that no model can read
    system.ask("gardener asks")
    system.ring_all()
    system.ask("poison")
    system.reader.failing = ModelOutputUnusable("The model did not answer with JSON.")
    # WHEN its last delivery fails THEN the message still fails, to reach the dead letters
    with pytest.raises(ModelOutputUnusable):
        system.learn(BELL, last_delivery=True)
    # AND the track says what happened, with the role unchanged
    first, second = track(system)
    assert second["metadata"]["decision"]["operation"] == "SKIPPED"
    assert "did not answer with JSON" in second["metadata"]["decision"]["reason"]
    assert second["text"]["identifiedRole"] == first["text"]["identifiedRole"]
    # AND the next question is read
    system.reader.failing = None
    system.ask("gardener asks again")
    system.ring_all()
    assert [snapshot["metadata"]["decision"]["operation"] for snapshot in track(system)] == [
        "CREATE",
        "SKIPPED",
        "UPDATE",
    ]


def test_a_bug_in_a_rule_blocks_nothing_either(system: System) -> None:
    """R5: whatever is wrong with a question, the session goes on."""
    system.ask("poison")
    system.reader.failing = RuntimeError("a quote of the user")
    with pytest.raises(RuntimeError):
        system.learn(BELL, last_delivery=True)
    [skipped] = track(system)
    assert skipped["metadata"]["decision"]["operation"] == "SKIPPED"
    assert "quote" not in json.dumps(skipped["metadata"])


def test_reading_a_session_twice_commits_once(system: System) -> None:
    """R3: a duplicate doorbell changes nothing."""
    system.ask("gardener asks")
    for _ in range(3):
        system.learn(BELL)
    assert [snapshot["metadata"]["version"] for snapshot in track(system)] == [1]
    assert len(system.reader.seen) == 1


def test_two_workers_on_one_question_commit_once(system: System) -> None:
    """R2, R3: the second worker finds the cursor moved and goes on from there."""
    # GIVEN another worker that reads the same question while this one waits for the model
    system.ask("gardener asks")

    def other_worker() -> None:
        system.reader.meanwhile = lambda: None
        system.learn(BELL)

    system.reader.meanwhile = other_worker
    # WHEN both commit THEN there is one snapshot
    system.learn(BELL)
    assert [snapshot["metadata"]["version"] for snapshot in track(system)] == [1]


def test_doorbell_of_a_session_that_is_gone_is_done(system: System) -> None:
    """R3: a late doorbell is no error."""
    system.learn(BELL)
    assert track(system) == []


def test_unread_questions_are_read_in_order_a_snapshot_each(system: System) -> None:
    """R4: up to the limit each question has its own snapshot."""
    for number in range(3):
        system.ask(f"gardener {number}")
    system.learn(BELL)
    snapshots = track(system)
    assert [s["metadata"]["turn"] for s in snapshots] == [1, 2, 3]
    assert [s["metadata"]["coveredTurns"] for s in snapshots] == [[1], [2], [3]]
    assert [s["text"]["conversationAnalysis"]["interactionCount"] for s in snapshots] == [1, 2, 3]
    assert system.reader.seen[2] == ("gardener 2", ["gardener 0", "gardener 1"])


def test_too_many_unread_questions_are_read_at_once(system: System) -> None:
    """R4: beyond the limit the newest is read with the others as history, and the snapshot says so."""
    for number in range(4):
        system.ask(f"gardener {number}")
    system.learn(BELL)
    [snapshot] = track(system)
    assert snapshot["metadata"]["coveredTurns"] == [1, 2, 3, 4]
    assert system.reader.seen == [("gardener 3", ["gardener 0", "gardener 1", "gardener 2"])]
    assert system.read("latest").json["roleMemory"]["pending"] is False


def test_answers_are_never_read(system: System) -> None:
    """R11."""
    for number in range(2):
        system.ask(f"gardener {number}")
    system.learn(BELL)
    assert "Answer" not in json.dumps(system.reader.seen)


def test_history_is_bounded_and_may_be_none(system: System) -> None:
    """``ROLE_HISTORY_QUESTIONS``: 0 is none."""
    none = system.with_settings(role_history_questions="0")
    for number in range(2):
        none.ask(f"gardener {number}")
    none.learn(BELL)
    assert none.reader.seen == [("gardener 0", []), ("gardener 1", [])]


def test_first_snapshot_follows_the_contract(system: System) -> None:
    """R12, R14: a CREATE in the shape of the contract; the server owns ids, counts, times."""
    system.ask("gardener asks about roses")
    system.ring_all()
    [snapshot] = track(system)
    assert system.read("latest").data == snapshot
    assert snapshot["messageType"] == "SYSTEM"
    metadata, role = snapshot["metadata"], snapshot["text"]
    assert (metadata["version"], metadata["turn"], metadata["coveredTurns"]) == (1, 1, [1])
    assert metadata["decision"]["operation"] == "CREATE"
    assert metadata["decision"]["similarity"] is None
    assert metadata["evidence"] == [{"turn": 1, "quote": "gardener"}]
    assert set(role) == {
        "userId", "conversationId", "userQuery", "conversationAnalysis", "identifiedRole",
        "communicationPreferences", "userOverview", "creatTime", "updateTime",
    }  # fmt: skip
    assert (role["userId"], role["conversationId"]) == ("u1", "s1")
    assert role["userQuery"] == "gardener asks about roses"
    assert role["conversationAnalysis"]["interactionCount"] == 1
    assert role["creatTime"] == "2026-01-31 10:00:00"
    assert role["updateTime"] == ""


def test_role_over_all_sessions(system: System) -> None:
    """``ROLE_SCOPE=user``: two sessions teach one role, with dense versions."""
    wide = system.with_settings(role_scope="user")
    wide.ask("gardener asks", session="s1")
    wide.ask("gardener asks more", session="s2")
    wide.ring_all()
    for session in ("s1", "s2", "elsewhere"):
        assert [s["metadata"]["version"] for s in track(wide, session=session)] == [1, 2]
    # AND another user's stays their own
    assert track(wide, user="u2") == []


def test_roles_of_sessions_are_apart(system: System) -> None:
    """``ROLE_SCOPE=session``, R22."""
    system.ask("gardener asks", session="s1")
    system.ask("baker asks", session="s2")
    system.ask("sailor asks", session="s1", user="u2")
    system.ring_all()
    assert [t["text"]["identifiedRole"]["possibleIdentities"] for t in track(system)] == [["gardener"]]
    assert [t["text"]["identifiedRole"]["possibleIdentities"] for t in track(system, session="s2")] == [["baker"]]
    assert [t["text"]["identifiedRole"]["possibleIdentities"] for t in track(system, user="u2")] == [["sailor"]]


@pytest.mark.parametrize("scope", ["role", "conversation", "all", "user"])
def test_delete_while_a_question_is_read_wins(system: System, scope: str) -> None:
    """R23: what was deleted between reading and committing does not come back, nor with a redelivery."""
    # GIVEN a role, and a question whose extraction is interrupted by a delete
    system.ask("gardener asks")
    system.ring_all()
    system.ask("gardener asks again")

    def delete() -> None:
        system.reader.meanwhile = lambda: None
        if scope == "user":
            reply = system.call("POST", "/api/user/delete")
        else:
            reply = system.call("POST", "/api/user/memory/delete", query={"session_id": "s1", "scope": scope})
        assert reply.status == 200, reply.json

    system.reader.meanwhile = delete
    # WHEN the worker goes on, and the message comes again
    system.learn(BELL)
    system.learn(BELL)
    # THEN what was deleted stays deleted
    versions = [s["metadata"]["version"] for s in track(system)]
    assert versions == ([1] if scope == "conversation" else [])
    assert (system.read("conversation").data == []) == (scope != "role")


def test_erased_role_is_not_learned_again_from_earlier_questions(system: System) -> None:
    """R23: neither unread questions nor the history of later ones bring it back, and version numbers go on."""
    # GIVEN a role of three versions, and a question that is not read yet
    for number in range(3):
        system.ask(f"gardener {number}")
    system.learn(BELL)
    system.ask("gardener unread")
    # WHEN the role is deleted
    reply = system.call("POST", "/api/user/memory/delete", query={"session_id": "s1"})
    assert reply.data == {
        "scope": "role",
        "sessions": 0,
        "messages": 0,
        "snapshots": 3,
        "verified": True,
    }
    system.learn(BELL)
    # THEN nothing is learned of what was asked before
    assert track(system) == []
    assert system.read("latest").data is None
    assert len(system.read("conversation").data) == 8
    # AND the next question starts above the old versions, without the old questions as history
    system.reader.seen.clear()
    system.ask("baker asks")
    system.learn(BELL)
    [snapshot] = track(system)
    assert snapshot["metadata"]["version"] == 4
    assert snapshot["metadata"]["decision"]["operation"] == "CREATE"
    assert system.reader.seen == [("baker asks", [])]


def test_role_is_edited_while_a_question_is_read(system: System) -> None:
    """R2: the commit is made anew on top of the edit; nothing of either is lost."""
    system.ask("gardener asks")

    def edit() -> None:
        system.reader.meanwhile = lambda: None
        body = {"session_id": "s1", "set": {"possibleIdentities": ["head gardener"]}, "pin": ["possibleIdentities"]}
        assert system.call("POST", "/api/user/memory/edit", body=body).status == 200

    system.reader.meanwhile = edit
    system.learn(BELL)
    edited, learned = track(system)
    assert edited["metadata"]["decision"]["operation"] == "EDIT"
    assert learned["text"]["identifiedRole"]["possibleIdentities"] == ["head gardener"]
    assert len(system.reader.seen) == 1


def test_time_that_runs_out_leaves_the_rest_to_the_next_delivery(system: System) -> None:
    """A delivery never outlives its function; what it has read stays read."""
    system.ask("gardener asks")
    learner = system.learner()
    with pytest.raises(ModelUnavailable):
        learner.learn(Doorbell.model_validate_json(BELL), last_delivery=False, seconds_left=6)
    assert system.reader.seen == []


def test_question_that_expired_is_passed_over(system: System) -> None:
    """R8: there is nothing left to learn from."""
    system.ask("gardener asks")
    system.clock.advance(days=29)
    system.ask("baker asks")
    system.clock.advance(days=2)
    system.learn(BELL)
    assert [s["metadata"]["turn"] for s in track(system)] == [2]


def test_nothing_learned_keeps_the_role(system: System) -> None:
    """R6, R14: an empty extract is NONE_CHANGE."""
    system.ask("gardener asks")
    system.ring_all()
    system.reader.script = lambda _: Extract(language="en")
    system.ask("thanks")
    system.ring_all()
    assert [s["metadata"]["decision"]["operation"] for s in track(system)] == ["CREATE", "NONE_CHANGE"]
    assert track(system)[1]["text"]["identifiedRole"]["possibleIdentities"] == ["gardener"]


@pytest.mark.parametrize("limit", ["0", "2", "10"])
def test_catch_up_reads_what_it_covers(system: System, limit: str) -> None:
    """R4: the questions behind the newest are its history, however few a lesson reads otherwise."""
    system = system.with_settings(role_history_questions=limit)
    for number in range(6):
        system.ask(f"gardener{number} asks")
    system.learn(BELL)
    [snapshot] = track(system)
    assert snapshot["metadata"]["coveredTurns"] == [1, 2, 3, 4, 5, 6]
    [(question, history)] = system.reader.seen
    assert [*history, question] == [f"gardener{number} asks" for number in range(6)]


def test_long_backlog_is_read_in_parts(system: System) -> None:
    """R4, R15: no snapshot covers more questions than a lesson can read."""
    for number in range(53):
        system.ask(f"gardener{number} asks")
    system.learn(BELL)
    assert [len(one["metadata"]["coveredTurns"]) for one in track(system)] == [50, 1, 1, 1]


def test_question_that_ends_its_worker_blocks_nothing(system: System) -> None:
    """R5: a worker that dies on the last delivery leaves no error behind; the next doorbell skips what it read."""
    # GIVEN a question that no worker lives to tell of, delivered as often as the queue does
    system.ask("poison")

    def die() -> None:
        if system.reader.seen[-1][0] == "poison":
            raise Killed

    system.reader.meanwhile = die
    for last_delivery in (False, False, True):
        with pytest.raises(Killed):
            system.learn(BELL, last_delivery=last_delivery)
    # WHEN the next question rings
    system.ask("gardener asks")
    system.learn(BELL)
    # THEN the first is skipped, and the second is read
    operations = [one["metadata"]["decision"]["operation"] for one in track(system)]
    assert operations == ["SKIPPED", "CREATE"]
    assert "ended the worker" in track(system)[0]["metadata"]["decision"]["reason"]


def test_last_delivery_that_finds_the_store_busy_blames_no_question(system: System) -> None:
    """R5: what the next doorbell reads was not read by a worker that died."""
    system.ask("gardener asks")
    system.reader.failing = Busy()
    with pytest.raises(Busy):
        system.learn(BELL, last_delivery=True)
    system.reader.failing = None
    system.learn(BELL)
    assert [one["metadata"]["decision"]["operation"] for one in track(system)] == ["CREATE"]
