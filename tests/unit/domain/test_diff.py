from shared.domain.diff import diff
from tests.unit.rules.builders import Subject, extract


def test_only_what_changed_is_listed() -> None:
    # GIVEN a role and a correction of it
    subject = Subject()
    before = subject.ask(extract("tiler", "nurse", characteristics=("calm",)), question="one")
    after = subject.edit(
        set={"possibleIdentities": ["Nurse", "architect"], "detailLevel": "CONCISE"}, pin=["detailLevel"]
    )
    # WHEN they are compared
    changes = {change.to_json()["field"]: change.to_json() for change in diff(before, after)}
    # THEN each field that differs is listed with what came and went
    assert list(changes) == [
        "possibleIdentities",
        "confidenceLevel",
        "confidenceScore",
        "detailLevel",
        "userOverview",
        "pinned",
    ]
    assert changes["possibleIdentities"] == {
        "field": "possibleIdentities",
        "from": ["tiler", "nurse"],
        "to": ["Nurse", "architect"],
        "added": ["architect"],
        "removed": ["tiler"],
    }
    assert changes["detailLevel"] == {
        "field": "detailLevel",
        "from": "BALANCE",
        "to": "CONCISE",
        "added": [],
        "removed": [],
    }
    assert changes["pinned"]["added"] == ["detailLevel"]


def test_a_change_of_order_alone_adds_and_removes_nothing() -> None:
    subject = Subject()
    before = subject.edit(set={"possibleIdentities": ["nurse", "cook"]})
    after = subject.edit(set={"possibleIdentities": ["cook", "nurse"]})
    change = diff(before, after)[0]
    assert (change.field, change.added, change.removed) == ("possibleIdentities", (), ())


def test_a_question_that_changed_nothing_is_no_change() -> None:
    """The question, the counter and the times are no part of the role."""
    subject = Subject()
    before, after = subject.ask(extract()), subject.ask(extract(), question="another")
    assert before.text != after.text
    assert diff(before, after) == ()
    assert diff(before, before) == ()
