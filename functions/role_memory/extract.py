"""What was read from one question: the output of extraction and the input of the decision."""

from shared.records import ContentDepth, DetailLevel, Evidence, Record, ResponseFormat, Tokens


class PreferenceHints(Record):
    """The preferences a question shows; ``None`` where it shows none."""

    detail_level: DetailLevel | None = None
    content_depth: ContentDepth | None = None
    response_format: ResponseFormat | None = None


class Extract(Record):
    """The picture one question draws of its user, after code has checked it (R11, R13, R17, R21).

    Every identity and characteristic here is held up by ``evidence``; with none left there are none.
    ``self_described`` is true when the user describes or corrects themself in this question, ``aside`` when they say
    that it has nothing to do with those before; ``denied`` are identities the user says are not theirs. ``overview``
    is a noun phrase in ``language`` that completes "You are having a conversation with …".
    """

    identities: tuple[str, ...] = ()
    characteristics: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    evidence_summary: tuple[str, ...] = ()
    preferences: PreferenceHints = PreferenceHints()
    self_described: bool = False
    aside: bool = False
    denied: tuple[str, ...] = ()
    overview: str = ""
    language: str = "en"
    model: str = ""
    prompt_version: str = ""
    tokens: Tokens = Tokens()

    @property
    def teaches(self) -> bool:
        """Whether anything was learned of who the user is (R14, step 2)."""
        return bool(self.identities or self.characteristics)
