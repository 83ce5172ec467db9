"""Reads a page of the corpus: its cases, and what each of them expects. corpus/README.md has the format."""

import re
from typing import NamedTuple


class Expectation(NamedTuple):
    """An `expect` fence: its settings, its lines, and the input that stands above it."""

    settings: dict
    lines: dict
    inputs: dict


class Case(NamedTuple):
    """A heading of the page with all that it expects."""

    title: str
    says: str
    expectations: list

    @property
    def section(self):
        """What stands before the colon of the title."""
        return self.title.split(":", 1)[0].strip()

    @property
    def rest(self):
        """What stands behind the colon, or nothing."""
        return self.title.partition(":")[2].strip()


def cases(path):
    """The cases of a page, in order."""
    found, inputs, fence, info = [], {}, None, ""
    for line in path.read_text(encoding="utf-8").split("\n"):
        if fence is not None and not line.startswith("```"):
            fence.append(line)
        elif fence is not None:
            take(found, inputs, info, "\n".join(fence))
            fence = None
        elif line.startswith("```"):
            info, fence = line[3:].strip(), []
        elif line.startswith("## "):
            found.append(Case(line[3:].strip(), "", []))
            inputs = {}
        elif found and line.strip() and not found[-1].expectations and not inputs:
            found[-1] = found[-1]._replace(says=f"{found[-1].says} {line.strip()}".strip())
    return found


def take(found, inputs, info, body):
    """Takes a fence: input holds for every expectation below it."""
    if not found:
        return
    kind, *settings = info.split()
    if kind == "expect":
        lines = dict(line.partition(":")[::2] for line in body.split("\n") if ":" in line)
        given = dict(setting.partition("=")[::2] for setting in settings)
        stripped = {key.strip(): value.strip() for key, value in lines.items()}
        found[-1].expectations.append(Expectation(given, stripped, dict(inputs)))
    else:
        inputs[kind] = unescaped(body) if "escapes" in settings else body.encode()


def unescaped(text):
    """The bytes that a fence with escapes means."""
    text = re.sub(r"\\\n", "", text)
    escapes = {"\\n": b"\n", "\\r": b"\r", "\\t": b"\t", "\\\\": b"\\"}
    out = b""
    for part in re.split(r"(\\x[0-9A-Fa-f]{2}|\\[nrt\\])", text):
        if part.startswith("\\x"):
            out += bytes([int(part[2:], 16)])
        else:
            out += escapes.get(part) or part.encode()
    return out
