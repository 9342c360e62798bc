"""The question's way in and the answer's way out: ``POST /api/chat``."""

import time
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Depends
from aws_lambda_powertools.event_handler.openapi.params import Body
from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.chat.contract import ChatData, ChatRequest
from functions.chat.dependencies import caller, chat_service
from functions.chat.service import ChatService
from functions.chat.settings import settings
from shared.http.envelope import Reply
from shared.http.resolver import memory_resolver, serve
from shared.observability import metrics

settings()  # A wrong setting stops the function at its start, not at its first request.
app = memory_resolver()


@app.post("/api/chat", summary="Ask a question", tags=["chat"])
def chat(
    request: Annotated[ChatRequest, Body()],
    user_id: Annotated[str, Depends(caller)],
    service: Annotated[ChatService, Depends(chat_service)],
) -> Reply[ChatData]:
    """Answer a question with what is remembered of the user, and remember both."""
    return Reply(data=service.ask(user_id, request, seconds_left=app.context["deadline"] - time.monotonic()))


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answer an API Gateway event."""
    return serve(app, event, context)
