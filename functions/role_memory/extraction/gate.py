"""Questions that say nothing about anybody: no model is asked (R17)."""

import re
from collections.abc import Iterable

from functions.role_memory.extraction.spans import MARK
from functions.role_memory.extraction.text import clauses, compact, han_count, kana_count, latin_words, plain, sentences
from functions.role_memory.extraction.words import matched, word_set

_EDGE = " \t.,!?;:~…、，。！？；：()（）-—'\""


def says_nothing(own: str, earlier: Iterable[str]) -> bool:
    """Return whether the question is small talk, trivia, arithmetic, without words, or the last one repeated.

    ``earlier`` are the user's earlier questions, newest first.
    """
    bare = own.replace(MARK, " ")
    if not compact(bare) or not re.search(r"[^\W\d_]", bare):
        return True
    if _is_arithmetic(bare) or all(_is_small_talk(part) for part in sentences(bare)):
        return True
    last = next(iter(earlier), None)
    return last is not None and compact(last) == compact(bare)


def _is_small_talk(sentence: str) -> bool:
    """Return whether a sentence is small talk as a whole or clause by clause."""
    if matched("trivia", _stripped(sentence)) or matched("greeting", _stripped(sentence)):
        return True
    return all(not compact(part) or matched("greeting", _stripped(part)) for part in clauses(sentence))


def _stripped(text: str) -> str:
    return re.sub(r"[^\w\s'.%-]+", " ", text).strip(_EDGE)


def _is_arithmetic(text: str) -> bool:
    if not re.search(r"\d|[零一二三四五六七八九十百千]", text):
        return False
    known = word_set("arithmetic")
    words = [word for word in plain(text).split() if not han_count(word) and not word.replace(" ", "").isdigit()]
    if any(word not in known and not re.fullmatch(r"[\dx]+", word) for word in words if latin_words(word)):
        return False
    return not kana_count(text) and all(character in known for character in re.findall(r"[\u3400-\u9fff]", text))
