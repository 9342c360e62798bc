"""When recent questions together show that the user is somebody else by now (R14, step 5)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from functions.role_memory.rules.picture import Picture
from functions.role_memory.rules.settings import RuleSettings
from shared.records import Candidate, Operation, Snapshot

_UNMOVED = (Operation.NONE_CHANGE, Operation.SKIPPED)
_BY_THE_USER = (Operation.EDIT, Operation.ROLLBACK)


@dataclass(frozen=True)
class Stranger:
    """A recent question that drew another picture than the role.

    ``at`` is the interaction, ``since_support`` is true while no later question supported the role.
    """

    candidate: Candidate
    at: int
    language: str
    since_support: bool

    @property
    def picture(self) -> Picture:
        """The picture it drew."""
        return Picture.of(self.candidate)

    @property
    def contradicts(self) -> bool:
        """Whether it speaks for another identity instead of the role, and not only beside it."""
        return self.since_support and bool(self.candidate.identities)


def strangers(recent: Sequence[Snapshot], settings: RuleSettings) -> tuple[Stranger, ...]:
    """Return the strangers in the window before the current question, oldest first.

    What lies before an edit or a rollback is settled: the user has said who they are.
    """
    found: list[Stranger] = []
    since_support = True
    for snapshot in list(reversed(recent))[: settings.drift_window - 1]:
        metadata = snapshot.metadata
        if metadata.decision.operation in _BY_THE_USER:
            break
        since_support = since_support and metadata.decision.operation in _UNMOVED
        if metadata.candidate is not None:
            at = snapshot.text.conversation_analysis.interaction_count
            found.append(Stranger(metadata.candidate, at, metadata.language, since_support))
    return tuple(reversed(found))


def agreeing(
    before: Sequence[Stranger], picture: Picture, alike: Callable[[Picture], bool], questions: int
) -> tuple[Stranger, ...]:
    """Return the strangers that make a drift together with ``picture``; none when there is no drift.

    Either as many as ``questions`` of the window show the same picture, or as many in a row draw another role than the
    stored one and this one is not alone with its picture: a model words one role in many ways, and a role that no
    recent question supports counts for less.
    """
    same = tuple(stranger for stranger in before if alike(stranger.picture))
    enough = len(same) + 1 >= questions
    in_a_row = sum(stranger.contradicts for stranger in before) + bool(picture.identities)
    abandoned = in_a_row >= questions and any(stranger.contradicts for stranger in same)
    return same if enough or abandoned else ()
