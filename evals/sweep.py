"""Which numbers of drift and decay keep a role right: made-up long sessions under each setting (R14, R16).

A user works as one thing, later as another. Half of the questions show the work, some show nothing, and some are off
the subject, now and then two or three in a row on the same one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random
from zoneinfo import ZoneInfo

from functions.role_memory.extract import Extract
from functions.role_memory.rules.compose import next_snapshot
from functions.role_memory.rules.decision import comparison, decide
from functions.role_memory.rules.picture import Similarities
from functions.role_memory.rules.settings import RuleSettings
from shared.records import Evidence, Snapshot

SESSIONS, QUESTIONS_A_JOB = 12, 50
JOBS = ("nurse", "candle maker", "translator")
SHOWS_NOTHING, OFF_SUBJECT, GOES_ON = 0.25, 0.25, 0.35
NOON = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
SWEEP = {
    "drift_questions": (2, 3, 4, 5),
    "drift_window": (3, 4, 5, 8, 12),
    "half_life": (5, 10, 20, 40, 80),
}


def session(random: Random) -> Iterator[tuple[str, str]]:
    """Yield for each question the job the user has, and the role it shows; empty when it shows none."""
    hobby, hobbies = "", 0
    for job in JOBS:
        for _ in range(QUESTIONS_A_JOB):
            if hobby and random.random() < GOES_ON:
                yield job, hobby
                continue
            hobby, dice = "", random.random()
            if dice < OFF_SUBJECT:
                hobbies += 1
                hobby = f"hobby number {hobbies}"
            yield job, hobby or ("" if dice < OFF_SUBJECT + SHOWS_NOTHING else job)


def played(shown: Sequence[str], settings: RuleSettings) -> list[str]:
    """Return the leading identity after each question."""
    track: list[Snapshot] = []
    for turn, role in enumerate(shown, start=1):
        evidence = (Evidence(turn=turn, quote=f"as a {role}"),) if role else ()
        extract = Extract(identities=(role,) if role else (), evidence=evidence)
        latest, recent = track[-1] if track else None, track[-settings.drift_window :]
        asked = comparison(extract, latest, recent, settings)
        scores = {other: 1.0 if role in other.identities else 0.0 for other in asked.others} if asked else {}
        verdict = decide(extract, latest, recent, Similarities("made up", scores), settings)
        track.append(
            next_snapshot(
                latest,
                verdict,
                user_id="u1",
                session_id="s1",
                question="?",
                version=turn,
                turn=turn,
                covered_turns=(turn,),
                now=NOON + timedelta(minutes=turn),
                zone=ZoneInfo("UTC"),
                tokens=extract.tokens,
                half_life=settings.half_life,
            )
        )
    return [next(iter(one.text.identified_role.possible_identities), "") for one in track]


def figures(settings: RuleSettings) -> tuple[float, float, float]:
    """Return the share of questions after which the job leads, the share after which a hobby does, and the mean lag."""
    right = wrong = total = 0
    lags = []
    for seed in range(SESSIONS):
        questions = list(session(Random(seed)))  # noqa: S311 sessions are to be the same each time
        leading = played([role for _, role in questions], settings)
        for (job, _), led in zip(questions, leading, strict=True):
            total, right, wrong = total + 1, right + (led == job), wrong + led.startswith("hobby")
        for number, job in enumerate(JOBS[1:], start=1):
            since = leading[number * QUESTIONS_A_JOB :]
            lags.append(since.index(job) + 1 if job in since else len(since))
    return right / total, wrong / total, sum(lags) / len(lags)


def sweep() -> str:
    """Return the figures of each setting, with the others at their defaults, as Markdown."""
    lines = [
        "| setting | value | job leads, % | hobby leads, % | questions until a new job leads |",
        "|---|---|---|---|---|",
    ]
    for name, values in SWEEP.items():
        for value in values:
            settings = replace(RuleSettings(), **{name: value})
            right, wrong, lag = figures(settings)
            default = " (default)" if settings == RuleSettings() else ""
            lines.append(f"| {name} | {value}{default} | {100 * right:.1f} | {100 * wrong:.1f} | {lag:.1f} |")
    return "\n".join([*lines, ""])
