"""The stand-in model: honest, deterministic, and enough for the case study."""

import threading
from collections.abc import Iterator

import httpx
import pytest

from functions.role_memory.extract import Extract
from functions.role_memory.extraction.extractor import extract
from functions.role_memory.rules.picture import Picture
from functions.role_memory.similarity import ModelMeasure
from shared.model.endpoint import Endpoint
from shared.model.structured import BEST, Dialect, Format, OpenAIStructured
from shared.records import DetailLevel
from tools.local.stand_in import MODEL, REMEMBERED, StandIn


@pytest.fixture
def stand_in() -> Iterator[StandIn]:
    server = StandIn()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def chat(stand_in: StandIn, *messages: tuple[str, str]) -> str:
    body = {"model": MODEL, "messages": [{"role": role, "content": content} for role, content in messages]}
    reply = httpx.post(f"{stand_in.url}/v1/chat/completions", json=body)
    assert reply.status_code == 200, reply.text
    return str(reply.json()["choices"][0]["message"]["content"])


def read(
    stand_in: StandIn,
    question: str,
    turn: int = 1,
    history: tuple[tuple[int, str], ...] = (),
    dialect: Dialect = BEST,
) -> Extract:
    """Extract as the function does, with the real adapter in between."""
    model = OpenAIStructured(Endpoint(f"{stand_in.url}/v1", "none"), MODEL, dialect)
    return extract(question, turn, history, model, seconds=10)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"not json", 400),
        (b'{"model": "m", "messages": []}', 400),
        (b'{"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": true}', 400),
    ],
)
def test_what_it_cannot_read_is_refused_in_the_format_of_the_protocol(
    stand_in: StandIn, body: bytes, status: int
) -> None:
    reply = httpx.post(f"{stand_in.url}/v1/chat/completions", content=body)
    assert reply.status_code == status
    assert reply.json()["error"]["message"].startswith("The stand-in cannot read")


def test_unknown_addresses_name_the_known_ones(stand_in: StandIn) -> None:
    assert httpx.get(f"{stand_in.url}/v1/other").status_code == 404
    reply = httpx.post(f"{stand_in.url}/v1/embeddings", json={})
    assert reply.status_code == 404
    assert "/v1/chat/completions" in reply.json()["error"]["message"]


def test_it_lists_itself_as_the_only_model(stand_in: StandIn) -> None:
    assert [model["id"] for model in httpx.get(f"{stand_in.url}/v1/models").json()["data"]] == [MODEL]


@pytest.mark.parametrize(
    ("question", "honest", "without", "guided"),
    [
        ("How do I bake bread?", "no real model", "no guidance", "and guidance about the user's role"),
        ("怎么烤面包？", "不是真正的模型", "没有用户角色说明", "带有用户角色说明"),
    ],
)
def test_answers_are_honest_and_say_what_was_seen(
    stand_in: StandIn, question: str, honest: str, without: str, guided: str
) -> None:
    # GIVEN a question alone, and the same one after a question, an answer and guidance
    guidance = ("system", "Be kind.\n\nYou are having a conversation with a home cook.")
    alone = chat(stand_in, ("user", question))
    later = chat(stand_in, guidance, ("user", "x"), ("assistant", "y"), ("user", question))

    # THEN each answer says that it is a stand-in, how to set a real model, and what came along
    for answer in (alone, later):
        assert honest in answer
        assert "OPENAI_BASE_URL" in answer
    assert " 0 " in alone
    assert without in alone
    assert " 2 " in later
    assert guided in later
    assert chat(stand_in, ("user", question)) == alone


def test_the_case_study_is_read(stand_in: StandIn) -> None:
    # GIVEN the three questions WHEN they are extracted one after the other
    questions = (
        "研究下回锅肉的做法",
        "改进一下口味，让他更加适合于老人和小孩",
        "我想在进一步研究一下适合于家庭成员的回锅肉做法，详细一点",
    )
    history = tuple(enumerate(questions, start=1))
    found = [read(stand_in, text, turn, history[: turn - 1]) for turn, text in history]

    # THEN each shows its part of the picture
    assert [each.identities for each in found] == [("烹饪爱好者",), ("家庭烹饪者",), ("烹饪爱好者", "家庭烹饪者")]
    assert found[0].characteristics == ("关注具体步骤",)
    assert "照顾老人和小孩" in found[1].characteristics
    assert found[2].preferences.detail_level is DetailLevel.COMPREHENSIVE
    assert all(piece.quote in questions[piece.turn - 1] for each in found for piece in each.evidence)


@pytest.mark.parametrize(
    ("question", "identity", "stated"),
    [
        ("I am a chemistry teacher. How do I explain moles?", "chemistry teacher", True),
        ("我是一名护士，怎么写交接班记录？", "护士", True),
        ("How do I debug this python function?", "programmer", False),
        ("番茄苗怎么浇水？", "园艺爱好者", False),
    ],
)
def test_roles_are_read_in_both_languages(stand_in: StandIn, question: str, identity: str, stated: bool) -> None:
    found = read(stand_in, question)
    assert found.identities[0] == identity
    assert found.self_described is stated


@pytest.mark.parametrize("question", ["What is the tallest mountain?", "最高的山是哪座？"])
def test_a_question_of_anybody_shows_nobody(stand_in: StandIn, question: str) -> None:
    """R17: no guess without ground."""
    assert not read(stand_in, question).teaches


@pytest.mark.parametrize("format_", [Format.OBJECT, Format.TEXT])
def test_the_schema_may_stand_in_the_prompt(stand_in: StandIn, format_: Format) -> None:
    # GIVEN an adapter that asks without a schema in the request
    dialect = Dialect(format=format_)

    # THEN the answer is an object of the schema all the same
    assert read(stand_in, "研究下回锅肉的做法", dialect=dialect).identities == ("烹饪爱好者",)


@pytest.mark.parametrize(
    ("ours", "theirs", "same"),
    [
        ("烹饪爱好者", "家庭烹饪者", True),
        ("programmer", "程序员", True),
        ("teacher", "教师", True),
        ("nurse", "teacher", False),
        ("护士", "烹饪爱好者", False),
    ],
)
def test_roles_of_one_subject_are_alike(stand_in: StandIn, ours: str, theirs: str, same: bool) -> None:
    """R14: 0.8 means the same role."""
    measure = ModelMeasure(OpenAIStructured(Endpoint(f"{stand_in.url}/v1", "none"), MODEL))
    assert (measure.compare(Picture((ours,)), [Picture((theirs,))], seconds=10).values[0] >= 0.8) is same


@pytest.mark.parametrize(("asked", "same"), [("这段代码怎么优化？", True), ("研究下回锅肉的做法", False)])
def test_questions_of_one_subject_are_alike(stand_in: StandIn, asked: str, same: bool) -> None:
    """R14: what was asked is compared where it is known."""
    measure = ModelMeasure(OpenAIStructured(Endpoint(f"{stand_in.url}/v1", "none"), MODEL))
    known = Picture(("programmer",), asked=("How do I test this code in Python?",))
    assert (measure.compare(Picture(("somebody",), asked=(asked,)), [known], seconds=10).values[0] >= 0.8) is same


def test_the_last_requests_are_remembered(stand_in: StandIn) -> None:
    for number in range(REMEMBERED + 1):
        stand_in.requests.append({"number": number})
    chat(stand_in, ("user", "hello"))

    remembered = httpx.get(f"{stand_in.url}/requests").json()
    assert len(remembered) == REMEMBERED
    assert remembered[-1]["messages"] == [{"role": "user", "content": "hello"}]
