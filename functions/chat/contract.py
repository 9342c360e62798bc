"""What a client sends to ``POST /api/chat`` and what it gets back."""

from pydantic import BaseModel, ConfigDict, Field, StrictBool

from shared.http.inputs import DEFAULT_SESSION, MessageId, MessageText, SessionId
from shared.records import AssistantMessage, GuidanceUse, Record, RoleMemoryState
from shared.settings import GuideScope


class ChatRequest(BaseModel):
    """One question. The same ``message_id`` is the same question (R9); ``temporary`` stores and teaches nothing."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, frozen=True)

    message: MessageText
    session_id: SessionId = DEFAULT_SESSION
    message_id: MessageId | None = None
    guide: GuideScope | None = Field(
        default=None, description="Narrows for this question what the deployment allows; `none` turns guidance off."
    )
    temporary: StrictBool = False


class ChatData(Record):
    """The answer, what guided it, and where the role memory stands. ``turn`` is null when nothing was stored."""

    session_id: str
    turn: int | None
    message: AssistantMessage
    guidance: GuidanceUse
    role_memory: RoleMemoryState | None
