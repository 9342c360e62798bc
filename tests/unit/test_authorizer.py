"""The Lambda authorizer against a real issuer: RSA keys, tokens, and a key set served over TLS (R22)."""

import datetime
import ipaddress
import json
import ssl
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import jwt
import pytest
from aws_lambda_powertools.utilities.auth_alpha.jwt import JWTVerifier
from aws_lambda_powertools.utilities.auth_alpha.jwt.exceptions import JWKSFetchError
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from functions.authorizer.tokens import Unauthorized, authorize, verifier_of

AUDIENCE = "https://memory.example"
STAGE = "arn:aws-us-gov:execute-api:us-gov-west-1:123456789012:abc123/live"


def new_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


class Issuer(ThreadingHTTPServer):
    """An OIDC issuer on loopback with one signing key; it counts how often the keys are read."""

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Discovery)
        self.key = new_key()
        self.key_reads = 0
        self.url = f"https://127.0.0.1:{self.server_port}"
        self.certificate = _certificate(self.key, folder)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate)
        self.socket = context.wrap_socket(self.socket, server_side=True)

    def token(self, key: rsa.RSAPrivateKey | None = None, kid: str = "k1", **claims: Any) -> str:
        now = int(time.time())
        valid = {"iss": self.url, "aud": AUDIENCE, "sub": "auth0|7", "iat": now, "exp": now + 600}
        chosen = {name: value for name, value in (valid | claims).items() if value is not None}
        return jwt.encode(chosen, key or self.key, algorithm="RS256", headers={"kid": kid})


class _Discovery(BaseHTTPRequestHandler):
    server: Issuer

    def do_GET(self) -> None:
        if self.path == "/.well-known/openid-configuration":
            body: dict[str, Any] = {"issuer": self.server.url, "jwks_uri": f"{self.server.url}/keys"}
        else:
            self.server.key_reads += 1
            public = json.loads(RSAAlgorithm.to_jwk(self.server.key.public_key()))
            body = {"keys": [{**public, "kid": "k1", "use": "sig", "alg": "RS256"}]}
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, *_: object) -> None:
        """Stay quiet."""


def _certificate(key: rsa.RSAPrivateKey, folder: Path) -> Path:
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "issuer")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(minutes=5))
        .not_valid_after(now + datetime.timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file = folder / "issuer.pem"
    file.write_bytes(private + certificate.public_bytes(serialization.Encoding.PEM))
    return file


@pytest.fixture(scope="module")
def issuer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Issuer]:
    server = Issuer(tmp_path_factory.mktemp("issuer"))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    with server, pytest.MonkeyPatch.context() as environment:
        environment.setenv("SSL_CERT_FILE", str(server.certificate))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def verifier(issuer: Issuer) -> JWTVerifier:
    return verifier_of({"JWT_ISSUER": issuer.url, "JWT_AUDIENCE": AUDIENCE})


def call(token: str | None, scheme: str = "Bearer") -> dict[str, Any]:
    event = {"type": "TOKEN", "methodArn": f"{STAGE}/GET/api/user/memory/latest"}
    return event if token is None else {**event, "authorizationToken": f"{scheme} {token}"}


LONG_AGO = {"iat": 1_000_000_000, "exp": 1_000_000_600}


@pytest.mark.parametrize(
    "claims",
    [
        pytest.param({"aud": "https://other.example"}, id="another audience"),
        pytest.param({"aud": None}, id="no audience"),
        pytest.param({"iss": "https://evil.example"}, id="another issuer"),
        pytest.param(LONG_AGO, id="expired"),
        pytest.param({"exp": None}, id="never expires"),
        pytest.param({"nbf": 4_000_000_000}, id="not yet valid"),
        pytest.param({"sub": None}, id="no subject"),
        pytest.param({"sub": " "}, id="blank subject"),
        pytest.param({"kid": "k2"}, id="unknown key"),
    ],
)
def test_r22_token_that_does_not_identify_the_caller_is_unauthorized(
    issuer: Issuer, verifier: JWTVerifier, claims: dict[str, Any]
) -> None:
    # GIVEN a token the issuer signed, with a claim that does not hold
    token = issuer.token(**claims)
    # WHEN it comes with a call
    # THEN the authorizer fails with the one word that API Gateway turns into a 401
    with pytest.raises(Unauthorized, match=r"^Unauthorized$"):
        authorize(call(token), verifier)


