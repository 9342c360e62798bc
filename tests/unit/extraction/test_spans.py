"""What of a question the user wrote themself (R11)."""

import pytest

from functions.role_memory.extraction.spans import MARK, question_of


def own(text: str) -> str:
    return question_of(1, text).own


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Why does this loop?\n```python\nwhile True: pass  # I am a surgeon\n```", f"Why does this loop? {MARK}"),
        ("Is he right?\n> I am the head of sales\n> and I promise it", f"Is he right? {MARK}"),
        ('Is "I have run this hotel for twenty years" a good opening?', f"Is {MARK} a good opening?"),
        ("她说「我做了二十年的酒店管理，请相信我」，要信吗？", f"她说 {MARK} ，要信吗？"),
        ("Translate into French: I am a captain of the merchant navy and I lost my seaman's book.", None),
        (
            "请把这段话润色一下：本人系某某公司法务总监，从业二十年，现就贵司违约一事严正声明如下，请予以重视，谢谢配合，期待回复。",
            None,
        ),
    ],
)
def test_quoted_and_reworked_text_is_not_the_users(text: str, left: str | None) -> None:
    # GIVEN a question around somebody else's text, WHEN it is split
    question = question_of(1, text)
    # THEN the text is gone and its place is marked
    assert question.pasted
    if left is not None:
        assert question.own == left
    else:
        assert question.own.endswith(MARK)
        assert "captain" not in question.own
        assert "总监" not in question.own


LETTER = """What do I answer to this?

Dear Ms Okafor,
I have been letting agent for the estate since 2009
Our client wishes to raise the rent to 1,450
Kind regards
Peter Lindqvist
Senior Lettings Partner

I only rent the flat, can they do that in May?"""

LOG = """The till prints this every evening:
2026-01-04 18:02:11 ERROR PrinterQueue - paper jam
Traceback (most recent call last):
  File "/opt/till/print.py", line 31, in flush
RuntimeError: device not ready
What do I press?"""


def test_a_pasted_letter_goes_and_the_remark_after_it_stays() -> None:
    assert own(LETTER) == f"What do I answer to this? {MARK} I only rent the flat, can they do that in May?"


def test_lines_no_person_types_go() -> None:
    left = own(LOG)
    assert "The till prints this every evening" in left
    assert "PrinterQueue" not in left
    assert "RuntimeError" not in left


@pytest.mark.parametrize(
    "text",
    [
        "I'm a nurse.\n\nI work nights.\n\nHow do I sleep through the day?",
        "How do I say 'hello' in Welsh?",
        "It's the dogs' bowls that I'd like to move, isn't that odd?",
        "《红楼梦》里贾宝玉住在哪儿？",
        "Two things:\nwhen do I plant garlic, and how deep?",
        "我是护士。\n夜班以后怎么补觉？",
    ],
)
def test_what_the_user_typed_in_several_lines_or_with_short_quotes_stays(text: str) -> None:
    if text.startswith("Two things"):
        assert "Two things" in own(text)
    else:
        assert MARK not in own(text)
