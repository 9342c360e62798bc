"""The records of the two memories, in the JSON of the HTTP API.

Attribute names are Python's, JSON names are the contract's (``creatTime`` included). Records are immutable: a change
is a new record. Validation errors never repeat the input, which may be what a user said.
"""

from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer
from pydantic.alias_generators import to_camel

from shared.settings import GuideScope


def _as_instant(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


Instant = Annotated[datetime, PlainSerializer(_as_instant, return_type=str)]
"""A point in time, UTC; in JSON ``2026-01-31T10:00:00.000Z``."""


class Record(BaseModel):
    """Base of all records: camelCase in JSON, immutable, tolerant of fields a newer version wrote."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
        frozen=True,
        extra="ignore",
        hide_input_in_errors=True,
    )

    def to_json(self) -> dict[str, Any]:
        """Return the record as the plain JSON values of the contract."""
        return self.model_dump(mode="json")


class Operation(StrEnum):
    """What a snapshot did to the role (R14)."""

    CREATE = "CREATE"
    UPDATE = "UPDATE"
    NONE_CHANGE = "NONE_CHANGE"
    SKIPPED = "SKIPPED"
    EDIT = "EDIT"
    ROLLBACK = "ROLLBACK"


class ConfidenceLevel(StrEnum):
    """How sure the role is, in rising order."""

    LOW = "LOW"
    MEDIUM = "MEDIUM"
    MEDIUM_HIGH = "MEDIUM_HIGH"
    HIGH = "HIGH"


class DetailLevel(StrEnum):
    """How much the user wants to read."""

    CONCISE = "CONCISE"
    BALANCE = "BALANCE"
    COMPREHENSIVE = "COMPREHENSIVE"


class ContentDepth(StrEnum):
    """Whether the user wants the picture, the practice or the principles."""

    OVERVIEW = "OVERVIEW"
    PRACTICAL = "PRACTICAL"
    CONCEPTUAL = "CONCEPTUAL"


class ResponseFormat(StrEnum):
    """The shape of answer the user wants."""

    CONCISE = "CONCISE"
    DETAILED = "DETAILED"
    STRUCTURED_WITH_EXAMPLES = "STRUCTURED_WITH_EXAMPLES"


class TraitKind(StrEnum):
    """The two lists a trait can stand in."""

    IDENTITY = "IDENTITY"
    CHARACTERISTIC = "CHARACTERISTIC"


class Evidence(Record):
    """A quote from the user's own question of that turn (R13)."""

    turn: int
    quote: str


class Trait(Record):
    """One term of the role with what holds it up, so that merging and confidence can be computed (R15, R16).

    ``first_seen`` and ``last_seen`` count interactions of the subject, not turns: they also order a role that is
    learned over several sessions. ``language`` is that of the question the wording comes from (R18).
    """

    kind: TraitKind
    term: str
    support: int = 1
    explicit: bool = False
    first_seen: int
    last_seen: int
    language: str = ""


class Preferences(Record):
    """How the user likes to be answered."""

    detail_level: DetailLevel = DetailLevel.BALANCE
    content_depth: ContentDepth = ContentDepth.PRACTICAL
    response_format: ResponseFormat = ResponseFormat.DETAILED


class ConversationAnalysis(Record):
    """Confidence in [0, 1] and how many questions the role was learned from."""

    confidence_score: float = Field(default=0.0, ge=0, le=1)
    interaction_count: int = Field(default=0, ge=0)


class IdentifiedRole(Record):
    """Who the user probably is."""

    possible_identities: tuple[str, ...] = ()
    primary_characteristics: tuple[str, ...] = ()
    evidence_summary: tuple[str, ...] = ()
    confidence_level: ConfidenceLevel = ConfidenceLevel.LOW


class Role(Record):
    """The role memory itself, the ``text`` of a snapshot."""

    user_id: str
    conversation_id: str
    user_query: str = ""
    conversation_analysis: ConversationAnalysis = ConversationAnalysis()
    identified_role: IdentifiedRole = IdentifiedRole()
    communication_preferences: Preferences = Preferences()
    user_overview: str = ""
    creat_time: str = ""
    update_time: str = ""


class Decision(Record):
    """What was decided, by which number of which measure, and why, in words a person can read."""

    operation: Operation
    similarity: float | None = None
    measure: str | None = Field(default=None, exclude_if=lambda value: value is None)
    reason: str


class Tokens(Record):
    """What the model calls of one snapshot used."""

    input: int = 0
    output: int = 0

    def __add__(self, other: "Tokens") -> "Tokens":
        """Return what both used."""
        return Tokens(input=self.input + other.input, output=self.output + other.output)


class Candidate(Record):
    """The picture a question drew that did not change the role, kept so that drift is seen (R14, step 5)."""

    identities: tuple[str, ...] = ()
    characteristics: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()


class SnapshotMetadata(Record):
    """What is ours about a snapshot (R12): the model writes none of it.

    ``denied`` are identities the user said are not theirs, ``forbidden`` terms they never want to read again.
    """

    message_type: Literal["SYSTEM"] = "SYSTEM"
    version: int = Field(ge=1)
    turn: int | None
    covered_turns: tuple[int, ...] = ()
    decision: Decision
    evidence: tuple[Evidence, ...] = ()
    language: str = ""
    model: str = ""
    prompt_version: str = ""
    tokens: Tokens = Tokens()
    created_at: Instant
    traits: tuple[Trait, ...] = ()
    candidate: Candidate | None = None
    dropped: tuple[str, ...] = ()
    pinned: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()


class Snapshot(Record):
    """One immutable version of the role memory, with the decision that made it."""

    message_type: Literal["SYSTEM"] = "SYSTEM"
    metadata: SnapshotMetadata
    text: Role

    @property
    def version(self) -> int:
        """The number of this snapshot in its track."""
        return self.metadata.version


class GuidanceUse(Record):
    """Whether and by which version the role guided an answer (R19)."""

    scope: GuideScope
    applied: bool = False
    version: int | None = None


class RoleMemoryState(Record):
    """How far role memory has read a session: ``pending`` while a question waits to be read."""

    version: int | None
    cursor: int
    last_turn: int
    pending: bool


class QuestionMetadata(Record):
    """What is ours about a question. ``failure`` marks one whose model call failed (R9)."""

    message_type: Literal["USER"] = "USER"
    turn: int
    created_at: Instant
    failure: str | None = Field(default=None, exclude_if=lambda value: value is None)


class UserMessage(Record):
    """A question."""

    message_type: Literal["USER"] = "USER"
    metadata: QuestionMetadata
    media: tuple[()] = ()
    text: str


class AnswerMetadata(Record):
    """What is known about an answer."""

    message_type: Literal["ASSISTANT"] = "ASSISTANT"
    role: Literal["ASSISTANT"] = "ASSISTANT"
    id: str
    finish_reason: str
    model: str
    turn: int | None = Field(default=None, exclude_if=lambda value: value is None)
    created_at: Instant


class AssistantMessage(Record):
    """An answer."""

    message_type: Literal["ASSISTANT"] = "ASSISTANT"
    text: str
    metadata: AnswerMetadata
    tool_calls: tuple[()] = ()
    media: tuple[()] = ()


Message = Annotated[UserMessage | AssistantMessage, Field(discriminator="message_type")]
