"""The real template through `make deploy`: HTTP, queue, worker, dead letters, a second deploy, and the end of it."""

import pytest

from tests.artifacts.stack import MEMORY, STAGE, Stack
from tests.support.polling import eventually
from tools.artifacts.resources import parameters
from tools.local import stand_in
from tools.local.emulator import Emulator
from tools.local.stand_in import StandIn


@pytest.fixture(scope="module")
def stack(aws: Emulator, model: StandIn, tmp_path_factory: pytest.TempPathFactory) -> Stack:
    """Deploy the template for the first time."""
    fixed = {
        "Architecture": aws.target["ARCH"],
        "LambdaRuntime": f"python{aws.target['PYTHON_VERSION']}",
        "OpenAiApiKey": "",  # Nobody has one to give on AWS.
        "RoleMaxReceives": "1",  # A second delivery would come half a minute later.
    }
    stack = Stack(aws, tmp_path_factory.mktemp("stack") / "stage.toml", parameters(aws.url, model.url) | fixed)
    stack.deploy()
    return stack


def test_outputs_say_where_everything_is(stack: Stack) -> None:
    # GIVEN a deployed stack; THEN its outputs are what the template promises, and lead to what there is
    outputs, resources = stack.outputs, stack.resources
    assert outputs["ApiId"] in outputs["ApiUrl"]
    assert outputs["ConversationTableName"] == resources["ConversationTable"]
    assert outputs["RoleMemoryTableName"] == resources["RoleMemoryTable"]
    assert stack.waiting("DoorbellQueueUrl") == 0
    # AND whoever pays can tell what it is
    assert stack.tags == {"project": "role-memory", "stage": STAGE}


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


@pytest.fixture
def poisoned(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> int:
    """Ask in two sessions what the role model cannot read, mend it, and return how many dead letters there are."""
    answer, before = stand_in.answer, stack.waiting("DoorbellDeadLetterQueueUrl")
    with monkeypatch.context() as broken:
        broken.setattr(stand_in, "answer", lambda request: "No." if request.response_format else answer(request))
        for session in ("s3", "s5"):
            stack.ask(session, "How do I prune old roses?")
    return eventually(lambda: stack.waiting("DoorbellDeadLetterQueueUrl"), lambda count: count == before + 2, 60)


def test_r5_r23_redriven_doorbells_double_nothing_and_bring_nothing_back(stack: Stack, poisoned: int) -> None:
    # GIVEN two questions that were skipped, their doorbells among the dead letters, and one of the sessions erased
    skipped = stack.track("s5")
    assert [snapshot["metadata"]["decision"]["operation"] for snapshot in skipped] == ["SKIPPED"]
    stack.call("POST", f"{MEMORY}/delete?session_id=s3&scope=all")
    # WHEN the dead letters are redriven, and the worker has taken them
    stack.redrive()
    assert stack.waiting("DoorbellDeadLetterQueueUrl") < poisoned
    eventually(lambda: stack.waiting("DoorbellQueueUrl"), lambda count: count == 0, 60)
    # THEN the skipped question is not read a second time
    assert stack.track("s5") == skipped
    # AND what was erased stays erased
    assert stack.latest("s3")["data"] is None
    assert stack.call("GET", f"{MEMORY}/conversation?session_id=s3")["data"] == []
    # AND the session learns from its next question
    stack.ask("s5", "I am a gardener. How do I prune old roses?")
    assert [snapshot["metadata"]["decision"]["operation"] for snapshot in stack.track("s5")] == ["SKIPPED", "CREATE"]


def test_second_deploy_changes_settings_and_replaces_no_table(stack: Stack) -> None:
    # GIVEN a deployed stack with a memory
    stack.ask("s4", "研究下回锅肉的做法")
    before, memory = stack.resources, stack.latest("s4")
    # WHEN it is deployed again with other parameters
    stack.deploy_again(RoleGuideScope="none", MemoryTtlDays="7", LogRetentionDays="7")
    # THEN tables, queues and API are the same ones, with what was in them
    after = stack.resources
    for name in ("ConversationTable", "RoleMemoryTable", "DoorbellQueue", "DoorbellDeadLetterQueue", "Api"):
        assert after[name] == before[name]
    assert stack.latest("s4") == memory
    # AND the new settings are in force
    assert stack.ask("s4", "改进一下口味，让他更加适合于老人和小孩")["guidance"]["scope"] == "none"


def test_destroy_removes_everything_but_what_is_remembered(stack: Stack) -> None:
    # GIVEN a stack with a memory
    stack.ask("s6", "How do I prune old roses?")
    before, queue = stack.resources, stack.outputs["DoorbellQueueUrl"]
    # WHEN it is destroyed, and so is what was uploaded for it
    stack.make("destroy", "y", "y")
    # THEN the API, the functions, the queues and the logs are gone
    left = {function["FunctionName"] for function in stack.aws.client("lambda").list_functions()["Functions"]}
    assert not left & {before[name] for name in ("ChatFunction", "RoleMemoryFunction", "MemoryApiFunction")}
    assert before["Api"] not in {api["id"] for api in stack.aws.client("apigateway").get_rest_apis()["items"]}
    assert queue not in stack.aws.client("sqs").list_queues().get("QueueUrls", [])
    # AND both tables are there, with what was in them
    for table in ("ConversationTable", "RoleMemoryTable"):
        assert stack.aws.client("dynamodb").scan(TableName=before[table])["Count"] > 0
