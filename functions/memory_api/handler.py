"""Reading, correcting and deleting memory: ``/api/user/…`` and ``/api/health``."""

from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Depends
from aws_lambda_powertools.event_handler.openapi.params import Body, Query
from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.memory_api.changing import MemoryChanging
from functions.memory_api.contract import (
    ConversationReply,
    DeleteReceipt,
    DeleteScope,
    DiffData,
    EditBody,
    ExportEntry,
    GuidanceData,
    HealthData,
    LatestReply,
    RollbackBody,
    SessionData,
)
from functions.memory_api.dependencies import Config, caller, changing, export, reading
from functions.memory_api.export import Export
from functions.memory_api.reading import MemoryReading
from functions.memory_api.settings import settings
from shared import __version__
from shared.errors import FieldProblem, InvalidInput
from shared.http.envelope import PagedReply, Reply
from shared.http.inputs import DEFAULT_SESSION, CursorQuery, LimitQuery, Moment, SessionQuery
from shared.http.resolver import memory_resolver, serve
from shared.observability import metrics
from shared.records import Snapshot

settings()  # A wrong setting stops the function at its start, not at its first request.
app = memory_resolver()

User = Annotated[str, Depends(caller)]
Reading = Annotated[MemoryReading, Depends(reading)]
Changing = Annotated[MemoryChanging, Depends(changing)]
Version = Annotated[int | None, Query(ge=1)]


@app.get("/api/user/memory/conversation", summary="Messages, oldest first", tags=["memory"])
def conversation(
    user_id: User,
    memory: Reading,
    session_id: SessionQuery = DEFAULT_SESSION,
    limit: LimitQuery = 100,
    cursor: CursorQuery = None,
) -> ConversationReply:
    """Read the messages of a session."""
    return memory.conversation(user_id, session_id, limit, cursor)


@app.get("/api/user/memory/latest", summary="The latest snapshot, or the one named, or null", tags=["memory"])
def latest(
    user_id: User,
    memory: Reading,
    session_id: SessionQuery = DEFAULT_SESSION,
    version: Version = None,
    as_of: Annotated[Moment | None, Query(description="What was the latest at this moment, ISO 8601.")] = None,
) -> LatestReply:
    """Read one snapshot."""
    if version is not None and as_of is not None:
        problem = FieldProblem("as_of", "can't be combined with version")
        raise InvalidInput("Name a version or a moment, not both.", (problem,))
    return memory.latest(user_id, session_id, version, as_of)


@app.get("/api/user/memory/track", summary="All snapshots, oldest first", tags=["memory"])
def track(
    user_id: User,
    memory: Reading,
    session_id: SessionQuery = DEFAULT_SESSION,
    limit: LimitQuery = 100,
    cursor: CursorQuery = None,
) -> PagedReply[Snapshot]:
    """Read how the role evolved."""
    return memory.track(user_id, session_id, limit, cursor)


@app.get("/api/user/memory/diff", summary="What changed between two versions", tags=["memory"])
def diff(
    user_id: User,
    memory: Reading,
    before: Annotated[int, Query(alias="from", ge=1)],
    after: Annotated[int, Query(alias="to", ge=1)],
    session_id: SessionQuery = DEFAULT_SESSION,
) -> Reply[DiffData]:
    """Compare two versions, field by field."""
    return Reply(data=memory.diff(user_id, session_id, before, after))


@app.get("/api/user/memory/guidance", summary="The block the next answer will get", tags=["memory"])
def guidance(user_id: User, memory: Reading, session_id: SessionQuery = DEFAULT_SESSION) -> Reply[GuidanceData]:
    """Read the guidance of the latest snapshot."""
    return Reply(data=memory.guidance(user_id, session_id))


@app.post("/api/user/memory/edit", summary="Correct the role", tags=["memory"])
def edit(body: Annotated[EditBody, Body()], user_id: User, memory: Changing) -> Reply[Snapshot]:
    """Set and pin fields, forbid terms."""
    return Reply(data=memory.edit(user_id, body))


@app.post("/api/user/memory/rollback", summary="Go back to a version", tags=["memory"])
def rollback(body: Annotated[RollbackBody, Body()], user_id: User, memory: Changing) -> Reply[Snapshot]:
    """Append a snapshot with the content of an earlier one."""
    return Reply(data=memory.rollback(user_id, body))


@app.post("/api/user/memory/delete", summary="Delete role, conversation or both", tags=["memory"])
def delete(
    user_id: User,
    memory: Changing,
    session_id: SessionQuery = DEFAULT_SESSION,
    scope: Annotated[DeleteScope, Query()] = DeleteScope.ROLE,
) -> Reply[DeleteReceipt]:
    """Delete, and verify that it is gone."""
    return Reply(data=memory.delete(user_id, session_id, scope))


@app.get("/api/user/sessions", summary="The user's sessions, newest first", tags=["user"])
def sessions(
    user_id: User, memory: Reading, limit: LimitQuery = 100, cursor: CursorQuery = None
) -> PagedReply[SessionData]:
    """List sessions."""
    return memory.sessions(user_id, limit, cursor)


@app.get("/api/user/export", summary="All that is stored of the user", tags=["user"])
def export_user(
    user_id: User,
    everything: Annotated[Export, Depends(export)],
    limit: LimitQuery = 1000,
    cursor: CursorQuery = None,
) -> PagedReply[ExportEntry]:
    """Read every record of the user, page by page."""
    return everything.page(user_id, limit, cursor)


@app.post("/api/user/delete", summary="Delete all that is stored of the user", tags=["user"])
def delete_user(user_id: User, memory: Changing) -> Reply[DeleteReceipt]:
    """Delete everything, and verify that it is gone."""
    return Reply(data=memory.delete_user(user_id))


@app.get("/api/health", summary="Whether the system is up", tags=["system"])
def health(config: Config) -> Reply[HealthData]:
    """Tell version and what is configured."""
    return Reply(
        data=HealthData(
            version=__version__,
            model_configured=config.model_configured,
            memory_enabled=config.short_term_memory_enabled,
        )
    )


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answer an API Gateway event."""
    return serve(app, event, context)
