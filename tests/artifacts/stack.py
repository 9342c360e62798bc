"""A stack that is deployed, called, redriven and destroyed as its owner does, on the emulator."""

import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from tests.support.polling import eventually
from tools.local.emulator import CREDENTIALS, REGION, Emulator
from tools.template import template

STAGE = "test"
STACK = f"role-memory-{STAGE}"
MEMORY = "/api/user/memory"


@dataclass
class Stack:
    """A deployed stack."""

    aws: Emulator
    config: Path
    parameters: dict[str, str]

    def deploy(self) -> None:
        """Deploy for the first time, answering what is asked."""
        answers = [self.parameters.get(name, "") for name in template()["Parameters"]]
        confirm, roles, no_rollback, save, file, environment, sure = "y", "y", "n", "y", "", "", "y"
        self.make("deploy", "", REGION, *answers, confirm, roles, no_rollback, save, file, environment, sure)

    def deploy_again(self, **changed: str) -> None:
        """Deploy once more, with other parameters."""
        text = self.config.read_text("utf-8")
        for name, value in changed.items():
            text, count = re.subn(rf'\b{name}=\\"[^"]*\\"', rf'{name}=\\"{value}\\"', text)
            assert count == 1
        self.config.write_text(text, "utf-8")
        self.make("deploy", "y")

    def make(self, target: str, *answers: str) -> None:
        """Run ``make deploy`` or ``make destroy``."""
        stage = [f"STAGE={STAGE}", f"STAGE_CONFIG={self.config}"]
        fits = [f"ARCH={self.aws.target['ARCH']}", f"PYTHON_VERSION={self.aws.target['PYTHON_VERSION']}"]
        variables = self.aws.environment() | {"MAKEFLAGS": "", "SAM_CLI_POLL_DELAY": "0.2"}
        told = "".join(f"{answer}\n" for answer in answers)
        program = shutil.which("make")
        assert program
        done = subprocess.run(  # noqa: S603
            [program, target, *stage, *fits], env=variables, input=told, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def redrive(self) -> None:
        """Do to each dead letter what SQS does in a message move task, which the emulator does not have."""
        sqs, dead, queue = (
            self.aws.client("sqs"),
            self.outputs["DoorbellDeadLetterQueueUrl"],
            self.outputs["DoorbellQueueUrl"],
        )
        while found := sqs.receive_message(QueueUrl=dead, AttributeNames=["MessageGroupId"]).get("Messages"):
            for message in found:
                ids = {"MessageGroupId": message["Attributes"]["MessageGroupId"], "MessageDeduplicationId": uuid4().hex}
                sqs.send_message(QueueUrl=queue, MessageBody=message["Body"], **ids)
                sqs.delete_message(QueueUrl=dead, ReceiptHandle=message["ReceiptHandle"])

    @property
    def description(self) -> dict[str, Any]:
        (stack,) = self.aws.client("cloudformation").describe_stacks(StackName=STACK)["Stacks"]
        return dict(stack)

    @property
    def outputs(self) -> dict[str, str]:
        return {each["OutputKey"]: each["OutputValue"] for each in self.description["Outputs"]}

    @property
    def tags(self) -> dict[str, str]:
        return {each["Key"]: each["Value"] for each in self.description["Tags"]}

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

    def track(self, session: str) -> list[dict[str, Any]]:
        return list(self.call("GET", f"{MEMORY}/track?session_id={session}")["data"])

    def waiting(self, queue: str) -> int:
        """Return how many messages of a queue there are, seen or unseen."""
        names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
        sqs = self.aws.client("sqs")
        counts = sqs.get_queue_attributes(QueueUrl=self.outputs[queue], AttributeNames=names)["Attributes"]
        return sum(int(counts[name]) for name in names)
