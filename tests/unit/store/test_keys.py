"""No id reaches into another's keys (R22)."""

from hypothesis import given
from hypothesis import strategies as st

from shared.settings import RoleScope
from shared.store.keys import (
    Subject,
    message_sort_key,
    placed,
    session_partition,
    subject_of,
    subject_of_track,
    track_partition,
    track_sort_key,
    user_partition,
)

user_ids = st.text(st.characters(exclude_categories=["C"]), min_size=1, max_size=255)
session_ids = st.from_regex(r"[A-Za-z0-9._:@-]{1,128}", fullmatch=True)
subjects = st.builds(Subject, user_ids, st.none() | session_ids)


@given(user_ids, session_ids, user_ids, session_ids)
def test_different_owners_have_different_partitions(one: str, session: str, other: str, elsewhere: str) -> None:
    """R22."""
    assert (user_partition(one) == user_partition(other)) == (one == other)
    same = (one, session) == (other, elsewhere)
    assert (session_partition(one, session) == session_partition(other, elsewhere)) == same


@given(subjects, subjects)
def test_different_subjects_have_different_tracks(one: Subject, other: Subject) -> None:
    """R22."""
    assert (track_partition(one) == track_partition(other)) == (one == other)


@given(subjects)
def test_subject_is_read_back_from_its_head(subject: Subject) -> None:
    assert subject_of_track(subject.user_id, track_sort_key(subject)) == subject


@given(user_ids)
def test_partition_key_fits(user_id: str) -> None:
    """DynamoDB's partition keys hold 2048 bytes, whatever alphabet the id is in."""
    assert len(session_partition(user_id, "x" * 128).encode()) <= 2048


@given(st.integers(1, 10**8 - 1), st.integers(1, 10**8 - 1), st.sampled_from("12"), st.sampled_from("12"))
def test_messages_sort_by_turn_then_question_first(turn: int, other: int, part: str, kind: str) -> None:
    """R1."""
    by_key = message_sort_key("e", turn, part) < message_sort_key("e", other, kind)
    assert by_key == ((turn, part) < (other, kind))
    assert placed(message_sort_key("e", turn, part)) == ("e", turn)


def test_scope_names_the_subject() -> None:
    """``ROLE_SCOPE``."""
    assert subject_of("u", "s", RoleScope.SESSION) == Subject("u", "s")
    assert subject_of("u", "s", RoleScope.USER) == Subject("u", None)