def test_r22_token_signed_by_somebody_else_is_unauthorized(issuer: Issuer, verifier: JWTVerifier) -> None:
    # GIVEN a token with all the right claims and the right key id, signed with another key
    forged = issuer.token(key=new_key())
    # WHEN / THEN
    with pytest.raises(Unauthorized):
        authorize(call(forged), verifier)


def test_r22_token_that_picks_its_own_algorithm_is_unauthorized(issuer: Issuer, verifier: JWTVerifier) -> None:
    # GIVEN tokens with all the right claims: one signed with a shared secret, one not signed at all
    claims = jwt.decode(issuer.token(), options={"verify_signature": False})
    symmetric = jwt.encode(claims, "k" * 64, algorithm="HS256", headers={"kid": "k1"})
    unsigned = jwt.encode(claims, "", algorithm="none", headers={"kid": "k1"})
    # WHEN / THEN
    for token in (symmetric, unsigned):
        with pytest.raises(Unauthorized):
            authorize(call(token), verifier)


@pytest.mark.parametrize(
    "event",
    [call(None), call(""), call("x.y.z"), call("dXNlcjpwYXNz", "Basic")],
    ids=["none", "empty", "malformed", "another scheme"],
)
def test_r22_call_without_a_bearer_token_is_unauthorized(verifier: JWTVerifier, event: dict[str, Any]) -> None:
    # GIVEN a call with no token, or something else in its place; WHEN / THEN
    with pytest.raises(Unauthorized):
        authorize(event, verifier)


def test_r22_unreachable_issuer_is_a_failure_of_the_authorizer_not_of_the_caller(issuer: Issuer) -> None:
    # GIVEN a verifier whose issuer cannot be reached
    lost = verifier_of({"JWT_ISSUER": "https://127.0.0.1:1", "JWT_AUDIENCE": AUDIENCE})
    # WHEN a token comes in
    # THEN the failure is not a 401: the token may be good
    with pytest.raises(JWKSFetchError):
        authorize(call(issuer.token(iss="https://127.0.0.1:1")), lost)


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"JWT_ISSUER": "https://issuer.example"},
        {"JWT_ISSUER": "http://issuer.example", "JWT_AUDIENCE": AUDIENCE},
        {"JWT_ISSUER": "https://issuer.example", "JWT_AUDIENCE": " "},
    ],
    ids=str,
)
def test_wrong_settings_stop_the_function_with_a_sentence_that_names_them(environment: dict[str, str]) -> None:
    # GIVEN settings that verify nothing; WHEN / THEN
    with pytest.raises(ValueError, match=r"JWT_ISSUER .* JWT_AUDIENCE"):
        verifier_of(environment)


def test_r22_valid_token_may_call_the_stage_and_its_sub_is_the_user(issuer: Issuer, verifier: JWTVerifier) -> None:
    # GIVEN a valid token
    token = issuer.token(sub="auth0|7")
    # WHEN it comes with a call of one route
    policy = authorize(call(token), verifier)
    # THEN every route of this stage is allowed, as the policy is kept by token, and nothing beyond it
    assert policy["policyDocument"]["Statement"] == [
        {"Action": "execute-api:Invoke", "Effect": "Allow", "Resource": [f"{STAGE}/*"]}
    ]
    # AND the functions read the subject as the user
    assert policy["context"] == {"sub": "auth0|7"}


def test_keys_are_read_once_for_many_tokens(issuer: Issuer, verifier: JWTVerifier) -> None:
    # GIVEN a verifier that has verified a token
    authorize(call(issuer.token()), verifier)
    reads = issuer.key_reads
    # WHEN more tokens come in
    for user in ("a", "b", "c"):
        authorize(call(issuer.token(sub=user)), verifier)
    # THEN the issuer was not asked again
    assert issuer.key_reads == reads


def test_handler_verifies_with_the_settings_of_the_environment(issuer: Issuer, monkeypatch: pytest.MonkeyPatch) -> None:
    # GIVEN the environment of the deployed function
    monkeypatch.setenv("JWT_ISSUER", issuer.url)
    monkeypatch.setenv("JWT_AUDIENCE", AUDIENCE)
    # WHEN the function starts and is asked
    from functions.authorizer import handler

    # THEN it lets a valid token in
    assert handler.handler(call(issuer.token(sub="u1")), None)["context"] == {"sub": "u1"}  # type: ignore[arg-type]
