"""What the memory must do, in plain Python: a second, independent statement of the design's rules.

It knows no store, no clock and no HTTP. Time is a number of days, the order of events a counter, an epoch the place of
an erasure in that order. Roles are as simple as the questions of the machine: what a question states joins the role.
"""

from collections.abc import Iterator
from dataclasses import replace

from tests.stateful.records import Asked, Message, Session, Snapshot, Subject, Track, Turn

TTL_DAYS = 30
UNANSWERED = ("assistant", "(no answer)")
WINDOW = 4
CATCH_UP_LIMIT = 3
WORDS = ("baker", "gardener", "nurse")
STATES, ASKS_SHORT = "I am a ", "briefly"


class Memory:
    """The memory of all users."""

    def __init__(self, *, over_sessions: bool = False, once: bool = False) -> None:
        self.over_sessions = over_sessions
        self.once = once
        self.day = 0
        self.events = 0
        self.sessions: dict[tuple[str, str], Session] = {}
        self.tracks: dict[Subject, Track] = {}

    def alive(self, day: int) -> bool:
        """R8: each record expires by itself, its days after it was written."""
        return self.day - day < TTL_DAYS

    def subject(self, user: str, name: str) -> Subject:
        return user, None if self.over_sessions else name

    def session(self, user: str, name: str) -> Session | None:
        session = self.sessions.get((user, name))
        return session if session and self.alive(session.day) else None

    def track(self, subject: Subject) -> list[Snapshot]:
        track = self.tracks.get(subject, Track())
        return [one for one in track.snapshots if one.version > track.floor and self.alive(one.day)]

    def latest(self, subject: Subject) -> Snapshot | None:
        return next(reversed(self.track(subject)), None)

    def messages(self, user: str, name: str) -> list[Message]:
        session = self.session(user, name)
        return list(self._messages(session)) if session else []

    def _messages(self, session: Session) -> Iterator[Message]:
        for turn in session.turns:
            if self.alive(turn.day):
                yield "USER", turn.number, turn.text, turn.failed
            if turn.answered_on is not None and self.alive(turn.answered_on):
                yield "ASSISTANT", turn.number, f"Answer to: {turn.text}", False

    def window(self, session: Session | None, before: int) -> tuple[tuple[str, str], ...]:
        """R7: the newest messages, opened on a question; the model and the user take turns."""
        newest = [one for one in self._messages(session) if one[1] < before][-WINDOW:] if session else []
        while newest and newest[0][0] == "ASSISTANT":
            del newest[0]
        shown: list[tuple[str, str]] = []
        for kind, _, text, _ in newest:
            if kind == "USER" and shown and shown[-1][0] == "user":
                shown.append(UNANSWERED)
            shown.append(("user" if kind == "USER" else "assistant", text))
        return (*shown, UNANSWERED) if shown and shown[-1][0] == "user" else tuple(shown)

    def ask(
        self, user: str, name: str, text: str, message_id: str | None, *, model: str = "works", temporary: bool = False
    ) -> Asked:
        """R1, R9, R19: a new turn, or the one that ``message_id`` already is. ``model`` works, fails or dies."""
        self.events += 1
        session = self.session(user, name)
        if temporary:
            before = len(session.turns) + 1 if session else 1
            window, guide = self.window(session, before), self._guide(user, name, session)
            return Asked({"works": 200, "fails": 502, "dies": 500}[model], None, window, guide)
        known = [turn for turn in session.turns if self.alive(turn.day)] if session else []
        turn = next((turn for turn in known if message_id and turn.message_id == message_id), None)
        new = turn is None
        if session is None or turn is None:
            session = session or Session()
            turn = Turn(len(session.turns) + 1, text, message_id, self.day, self.events)
            session.turns.append(turn)
            self.sessions[user, name] = session
            session.day, session.active = self.day, self.events
        elif turn.text != text or (turn.cut_off and turn.answered_on is None):
            return Asked(409)
        elif turn.answered_on is not None:
            return Asked(200, turn.number)
        asked = Asked(200, turn.number, self.window(session, turn.number), self._guide(user, name, session), new)
        if model == "works":
            turn.answered_on, turn.failed, turn.cut_off = self.day, False, False
            session.day, session.active = self.day, self.events
            session.guided = session.guided or asked.guided_by is not None
            return asked
        turn.failed, turn.cut_off = turn.failed or model == "fails", model == "dies"
        return replace(asked, status=502 if model == "fails" else 500)

    def _guide(self, user: str, name: str, session: Session | None) -> int | None:
        latest = self.latest(self.subject(user, name))
        already = self.once and session is not None and session.guided
        return latest.version if latest and latest.guides and not already else None

    def guidance(self, user: str, name: str) -> int | None:
        return self._guide(user, name, self.session(user, name))

    def move_clock(self, days: int) -> None:
        self.day += days
        for session in self.sessions.values():
            for turn in session.turns:
                turn.cut_off = False

    def learn(self, user: str, name: str, *, fails: bool, last: bool) -> bool:
        """R3–R6: read every unread question in order; return whether the message fails."""
        session, subject, failed = self.session(user, name), self.subject(user, name), False
        while session and session.cursor < len(session.turns):
            unread = range(session.cursor + 1, len(session.turns) + 1)
            covered = tuple(unread) if len(unread) > CATCH_UP_LIMIT else (unread[0],)
            turn = session.turns[covered[-1] - 1]
            if self.alive(turn.day) and turn.asked > self._erased(subject):
                if fails and not last:
                    return True
                failed = failed or fails
                latest = self.latest(subject) or Snapshot()
                read = replace(latest, operation="SKIPPED") if fails else self._read(latest, turn.text, len(covered))
                self._append(subject, replace(read, turn=turn.number, covered=covered, question=turn.text))
            session.cursor = turn.number
        return failed

    @staticmethod
    def _read(latest: Snapshot, text: str, questions: int) -> Snapshot:
        """R14 for questions that state an identity, ask for short answers, or say nothing."""
        word = text.removeprefix(STATES).split()[0] if text.startswith(STATES) else None
        said = {word} - latest.forbidden if word else set[str]()
        identities = latest.identities if latest.pinned else latest.identities | said
        learns = bool(said) and said <= identities
        operation = ("UPDATE" if learns else "NONE_CHANGE") if latest.learned else "CREATE"
        return replace(
            latest,
            operation=operation,
            identities=frozenset(identities),
            short=latest.short or text.startswith(ASKS_SHORT),
            interactions=latest.interactions + questions,
            learned=True,
        )

    def _erased(self, subject: Subject) -> int:
        return self.tracks.get(subject, Track()).erased

    def _append(self, subject: Subject, snapshot: Snapshot) -> Snapshot:
        """R1: the next dense number; a track that has expired starts anew (R8)."""
        track = self.tracks.get(subject)
        if track is None or not self.alive(track.day):
            track = self.tracks[subject] = Track(erased=self._erased(subject))
        track.version += 1
        track.day = self.day
        snapshot = replace(snapshot, version=track.version, day=self.day)
        track.snapshots.append(snapshot)
        return snapshot

    def edit(
        self,
        user: str,
        name: str,
        *,
        identities: frozenset[str] | None,
        pin: bool,
        unpin: bool,
        forbid: frozenset[str],
        allow: frozenset[str],
        version: int | None,
    ) -> int:
        """Return the HTTP status of an edit, after doing it."""
        subject = self.subject(user, name)
        latest = self.latest(subject) or Snapshot()
        if version is not None and version != latest.version:
            return 409
        forbidden = latest.forbidden - allow | forbid
        empty = identities is None and not (pin or unpin or forbid or allow)
        if empty or (pin and unpin) or forbid & allow or (identities or frozenset()) & forbidden:
            return 400
        kept = latest.identities if identities is None else identities
        edited = replace(
            latest,
            operation="EDIT",
            turn=None,
            covered=(),
            identities=kept - forbidden,
            pinned=pin or (latest.pinned and not unpin),
            forbidden=forbidden,
            learned=True,
        )
        self._append(subject, edited)
        return 200

    def roll_back(self, user: str, name: str, version: int) -> int:
        """Return the HTTP status of a rollback, after doing it."""
        subject = self.subject(user, name)
        track = self.tracks.get(subject, Track())
        if self.alive(track.day) and version <= track.floor:
            return 409
        target = next((one for one in self.track(subject) if one.version == version), None)
        if target is None or not target.learned:
            return 400 if target else 404
        latest = self.latest(subject) or target
        back = replace(
            latest,
            operation="ROLLBACK",
            turn=None,
            covered=(),
            identities=target.identities - latest.forbidden,
            short=target.short,
            question=target.question,
            learned=True,
        )
        self._append(subject, back)
        return 200

    def delete_role(self, subject: Subject) -> int:
        """R23: return how many snapshots went; their numbers are used up, and what was asked so far teaches no more."""
        self.events += 1
        gone = len(self.track(subject))
        track = self.tracks.setdefault(subject, Track())
        track.floor, track.erased, track.day = track.version, self.events, self.day
        return gone

    def delete_conversation(self, user: str, name: str) -> int:
        """R23: return how many messages went."""
        gone = len(self.messages(user, name))
        self.sessions.pop((user, name), None)
        return gone
