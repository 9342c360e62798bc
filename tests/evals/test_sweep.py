"""The defaults of drift are where the sweep says they are (R14, R16)."""

from dataclasses import replace

from evals.sweep import JOBS, QUESTIONS_A_JOB, figures, played
from functions.role_memory.rules.settings import RuleSettings


def test_fewer_questions_follow_faster_and_are_led_astray_more_often() -> None:
    hasty = figures(replace(RuleSettings(), drift_questions=2))
    default = figures(RuleSettings())
    # THEN two questions follow a new job sooner, and three leave more answers guided by the right one
    assert hasty[2] < default[2] < QUESTIONS_A_JOB
    assert hasty[0] < default[0]
    assert hasty[1] > default[1]


def test_without_anything_off_the_subject_a_new_job_leads_with_its_third_question() -> None:
    nurse, maker, _ = JOBS
    leading = played([nurse] * 6 + [maker] * 4, RuleSettings())
    assert leading == [nurse] * 8 + [maker] * 2
