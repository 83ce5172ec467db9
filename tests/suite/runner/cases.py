"""The cases of corpus/suite: reads them, refuses what is not in the format, and makes the question for a subject."""

import json
import re
from pathlib import Path

FILE_KEYS = {"suite", "convention", "about", "license", "cases"}
CASE_KEYS = {"id", "says", "class", "source", "input", "expect"}
INPUT_KEYS = {"url", "bot", "page", "page_b64", "head", "robots", "robots_b64", "robots_status", "tdmrep", "rsl", "names", "now"}
CLASSES = {"standard", "vendor", "observed", "seed"}
USES = {"enter", "index", "follow", "anchor", "archive", "snippet", "image", "translate", "input", "train"}
TEXTS = {"index", "snippet", "archive", "input"}
LISTS = {"text": (TEXTS, {"has", "lacks", "apart"}), "links": ({"follow", "anchor"}, {"has", "lacks"})}


class Malformed(Exception):
    """A file is not in the format of the suite."""


def files(folder, only=None):
    """The files of the suite by name: each as read, with the cases whose id the pattern `only` matches."""
    seen = set()
    found = {}
    for path in sorted(Path(folder).glob("*.json")):
        if path.stem == "SOURCES":
            continue
        try:
            file = json.loads(path.read_text(encoding="utf-8"))
            check_file(path.stem, file, seen)
        except (ValueError, Malformed) as error:
            raise Malformed(f"{path}: {error}") from error
        file["cases"] = [case for case in file["cases"] if only is None or only(case["id"])]
        if file["cases"]:
            found[path.stem] = file
    return found


def question(case):
    """What a subject is asked: the input, without what is expected."""
    return {"id": case["id"], **case["input"]}


def check_file(stem, file, seen):
    """Refuses a file that is not in the format; `seen` has the ids of all files so far."""
    need(isinstance(file, dict) and file.get("suite") == 1, "is no file of suite 1")
    need(set(file) == FILE_KEYS, f"has the keys {sorted(file)}, not {sorted(FILE_KEYS)}")
    need(file["license"] == "CC0-1.0", "is not CC0-1.0")
    for case in file["cases"]:
        try:
            need(re.fullmatch(re.escape(stem) + "/[a-z0-9][a-z0-9.-]*", case["id"]), "its id is not FILE/slug")
            need(case["id"] not in seen, "its id is not the only one")
            seen.add(case["id"])
            check_case(case)
        except (Malformed, KeyError, TypeError) as error:
            raise Malformed(f"case {case.get('id')}: {error}") from error


def check_case(case):
    need(set(case) == CASE_KEYS, f"it has the keys {sorted(case)}")
    need(case["class"] in CLASSES, f"its class is {case['class']}")
    need(set(case["source"]) <= {"document", "section", "says", "url"}, "its source has other keys")
    strange = set(case["input"]) - INPUT_KEYS
    need(not strange, f"its input has {sorted(strange)}")
    need({"url", "bot"} <= set(case["input"]), "its input lacks url or bot")
    need(set(case["expect"]) <= {"uses", "text", "links"} and case["expect"], "nothing is expected, or something else")
    for use, value in case["expect"].get("uses", {}).items():
        need(use in USES and value in ("allow", "deny", "may"), f"it expects {use}: {value}")
    for kind, (names, lists) in LISTS.items():
        for name, expected in case["expect"].get(kind, {}).items():
            need(name in names and set(expected) <= lists, f"it expects {kind}.{name}: {sorted(expected)}")
            need(all(isinstance(value, list) and value for value in expected.values()), f"{kind}.{name} has an empty list")


def need(holds, otherwise):
    if not holds:
        raise Malformed(otherwise)
