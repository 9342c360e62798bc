"""Whether a question speaks of the user, of somebody else, or of a played part (R11)."""

import pytest

from functions.role_memory.extraction.speaker import (
    is_aside,
    names_somebody_else,
    on_behalf,
    plays_a_part,
    self_in,
    united_selves,
)


@pytest.mark.parametrize(
    "text",
    [
        "I'm a bit lost with this form.",
        "I am the only one who gets this error.",
        "When I run the script it stops.",
        "As a rule, do geese bite?",
        "My sister is a dental hygienist.",
        "Pretend I'm a pirate captain.",
        "Can I work on this offline?",
        "我是不是该换轮胎了？",
        "我是昨天买的，能退吗？",
        "我是想问怎么退货。",
        "我做了两次都失败了。",
        "他是律师。",
        "Printer in the hall, jams daily.",
        "I have a squad of ants in the kitchen.",
        "我一个朋友去年转行了。",
        "红色的，怎么洗？",
        "在家做饭第三天了，腻了。",
        "Estoy muy cansada hoy.",
        "今日は暑いですね。",
    ],
)
def test_what_only_sounds_like_a_self_description_is_none(text: str) -> None:
    assert self_in(text).quotes == ()


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("I'm a beekeeper and two hives are queenless.", ("beekeeper",)),
        ("I am the conductor of a village choir. How do we warm up?", ("conductor of a village choir",)),
        ("As a locksmith, which cylinder would you fit?", ("locksmith",)),
        ("Midwife here, quick one about tear grades.", ("Midwife",)),
        ("I work as a stonemason, which chisel for slate?", ("stonemason",)),
        ("I teach the violin to six-year-olds.", ()),
        ("My patients keep skipping their exercises.", ()),
        ("I run a small bakery; how do I price sourdough?", ()),
        ("我是一名会计，增值税怎么抵扣？", ("会计",)),
        ("本人是小区物业的水电工，水表怎么校？", ("小区物业的水电工",)),
        ("我自己是做室内设计的，色卡怎么选？", ("室内设计从业者",)),
        ("我在县医院上班，排班怎么排？", ()),
        ("我开了一家花店，玫瑰怎么保鲜？", ()),
        ("作为一名导游，怎么处理投诉？", ("导游",)),
        ("Soy fontanero y la caldera pierde agua.", ("fontanero",)),
        ("パン屋です。発酵がうまくいきません。", ("パン屋",)),
        ("Glazier by trade, so: putty or silicone?", ("Glazier",)),
        ("Pastry chef at a seaside hotel, meringues weep. Why?", ("Pastry chef",)),
        ("My swimmers are fading in the last length.", ()),
        ("The students renting my flat want a dryer.", ()),
        ("We run a campsite by the river, how do I word a flood notice?", ()),
        ("保安一枚，夜里怎么提神？", ("保安",)),
        ("跑网约车的，平台抽成怎么看？", ("跑网约车从业者",)),
        ("在快递站当分拣员第二年了，腰怎么护？", ("分拣员",)),
        ("我一个钳工去报夜校合适吗？", ("钳工",)),
        ("本人厨师，想学点管理。", ("厨师",)),
        ("我们车间里的粉尘怎么测？", ()),
    ],
)
def test_the_users_own_words_are_recognised(text: str, terms: tuple[str, ...]) -> None:
    told = self_in(text)
    assert told.quotes
    assert told.terms == terms


@pytest.mark.parametrize(
    ("text", "denied", "terms"),
    [
        ("I'm not a plumber, I'm the landlord of the flat.", ("plumber",), ("landlord of the flat",)),
        ("I'm no longer a student.", (), ()),
        ("我不是学生，也不是家长，我是食堂的厨师。", ("学生", "家长"), ("食堂的厨师",)),
        ("No soy médico, soy veterinaria.", ("médico",), ("veterinaria",)),
    ],
)
def test_what_the_user_denies_is_not_theirs(text: str, denied: tuple[str, ...], terms: tuple[str, ...]) -> None:
    """R14, step 3."""
    told = self_in(text)
    if denied:
        assert told.denied == denied
    assert told.terms == terms


