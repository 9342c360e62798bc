"""The real template through `sam deploy`: HTTP, queue, worker, dead letters, and a second deploy over the first."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from tests.e2e.local_system import eventually
from tools.artifacts.build import TOOLS, build
from tools.artifacts.resources import parameters
from tools.local.emulator import CREDENTIALS, REGION, Emulator
from tools.local.processes import complete
from tools.local.stand_in import StandIn

STACK = "deploy-test"
MEMORY = "/api/user/memory"


@dataclass
class Stack:
    """A deployed stack."""

    aws: Emulator
    folder: Path
    parameters: dict[str, str]

    def deploy(self, **changed: str) -> None:
        """Deploy as ``make deploy`` does, without the question whether one is sure."""
        self.parameters |= changed
        overrides = [f"{name}={value}" for name, value in self.parameters.items()]
        command: list[str | Path] = [TOOLS / "bin/sam", "deploy", "--config-file", Path("samconfig.toml").resolve()]
        command += ["--template-file", self.folder / "build/template.yaml", "--stack-name", STACK]
        command += ["--no-confirm-changeset", "--parameter-overrides", *overrides]
        complete(command, self.aws.environment() | {"SAM_CLI_POLL_DELAY": "0.2"}, self.folder / "deploy.log")

    @property
    def outputs(self) -> dict[str, str]:
        (stack,) = self.aws.client("cloudformation").describe_stacks(StackName=STACK)["Stacks"]
        return {each["OutputKey"]: each["OutputValue"] for each in stack["Outputs"]}

    @property
    def resources(self) -> dict[str, str]:
        found = self.aws.client("cloudformation").describe_stack_resources(StackName=STACK)["StackResources"]
        return {each["LogicalResourceId"]: each["PhysicalResourceId"] for each in found}

    def call(self, method: str, path: str, body: object = None, user: str = "u1") -> dict[str, Any]:
        """Call the API as a backend does that has the right to."""
        content = json.dumps(body).encode() if body is not None else None
        url = f"{self.aws.url}/_aws/execute-api/{self.outputs['ApiId']}/live{path}"
        request = AWSRequest(method=method, url=url, data=content, headers={"Content-Type": "application/json"})
        SigV4Auth(Credentials(*CREDENTIALS), "execute-api", REGION).add_auth(request)
        headers = dict(request.headers.items()) | {"X-User-Id": user}
        reply = httpx.request(method, url, content=content, headers=headers, timeout=60)
        assert reply.status_code == 200, reply.text
        return dict(reply.json())

    def ask(self, session: str, question: str) -> dict[str, Any]:
        """Ask, and wait until the role memory has read the question."""
        data = self.call("POST", "/api/chat", {"session_id": session, "message": question})["data"]
        eventually(lambda: self.latest(session)["roleMemory"], lambda memory: memory["pending"] is False)
        return dict(data)

    def latest(self, session: str) -> dict[str, Any]:
        return self.call("GET", f"{MEMORY}/latest?session_id={session}")

    def waiting(self, queue: str) -> int:
        """Return how many messages of a queue there are, seen or unseen."""
        names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
        sqs = self.aws.client("sqs")
        counts = sqs.get_queue_attributes(QueueUrl=self.outputs[queue], AttributeNames=names)["Attributes"]
        return sum(int(counts[name]) for name in names)


@pytest.fixture(scope="module")
def stack(aws: Emulator, model: StandIn, tmp_path_factory: pytest.TempPathFactory) -> Stack:
    """Deploy the template for the first time."""
    folder, target = tmp_path_factory.mktemp("stack"), aws.target
    build(folder, target["PYTHON_VERSION"])
    fixed = {
        "Architecture": target["ARCH"],
        "LambdaRuntime": f"python{target['PYTHON_VERSION']}",
        "RoleMaxReceives": "2",
    }
    stack = Stack(aws, folder, parameters(aws.url, model.url) | fixed)
    stack.deploy()
    # AWS would show a failed message again after 12 minutes.
    aws.client("sqs").set_queue_attributes(
        QueueUrl=stack.outputs["DoorbellQueueUrl"], Attributes={"VisibilityTimeout": "2"}
    )
    return stack


def test_outputs_say_where_everything_is(stack: Stack) -> None:
    # GIVEN a deployed stack; THEN its outputs are what the template promises, and lead to what there is
    outputs, resources = stack.outputs, stack.resources
    assert outputs["ApiId"] in outputs["ApiUrl"]
    assert outputs["ConversationTableName"] == resources["ConversationTable"]
    assert outputs["RoleMemoryTableName"] == resources["RoleMemoryTable"]
    assert stack.waiting("DoorbellQueueUrl") == 0


def test_question_goes_through_queue_and_worker(stack: Stack) -> None:
    # WHEN two questions are asked over HTTP
    first = stack.ask("s1", "研究下回锅肉的做法")
    second = stack.ask("s1", "改进一下口味，让他更加适合于老人和小孩")
    # THEN the role was learned behind the queue, and guided the second answer
    assert (first["turn"], second["turn"]) == (1, 2)
    assert second["guidance"] == {"scope": "every", "applied": True, "version": 1}
    assert stack.latest("s1")["data"]["metadata"]["version"] == 2


def test_r5_broken_doorbell_ends_among_the_dead_letters_and_blocks_nobody(stack: Stack) -> None:
    # GIVEN a message in the queue that is no doorbell
    sqs, queue = stack.aws.client("sqs"), stack.outputs["DoorbellQueueUrl"]
    before = stack.waiting("DoorbellDeadLetterQueueUrl")
    sqs.send_message(QueueUrl=queue, MessageBody="broken", MessageGroupId="broken", MessageDeduplicationId="broken")
    # WHEN it has failed as often as the template allows
    # THEN it is a dead letter, and a question asked meanwhile was read
    stack.ask("s2", "How do I prune old roses?")
    eventually(lambda: stack.waiting("DoorbellDeadLetterQueueUrl"), lambda count: count == before + 1, 60)


def test_r23_redriven_doorbell_of_an_erased_session_brings_nothing_back(stack: Stack) -> None:
    # GIVEN a session that was erased while a doorbell of it was among the dead letters
    stack.ask("s3", "How do I prune old roses?")
    stack.call("POST", f"{MEMORY}/delete?session_id=s3&scope=all")
    # WHEN the dead letters are redriven, which puts their bodies back into the queue
    doorbell = json.dumps({"userId": "u1", "sessionId": "s3"})
    queue, ids = stack.outputs["DoorbellQueueUrl"], {"MessageGroupId": "s3", "MessageDeduplicationId": "s3-again"}
    stack.aws.client("sqs").send_message(QueueUrl=queue, MessageBody=doorbell, **ids)
    # THEN the worker takes the doorbell, and finds nothing to do
    eventually(lambda: stack.waiting("DoorbellQueueUrl"), lambda count: count == 0, 60)
    assert stack.latest("s3")["data"] is None
    assert stack.call("GET", f"{MEMORY}/conversation?session_id=s3")["data"] == []


def test_second_deploy_changes_settings_and_replaces_no_table(stack: Stack) -> None:
    # GIVEN a deployed stack with a memory
    stack.ask("s4", "研究下回锅肉的做法")
    before, memory = stack.resources, stack.latest("s4")
    # WHEN it is deployed again with other parameters
    stack.deploy(RoleGuideScope="none", MemoryTtlDays="7", LogRetentionDays="7")
    # THEN tables, queues and API are the same ones, with what was in them
    after = stack.resources
    for name in ("ConversationTable", "RoleMemoryTable", "DoorbellQueue", "DoorbellDeadLetterQueue", "Api"):
        assert after[name] == before[name]
    assert stack.latest("s4") == memory
    # AND the new settings are in force
    assert stack.ask("s4", "改进一下口味，让他更加适合于老人和小孩")["guidance"]["scope"] == "none"
