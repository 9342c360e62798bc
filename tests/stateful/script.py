"""How the scripted reader reads the questions of the machine."""

from functions.role_memory.extract import Extract, PreferenceHints
from shared.records import DetailLevel, Evidence
from tests.stateful.specification import ASKS_SHORT, STATES


def script(question: str) -> Extract:
    """Return what a model without faults reads."""
    if question.startswith(STATES):
        word = question.removeprefix(STATES).split()[0]
        return Extract(
            identities=(word,),
            evidence=(Evidence(turn=1, quote=word),),
            self_described=True,
            overview=f"a {word}",
            language="en",
        )
    hints = PreferenceHints(detail_level=DetailLevel.CONCISE if question.startswith(ASKS_SHORT) else None)
    return Extract(preferences=hints, language="en")
