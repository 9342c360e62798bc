"""The three functions over tables and queue made from the template, with scripted models, in one process."""

import json
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

from functions.chat import handler as chat
from functions.chat.answering import Answerer
from functions.chat.dependencies import chat_service
from functions.chat.memory import MemoryReader
from functions.chat.service import ChatService
from functions.chat.settings import ChatSettings
from functions.chat.settings import settings as chat_config
from functions.memory_api import handler as memory_api
from functions.memory_api.dependencies import clock, stores
from functions.memory_api.settings import MemoryApiSettings
from functions.memory_api.settings import settings as api_config
from functions.role_memory.learning import Learner
from functions.role_memory.settings import RoleSettings
from functions.role_memory.worker import Worker
from shared.queue import Doorbell, SqsDoorbell
from shared.store.stores import Stores
from tests.support.clock import FakeClock
from tests.support.events import FakeContext, rest_event
from tests.support.models import EchoChat, ScriptedReader


@dataclass(frozen=True)
class HttpReply:
    """A reply as a client sees it."""

    status: int
    headers: Mapping[str, str]
    json: dict[str, Any]

    @property
    def data(self) -> Any:
        return self.json["data"]


@dataclass
class System:
    """One deployment. ``environment`` holds settings as the template would hand them over."""

    dynamodb: Any
    sqs: Any
    queue_url: str
    environment: Mapping[str, str]
    clock: FakeClock = field(default_factory=FakeClock)
    model: EchoChat = field(default_factory=EchoChat)
    reader: ScriptedReader = field(default_factory=ScriptedReader)
    threads: int = 1
    """Of the chat's executor; moto is not made for more."""
    sleep: Callable[[float], None] = time.sleep

    def __post_init__(self) -> None:
        self.chat_settings = ChatSettings.from_environment(self.environment)
        self.role_settings = RoleSettings.from_environment(self.environment)
        self.api_settings = MemoryApiSettings.from_environment(self.environment)
        self.stores = Stores.over(self.dynamodb, self.chat_settings, self.clock, self.sleep)
        self.executor = ThreadPoolExecutor(max_workers=self.threads)
        self.service = ChatService(
            reader=MemoryReader(self.stores, self.executor, self.chat_settings.window),
            stores=self.stores,
            doorbell=SqsDoorbell(self.sqs, self.queue_url),
            answerer=Answerer(self.model, self.chat_settings, self.clock),
            clock=self.clock,
            executor=self.executor,
        )

    def with_settings(self, **settings: str) -> "System":
        """Return the same deployment under other settings."""
        upper = {name.upper(): value for name, value in settings.items()}
        return replace(self, environment={**self.environment, **upper})

    def ask(self, message: str, *, user: str = "u1", session: str = "s1", **body: Any) -> HttpReply:
        """Ask one question."""
        return self.call("POST", "/api/chat", user=user, body={"message": message, "session_id": session, **body})

    def read(self, name: str, *, user: str = "u1", session: str = "s1", **query: str) -> HttpReply:
        """Read one of the memory calls of a session."""
        return self.call("GET", f"/api/user/memory/{name}", user=user, query={"session_id": session, **query})

    def ring_all(self, *, last_delivery: bool = False) -> None:
        """Play the queue: hand every waiting doorbell to the worker, which learns with ``self.reader``."""
        while messages := self.sqs.receive_message(QueueUrl=self.queue_url).get("Messages"):
            for message in messages:
                self.learn(message["Body"], last_delivery=last_delivery)
                self.sqs.delete_message(QueueUrl=self.queue_url, ReceiptHandle=message["ReceiptHandle"])

    def learn(self, body: str, *, last_delivery: bool = False) -> None:
        """Hand one doorbell to the worker."""
        self.learner().learn(Doorbell.model_validate_json(body), last_delivery=last_delivery, seconds_left=120)

    def learner(self) -> Learner:
        """Return what learns from questions."""
        return Learner(self.stores, self.reader, self.role_settings, self.clock)

    def worker(self) -> Worker:
        """Return what answers the events of the queue."""
        queue = SqsDoorbell(self.sqs, self.queue_url)
        return Worker(self.learner(), queue, self.role_settings.role_max_receives)

    def call(self, method: str, path: str, **request: Any) -> HttpReply:
        """Send one request through the function that the template routes it to."""
        return self.send(rest_event(method, path, **request))

    def send(self, event: dict[str, Any]) -> HttpReply:
        """Send one API Gateway event."""
        function = chat if event["path"] == "/api/chat" else memory_api
        function.app.dependency_overrides = {
            chat_config: lambda: self.chat_settings,
            chat_service: lambda: self.service,
            api_config: lambda: self.api_settings,
            stores: lambda: self.stores,
            clock: lambda: self.clock,
        }
        reply = function.handler(event, FakeContext())
        headers = {name: values[0] for name, values in reply["multiValueHeaders"].items()}
        return HttpReply(reply["statusCode"], headers, json.loads(reply["body"]))
