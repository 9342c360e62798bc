"""The Lambda authorizer of ``AuthMode`` JWT."""

import os
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.authorizer.tokens import authorize, verifier_of

_verifier = verifier_of(os.environ)


def handler(event: dict[str, Any], _: LambdaContext) -> dict[str, Any]:
    """Answer API Gateway's question who calls."""
    return authorize(event, _verifier)
