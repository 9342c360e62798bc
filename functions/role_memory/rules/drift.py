"""When recent questions together show that the user is somebody else by now (R14, step 5)."""

from collections.abc import Callable, Sequence

from functions.role_memory.rules.picture import Picture
from functions.role_memory.rules.settings import RuleSettings
from shared.records import Operation, Snapshot

_UNMOVED = (Operation.NONE_CHANGE, Operation.SKIPPED)
_BY_THE_USER = (Operation.EDIT, Operation.ROLLBACK)


def strangers(recent: Sequence[Snapshot], settings: RuleSettings) -> list[tuple[Snapshot, Picture]]:
    """Return the snapshots in the window that keep a candidate, with its picture, newest first.

    What lies before an edit or a rollback is settled: the user has said who they are.
    """
    found = []
    for snapshot in _window(recent, settings):
        if snapshot.metadata.decision.operation in _BY_THE_USER:
            break
        if snapshot.metadata.candidate is not None:
            found.append((snapshot, Picture.of(snapshot.metadata.candidate)))
    return found


def unsupported(recent: Sequence[Snapshot], settings: RuleSettings) -> list[Snapshot]:
    """Return the snapshots since the role was last supported whose question drew another one, newest first."""
    window = _window(recent, settings)
    moved = next((at for at, s in enumerate(window) if s.metadata.decision.operation not in _UNMOVED), len(window))
    return [s for s in window[:moved] if s.metadata.candidate is not None and s.metadata.candidate.identities]


def agreeing(
    recent: Sequence[Snapshot], picture: Picture, alike: Callable[[Picture], bool], settings: RuleSettings
) -> tuple[Snapshot, ...]:
    """Return the snapshots that make a drift together with ``picture``, oldest first; none when there is no drift.

    Either enough questions of the window show the same picture, or enough in a row draw another role than the stored
    one and this one is not alone with its picture: a model words one role in many ways, and a role that no recent
    question supports counts for less.
    """
    same = tuple(snapshot for snapshot, other in reversed(strangers(recent, settings)) if alike(other))
    in_a_row = unsupported(recent, settings)
    enough = len(same) + 1 >= settings.drift_questions
    abandoned = bool(picture.identities) and len(in_a_row) + 1 >= settings.drift_questions
    return same if enough or (abandoned and any(snapshot in in_a_row for snapshot in same)) else ()


def _window(recent: Sequence[Snapshot], settings: RuleSettings) -> list[Snapshot]:
    return list(reversed(recent))[: settings.drift_window - 1]
