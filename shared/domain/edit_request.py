"""What a user may ask to change in their role, checked before anything is read or written (R21)."""

from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from shared.domain.overview import MAX_OVERVIEW_TOKENS, estimated_tokens
from shared.domain.terms import key
from shared.domain.text import has_hidden
from shared.domain.traits import LIMITS, TERM_BYTES
from shared.records import ContentDepth, DetailLevel, ResponseFormat, Snapshot, TraitKind

MAX_FORBIDDEN = 20


class EditableField(StrEnum):
    """The fields a user may set and pin."""

    POSSIBLE_IDENTITIES = "possibleIdentities"
    PRIMARY_CHARACTERISTICS = "primaryCharacteristics"
    USER_OVERVIEW = "userOverview"
    DETAIL_LEVEL = "detailLevel"
    CONTENT_DEPTH = "contentDepth"
    RESPONSE_FORMAT = "responseFormat"


_FIELD_OF = {
    TraitKind.IDENTITY: EditableField.POSSIBLE_IDENTITIES,
    TraitKind.CHARACTERISTIC: EditableField.PRIMARY_CHARACTERISTICS,
}


def pinned_kinds(snapshot: Snapshot | None) -> frozenset[TraitKind]:
    """Return the lists that learning may not change."""
    return frozenset(kind for kind, field in _FIELD_OF.items() if snapshot and field in snapshot.metadata.pinned)


def _plain(text: str) -> str:
    if has_hidden(text):
        raise ValueError("must be one line without control or invisible characters")
    return " ".join(text.split())


def _term(text: str) -> str:
    term = _plain(text)
    if not key(term):
        raise ValueError("must hold a word")
    if len(term.encode(errors="replace")) > TERM_BYTES:
        raise ValueError(f"must be shorter: at most {TERM_BYTES} Latin letters or {TERM_BYTES // 3} Chinese characters")
    return term


def _phrase(text: str) -> str:
    phrase = _plain(text)
    if not key(phrase):
        raise ValueError("must hold a word")
    if estimated_tokens(phrase) > MAX_OVERVIEW_TOKENS:
        raise ValueError("must be shorter: at most about 30 English words or 30 Chinese characters")
    return phrase


Term = Annotated[str, AfterValidator(_term)]
Phrase = Annotated[str, AfterValidator(_phrase)]


class _Request(BaseModel):
    model_config = ConfigDict(
        alias_generator=to_camel, validate_by_name=True, extra="forbid", frozen=True, hide_input_in_errors=True
    )


class EditedFields(_Request):
    """The fields to set; one that is left out stays as it is, an empty list clears."""

    possible_identities: tuple[Term, ...] | None = Field(default=None, max_length=LIMITS[TraitKind.IDENTITY])
    primary_characteristics: tuple[Term, ...] | None = Field(default=None, max_length=LIMITS[TraitKind.CHARACTERISTIC])
    user_overview: Phrase | None = None
    detail_level: DetailLevel | None = None
    content_depth: ContentDepth | None = None
    response_format: ResponseFormat | None = None


class EditRequest(_Request):
    """A correction of the role by its user.

    ``pin`` keeps learning from changing a field, ``forbid`` keeps a term and all that mentions it out of the role;
    ``unpin`` and ``allow`` take that back.
    """

    set: EditedFields = EditedFields()
    pin: frozenset[EditableField] = frozenset()
    unpin: frozenset[EditableField] = frozenset()
    forbid: tuple[Term, ...] = Field(default=(), max_length=MAX_FORBIDDEN)
    allow: tuple[Term, ...] = Field(default=(), max_length=MAX_FORBIDDEN)
