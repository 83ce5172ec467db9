"""The runner: what it refuses, how it scores, how it goes on when a subject dies; and the example of docs/suite.md works.

    python3 tests/suite/test.py
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest
from html.parser import HTMLParser
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))
from runner import cases, page, score, subjects  # noqa: E402

SOURCE = {"document": "A standard", "section": "1", "says": "so", "url": "https://standard.example/"}


def case(slug, expect, **asked):
    return {
        "id": f"robots-made/{slug}", "says": "Says.", "class": "standard", "source": SOURCE,
        "input": {"url": "https://site.example/dir/page", "bot": "FooBot", **asked}, "expect": expect,
    }


def file(*made):
    return {"suite": 1, "convention": "made", "about": "About.", "license": "CC0-1.0", "cases": list(made)}


DENY = {"uses": {"enter": "deny"}}
ALLOW = {"uses": {"enter": "allow"}}
SHUT = "User-agent: *\nDisallow: /dir/\n"
FEW = [case("shut", DENY, robots=SHUT), case("open", ALLOW, robots="User-agent: *\nDisallow: /other/\n"), case("wrong", ALLOW, robots=SHUT)]

# It answers all with `false`; what it does first with a case is the test's.
WRAPPER = """#!{python}
import json, os, sys, time
if "--version" in sys.argv: sys.exit(print("made 1"))
if "--promises" in sys.argv: sys.exit(print("robots-*"))
def answer(case):
    name = case["id"].split("/")[1]
    {what}
    print(json.dumps({{"id": case["id"], "uses": {{"enter": False}}}}), flush=True)
{how}
"""
LINES = "for line in sys.stdin: answer(json.loads(line))"
# It reads everything first, and answers nothing if one case kills it.
BATCH = """
all = [json.loads(line) for line in sys.stdin]
if any(case["id"].endswith("/bad") for case in all): os._exit(9)
for case in all: answer(case)
"""


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = Path(folder.name)

    def written(self, *made, name="robots-made"):
        (self.work / "cases").mkdir(exist_ok=True)
        (self.work / "cases" / f"{name}.json").write_text(json.dumps(file(*made)))
        return self.work / "cases"

    def wrapper(self, text):
        path = self.work / "made"
        path.write_text(text)
        path.chmod(0o755)
        return path

    def made(self, what="pass", how=LINES):
        return self.wrapper(WRAPPER.format(python=sys.executable, what=what, how=how))

    def run_suite(self, *options):
        command = [sys.executable, HERE / "run", "--cases", self.work / "cases", "--subject", self.work / "made", *options]
        return subprocess.run(command, capture_output=True, text=True, timeout=120)

    def results(self):
        lines = (self.work / "out/suite.tsv").read_text().splitlines()
        return {line.split("\t")[2].split("/")[1]: line.split("\t")[-1] for line in lines[1:]}

    def asked(self, names):
        return [{"id": f"robots-made/{name}"} for name in names]

    def answers(self, path, names, start=20, limit=1):
        subject = subjects.Subject(str(path), "made 1", [])
        given = subjects.ask(subject, self.asked(names), start, limit)
        self.assertEqual([f"robots-made/{name}" for name in names], sorted(given, key=[f"robots-made/{name}" for name in names].index))
        return [name for name in names if "error" in given[f"robots-made/{name}"]]

    def test_a_subject_that_dies_owes_one_answer(self):
        path = self.made("if name == 'bad': os._exit(9)")
        self.assertEqual(["bad"], self.answers(path, ["a", "b", "bad", "c", "d"]))
        self.assertEqual(["bad"], self.answers(path, ["bad", "a"]))
        self.assertEqual(["bad"], self.answers(path, ["a", "bad"]))
        self.assertEqual([], self.answers(path, ["a", "b"]))

    def test_a_subject_that_hangs_owes_one_answer(self):
        path = self.made("if name == 'bad': time.sleep(600)")
        began = time.monotonic()
        self.assertEqual(["bad"], self.answers(path, ["a", "bad", "c"]))
        self.assertLess(time.monotonic() - began, 15)

    def test_a_subject_that_reads_everything_first_owes_one_answer(self):
        path = self.made(how=BATCH)
        self.assertEqual(["bad"], self.answers(path, list("abcdefg") + ["bad"] + list("hijk")))

    def test_a_subject_that_always_dies_is_given_up(self):
        names = [f"c{number}" for number in range(200)]
        path = self.made(how="os.write(2, b'x'); open(__file__ + '.log', 'a').write('x'); os._exit(9)")
        self.assertEqual(names, self.answers(path, names))
        self.assertLess(len(Path(f"{path}.log").read_text()), 60)

    def test_what_is_no_answer_is_an_error(self):
        for what in ("print('x', flush=True); return", "print('[]', flush=True); return", "case['id'] = 'another'",
                     "print(json.dumps({'id': case['id'], 'uses': {'enter': 1}}), flush=True); return",
                     "print(json.dumps({'id': case['id'], 'text': {'index': 'words'}}), flush=True); return"):
            self.assertEqual(["a", "b"], self.answers(self.made(what), ["a", "b"]), what)

    def test_results_and_status(self):
        self.written(*FEW)
        self.made()
        done = self.run_suite(self.work / "out", "--must", "made")
        self.assertEqual(1, done.returncode, done.stderr)
        self.assertEqual({"shut": "pass", "open": "over", "wrong": "over"}, self.results())
        self.assertIn("FAILED: made: robots-made/open uses.enter: over", done.stderr)
        self.assertEqual(2, self.run_suite("--must", "another").returncode)
        self.assertEqual(0, self.run_suite("--must", "made", "--only", "*/shut").returncode)
        self.assertEqual(2, self.run_suite("--only", "nothing").returncode)

    def test_a_subject_that_is_not_installed_is_left_out(self):
        self.written(*FEW)
        self.wrapper("#!/bin/sh\nexit 3\n")
        done = self.run_suite()
        self.assertEqual(2, done.returncode)
        self.assertIn("made is not installed", done.stderr)

    def test_the_example_of_the_document(self):
        text = (ROOT / "docs/suite.md").read_text()
        example = re.search(r"<!-- example.*?```python\n(.*?)```", text, re.S).group(1)
        self.assertLessEqual(len(example.splitlines()), 20)
        self.written(*FEW, case("bytes", DENY, robots_b64="IA=="))
        self.wrapper(example)
        self.run_suite(self.work / "out")
        self.assertEqual({"shut": "pass", "open": "pass", "wrong": "over", "bytes": "unsupported"}, self.results())

    def test_what_is_not_in_the_format_is_refused(self):
        good = case("good", DENY)
        self.assertEqual({"robots-made"}, set(cases.files(self.written(good))))
        for change in ({"id": "other/good"}, {"id": "robots-made/Good"}, {"class": "mine"}, {"expect": {}}, {"more": 1},
                       {"expect": {"uses": {"enter": "no"}}}, {"expect": {"text": {"index": {"has": []}}}},
                       {"expect": {"links": {"index": {"has": ["x"]}}}}, {"input": {"url": "https://site.example/"}},
                       {"input": {**good["input"], "robot": ""}}, {"source": {"documents": "x"}}):
            with self.assertRaises(cases.Malformed, msg=str(change)):
                cases.files(self.written({**good, **change}))
        with self.assertRaises(cases.Malformed):
            cases.files(self.written(good, good))

    def test_the_cases_of_the_project_are_in_the_format(self):
        folder = ROOT / "corpus" / "suite"
        if folder.exists():
            self.assertTrue(cases.files(folder))


class Score(unittest.TestCase):
    def results(self, expect, answer):
        return {check.name: check.result for check in score.judge({"expect": expect}, answer)}

    def test_uses(self):
        for expected, given, result in (("allow", True, "pass"), ("allow", False, "over"), ("deny", False, "pass"),
                                        ("deny", True, "leak"), ("may", True, "may"), ("may", False, "may")):
            self.assertEqual({"uses.index": result}, self.results({"uses": {"index": expected}}, {"uses": {"index": given}}))
        self.assertEqual({"uses.index": "unsupported"}, self.results({"uses": {"index": "deny"}}, {"uses": {"enter": True}}))
        self.assertEqual({"uses.index": "unsupported"}, self.results({"uses": {"index": "deny"}}, {"unsupported": True}))
        self.assertEqual({"uses.index": "error"}, self.results({"uses": {"index": "deny"}}, {"error": "x"}))

    def test_words(self):
        def result(which, expected, *phrases):
            found = self.results({"text": {"index": {which: expected}}}, {"text": {"index": list(phrases)}})
            return found[f"text.index.{which}"]

        self.assertEqual("pass", result("has", ["noon", "Closed"], "Open noon", "closed."))
        self.assertEqual("over", result("has", ["noon", "Closed"], "Open afternoon", "closed."))
        self.assertEqual("pass", result("lacks", ["noon"], "afternoon"))
        self.assertEqual("leak", result("lacks", ["noon", "x"], "at Noon, we"))
        self.assertEqual("pass", result("apart", [["noon", "closed"]], "noon", "closed"))
        self.assertEqual("pass", result("apart", [["noon", "closed"]], "noon we closed"))
        self.assertEqual("leak", result("apart", [["noon", "closed"]], "at noon; Closed"))
        self.assertEqual("unsupported", self.results({"text": {"input": {"has": ["a"]}}}, {"text": {}})["text.input.has"])

    def test_links(self):
        expect = {"links": {"follow": {"has": ["https://a.example/"], "lacks": ["https://b.example/"]}}}
        right = {"links": {"follow": ["https://a.example/"]}}
        wrong = {"links": {"follow": ["https://b.example/"]}}
        self.assertEqual(["pass", "pass"], list(self.results(expect, right).values()))
        self.assertEqual(["over", "leak"], list(self.results(expect, wrong).values()))

    def test_promises(self):
        subject = subjects.Subject("made", "made 1", ["page-meta", "robots-*", "!page-meta/*-bots"])
        for name, is_promised in (("page-meta", True), ("page-meta/all", True), ("page-meta/all-bots", False),
                                  ("page-header/all", False), ("robots-made/x", True)):
            self.assertEqual(is_promised, subject.promised(name), name)


class Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.targets, self.tags = [], set(), set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value)
            elif name in ("href", "aria-labelledby"):
                self.targets |= {value.removeprefix("#")} if name != "href" or value.startswith("#") else set()
            elif name.startswith("on") or name == "src":
                raise AssertionError(f"{tag} {name} at {self.getpos()}")


class Page(unittest.TestCase):
    def test_a_hostile_case_runs_nothing_and_every_link_leads_somewhere(self):
        hostile = "</pre></details><script>alert(1)</script><img src=x onerror=alert(1)>\u202e\x00\"'"
        made = {**case("bad", {"uses": {"enter": "deny", "index": "may"}, "text": {"index": {"lacks": [hostile]}}}, page=hostile, robots=hostile,
                       head=[[hostile, hostile]], now=hostile), "says": hostile, "source": {**SOURCE, "document": hostile, "url": "javascript:alert(1)"}}
        files = {"robots-made": file(made, *FEW)}
        checked = []
        for name in ("one", "two", hostile):
            answer = {"uses": {"enter": name == "one", "index": True}, "text": {"index": [hostile]}}
            judged = {one["id"]: score.judge(one, answer if name != "two" else {"error": hostile}) for one in files["robots-made"]["cases"]}
            checked.append((subjects.Subject(name, hostile, ["robots-*"]), judged))
        text = page.page(checked[:2], files)
        links = Links()
        links.feed(text)
        self.assertNotIn("script", links.tags)
        self.assertNotIn("img", links.tags)
        self.assertNotIn("javascript:", re.sub(r"<pre>.*?</pre>", "", text))
        self.assertFalse(any(char in text for char in "\u202e\x00"))
        self.assertEqual(set(), links.targets - set(links.ids))
        self.assertEqual(len(links.ids), len(set(links.ids)))


if __name__ == "__main__":
    os.environ.pop("HEEDFUL", None)
    unittest.main()
