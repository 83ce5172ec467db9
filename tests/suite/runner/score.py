"""Scores an answer: each thing that a case expects is a check, with one result.

`pass`; `leak`: allowed, or came out, though it is denied; `over`: denied, or missing, though it is allowed;
`unsupported`: not answered; `error`: the subject failed. What may be either way (`may`) is told and not scored.
"""

import re
import unicodedata
from typing import NamedTuple

RESULTS = ("pass", "leak", "over", "unsupported", "error")


class Check(NamedTuple):
    """A thing that a case expects, what the subject answered, and the result."""

    name: str
    expected: str
    answer: str
    result: str


def judge(case, answer):
    """The checks of a case, by a subject's answer."""
    checks = []
    for use, expected in case["expect"].get("uses", {}).items():
        checks.append(judge_use(f"uses.{use}", expected, answer, use))
    for kind, one in (("text", judge_words), ("links", judge_links)):
        for name, lists in case["expect"].get(kind, {}).items():
            for which, expected in lists.items():
                shown = " ".join("+".join(pair) if which == "apart" else pair for pair in expected)
                given = (answer.get(kind) or {}).get(name)
                failed = unanswered(answer, given)
                wrong = [] if failed else one(which, expected, given)
                result = failed or ("pass" if not wrong else "over" if which == "has" else "leak")
                told = told_failure(answer) if failed else " ".join(wrong)
                checks.append(Check(f"{kind}.{name}.{which}", shown, told, result))
    return checks


def judge_use(name, expected, answer, use):
    given = (answer.get("uses") or {}).get(use)
    failed = unanswered(answer, given)
    said = "allow" if given else "deny"
    if expected == "may":
        return Check(name, expected, "" if failed else said, "may")
    right = given == (expected == "allow")
    return Check(name, expected, told_failure(answer) if failed else said, failed or ("pass" if right else "leak" if given else "over"))


def unanswered(answer, given):
    if "error" in answer:
        return "error"
    return "unsupported" if given is None or answer.get("unsupported") else None


def told_failure(answer):
    return str(answer.get("error", ""))


def judge_words(which, expected, phrases):
    """The words, or pairs of them, that are not as expected."""
    said = [tokens(phrase) for phrase in phrases]

    def stands(*words):
        sought = [token for word in words for token in tokens(word)]
        return any(holds(phrase, sought) for phrase in said)

    if which == "has":
        return [word for word in expected if not stands(word)]
    if which == "lacks":
        return [word for word in expected if stands(word)]
    return ["+".join(pair) for pair in expected if stands(*pair)]


def judge_links(which, expected, links):
    return [url for url in expected if (url in links) == (which == "lacks")]


def tokens(text):
    """Words of letters and digits, without regard to case."""
    return re.findall(r"[^\W_]+", unicodedata.normalize("NFC", text).casefold())


def holds(phrase, sought):
    """True if the words stand in the phrase one behind the other."""
    width = len(sought)
    return any(phrase[at : at + width] == sought for at in range(len(phrase) - width + 1))


def worst(checks):
    """The result of a case: its worst check. None if nothing of it is scored."""
    order = ("error", "leak", "over", "unsupported", "pass")
    results = {check.result for check in checks}
    return next((result for result in order if result in results), None)


def fault(answer):
    """What is wrong with the form of an answer, or None."""
    if "error" in answer or answer.get("unsupported"):
        return None
    wanted = {
        "uses": lambda value: isinstance(value, bool),
        "text": lambda value: is_texts(value),
        "links": lambda value: is_texts(value),
    }
    for key, is_right in wanted.items():
        part = answer.get(key, {})
        if not isinstance(part, dict):
            return f"{key} is no object"
        for name, value in part.items():
            if not is_right(value):
                return f"{key}.{name} is {str(value)[:40]}"
    return None


def is_texts(value):
    return isinstance(value, list) and all(isinstance(one, str) for one in value)
