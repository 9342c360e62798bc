"""What whoever runs the system sees of it: logs, alarms, metrics."""

import json
import re
from pathlib import Path

import botocore.session
import pytest
from botocore import xform_name

from tools.template import properties, template

ROOT = Path(__file__).parents[2]


def of_type(kind: str) -> list[str]:
    """Return the logical ids of the resources of a type."""
    return [name for name, each in template()["Resources"].items() if each["Type"] == kind]


ALARMS = of_type("AWS::CloudWatch::Alarm")
FUNCTIONS = of_type("AWS::Serverless::Function")


@pytest.mark.parametrize("log", of_type("AWS::Logs::LogGroup"))
def test_log_is_not_kept_forever(log: str) -> None:
    # GIVEN a log; THEN it ends, and two stacks of an account do not share it
    assert properties(log)["RetentionInDays"] == {"Ref": "LogRetentionDays"}
    assert "${AWS::StackName}" in properties(log)["LogGroupName"]["Fn::Sub"]


def test_each_function_and_the_api_log_to_a_log_of_their_own() -> None:
    # GIVEN the functions and the API
    logs = [properties(function)["LoggingConfig"]["LogGroup"]["Ref"] for function in FUNCTIONS]
    logs.append(properties("Api")["AccessLogSetting"]["DestinationArn"]["Fn::GetAtt"].removesuffix(".Arn"))
    # THEN each has one of the logs of the template, which has no others
    assert sorted(logs) == sorted(of_type("AWS::Logs::LogGroup"))


def test_api_gateway_may_log_before_the_stage_does() -> None:
    # GIVEN an account where nobody has set API Gateway's logging role; THEN the API waits until this stack has
    assert template()["Resources"]["Api"]["DependsOn"] == "ApiGatewayAccount"
    # AND it stays when the stack goes, since other stacks may use it
    for shared in ("ApiGatewayAccount", "ApiGatewayLoggingRole"):
        assert template()["Resources"][shared]["DeletionPolicy"] == "Retain"
        assert template()["Resources"][shared]["Condition"] == "ManagesApiGatewayLogging"


@pytest.mark.parametrize("alarm", ALARMS)
def test_alarm_tells_somebody_what_to_do(alarm: str) -> None:
    # GIVEN an alarm; THEN it goes to the topic, if there is one
    wanted = properties(alarm)
    assert wanted["AlarmActions"] == {"Fn::If": ["HasAlarmTopic", [{"Ref": "AlarmTopicArn"}], {"Ref": "AWS::NoValue"}]}
    # AND says in words what is wrong
    assert len(wanted["AlarmDescription"].split()) > 8
    # AND quiet is not trouble
    assert wanted["TreatMissingData"] == "notBreaching"


@pytest.mark.parametrize("queue", of_type("AWS::SQS::Queue"))
def test_queue_is_watched(queue: str) -> None:
    # GIVEN a queue; THEN an alarm looks at it
    names = [{"Name": "QueueName", "Value": {"Fn::GetAtt": f"{queue}.QueueName"}}]
    assert [alarm for alarm in ALARMS if properties(alarm)["Dimensions"] == names]


def test_r5_one_dead_letter_is_enough_for_an_alarm() -> None:
    # GIVEN the dead letters; THEN the first one is told
    wanted = properties("DeadLetterAlarm")
    assert wanted["MetricName"] == "ApproximateNumberOfMessagesVisible"
    assert (wanted["ComparisonOperator"], wanted["Threshold"]) == ("GreaterThanOrEqualToThreshold", 1)


def test_chat_has_the_metrics_its_alarms_look_at() -> None:
    # GIVEN the alarms on the chat call, which API Gateway counts apart only where told
    looks = [
        {each["Name"]: each["Value"] for each in properties(alarm)["Dimensions"]}
        for alarm in ("ChatFailureAlarm", "ChatLatencyAlarm")
    ]
    chat = {"ApiName": {"Ref": "AWS::StackName"}, "Stage": {"Ref": "StageName"}}
    assert looks == [chat | {"Method": "POST", "Resource": "/api/chat"}] * 2
    # THEN the API has the name they look for
    assert properties("Api")["Name"] == chat["ApiName"]
    # AND it counts that call apart
    counted = [each for each in properties("Api")["MethodSettings"] if each.get("MetricsEnabled")]
    assert [(each["HttpMethod"], each["ResourcePath"]) for each in counted] == [("POST", "/~1api~1chat")]


def test_alarm_on_extraction_looks_at_what_the_worker_counts() -> None:
    # GIVEN the alarm on failed extractions; THEN a function counts a metric of that name
    wanted = properties("ExtractionAlarm")
    code = "".join(file.read_text("utf-8") for file in (ROOT / "functions" / "role_memory").rglob("*.py"))
    assert f'count("{wanted["MetricName"]}")' in code
    # AND it stands in the namespace and under the service name that the function is given
    common = template()["Globals"]["Function"]["Environment"]["Variables"]
    own = properties("RoleMemoryFunction")["Environment"]["Variables"]
    assert wanted["Namespace"] == common["POWERTOOLS_METRICS_NAMESPACE"]
    assert wanted["Dimensions"] == [{"Name": "service", "Value": own["POWERTOOLS_SERVICE_NAME"]}]


def test_dashboard_can_be_drawn() -> None:
    # GIVEN the dashboard; THEN it is JSON, once the names are in, and every graph has a title
    body = json.loads(properties("Dashboard")["DashboardBody"]["Fn::Sub"])
    assert all(widget["properties"]["title"] for widget in body["widgets"])


def test_functions_are_traced_and_scale_to_zero() -> None:
    # GIVEN the functions; THEN all are traced, and none is kept warm
    assert template()["Globals"]["Function"]["Tracing"] == "Active"
    for function in FUNCTIONS:
        assert not {"ProvisionedConcurrencyConfig", "ReservedConcurrentExecutions"} & properties(function).keys()


def test_documented_redrive_is_a_command_that_sqs_has() -> None:
    # GIVEN the redrive command of the documents
    (call,) = re.findall(
        r"^aws sqs ([a-z-]+) --([a-z-]+)", (ROOT / "docs/operations.md").read_text("utf-8"), re.MULTILINE
    )
    # WHEN its name is looked up in what SQS says of itself
    sqs = botocore.session.get_session().get_service_model("sqs")
    commands = {xform_name(name, "-"): sqs.operation_model(name) for name in sqs.operation_names}
    # THEN it needs what it is given, and no more
    assert [xform_name(name, "-") for name in commands[call[0]].input_shape.required_members] == [call[1]]
