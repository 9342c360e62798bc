"""What of a question is the user's own words: pasted and quoted text is somebody else's (R11)."""

import re
from dataclasses import dataclass

from functions.role_memory.extraction.text import han_count, latin_words, straight
from functions.role_memory.extraction.words import searched

MARK = "[…]"
"""Stands where text was taken out."""

_FENCE = re.compile(r"(```|~~~).*?(?:\1|\Z)", re.DOTALL)
_QUOTED_LINE = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_QUOTE = re.compile(
    r"“[^”]*”|「[^」]*」|『[^』]*』|«[^»]*»|\"[^\"\n]*\"|(?<![\w])'(?=\S)(?:[^'\n]|(?<=\w)'(?=\w))*+(?<=\S)'(?!\w)|【[^】]*】",
)
_SPACES, _BLANK_LINES = re.compile(r"[^\S\n]+"), re.compile(r"\n(?: ?\n)+")
_LOG_LINE = re.compile(
    r"^\s*(?:at |\.{3} \d+|caused by|traceback|file \"|\d{4}-\d\d-\d\d[ t]\d\d|\d\d:\d\d:\d\d"
    r"|\[?(?:error|warn|info|debug)\b|[\w.]+(?:error|exception)\b)|[{};]\s*$|^\s*[#$]\s|^(?:from|to|subject|date|cc|发件人|收件人|主题)\s*[:：]",
    re.IGNORECASE,
)
_OPENS = re.compile(r"[:：]\s*$")
_ENDS = re.compile(r"[.!?。！？…)）]\s*$")
MAX_START, MAX_END = 4000, 2000
"""What is read of a long question: patterns run over it, and their cost must not grow with what anybody sends."""
MIN_REWORKED = 40
MIN_QUOTED_WORDS, MIN_QUOTED_HAN = 4, 8


@dataclass(frozen=True)
class Question:
    """A question with what is not the user's taken out; ``pasted`` tells whether anything was.

    ``said`` is the same with long quotes and text to be reworked left in: orders hide in them.
    """

    turn: int
    own: str
    pasted: bool
    said: str


def question_of(turn: int, text: str) -> Question:
    """Return the user's own words of ``text``: of a long one, those at its start and at its end."""
    own = _QUOTED_LINE.sub(MARK, _FENCE.sub(MARK, _squeezed(straight(text))))
    if len(own) > MAX_START + MAX_END:
        own = f"{own[:MAX_START]} {MARK} {own[-MAX_END:]}"
    own = said = _without_paste(own)
    own = _QUOTE.sub(lambda quote: MARK if _long(quote[0]) else quote[0], own)
    own = _without_reworked(own)
    own = re.sub(rf"(?:\s*{re.escape(MARK)}\s*)+", f" {MARK} ", own).strip()
    return Question(turn, own, MARK in own, said)


def _squeezed(text: str) -> str:
    return _BLANK_LINES.sub("\n\n", _SPACES.sub(" ", text))


def _long(quote: str) -> bool:
    return quote.startswith("【") or len(latin_words(quote)) >= MIN_QUOTED_WORDS or han_count(quote) >= MIN_QUOTED_HAN


def _without_reworked(text: str) -> str:
    """Take out what follows "translate this:" and the like on the same line."""
    for line in text.split("\n"):
        colon = re.search(r"[:：]\s*", line)
        if colon and searched("rework", line) and len(line) - colon.end() >= MIN_REWORKED:
            return text.replace(line[colon.end() :], MARK)
    return text


def _without_paste(text: str) -> str:
    """Take out pasted blocks: runs of lines after an introduction, and lines that no person types."""
    blocks = re.split(r"\n\s*\n", text) if re.search(r"\n\s*\n", text) else text.split("\n")
    blocks = [block for block in blocks if block.strip()]
    if len(blocks) < 2:
        return text
    kept, pasting = [], False
    last = len(blocks) - 1
    for number, block in enumerate(blocks):
        lines = [line for line in block.split("\n") if line.strip()]
        if number == 0 and not _is_machine(lines):
            own, rest = _split_introduction(lines)
            pasting = bool(_OPENS.search(own)) or rest or (searched("paste_intro", own) and _looks_pasted(blocks[1:]))
            kept.append(own + (f" {MARK}" if rest else ""))
            continue
        theirs = pasting and not (number == last and _is_closing_remark(lines, blocks))
        document = len(lines) >= 4 and _looks_pasted([block])
        kept.append(MARK if theirs or document or _is_machine(lines) else block)
    return "\n".join(kept)


def _split_introduction(lines: list[str]) -> tuple[str, bool]:
    """Return the first line alone when it introduces the lines under it."""
    if len(lines) > 1 and _OPENS.search(lines[0]):
        return lines[0], True
    return "\n".join(lines), False


def _is_machine(lines: list[str]) -> bool:
    return sum(bool(_LOG_LINE.search(line)) for line in lines) * 2 >= len(lines) + 1


def _looks_pasted(blocks: list[str]) -> bool:
    """Return whether the blocks read as a document: several lines, most of them no finished sentence, or a letter."""
    lines = [line for block in blocks for line in block.split("\n") if line.strip()]
    return len(lines) >= 3 and sum(not _ENDS.search(line) for line in lines) * 2 >= len(lines)


def _is_closing_remark(lines: list[str], blocks: list[str]) -> bool:
    """Return whether the last block is the user's again: one line, after the pasted block, that asks or says I."""
    if len(lines) != 1 or len(blocks) < 3:
        return False
    line = lines[0]
    return bool(re.search(r"[?？]", line)) or searched("first_person", line)
