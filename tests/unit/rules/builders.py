"""A subject whose questions are extracts, run through the rules as the worker runs them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from functions.role_memory.extract import Extract
from functions.role_memory.rules.compose import next_snapshot, skipped_snapshot
from functions.role_memory.rules.decision import comparison, decide
from functions.role_memory.rules.picture import Picture, Similarities
from functions.role_memory.rules.settings import RuleSettings
from shared.domain.edit_request import EditRequest
from shared.domain.edits import edited_snapshot, rolled_back_snapshot
from shared.records import Evidence, Snapshot

NOON = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
SHANGHAI = ZoneInfo("Asia/Shanghai")


def extract(*identities: str, **fields: Any) -> Extract:
    """Return what a question showed; its evidence is made up of its identities."""
    shown = identities or fields.get("characteristics", ())
    evidence = tuple(Evidence(turn=1, quote=f"words of a {term}") for term in shown)
    summary = tuple(f"asked as a {term}" for term in shown)
    given = {"evidence": evidence, "evidence_summary": summary, "overview": f"a {identities[0]}" if identities else ""}
    return Extract(identities=identities, **{**given, **fields})


@dataclass
class Meaning:
    """A measure that knows which terms mean the same: those of one group."""

    groups: tuple[frozenset[str], ...] = ()
    calls: int = 0

    def __call__(self, picture: Picture, others: Sequence[Picture]) -> dict[Picture, float]:
        self.calls += 1
        return {other: 0.9 if self._same(picture, other) else 0.3 for other in others}

    def _same(self, one: Picture, other: Picture) -> bool:
        return any(set(one.identities) & group and set(other.identities) & group for group in self.groups)


@dataclass
class Subject:
    """One session whose role is learned question by question."""

    meaning: Meaning = field(default_factory=Meaning)
    settings: RuleSettings = field(default_factory=RuleSettings)
    track: list[Snapshot] = field(default_factory=list)
    turns: int = 0

    @property
    def latest(self) -> Snapshot | None:
        return self.track[-1] if self.track else None

    @property
    def identities(self) -> tuple[str, ...]:
        return self.track[-1].text.identified_role.possible_identities

    def ask(self, shown: Extract, *, covered: int = 1, question: str = "?") -> Snapshot:
        recent = tuple(self.track[-(self.settings.drift_window - 1) :])
        asked = comparison(shown, self.latest, recent, self.settings)
        scores = self.meaning(asked.picture, asked.others) if asked else {}
        verdict = decide(shown, self.latest, recent, Similarities("meaning", scores), self.settings)
        self.turns += covered
        return self._append(
            next_snapshot(
                self.latest,
                verdict,
                user_id="u1",
                session_id="s1",
                question=question,
                version=len(self.track) + 1,
                turn=self.turns,
                covered_turns=range(self.turns - covered + 1, self.turns + 1),
                now=self.now,
                zone=SHANGHAI,
                tokens=shown.tokens,
                half_life=self.settings.half_life,
            )
        )

    def ask_all(self, extracts: Iterable[Extract]) -> list[str]:
        """Ask in order and return the operations."""
        return [self.ask(shown).metadata.decision.operation.value for shown in extracts]

    def skip(self, question: str = "?", error: str = "The model timed out.") -> Snapshot:
        self.turns += 1
        return self._append(
            skipped_snapshot(
                self.latest,
                user_id="u1",
                session_id="s1",
                question=question,
                version=len(self.track) + 1,
                turn=self.turns,
                covered_turns=(self.turns,),
                now=self.now,
                error=error,
            )
        )

    def edit(self, **request: Any) -> Snapshot:
        return self._append(
            edited_snapshot(
                self.latest,
                EditRequest.model_validate(request),
                user_id="u1",
                session_id="s1",
                version=len(self.track) + 1,
                now=self.now,
                zone=SHANGHAI,
            )
        )

    def roll_back(self, version: int) -> Snapshot:
        latest, target = self.track[-1], self.track[version - 1]
        return self._append(
            rolled_back_snapshot(latest, target, version=len(self.track) + 1, now=self.now, zone=SHANGHAI)
        )

    @property
    def now(self) -> datetime:
        return NOON + timedelta(minutes=len(self.track))

    def _append(self, snapshot: Snapshot) -> Snapshot:
        self.track.append(snapshot)
        return snapshot
