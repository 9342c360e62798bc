"""What of an extract may be learned at all."""

from collections.abc import Iterable

from functions.role_memory.extract import Extract
from shared.domain.terms import covers, mentions, most_specific, same
from shared.domain.text import clean, clip
from shared.domain.traits import MAX_EVIDENCE, TERM_BYTES, TEXT_BYTES
from shared.records import Evidence, Snapshot


def screened(extract: Extract, latest: Snapshot | None) -> Extract:
    """Return ``extract`` cleaned and without what the user forbade or denied (R14, step 3; R15).

    What mentions a forbidden term goes, denials too. An identity that the user denied, now or earlier, goes as well,
    unless it is their own word for themself in this question. An overview that came with a refused identity is not
    believed.
    """
    forbidden = latest.metadata.forbidden if latest else ()
    denied_before = latest.metadata.denied if latest else ()
    denied = _terms(extract.denied)
    offered = _terms(extract.identities)
    if extract.self_described:
        identities = [term for term in offered if not any(same(term, no) for no in denied)]
    else:
        identities = [term for term in offered if not any(covers(term, no) for no in (*denied, *denied_before))]
    identities = [term for term in identities if not mentions(term, forbidden)]
    characteristics = _terms(extract.characteristics)
    believed = len(identities) == len(offered) and not mentions(extract.overview, forbidden)
    return extract.model_copy(
        update={
            "identities": tuple(identities),
            "characteristics": tuple(term for term in characteristics if not mentions(term, forbidden)),
            "denied": tuple(term for term in denied if not mentions(term, forbidden)),
            "evidence": tuple(
                Evidence(turn=piece.turn, quote=clip(piece.quote, TEXT_BYTES))
                for piece in extract.evidence[:MAX_EVIDENCE]
                if not mentions(piece.quote, forbidden)
            ),
            "evidence_summary": tuple(
                clip(clean(line), TEXT_BYTES)
                for line in extract.evidence_summary[:MAX_EVIDENCE]
                if not mentions(line, forbidden)
            ),
            "overview": extract.overview if believed else "",
        }
    )


def _terms(terms: Iterable[str]) -> tuple[str, ...]:
    return most_specific(clip(clean(term), TERM_BYTES) for term in terms)
