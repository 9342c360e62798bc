"""Least privilege: what the role of each function may do, and where (R22, R24)."""

from collections.abc import Iterator
from typing import Any

import pytest

from tools.template import properties, template

FUNCTIONS = {
    name: each["Properties"]["Role"]["Fn::GetAtt"].removesuffix(".Arn")
    for name, each in template()["Resources"].items()
    if each["Type"] == "AWS::Serverless::Function"
}
"""Each function with its role."""

DELETES = {"dynamodb:DeleteItem", "dynamodb:BatchWriteItem"}


def permissions(function: str) -> set[tuple[str, str]]:
    """Return every action the function may take, with the resource of the template it may take it on."""
    return {
        (action, _name(resource))
        for policy in properties(FUNCTIONS[function])["Policies"]
        for statement in _statements(policy["PolicyDocument"]["Statement"])
        for action in _listed(statement["Action"])
        for resource in _listed(statement["Resource"])
    }


def _statements(statements: list[Any]) -> Iterator[dict[str, Any]]:
    for statement in statements:
        if "Fn::If" in statement:
            yield from (branch for branch in statement["Fn::If"][1:] if branch != {"Ref": "AWS::NoValue"})
        else:
            yield statement


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _name(resource: Any) -> str:
    """Return the logical id of a resource or parameter; text stays as it is."""
    if isinstance(resource, str):
        return resource
    ((_, target),) = resource.items()
    return str(target).removesuffix(".Arn")


def where(function: str, actions: set[str]) -> set[str]:
    """Return on which resources the function may take any of the actions."""
    return {resource for action, resource in permissions(function) if action in actions}


def test_each_function_has_a_role_of_its_own() -> None:
    # GIVEN the roles; THEN no two functions share one
    assert len(set(FUNCTIONS.values())) == len(FUNCTIONS) == 4


@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_function_may_do_anything_anywhere(function: str) -> None:
    # GIVEN the permissions of a function
    granted = permissions(function)
    # THEN each names its action and a resource of this stack, or the secret
    known = {*template()["Resources"], "OpenAiApiKeySecretArn"}
    assert not [action for action, _ in granted if "*" in action]
    assert {resource for _, resource in granted} <= known
    # AND nothing is granted past them but sending traces, which AWS does not limit to a resource
    (managed,) = properties(FUNCTIONS[function])["ManagedPolicyArns"]
    assert managed == {"Fn::Sub": "arn:${AWS::Partition}:iam::aws:policy/AWSXRayDaemonWriteAccess"}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_role_is_for_lambda_alone(function: str) -> None:
    # GIVEN a role; THEN nobody but Lambda takes it
    (statement,) = properties(FUNCTIONS[function])["AssumeRolePolicyDocument"]["Statement"]
    assert statement["Principal"] == {"Service": "lambda.amazonaws.com"}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_r24_function_writes_its_own_log_and_no_other(function: str) -> None:
    # GIVEN a function's log; THEN its role reaches that log alone
    log = properties(function)["LoggingConfig"]["LogGroup"]["Ref"]
    assert where(function, {"logs:CreateLogStream", "logs:PutLogEvents"}) == {log}
    assert {action for action, _ in permissions(function) if action.startswith("logs:")} == {
        "logs:CreateLogStream",
        "logs:PutLogEvents",
    }


@pytest.mark.parametrize("function", FUNCTIONS)
def test_r22_no_function_reads_past_a_key(function: str) -> None:
    # GIVEN two tables that hold all users; THEN no function may scan one, or run statements over it
    assert not where(function, {"dynamodb:Scan", "dynamodb:PartiQLSelect", "dynamodb:ExportTableToPointInTime"})


@pytest.mark.parametrize("function", ["ChatFunction", "RoleMemoryFunction", "AuthorizerFunction"])
def test_r23_only_the_memory_api_deletes(function: str) -> None:
    # GIVEN a function that erases nothing; THEN it can't
    assert where("MemoryApiFunction", DELETES) == {"ConversationTable", "RoleMemoryTable"}
    assert not where(function, DELETES)


TABLES = {
    "ChatFunction": {
        "ConversationTable": {"BatchGetItem", "Query", "PutItem", "UpdateItem", "ConditionCheckItem"},
        "RoleMemoryTable": {"BatchGetItem", "Query"},
    },
    "RoleMemoryFunction": {
        "ConversationTable": {"BatchGetItem", "Query", "UpdateItem"},
        "RoleMemoryTable": {"BatchGetItem", "Query", "UpdateItem", "PutItem"},
    },
    "MemoryApiFunction": {
        "ConversationTable": {"BatchGetItem", "Query", "UpdateItem", "DeleteItem", "BatchWriteItem"},
        "RoleMemoryTable": {"BatchGetItem", "Query", "UpdateItem", "PutItem", "BatchWriteItem"},
    },
    "AuthorizerFunction": {},
}
"""What the stores ask of each table in each function; the local system enforces it, so that none is missing."""


@pytest.mark.parametrize("function", FUNCTIONS)
def test_function_may_do_what_its_stores_do_and_nothing_else(function: str) -> None:
    # GIVEN the permissions of a function on the tables; THEN what a user says can't reach a role through the chat, say
    granted: dict[str, set[str]] = {}
    for action, resource in permissions(function):
        if action.startswith("dynamodb:"):
            granted.setdefault(resource, set()).add(action.removeprefix("dynamodb:"))
    assert granted == TABLES[function]


def test_r3_chat_rings_and_only_the_worker_listens() -> None:
    # GIVEN the doorbell; THEN one function rings it
    assert where("ChatFunction", {"sqs:SendMessage"}) == {"DoorbellQueue"}
    assert not where("RoleMemoryFunction", {"sqs:SendMessage"})
    # AND one takes its messages
    assert where("RoleMemoryFunction", {"sqs:ReceiveMessage", "sqs:DeleteMessage"}) == {"DoorbellQueue"}
    assert not where("ChatFunction", {"sqs:ReceiveMessage", "sqs:DeleteMessage"})


def test_memory_api_has_neither_queue_nor_model_key() -> None:
    # GIVEN the function that reads, edits and erases; THEN it reaches tables and its log, and no other service
    services = {action.split(":")[0] for action, _ in permissions("MemoryApiFunction")}
    assert services == {"dynamodb", "logs"}


def test_authorizer_reaches_nothing_but_its_log() -> None:
    # GIVEN the function that strangers talk to first; THEN it can do nothing
    assert {action.split(":")[0] for action, _ in permissions("AuthorizerFunction")} == {"logs"}


def test_r24_model_key_is_read_by_those_who_call_a_model_and_only_if_there_is_one() -> None:
    # GIVEN the secret; THEN two functions may read it
    readers = {name for name in FUNCTIONS if where(name, {"secretsmanager:GetSecretValue"})}
    assert readers == {"ChatFunction", "RoleMemoryFunction"}
    for reader in readers:
        # AND just that secret
        assert where(reader, {"secretsmanager:GetSecretValue"}) == {"OpenAiApiKeySecretArn"}
        # AND the permission is absent where no secret is named
        (policy,) = properties(FUNCTIONS[reader])["Policies"]
        (choice,) = [each["Fn::If"] for each in policy["PolicyDocument"]["Statement"] if "Fn::If" in each]
        assert (choice[0], choice[2]) == ("HasSecret", {"Ref": "AWS::NoValue"})