def test_what_is_denied_later_is_not_theirs_any_more() -> None:
    # GIVEN a correction after a statement, newest first
    told = united_selves([self_in("I'm not a plumber."), self_in("I'm a plumber.")])
    # WHEN both are looked at, THEN the correction holds
    assert told.denied == ("plumber",)
    assert told.terms == ()


@pytest.mark.parametrize(
    "text",
    [
        "Asking for my brother, he drives a forklift: when must he renew?",
        "My neighbour wants to know whether her lease can be ended.",
        "替我妈问一下，她跳广场舞膝盖疼怎么办？",
        "我朋友想问考驾照要多久？",
        "Es para mi hermana, que es enfermera: ¿qué turno conviene?",
    ],
)
def test_a_question_for_somebody_else_is_recognised(text: str) -> None:
    assert on_behalf(text, [])


def test_what_goes_on_about_them_is_still_for_them_until_the_user_speaks_of_themself() -> None:
    earlier = ["Asking for my brother, he drives a forklift: when must he renew?"]
    assert on_behalf("Does he need a medical too?", earlier)
    assert not on_behalf("And what do I pay for my own licence?", earlier)
    assert not on_behalf("Does he need a medical too?", [])
    assert not on_behalf("For my sister, but I'm a notary myself: is a copy enough?", [])


@pytest.mark.parametrize(
    "text", ["Unrelated: how old do elms get?", "By the way, is it leap year?", "对了，端午节是几号？"]
)
def test_a_question_that_says_it_is_unrelated_is_an_aside(text: str) -> None:
    assert is_aside(text)


@pytest.mark.parametrize(
    "text", ["Are the two errors unrelated?", "Which way round does the valve go?", "这样对了吗？"]
)
def test_a_question_about_what_is_related_is_none(text: str) -> None:
    assert not is_aside(text)


@pytest.mark.parametrize(
    "text",
    [
        "Pretend I'm a duchess and answer as my butler.",
        "Write a monologue in the voice of a tired surgeon.",
        "The same evening, told by the night porter.",
        "你来扮演面试官，我来应聘。",
        "以一位老船长的口吻写一封信。",
        "假如我是唐僧，你怎么劝我？",
    ],
)
def test_played_parts_are_recognised(text: str) -> None:
    assert plays_a_part(text, [])


def test_a_part_goes_on_while_its_name_is_called() -> None:
    earlier = ["Pretend I'm Duchess Ottilie and answer as my butler."]
    assert plays_a_part("Ottilie wants her tea. What do you say?", earlier)
    assert not plays_a_part("Back to the real thing: how do I descale a kettle?", earlier)


@pytest.mark.parametrize(
    ("term", "text", "other"),
    [
        ("taxi driver", "The third voice is a taxi driver who finds a bag.", True),
        ("contractor", "I only check the contractor's method statement.", True),
        ("relative of a crane operator", "When must he renew?", True),
        ("teacher's husband", "When must she renew?", True),
        ("患者家属", "怎么翻身？", True),
        ("家长", "怎么跟家长解释分班？", True),
        ("种植户", "写个发给种植户的通知。", True),
        ("architect", "I'm the architect on this job.", False),
        ("site foreman", "How long does screed dry?", False),
        ("mechanical engineer", "The engine stalls when I brake.", False),
        ("dairy farmer", "The farm floods every spring.", False),
        ("student", "My Year 9s confuse mass and weight.", True),
        ("patient", "Our clinic runs late every day.", True),
        ("学生", "我们班上总有人迟到怎么办？", True),
        ("班主任", "我是高三班主任，怎么跟家长解释？", False),
        ("电工", "热继电器怎么整定？", False),
    ],
)
def test_people_a_question_mentions_are_told_from_the_user(term: str, text: str, other: bool) -> None:
    assert names_somebody_else(term, text, self_in(text)) is other
