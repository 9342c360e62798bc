"""What the handler's routes depend on, made once a process; none of it knows a user."""

from concurrent.futures import ThreadPoolExecutor
from functools import cache

from functions.chat.answering import Answerer
from functions.chat.memory import MemoryReader
from functions.chat.service import ChatService
from functions.chat.settings import settings
from shared.aws import dynamodb_client, sqs_client
from shared.clock import utc_now
from shared.http.identity import caller_under
from shared.model.endpoint import endpoint_of
from shared.model.openai import OpenAIChat
from shared.queue import SqsDoorbell
from shared.store.stores import Stores

caller = caller_under(settings)


@cache
def chat_service() -> ChatService:
    """Return the service of this process."""
    config = settings()
    stores = Stores.over(dynamodb_client(), config)
    executor = ThreadPoolExecutor(max_workers=3)
    return ChatService(
        reader=MemoryReader(stores, executor, config.window),
        stores=stores,
        doorbell=SqsDoorbell(sqs_client(), config.doorbell_queue_url),
        answerer=Answerer(OpenAIChat(endpoint_of(config), config.chat_model), config, utc_now),
        clock=utc_now,
        executor=executor,
    )
