"""The running system does what its OpenAPI document says, whatever is sent.

Hostile and ordinary requests are made from the document itself. What the document cannot say is proved elsewhere: who
may call (the gateway verifies, and `test_identity`), and what a request must mean beyond its shape.
"""

import os
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks

from tests.security.wsgi import Front
from tests.support.system import System
from tools import openapi

EXAMPLES = int(os.environ.get("SCHEMATHESIS_EXAMPLES", "25"))
CHECKS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
    checks.negative_data_rejection,
]
front = Front()
schema = schemathesis.openapi.from_dict(openapi.document())
schema.app = front


@pytest.fixture
def served(system: System) -> System:
    """Return the system behind the front, with a session and a role."""
    system.ask("gardener asks", session="__default__")
    system.ring_all()
    front.system = system
    return system


@schema.parametrize()
@settings(max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_system_is_as_documented(case: Any, served: System) -> None:
    case.call_and_validate(headers={"X-User-Id": "u1"}, checks=CHECKS)
