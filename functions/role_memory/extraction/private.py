"""A private matter does not make its asker the professional they would turn to (R17)."""

from functions.role_memory.extraction.words import patterns, searched

MATTERS = ("health", "law", "money", "home", "vehicle", "pet", "trip", "celebration", "school", "worship", "vote")
"""The tables under ``private`` in the word lists: how the matter is spoken of, and who is turned to for it."""


def only_turns_to(term: str, own: str) -> bool:
    """Return whether ``term`` is whom a person with the private matter in ``own`` turns to, not what they are.

    Nothing is private where ``own``, the user's words, speaks of patients, clients and the like.
    """
    if searched("private.at_work", own):
        return False
    return any(
        searched(f"private.{matter}.matter", own)
        and any(pattern.search(term) for pattern in patterns(f"private.{matter}.who", f"{own} {term}"))
        for matter in MATTERS
    )
