"""The overview: a noun phrase that completes "You are having a conversation with …" (R18, R20)."""

import re
from collections.abc import Sequence

from functions.role_memory.extraction.language import script_matches
from functions.role_memory.extraction.text import compact
from functions.role_memory.extraction.words import searched
from shared.domain.instructions import is_description
from shared.domain.overview import described
from shared.domain.text import clean

MAX_OVERVIEW = 120
_LEAD = re.compile(
    r"^\s*(?:you are (?:having a )?(?:conversation|talking|chatting|speaking) (?:with|to)|(?:a |the )?conversation with"
    r"|(?:the |this )?user (?:is|seems to be|appears to be|may be|might be)(?: likely| probably)?"
    r"|你?(?:正在|在)?(?:和|与|跟)|(?:该|这位|此)?用户(?:可能)?(?:是|为))\s*[:：]?\s*",
    re.IGNORECASE,
)
_TRAIL = re.compile(r"(?:(?:正在|进行|的)*(?:对话|交谈|聊天|谈话|交流)|[.。!！\s])+$")
_NO_PHRASE = re.compile(r"[.!?。！？;；]\s*\S|\?|？|^(?:i|you|we|my|your)\b|^[我你您]", re.IGNORECASE)


def overview_for(said: str, identities: Sequence[str], dropped: Sequence[str], language: str) -> str:
    """Return the model's overview if it is usable, else one made of the first verified identity; empty without one.

    Usable is a short noun phrase in the language of the question that instructs nobody, names an identity that was
    verified and nothing that was dropped, so that it says nothing the checked traits do not.
    """
    if not identities:
        return ""
    phrase = _TRAIL.sub("", _LEAD.sub("", clean(said)))
    usable = (
        0 < len(phrase) <= MAX_OVERVIEW
        and script_matches(phrase, language)
        and not _NO_PHRASE.search(phrase)
        and is_description(phrase)
        and not searched("refused.sensitive", phrase)
        and not any(compact(term) in compact(phrase) for term in dropped if compact(term))
        and any(compact(term) in compact(phrase) for term in identities)
    )
    if not usable:
        return described(identities[0], language)
    return _with_article(phrase) if language == "en" else phrase


def _with_article(phrase: str) -> str:
    words = phrase.split()
    if words[0].casefold() in {"a", "an", "the", "someone", "somebody"}:
        return phrase[0].lower() + phrase[1:]
    first = words[0] if words[0].isupper() else words[0][0].lower() + words[0][1:]
    vowel = first[0] in "aeiou" and not first.startswith(("uni", "use", "eu"))
    return " ".join(["an" if vowel else "a", first, *words[1:]])
