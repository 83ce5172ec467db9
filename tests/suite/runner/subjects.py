"""The subjects: finds their wrappers, asks them, and keeps the run going when one dies or hangs.

A wrapper reads a JSON line a case and writes one a case, in order. It may read all lines before it answers. A process
that ends or hangs owes an answer: if it has answered before, the case behind its last answer is the one. If it has not,
the first case is asked alone, and the others in halves, until one stands alone.
"""

import fnmatch
import json
import os
import queue
import signal
import subprocess
import tempfile
import threading
from pathlib import Path

from . import score

# Programs of this folder that are no wrappers.
TOOLS = {"run", "install", "versions", "lint", "from_corpus"}
NOT_INSTALLED = 3
# So many failures in a row, and a subject is not asked any more.
PATIENCE = 20


class Subject:
    """A wrapper that is installed."""

    def __init__(self, path, version, promises):
        self.path = path
        self.name = Path(path).name
        self.version = version
        self.promises = promises

    def promised(self, name):
        """True if its author promises a file of the suite, or a case by its id; `!PATTERN` takes cases away."""
        taken = [pattern[1:] for pattern in self.promises if pattern.startswith("!")]
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in taken):
            return False
        stem = name.split("/")[0]
        return any(fnmatch.fnmatchcase(one, pattern) for one in (stem, name) for pattern in self.promises)

    def empty_promises(self, names):
        """The patterns that promise none of these cases."""
        stems = {name.split("/")[0] for name in names}
        kept = [pattern for pattern in self.promises if not pattern.startswith("!")]
        return [one for one in kept if not fnmatch.filter(stems, one) and not fnmatch.filter(names, one)]


def find(folder, names, say):
    """The subjects of the folder, or those that are named; one with a slash in its name is a path of its own."""
    if names:
        paths = [Path(name).resolve() if "/" in name else Path(folder) / name for name in names]
    else:
        paths = sorted(path for path in Path(folder).iterdir() if is_wrapper(path))
    found = []
    for path in paths:
        status, version, told = run_option(path, "--version")
        if status == NOT_INSTALLED:
            say(f"SKIPPED: {path.name} is not installed")
        elif status != 0 or not version:
            say(f"BROKEN: {path.name} --version ends with {status}: {told[-300:]}")
        else:
            promises = run_option(path, "--promises")[1].split()
            found.append(Subject(str(path.resolve()), version.splitlines()[0], promises))
    return found


def is_wrapper(path):
    return path.is_file() and not path.suffix and path.name not in TOOLS and os.access(path, os.X_OK)


def run_option(path, option):
    """The status, the output and the errors of a wrapper's option."""
    try:
        done = subprocess.run([path, option], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    except (OSError, subprocess.TimeoutExpired) as error:
        return -1, "", str(error)
    return done.returncode, done.stdout.strip(), done.stderr.strip()


def ask(subject, questions, start, limit):
    """All answers of a subject, by id: the first within `start` seconds, each of the others within `limit`."""
    answers = {}
    rest = [list(questions)]
    in_a_row = 0
    while rest:
        part = rest.pop()
        if in_a_row == PATIENCE:
            answers.update((asked["id"], {"error": f"not asked, after {PATIENCE} failures in a row"}) for asked in part)
            continue
        given, failure = ask_once(subject, part, start if len(part) > 1 else min(start, 3 * limit), limit)
        answers.update((asked["id"], answer) for asked, answer in zip(part, given))
        left = part[len(given) :]
        in_a_row = 0 if given else in_a_row
        if left and (given or len(part) == 1):
            answers[left[0]["id"]] = {"error": failure}
            in_a_row += 1
            left = left[1:]
            rest += [left] if left else []
        elif left:
            middle = (len(left) + 1) // 2
            rest += [one for one in (left[middle:], left[1:middle], left[:1]) if one]
    return answers


def ask_once(subject, questions, start, limit):
    """The answers of one process, in order, and why there are no more."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [subject.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, start_new_session=True
        )
        lines = queue.Queue()
        threading.Thread(target=feed, args=(process.stdin, questions), daemon=True).start()
        threading.Thread(target=drain, args=(process.stdout, lines), daemon=True).start()
        failure = "broken off"
        try:
            given, failure = collect(lines, questions, start, limit)
        finally:
            stop(process, 0 if failure else 5)
        errors.seek(0, os.SEEK_END)
        errors.seek(max(0, errors.tell() - 300))
        told = errors.read().decode(errors="replace").strip()
    return given, f"{failure}: {told}" if told else failure


def collect(lines, questions, start, limit):
    given = []
    allowed = start
    for question in questions:
        try:
            line = lines.get(timeout=allowed)
        except queue.Empty:
            return given, f"no answer within {allowed:g} s"
        if line is None:
            return given, "the subject ended without an answer"
        given.append(parsed(line, question["id"]))
        allowed = limit
    return given, None


def parsed(line, expected):
    """An answer as it is scored: one that is malformed is an error."""
    try:
        answer = json.loads(line)
    except ValueError:
        return {"error": f"the answer is no JSON: {line[:80]!r}"}
    if not isinstance(answer, dict) or answer.get("id") != expected:
        return {"error": "the answer is to another case"}
    fault = score.fault(answer)
    return {"error": f"the answer is malformed: {fault}"} if fault else answer


def feed(stream, questions):
    try:
        with stream:
            for question in questions:
                stream.write(json.dumps(question).encode() + b"\n")
                stream.flush()
    except OSError:
        pass  # It has ended; that is told where its answers are read.


def drain(stream, lines):
    with stream:
        for line in stream:
            lines.put(line)
    lines.put(None)


def stop(process, patience):
    """Ends a wrapper with all that it started, after a time in which it may end by itself."""
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        pass
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
