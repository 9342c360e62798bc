"""Who asks of a private matter is not whom they turn to for it (R17)."""

import pytest

from functions.role_memory.extraction.private import only_turns_to


@pytest.mark.parametrize(
    ("own", "term"),
    [
        ("is it ok to drink on amoxicillin or wait till I'm done", "pharmacist"),
        ("My knee clicks when I take the stairs", "physiotherapist"),
        ("can I still get a repeat prescription if my gp is shut", "general practitioner"),
        ("my landlord kept the deposit, now what", "property manager"),
        ("what's a fair raise to ask on top of my salary", "payroll specialist"),
        ("my boiler loses pressure every morning", "heating engineer"),
        ("the brakes on my car squeal in the wet", "auto mechanic"),
        ("our puppy chews the skirting", "dog trainer"),
        ("what time is iftar tonight", "imam"),
        ("where's the march starting on saturday", "activist"),
        ("吃了阿莫西林能喝酒吗", "药剂师"),
        ("孕早期可以喝咖啡吗", "妇产科医生"),
        ("房东不退我押金怎么办，合同里没写", "律师"),
        ("我家猫老是吐毛球", "兽医"),
        ("Me duele la rodilla al bajar escaleras", "fisioterapeuta"),
        ("Welche Nebenwirkungen hat Ibuprofen?", "Apotheker"),
        ("Je suis enceinte, puis-je prendre l'avion ?", "sage-femme"),
        ("妊娠中に温泉は入れますか", "助産師"),
    ],
)
def test_whom_they_would_ask_is_not_who_they_are(own: str, term: str) -> None:
    assert only_turns_to(term, own)


@pytest.mark.parametrize(
    ("own", "term"),
    [
        ("My knee clicks when I lay floors all day", "floor layer"),
        ("two of my patients asked about side effects", "nurse"),
        ("how do I taper prednisolone for the pt in bed 4", "physician"),
        ("what does the Vaughan Williams classification leave out", "pharmacologist"),
        ("my car is stuck at the port and the bill of lading is wrong", "freight forwarder"),
        ("病人问饭前吃还是饭后吃", "药剂师"),
        ("我们科室夜班怎么排", "护士"),
        ("猫展的评分标准是什么", "猫舍主人"),
    ],
)
def test_a_trade_is_not_private(own: str, term: str) -> None:
    assert not only_turns_to(term, own)
