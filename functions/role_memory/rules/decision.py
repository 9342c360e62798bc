"""What a question does to the role (R14).

``STEPS`` is the table of the rule: the first step that holds decides.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from functions.role_memory.extract import Extract
from functions.role_memory.rules.case import Case
from functions.role_memory.rules.drift import Stranger
from functions.role_memory.rules.picture import SPELLING, Comparison, Similarities
from functions.role_memory.rules.screen import screened
from functions.role_memory.rules.settings import RuleSettings
from shared.domain.roles import was_learned
from shared.domain.text import clip
from shared.records import Decision, Operation, Snapshot

MAX_REASON_BYTES = 300


class Step(Enum):
    """The step of R14 that decided."""

    FIRST = auto()
    NOTHING = auto()
    OWN_WORDS = auto()
    BLANK = auto()
    ALIKE = auto()
    DRIFT = auto()
    STRANGER = auto()


@dataclass(frozen=True)
class Verdict:
    """A decision with what merging needs to know of it.

    ``extract`` is what may be learned of the question, ``agreeing`` the earlier questions that show the same
    new picture, ``contrary`` the number of questions in a row that drew another picture than the role.
    """

    decision: Decision
    step: Step
    extract: Extract
    agreeing: tuple[Stranger, ...] = ()
    contrary: int = 0

    @property
    def learns(self) -> bool:
        """Whether the role takes the picture of the question in."""
        return self.decision.operation in (Operation.CREATE, Operation.UPDATE)


def _is_first(case: Case) -> bool:
    return not was_learned(case.latest)


def _teaches_nothing(case: Case) -> bool:
    return not case.extract.teaches and not case.denies_role


def _is_in_own_words(case: Case) -> bool:
    changes_pinned = case.identities_pinned and bool(case.picture.identities)
    return (case.extract.self_described or case.denies_role) and not changes_pinned


def _fills_blank(case: Case) -> bool:
    return bool(case.picture.identities) and not case.role.identities and not case.identities_pinned


def _is_alike(case: Case) -> bool:
    return case.similarity is not None and case.similarity >= case.settings.update_similarity_threshold


def _drifts(case: Case) -> bool:
    may_change = not case.extract.aside and not (case.identities_pinned and case.picture.identities)
    return may_change and bool(case.agreeing)


STEPS: tuple[tuple[Step, Callable[[Case], bool], Operation], ...] = (
    (Step.FIRST, _is_first, Operation.CREATE),
    (Step.NOTHING, _teaches_nothing, Operation.NONE_CHANGE),
    (Step.OWN_WORDS, _is_in_own_words, Operation.UPDATE),
    (Step.BLANK, _fills_blank, Operation.UPDATE),
    (Step.ALIKE, _is_alike, Operation.UPDATE),
    (Step.DRIFT, _drifts, Operation.UPDATE),
    (Step.STRANGER, lambda _: True, Operation.NONE_CHANGE),
)
_MEASURED = {Step.ALIKE, Step.DRIFT, Step.STRANGER}


def comparison(
    extract: Extract, latest: Snapshot | None, recent: Sequence[Snapshot], settings: RuleSettings
) -> Comparison | None:
    """Return what must be measured before deciding, or ``None`` when no measure can change the decision.

    A question costs at most one call of a measure: the candidates that could complete a drift are asked about
    together with the role.
    """
    case = Case(screened(extract, latest), latest, recent, Similarities(), settings)
    if _reached(case)[0] not in _MEASURED or not case.comparable:
        return None
    candidates = [stranger.picture for stranger in case.strangers if stranger.candidate.identities]
    if len(candidates) + 1 < case.drift_questions or case.identities_pinned:
        candidates = []
    unclear = (other for other in reversed(candidates) if not case.picture.is_part_of(other))
    return Comparison(case.picture, tuple(dict.fromkeys((case.role, *unclear))))


def decide(
    extract: Extract,
    latest: Snapshot | None,
    recent: Sequence[Snapshot],
    similarities: Similarities,
    settings: RuleSettings,
) -> Verdict:
    """Decide what ``extract`` does to the role (R14).

    Parameters
    ----------
    latest
        The newest snapshot, ``None`` before the first.
    recent
        The newest snapshots, ``latest`` last; ``settings.drift_window - 1`` of them are looked at.
    similarities
        The answer to :func:`comparison`; empty when there was nothing to compare.
    """
    extract = screened(extract, latest)
    case = Case(extract, latest, recent, similarities, settings)
    step, operation = _reached(case)
    similarity = case.similarity if step in _MEASURED else None
    decision = Decision(
        operation=operation,
        similarity=similarity,
        measure=None if similarity is None else SPELLING if case.same_terms else similarities.measure,
        reason=clip(_reason(step, case), MAX_REASON_BYTES),
    )
    contrary = sum(stranger.contradicts for stranger in case.strangers)
    contrary += step is Step.STRANGER and bool(case.picture.identities)
    return Verdict(
        decision,
        step,
        extract,
        case.agreeing if step is Step.DRIFT else (),
        contrary if operation is Operation.NONE_CHANGE else 0,
    )


def _reached(case: Case) -> tuple[Step, Operation]:
    return next((step, operation) for step, holds, operation in STEPS if holds(case))


def _reason(step: Step, case: Case) -> str:
    names = ", ".join(case.picture.identities or case.picture.characteristics)
    alike = "not compared" if case.similarity is None else f"similarity {case.similarity:.2f}"
    denied = f" not {', '.join(case.extract.denied)}" if case.extract.denied else ""
    pinned = ", and the identities are pinned" if case.identities_pinned else ""
    reasons = {
        Step.FIRST: f"First picture of the user: {names}." if names else "First question; it does not show who asks.",
        Step.NOTHING: "The question shows nothing of who the user is.",
        Step.OWN_WORDS: f"The user speaks of themself:{denied}{';' if denied and names else ''} {names}".rstrip() + ".",
        Step.BLANK: f"First picture of a user not known before: {names}.",
        Step.ALIKE: f"The same role: {alike}, at least {case.settings.update_similarity_threshold:.2f}.",
        Step.DRIFT: f"{len(case.agreeing) + 1} recent questions show another picture than the role: {names}.",
        Step.STRANGER: f"Another picture than the role, not repeated enough ({names}; {alike}){pinned}.",
    }
    return reasons[step]
