"""The environment every test starts from: no real account, no real endpoint."""

import os

from tests.support import given  # noqa: F401 kept before the environment is replaced
from tests.support.aws import CONVERSATION_TABLE, ROLE_MEMORY_TABLE

os.environ.update(
    {
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_DEFAULT_REGION": "us-east-1",
        "CONVERSATION_TABLE": CONVERSATION_TABLE,
        "ROLE_MEMORY_TABLE": ROLE_MEMORY_TABLE,
        "DOORBELL_QUEUE_URL": "https://sqs.us-east-1.amazonaws.com/123456789012/doorbell.fifo",
        "AUTH_MODE": "IAM",
        "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
        "OPENAI_API_KEY": "secret-key-of-tests",
        "CHAT_MODEL": "chat-model",
        "ROLE_MODEL": "role-model",
        "POWERTOOLS_METRICS_NAMESPACE": "RoleMemory",
        "POWERTOOLS_SERVICE_NAME": "role-memory",
    }
)
