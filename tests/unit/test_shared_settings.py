"""Settings stop a function at its start with a sentence that names what is wrong."""

import pytest

from functions.chat.settings import ChatSettings
from functions.memory_api.settings import MemoryApiSettings
from functions.role_memory.settings import RoleSettings
from shared.settings import GuideScope, RoleScope, SettingsError

NEEDED = {"CONVERSATION_TABLE": "c", "ROLE_MEMORY_TABLE": "r", "DOORBELL_QUEUE_URL": "q"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SHORT_TERM_MEMORY_ENABLED", "perhaps"),
        ("CONVERSATION_MAX_MESSAGES", "1"),
        ("CONVERSATION_MAX_MESSAGES", "1001"),
        ("CONVERSATION_MAX_MESSAGES", "many"),
        ("ROLE_GUIDE_SCOPE", "sometimes"),
        ("ROLE_SCOPE", "team"),
        ("MEMORY_TTL_DAYS", "0"),
        ("MEMORY_TTL_DAYS", "3651"),
        ("MEMORY_TIME_ZONE", "Mars/Olympus"),
        ("CHAT_TIMEOUT_SECONDS", "0"),
        ("AUTH_MODE", "NONE"),
        ("CONVERSATION_TABLE", ""),
        ("DOORBELL_QUEUE_URL", " "),
    ],
)
def test_wrong_chat_setting_is_named(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=name):
        ChatSettings.from_environment(NEEDED | {name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ROLE_UPDATE_SIMILARITY_THRESHOLD", "1.1"),
        ("ROLE_HISTORY_QUESTIONS", "51"),
        ("ROLE_CATCH_UP_LIMIT", "0"),
        ("ROLE_TIMEOUT_SECONDS", "-1"),
    ],
)
def test_wrong_role_setting_is_named(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=name):
        RoleSettings.from_environment(NEEDED | {name: value})


def test_every_wrong_setting_is_named_at_once_and_no_value_is_told() -> None:
    """R24: a secret put into the wrong variable does not end up in a log."""
    wrong = NEEDED | {"ROLE_SCOPE": "sk-secret", "MEMORY_TTL_DAYS": "sk-secret"}
    with pytest.raises(SettingsError) as error:
        ChatSettings.from_environment(wrong)
    assert "ROLE_SCOPE" in str(error.value)
    assert "MEMORY_TTL_DAYS" in str(error.value)
    assert "sk-secret" not in str(error.value)


def test_defaults_are_the_documented_ones() -> None:
    """An empty variable counts as not set."""
    chat = ChatSettings.from_environment(NEEDED | {"ROLE_SCOPE": "", "CHAT_MODEL": ""})
    assert chat.short_term_memory_enabled
    assert (chat.conversation_max_messages, chat.memory_ttl_days, chat.memory_time_zone) == (100, 30, "UTC")
    assert (chat.role_guide_scope, chat.role_scope) == (GuideScope.EVERY, RoleScope.SESSION)
    assert chat.chat_timeout_seconds == 25
    role = RoleSettings.from_environment(NEEDED)
    assert role.role_update_similarity_threshold == role.rules.update_similarity_threshold == 0.8
    assert (role.role_history_questions, role.role_catch_up_limit, role.role_timeout_seconds) == (10, 3, 30)
    assert MemoryApiSettings.from_environment(NEEDED).chat_model == ""


def test_key_is_not_shown() -> None:
    """R24."""
    settings = ChatSettings.from_environment(NEEDED | {"OPENAI_API_KEY": "sk-secret"})
    assert "sk-secret" not in repr(settings)
