"""What the memory API serves beyond messages and snapshots."""

from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from shared.domain.diff import Change
from shared.domain.edit_request import EditRequest
from shared.http.envelope import PagedReply, Reply
from shared.http.inputs import DEFAULT_SESSION, SessionId
from shared.records import GuidanceUse, Instant, Message, Record, RoleMemoryState, Snapshot


class DeleteScope(StrEnum):
    """What of a session to delete. Snapshots quote the user: ``conversation`` keeps them."""

    ROLE = "role"
    CONVERSATION = "conversation"
    ALL = "all"


class ConversationReply(PagedReply[Message]):
    """One page of messages."""


class LatestReply(Reply[Snapshot | None]):
    """The snapshot asked for, or null, and how far the role memory has read the session."""

    role_memory: RoleMemoryState | None


class SessionData(Record):
    """One session of the user."""

    session_id: str
    title: str
    turns: int
    created_at: Instant
    last_activity_at: Instant
    pending: bool


class DiffData(Record):
    """What changed between two versions."""

    from_version: int = Field(alias="from")
    to_version: int = Field(alias="to")
    changes: list[Change]


class GuidanceData(GuidanceUse):
    """The block the next answer will get; empty where none will be given."""

    text: str


class DeleteReceipt(Record):
    """How much was deleted, given only after a read found none of it left."""

    scope: Literal["role", "conversation", "all", "user"]
    sessions: int
    messages: int
    snapshots: int
    verified: Literal[True] = True


class ExportEntry(Record):
    """One record of the user, with the session it belongs to (null for a role over all sessions)."""

    session_id: str | None
    session: SessionData | None = Field(default=None, exclude_if=lambda value: value is None)
    message: Message | None = Field(default=None, exclude_if=lambda value: value is None)
    snapshot: Snapshot | None = Field(default=None, exclude_if=lambda value: value is None)


class HealthData(Record):
    """Whether the system is up and a model is configured; no secrets."""

    version: str
    model_configured: bool
    memory_enabled: bool


class EditBody(EditRequest):
    """A correction of the role by its user. ``version`` refuses it when the role has moved on since."""

    session_id: SessionId = Field(default=DEFAULT_SESSION, alias="session_id")
    version: int | None = Field(
        default=None, strict=True, ge=0, description="The version the correction was made against."
    )


class RollbackBody(BaseModel):
    """Which version's content the role goes back to."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, frozen=True)

    session_id: SessionId = DEFAULT_SESSION
    version: int = Field(strict=True, ge=1)
