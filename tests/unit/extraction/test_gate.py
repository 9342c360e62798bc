"""Questions that say nothing about anybody cost no model call (R17)."""

import pytest

from functions.role_memory.extraction.gate import says_nothing


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hi",
        "Hello there!",
        "ok thanks a lot",
        "Good morning :)",
        "lol",
        "?",
        "👍👍",
        "12",
        "17 * 23",
        "what's 15% of 240",
        "thank you, you're great",
        "tell me a joke",
        "What time is it?",
        "Is it going to snow tomorrow?",
        "what's the weather in Oslo",
        "你好",
        "在吗？",
        "谢谢你",
        "好的，晚安",
        "哈哈哈",
        "3加5等于几",
        "讲个笑话",
        "明天会下雨吗",
        "hola, gracias",
        "こんにちは",
    ],
)
def test_small_talk_trivia_and_sums_say_nothing(text: str) -> None:
    assert says_nothing(text, [])


@pytest.mark.parametrize(
    "text",
    [
        "hi, which oil for a two-stroke chainsaw?",
        "thanks. And how long do I proof it at 4 °C?",
        "Is 12 mm enough for a shelf that carries 40 kg?",
        "你好，螺丝怎么盘点？",
        "22千瓦电机，切换时间几秒？",
        "Rain got into the loft, which felt do I lay?",
        "ok but my students still mix up ser and estar",
    ],
)
def test_a_question_with_matter_is_asked(text: str) -> None:
    assert not says_nothing(text, [])


def test_the_last_question_repeated_says_nothing_new() -> None:
    assert says_nothing("How deep do I plant garlic", ["how deep do I plant garlic?"])
    assert not says_nothing("How deep do I plant leeks", ["how deep do I plant garlic?"])
