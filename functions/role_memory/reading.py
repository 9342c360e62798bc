"""What a lesson asks a model: what a question shows, and whether that is the role known so far."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from functions.role_memory.extract import Extract
from functions.role_memory.extraction.extractor import extract
from functions.role_memory.rules.picture import Comparison, Similarities
from functions.role_memory.similarity import Measure
from shared.model.ports import StructuredModel
from shared.records import UserMessage


@dataclass(frozen=True)
class ModelReader:
    """Reads questions with a model and compares pictures with a measure."""

    model: StructuredModel
    measure: Measure
    history_limit: int

    def extract(
        self, question: UserMessage, history: Sequence[UserMessage], covered: Collection[int], *, seconds: float
    ) -> Extract:
        """Return what ``question`` shows of its user, in the light of ``history`` (oldest first).

        Raises
        ------
        ModelUnavailable, ModelOutputUnusable
            The model did not answer with an extract.
        """
        return extract(
            question.text,
            question.metadata.turn,
            [(message.metadata.turn, message.text) for message in history],
            self.model,
            seconds=seconds,
            history_limit=max(self.history_limit, len(covered) - 1),
            covered=covered,
        )

    def compare(self, comparison: Comparison, *, seconds: float) -> Similarities:
        """Return how alike the picture is to each of the others: one call at most.

        Raises
        ------
        ModelUnavailable, ModelOutputUnusable
            The measure did not answer.
        """
        found = self.measure.compare(comparison.picture, comparison.others, seconds=seconds)
        return Similarities(found.measure, dict(zip(comparison.others, found.values, strict=True)), found.tokens)
