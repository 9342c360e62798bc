"""The user's hand on their memory: correct the role, go back to a version, delete."""

from collections.abc import Callable
from dataclasses import dataclass

from functions.memory_api.contract import DeleteReceipt, DeleteScope, EditBody, RollbackBody
from functions.memory_api.settings import MemoryApiSettings
from shared.clock import Clock
from shared.domain.edits import edited_snapshot, rolled_back_snapshot
from shared.errors import Busy, StaleVersion
from shared.records import Snapshot
from shared.store.erasure import Receipt
from shared.store.heads import TrackMoved
from shared.store.keys import Subject, subject_of
from shared.store.role import Track
from shared.store.stores import Stores

_ATTEMPTS = 5


@dataclass(frozen=True)
class MemoryChanging:
    """Changes and deletes what is stored of a user."""

    stores: Stores
    settings: MemoryApiSettings
    clock: Clock

    def edit(self, user_id: str, body: EditBody) -> Snapshot:
        """Append an EDIT snapshot.

        Raises
        ------
        StaleVersion
            ``body.version`` is not the current one.
        Busy
            Others keep changing the role.
        """

        def edited(track: Track) -> Snapshot:
            current = track.latest.version if track.latest else 0
            if body.version is not None and body.version != current:
                raise StaleVersion(current)
            return edited_snapshot(
                track.latest,
                body,
                version=track.next_version,
                user_id=user_id,
                session_id=body.session_id,
                now=self.clock(),
                zone=self.settings.zone,
            )

        return self._append(subject_of(user_id, body.session_id, self.settings.role_scope), edited)

    def rollback(self, user_id: str, body: RollbackBody) -> Snapshot:
        """Append a ROLLBACK snapshot with the content of an earlier version.

        Raises
        ------
        VersionErased
            The version was deleted.
        NotFound
            There is no such version.
        Busy
            Others keep changing the role.
        """
        subject = subject_of(user_id, body.session_id, self.settings.role_scope)

        def rolled_back(track: Track) -> Snapshot:
            target = self.stores.role.version(subject, body.version)
            latest = track.latest or target
            return rolled_back_snapshot(
                latest, target, version=track.next_version, now=self.clock(), zone=self.settings.zone
            )

        return self._append(subject, rolled_back)

    def delete(self, user_id: str, session_id: str, scope: DeleteScope) -> DeleteReceipt:
        """Delete the role, the conversation, or both, of a session."""
        receipt = Receipt()
        if scope is not DeleteScope.ROLE:
            receipt += self.stores.erasure.conversation(user_id, session_id)
        if scope is not DeleteScope.CONVERSATION:
            # What the session taught under another ROLE_SCOPE quotes the user as well.
            today = subject_of(user_id, session_id, self.settings.role_scope)
            for subject in dict.fromkeys((Subject(user_id, session_id), today)):
                receipt += self.stores.erasure.role(subject)
        return DeleteReceipt(scope=scope.value, **receipt.model_dump())

    def delete_user(self, user_id: str) -> DeleteReceipt:
        """Delete all that is stored of the user."""
        return DeleteReceipt(scope="user", **self.stores.erasure.user(user_id).model_dump())

    def _append(self, subject: Subject, made_from: Callable[[Track], Snapshot]) -> Snapshot:
        for _ in range(_ATTEMPTS):
            track = self.stores.role.track(subject)
            snapshot = made_from(track)
            try:
                self.stores.role.append(subject, track.head, snapshot)
            except TrackMoved:
                continue
            return snapshot
        raise Busy("The role keeps changing. Nothing was stored; retry the same request.")
