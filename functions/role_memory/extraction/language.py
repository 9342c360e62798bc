"""The language of a question, by script and a few common words (R18)."""

import re
from collections.abc import Iterable

from functions.role_memory.extraction.text import han_count, kana_count, latin_words

DEFAULT = "en"

_SCRIPTS = {
    "ko": re.compile(r"[\uac00-\ud7a3\u3131-\u318e]"),
    "ru": re.compile(r"[\u0400-\u04ff]"),
    "el": re.compile(r"[\u0370-\u03ff]"),
    "he": re.compile(r"[\u0590-\u05ff]"),
    "ar": re.compile(r"[\u0600-\u06ff]"),
    "hi": re.compile(r"[\u0900-\u097f]"),
    "th": re.compile(r"[\u0e00-\u0e7f]"),
}
_COMMON = {
    "en": "the a an is are was do does did i my you your it of to in on for and with what how which who when where why"
    " can should not this that me if or any from at be have has hi hello ok thanks",
    "es": "el la los las un una de que en y por para con no mi es qué cómo cuándo dónde cuál tengo hay se lo le su al"
    " del me hola gracias está soy más",
    "fr": "le la les un une des de du que qui et pour avec ne pas mon ma mes je est comment quel quelle quand où au aux"
    " dans sur bonjour merci c'est suis vous",
    "de": "der die das ein eine einen und ist nicht ich mein meine wie was welche wann wo für mit auf zu von im den dem"
    " hallo danke bin kann sind wir",
    "pt": "o a os as um uma de que e em para com não meu minha é como qual quando onde eu do da no na dos das por olá"
    " obrigado obrigada tenho você são",
    "it": "il lo la gli le un una di che e per con non mio mia è come quale quando dove io del della nel sono ho ciao"
    " grazie più si",
    "nl": "de het een van en is niet ik mijn hoe wat welke wanneer waar voor met op te dat heb hallo bedankt zijn",
}
_WORDS = {language: frozenset(words.split()) for language, words in _COMMON.items()}
_SIGNS = {"es": "¿¡ñ", "de": "ßäöü", "pt": "ãõ", "fr": "çœêèàù", "it": "ìò"}


def language_of(text: str) -> str | None:
    """Return the ISO 639-1 code of the language of ``text``; ``None`` when it holds no words.

    Chinese sprinkled with English terms is Chinese; a Chinese term in an English question leaves it English.
    """
    words = latin_words(text)
    han, kana = han_count(text), kana_count(text)
    if kana and kana * 8 >= han:
        return "ja"
    if han and han >= len(words):
        return "zh"
    for language, letters in _SCRIPTS.items():
        if len(letters.findall(text)) > 2 * len(words):
            return language
    return _latin_language(text, words) if words else None


def _latin_language(text: str, words: list[str]) -> str:
    lowered = [word.casefold() for word in words]
    scores = {language: sum(word in common for word in lowered) for language, common in _WORDS.items()}
    for language, signs in _SIGNS.items():
        scores[language] += sum(sign in text.casefold() for sign in signs)
    best = max(scores, key=lambda language: scores[language])
    return best if scores[best] > scores[DEFAULT] else DEFAULT


def language_in(texts: Iterable[str]) -> str:
    """Return the language of the first of ``texts`` that has one; English when none has."""
    return next((language for text in texts if (language := language_of(text))), DEFAULT)


def script_matches(text: str, language: str) -> bool:
    """Return whether ``text`` is in the script of ``language``; languages of one script are not told apart."""
    han, words = han_count(text), len(latin_words(text))
    if language == "zh":
        return not kana_count(text) and han > words
    if language == "ja":
        return kana_count(text) + han > words
    if language in _SCRIPTS:
        return bool(_SCRIPTS[language].search(text))
    return not kana_count(text) and words > han
