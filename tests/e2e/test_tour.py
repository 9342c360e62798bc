"""The case study over HTTP: a role is learned, guides the next answers, and is deleted."""

from typing import Any

import pytest

from tests.e2e.local_system import ROOT, LocalSystem

MEMORY = "/api/user/memory"
QUESTIONS = (
    "研究下回锅肉的做法",
    "改进一下口味，让他更加适合于老人和小孩",
    "我想在进一步研究一下适合于家庭成员的回锅肉做法，详细一点",
)


@pytest.fixture(scope="module")
def replies(local: LocalSystem) -> list[dict[str, Any]]:
    """GIVEN the three questions of u1 in session s1, each asked when the role had read the one before."""
    return [local.ask("s1", question) for question in QUESTIONS]


@pytest.fixture(scope="module")
def track(local: LocalSystem, replies: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return list(local.get(f"{MEMORY}/track", session_id="s1")["data"])


def test_conversation_alternates(local: LocalSystem, replies: list[dict[str, Any]]) -> None:
    """R1, R7: six messages in order, in the shapes of the contract."""
    # WHEN the conversation is read
    messages = local.get(f"{MEMORY}/conversation", session_id="s1")["data"]

    # THEN questions and answers alternate, each with its turn
    assert [message["messageType"] for message in messages] == ["USER", "ASSISTANT"] * 3
    assert [message["metadata"]["turn"] for message in messages] == [1, 1, 2, 2, 3, 3]
    assert [message["text"] for message in messages[::2]] == list(QUESTIONS)
    assert messages[1::2] == [reply["message"] for reply in replies]


def test_each_answer_says_that_it_is_a_stand_in(replies: list[dict[str, Any]]) -> None:
    assert all("替身模型" in reply["message"]["text"] for reply in replies)


def test_track_has_one_snapshot_a_question(local: LocalSystem, track: list[dict[str, Any]]) -> None:
    """R1, R4, R14: versions 1, 2, 3, the picture grows, and each decision says why."""
    # WHEN the latest snapshot is read
    latest = local.get(f"{MEMORY}/latest", session_id="s1")["data"]

    # THEN it is the third of the track
    assert latest == track[2]
    assert [snapshot["messageType"] for snapshot in track] == ["SYSTEM"] * 3
    assert [snapshot["metadata"]["version"] for snapshot in track] == [1, 2, 3]
    assert [snapshot["text"]["conversationAnalysis"]["interactionCount"] for snapshot in track] == [1, 2, 3]
    decisions = [snapshot["metadata"]["decision"] for snapshot in track]
    assert [decision["operation"] for decision in decisions] == ["CREATE", "UPDATE", "UPDATE"]
    assert all(decision["reason"] for decision in decisions)


def test_role_is_what_the_questions_show(track: list[dict[str, Any]]) -> None:
    """R13, R15: a home cook, then one for the family; every quote stands in its question."""
    roles = [snapshot["text"]["identifiedRole"] for snapshot in track]
    assert roles[0]["possibleIdentities"] == ["烹饪爱好者"]
    assert set(roles[2]["possibleIdentities"]) == {"烹饪爱好者", "家庭烹饪者"}
    assert "照顾老人和小孩" in roles[2]["primaryCharacteristics"]
    assert track[2]["text"]["communicationPreferences"]["detailLevel"] == "COMPREHENSIVE"
    for snapshot in track:
        assert snapshot["metadata"]["evidence"]
        for evidence in snapshot["metadata"]["evidence"]:
            assert evidence["quote"] in QUESTIONS[evidence["turn"] - 1]


def test_second_question_was_guided(
    local: LocalSystem, replies: list[dict[str, Any]], track: list[dict[str, Any]]
) -> None:
    """R19, R20: the model got the guidance of version 1 and both earlier messages, and the reply says so."""
    # WHEN one looks at what the model was sent with the second question
    (sent,) = (
        request["messages"] for request in local.model_requests() if request["messages"][-1]["content"] == QUESTIONS[1]
    )

    # THEN guidance came in front, and the earlier question and answer before the question
    assert sent[0]["role"] == "system"
    assert f"You are having a conversation with {track[0]['text']['userOverview']}" in sent[0]["content"]
    assert [message["role"] for message in sent[1:]] == ["user", "assistant", "user"]
    assert [message["content"] for message in sent[1:3]] == [QUESTIONS[0], replies[0]["message"]["text"]]
    assert replies[0]["guidance"] == {"scope": "every", "applied": False, "version": None}
    assert replies[1]["guidance"] == {"scope": "every", "applied": True, "version": 1}
    assert "带有用户角色说明" in replies[1]["message"]["text"]


def test_diff_and_guidance_can_be_read(local: LocalSystem, track: list[dict[str, Any]]) -> None:
    """R20: what the next answer gets, and what changed since the first version."""
    diff = local.get(f"{MEMORY}/diff", session_id="s1", **{"from": "1", "to": "3"})["data"]
    guidance = local.get(f"{MEMORY}/guidance", session_id="s1")["data"]

    assert (diff["from"], diff["to"]) == (1, 3)
    assert any("possibleIdentities" in change["field"] for change in diff["changes"])
    assert guidance["version"] == 3
    assert guidance["text"].startswith(f"You are having a conversation with {track[2]['text']['userOverview']}")
    # AND the README shows the same
    assert f"```\n{guidance['text']}\n```" in (ROOT / "README.md").read_text()


def test_another_user_sees_nothing(local: LocalSystem, replies: list[dict[str, Any]]) -> None:
    """R22: the same session id of another user is another session."""
    for path, nothing in (("conversation", []), ("track", []), ("latest", None)):
        assert local.get(f"{MEMORY}/{path}", user="u2", session_id="s1")["data"] == nothing
    assert local.get("/api/user/sessions", user="u2")["data"] == []


def test_deleted_role_is_gone_and_learned_anew(local: LocalSystem, track: list[dict[str, Any]]) -> None:
    """R23: the receipt counts, the conversation stays, and version numbers are not used again."""
    # GIVEN the role of a session with three snapshots WHEN it is deleted
    reply = local.call("POST", f"{MEMORY}/delete", params={"session_id": "s1", "scope": "role"})

    # THEN nothing of it is read any more, but the conversation is
    assert reply.status_code == 200, reply.text
    assert reply.json()["data"]["snapshots"] == 3
    assert local.get(f"{MEMORY}/latest", session_id="s1")["data"] is None
    assert local.get(f"{MEMORY}/track", session_id="s1")["data"] == []
    assert len(local.get(f"{MEMORY}/conversation", session_id="s1")["data"]) == 6

    # AND the next question starts above the versions there were
    local.ask("s1", QUESTIONS[0])
    assert local.get(f"{MEMORY}/latest", session_id="s1")["data"]["metadata"]["version"] > 3
