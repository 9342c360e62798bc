"""The tables and the queues of the template."""

import pytest

from tools.template import properties, template

TABLES = [name for name, each in template()["Resources"].items() if each["Type"] == "AWS::DynamoDB::Table"]
QUEUES = [name for name, each in template()["Resources"].items() if each["Type"] == "AWS::SQS::Queue"]


def test_there_are_two_memories_and_a_doorbell_with_its_dead_letters() -> None:
    # GIVEN the template; THEN it stores in these places and no others
    assert sorted(TABLES) == ["ConversationTable", "RoleMemoryTable"]
    assert sorted(QUEUES) == ["DoorbellDeadLetterQueue", "DoorbellQueue"]


@pytest.mark.parametrize("table", TABLES)
def test_r8_table_forgets_by_itself(table: str) -> None:
    # GIVEN a table; THEN items go when the attribute the stores write says so
    assert properties(table)["TimeToLiveSpecification"] == {"AttributeName": "expiresAt", "Enabled": True}


@pytest.mark.parametrize("table", TABLES)
def test_table_survives_mistakes_and_is_encrypted(table: str) -> None:
    # GIVEN a table; THEN neither a bad write nor the end of the stack loses it
    assert properties(table)["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert template()["Resources"][table]["DeletionPolicy"] == "Retain"
    assert template()["Resources"][table]["UpdateReplacePolicy"] == "Retain"
    # AND the disk is encrypted
    assert properties(table)["SSESpecification"] == {"SSEEnabled": True}


@pytest.mark.parametrize("table", TABLES)
def test_table_costs_nothing_at_rest_and_has_the_keys_of_the_stores(table: str) -> None:
    # GIVEN a table; THEN it scales to zero
    assert properties(table)["BillingMode"] == "PAY_PER_REQUEST"
    # AND it has two text keys and no index
    assert properties(table)["KeySchema"] == [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ]
    assert {each["AttributeType"] for each in properties(table)["AttributeDefinitions"]} == {"S"}
    assert not {"GlobalSecondaryIndexes", "LocalSecondaryIndexes"} & properties(table).keys()
    # AND no name of its own, so that two stacks fit one account
    assert "TableName" not in properties(table)


@pytest.mark.parametrize("queue", QUEUES)
def test_queue_is_fifo_and_encrypted(queue: str) -> None:
    # GIVEN a queue; THEN it keeps the order of a subject's doorbells, encrypted, also among the dead letters
    assert properties(queue)["FifoQueue"] is True
    assert properties(queue)["SqsManagedSseEnabled"] is True


def test_r3_doorbells_of_two_turns_are_never_taken_for_one() -> None:
    # GIVEN doorbells, which all look alike; THEN the queue does not tell them apart by content
    assert not properties("DoorbellQueue").get("ContentBasedDeduplication")


def test_r5_doorbell_that_keeps_failing_ends_among_the_dead_letters() -> None:
    # GIVEN the doorbell queue
    redrive = properties("DoorbellQueue")["RedrivePolicy"]
    # THEN it gives up after as many deliveries as the worker is told
    assert redrive["deadLetterTargetArn"] == {"Fn::GetAtt": "DoorbellDeadLetterQueue.Arn"}
    assert redrive["maxReceiveCount"] == {"Ref": "RoleMaxReceives"}
    variables = properties("RoleMemoryFunction")["Environment"]["Variables"]
    assert variables["ROLE_MAX_RECEIVES"] == {"Ref": "RoleMaxReceives"}
    # AND what it gave up is kept for the 14 days SQS allows
    assert properties("DoorbellDeadLetterQueue")["MessageRetentionPeriod"] == 14 * 24 * 3600


def test_r3_doorbell_is_not_delivered_again_while_it_is_answered() -> None:
    # GIVEN the worker's timeout; THEN the doorbell stays hidden for six times as long
    assert properties("DoorbellQueue")["VisibilityTimeout"] >= 6 * properties("RoleMemoryFunction")["Timeout"]


def test_r5_worker_answers_one_doorbell_at_a_time_and_reports_it() -> None:
    # GIVEN the worker's event source
    (source,) = properties("RoleMemoryFunction")["Events"].values()
    # THEN it is the doorbell queue, one message an invocation, reported by itself, with a bound on how many at once
    assert source["Type"] == "SQS"
    assert source["Properties"] == {
        "Queue": {"Fn::GetAtt": "DoorbellQueue.Arn"},
        "BatchSize": 1,
        "FunctionResponseTypes": ["ReportBatchItemFailures"],
        "ScalingConfig": {"MaximumConcurrency": {"Ref": "RoleMaximumConcurrency"}},
    }
