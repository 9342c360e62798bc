"""The language of a question, which decides the language of what is stored (R18)."""

import pytest

from functions.role_memory.extraction.language import language_in, language_of, script_matches


@pytest.mark.parametrize("text", ["", "  ", "42", "3 + 4 = ?", "🙂🙂", "…"])
def test_without_words_there_is_no_language(text: str) -> None:
    assert language_of(text) is None


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("How do I prune a pear tree?", "en"),
        ("梨树怎么修剪？", "zh"),
        ("k8s 的 pod 一直 CrashLoopBackOff，怎么排查？", "zh"),
        ("用pandas把两个dataframe按user_id做left join，怎么保留index？", "zh"),
        ("What does 缘分 mean, roughly?", "en"),
        ("梨の木の剪定はいつがいいですか？", "ja"),
        ("배나무 가지치기는 언제 해야 하나요?", "ko"),
        ("Когда обрезать грушу?", "ru"),
        ("¿Cuándo se poda un peral?", "es"),
        ("Quand faut-il tailler un poirier dans le jardin ?", "fr"),
        ("Wann schneidet man einen Birnbaum, und wie?", "de"),
        ("Quando devo podar uma pereira? Não tenho experiência.", "pt"),
        ("متى أقلّم شجرة الكمثرى؟", "ar"),
        ("thx!", "en"),
    ],
)
def test_script_and_common_words_tell_the_language(text: str, language: str) -> None:
    assert language_of(text) == language


def test_a_question_without_words_is_in_the_language_of_the_one_before() -> None:
    # GIVEN a number after a Chinese question, WHEN the language is wanted, THEN it is Chinese
    assert language_in(["42", "梨树怎么修剪？", "hello"]) == "zh"
    assert language_in(["42"]) == "en"


@pytest.mark.parametrize(
    ("text", "language", "fits"),
    [
        ("果农", "zh", True),
        ("fruit grower", "zh", False),
        ("用 Python 的数据分析师", "zh", True),
        ("フローリスト", "zh", False),
        ("fruit grower", "en", True),
        ("果农", "en", False),
        ("フローリスト", "ja", True),
        ("果樹農家", "ja", True),
        ("fruticultor", "es", True),
        ("садовод", "ru", True),
        ("gardener", "ru", False),
    ],
)
def test_a_text_is_told_by_its_script(text: str, language: str, fits: bool) -> None:
    assert script_matches(text, language) is fits
