"""Who calls, from the token of any OIDC issuer (R22)."""

from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools.utilities.auth_alpha import JWTVerifier
from aws_lambda_powertools.utilities.auth_alpha.exceptions import AuthError
from aws_lambda_powertools.utilities.auth_alpha.jwt.exceptions import InvalidTokenError

from shared.observability import logger

ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]


class Unauthorized(Exception):
    """API Gateway answers 401 to an authorizer that fails with just this word."""

    def __init__(self) -> None:
        super().__init__("Unauthorized")


def verifier_of(environment: Mapping[str, str]) -> JWTVerifier:
    """Return the verifier of the tokens that ``JWT_ISSUER`` makes for ``JWT_AUDIENCE``.

    It finds the issuer's keys by discovery, keeps them for five minutes and allows clocks to differ by 60 s.

    Raises
    ------
    ValueError
        A setting is missing or wrong.
    """
    try:
        return JWTVerifier(
            issuer=environment.get("JWT_ISSUER", ""),
            audience=environment.get("JWT_AUDIENCE", ""),
            algorithms=ALGORITHMS,
        )
    except ValueError:
        raise ValueError(
            "Wrong settings. JWT_ISSUER must be the https address in the tokens' iss claim, JWT_AUDIENCE their aud."
        ) from None


def authorize(event: Mapping[str, Any], verifier: JWTVerifier) -> dict[str, Any]:
    """Return the policy that lets the bearer of a valid token call the stage, with the ``sub`` claim as context.

    Raises
    ------
    Unauthorized
        No token, an invalid one, or one that names no subject.
    JWKSFetchError
        The issuer's keys could not be read; the token may be good.
    """
    policy = verifier.authorize(dict(event), response_format="iam", context_claims=["sub"], on_error=_refuse)
    # API Gateway keeps the policy by token: it must hold for the other calls of the stage too.
    stage = "/".join(event["methodArn"].split("/")[:2])
    policy["policyDocument"]["Statement"][0]["Resource"] = [f"{stage}/*"]
    return policy


def _refuse(error: AuthError) -> None:
    logger.info("token not accepted", extra={"reason": error.reason.value})
    if isinstance(error, InvalidTokenError):
        raise Unauthorized
