"""What a run found, as one HTML page: it loads nothing and runs nothing."""

import base64
import unicodedata
from collections import Counter, defaultdict
from html import escape
from pathlib import Path

from . import score, table
from .score import RESULTS

STYLE = Path(__file__).with_name("style.css")
KINDS = (("page", "Pages"), ("robots", "robots.txt"), ("site", "Records and files about use"))
KIND_NOTES = {
    "page": "META, headers, comments, classes and elements.",
    "robots": "Whether a bot may fetch a URL.",
    "site": "Records in robots.txt, tdmrep.json and RSL licences.",
}
LONG = 3000
HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex, nofollow">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The conformance suite</title>
<style>
{style}</style>
</head>
<body>
<a class="skip" href="#sum">To the results</a>
"""


def page(judged, files):
    """The whole page: a summary, a table of conventions for each kind, and all cases."""
    counted = {subject.name: table.counts(checked, files) for subject, checked in judged}
    kinds = [(kind, title, [stem for stem in files if stem.startswith(kind + "-")]) for kind, title in KINDS]
    kinds = [kind for kind in kinds if kind[2]]
    parts = [HEAD.replace("{style}", STYLE.read_text(encoding="utf-8")), header(judged, files, kinds), "<main>\n"]
    parts.append(summary(judged))
    for kind, title, stems in kinds:
        parts.append(grid(kind, title, stems, judged, counted))
    parts.append('<h2 id="cases">The cases</h2>\n<p class="soft">Each opens, and shows its input, its source and what each subject answers.</p>\n')
    for stem, file in files.items():
        parts.append(convention(stem, file, judged, counted))
    parts.append("</main>\n<footer><p>The cases are CC0-1.0. Each names the document that it follows.</p></footer>\n</body>\n</html>\n")
    return "".join(parts)


def header(judged, files, kinds):
    cases = sum(len(file["cases"]) for file in files.values())
    links = "".join(f' <a href="#{kind}">{title}</a>' for kind, title, _ in kinds)
    return (
        f'<header>\n<p class="brand">heedful</p>\n<h1>The conformance suite: {cases:,} cases, {len(files)} conventions, {len(judged)} subjects</h1>\n'
        "<p>Each case is a page, a header or a file of a site, and what its source says about it. A subject is a program that "
        "decides what a bot may do. A check compares one answer with one expectation.</p>\n"
        f'<nav class="jump" aria-label="Tables"><a href="#sum">Summary</a>{links} <a href="#cases">Cases</a></nav>\n</header>\n'
    )


def summary(judged):
    titles = {**table.TITLES, "unsupported": "not answered"}
    heads = "".join(f'<th scope="col" class="n">{titles[result]}</th>' for result in RESULTS)
    group = f'<th scope="col" class="g">shares</th>{heads}'
    rows = []
    for subject, checked in judged:
        cells = []
        for results in table.grouped(subject, checked):
            numbers = "".join(number(result, results[result]) for result in RESULTS)
            cells.append(f'<td class="g">{bar(results)}</td>{numbers}')
        rows.append(f'<tr><th scope="row">{shown(subject.version)}</th>{"".join(cells)}</tr>\n')
    width = len(RESULTS) + 1
    return (
        '<section id="sum" aria-labelledby="h-sum"><h2 id="h-sum">Checks by subject</h2>\n' + KEY
        + '<div class="scroll" tabindex="0" role="group" aria-labelledby="h-sum"><table class="sum"><thead>\n'
        f'<tr><td></td><th scope="colgroup" colspan="{width}" class="g">Conventions that its documentation promises</th>'
        f'<th scope="colgroup" colspan="{width}" class="g">The rest</th></tr>\n'
        f'<tr><th scope="col">subject</th>{group}{group}</tr></thead><tbody>\n{"".join(rows)}</tbody></table></div></section>\n'
    )


def number(result, count):
    kind = "zero" if not count else {"pass": "yes", "unsupported": "zero"}.get(result, result)
    return f'<td class="n {kind}">{count:,}</td>'


def swatch(result):
    return f'<svg viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true"><rect class="b-{result}" width="1" height="1"/></svg>'


def key():
    words = {
        "pass": "pass: as the source says",
        "leak": "leak: allowed, or came out, though it is denied",
        "over": "over: denied, or missing, though it is allowed",
        "unsupported": "the subject does not answer that",
        "error": "error: it failed",
    }
    return '<ul class="key">' + "".join(f"<li>{swatch(result)}{text}</li>" for result, text in words.items()) + "</ul>\n"


KEY = key()


def bar(results):
    """The shares of the results, as a picture; the numbers beside it say the same."""
    whole = sum(results.values())
    if not whole:
        return '<span class="zero">none</span>'
    parts, at = [], 0
    for result in RESULTS:
        width = 100 * results[result] / whole
        if width:
            parts.append(f'<rect class="b-{result}" x="{at:.2f}" width="{width:.2f}" height="1"/>')
        at += width
    return f'<svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">{"".join(parts)}</svg>'


def grid(kind, title, stems, judged, counted):
    """A row a convention, a column a subject that answers any of them."""
    answering = [
        subject for subject, _ in judged
        if any(set(counted[subject.name][stem]) - {"unsupported"} for stem in stems)
    ]
    heads = "".join(f'<th scope="col">{shown(subject.name)}</th>' for subject in answering)
    rows = []
    for stem in stems:
        cells = "".join(cell(stem, subject, counted[subject.name][stem]) for subject in answering)
        rows.append(f'<tr><th scope="row"><a href="#{stem}">{shown(stem.removeprefix(kind + "-"))}</a></th>{cells}</tr>\n')
    return (
        f'<section id="{kind}" aria-labelledby="h-{kind}"><h2 id="h-{kind}">{title}, by convention</h2>\n'
        f'<p class="soft">{KIND_NOTES[kind]} A cell has the checks passed of those answered, and leads to them. '
        'Its author promises the convention where the cell is <span class="own-key">tinted</span>.</p>\n'
        f'<div class="scroll" tabindex="0" role="group" aria-labelledby="h-{kind}"><table class="grid">\n'
        f'<thead><tr><th scope="col">convention</th>{heads}</tr></thead><tbody>\n{"".join(rows)}</tbody></table></div></section>\n'
    )


def cell(stem, subject, results):
    own = " own" if subject.promised(stem) else ""
    answered = sum(results.values()) - results["unsupported"]
    if not answered:
        return f'<td class="zero{own}">–</td>'
    faults = "".join(
        f'<small class="{result}">{results[result]} {result}</small>' for result in ("leak", "over", "error") if results[result]
    )
    is_right = results["pass"] == answered
    text = f'<span class="yes">✓ {answered}</span>' if is_right else f'{results["pass"]}/{answered}'
    to = stem if is_right else f"{stem}.{escape(subject.name)}"
    return f'<td class="{own.strip()}"><a href="#{to}">{text}{faults}</a></td>'


def convention(stem, file, judged, counted):
    """All cases of a convention, after what each subject fails in it. A link to the inside of a case opens it."""
    parts = [
        f'<section id="{stem}" class="rule" aria-labelledby="h-{stem}"><h3 id="h-{stem}">{shown(stem)}</h3>\n',
        f'<p class="soft">{shown(file["about"])}</p>\n',
    ]
    for subject, checked in judged:
        results = counted[subject.name][stem]
        failed = defaultdict(list)
        for case in file["cases"]:
            result = score.worst(checked[case["id"]])
            if result in ("leak", "over", "error"):
                failed[result].append(case["id"])
        if not failed:
            continue
        lines = "".join(
            f'<li><span class="{result}">{result}</span> ' + " ".join(f'<a href="#{name}">{shown(name.split("/")[1])}</a>' for name in names) + "</li>"
            for result, names in failed.items()
        )
        told = ", ".join(f"{results[result]} {table.TITLES[result]}" for result in RESULTS if results[result])
        parts.append(f'<details class="by"><summary>{shown(subject.name)}: {told}</summary><ul id="{stem}.{escape(subject.name)}">{lines}</ul></details>\n')
    parts += [one_case(case, judged) for case in file["cases"]]
    parts.append("</section>\n")
    return "".join(parts)


def one_case(case, judged):
    results = Counter(score.worst(checked[case["id"]]) for _, checked in judged)
    marks = ", ".join(
        f'<span class="{"yes" if result == "pass" else result}">{results[result]} {result}</span>'
        for result in ("pass", "leak", "over", "error") if results[result]
    )
    source = case["source"]
    section = f', {shown(source["section"])}' if source.get("section") else ""
    named = shown(source["document"]) + section
    if source.get("url", "").startswith(("https://", "http://")):
        named = f'<a href="{escape(source["url"])}">{named}</a>'
    says = f': {shown(source["says"])}' if source.get("says") else ""
    return (
        f'<details><summary><code>{shown(case["id"].split("/")[1])}</code> {shown(case["says"])} '
        f'<span class="marks">{marks}</span></summary>\n<p class="soft" id="{case["id"]}">{case["class"]}: {named}{says}</p>\n'
        f'{given(case["input"])}{checks(case, judged)}</details>\n'
    )


def given(asked):
    """The input of a case."""
    rows = []
    for name, value in asked.items():
        if name == "head":
            value = "\n".join(f"{key}: {text}" for key, text in value)
        elif name.endswith("_b64"):
            name, value = name.removesuffix("_b64"), base64.b64decode(value).decode("utf-8", "backslashreplace")
        value = str(value)
        if len(value) > LONG:
            value = value[:LONG] + f"\n... {len(value) - LONG:,} more characters"
        is_short = name in ("url", "bot", "robots_status", "now")
        text = f"<code>{shown(value)}</code>" if is_short else f"<pre>{shown(value)}</pre>"
        rows.append(f"<dt>{name}</dt><dd>{text}</dd>")
    return f"<dl>{''.join(rows)}</dl>\n"


def checks(case, judged):
    """A row a check: who passes, and what the others answer."""
    by_check = defaultdict(lambda: defaultdict(list))
    for subject, checked in judged:
        for check in checked[case["id"]]:
            told = check.answer if check.result in ("leak", "over", "error", "may") else ""
            by_check[check.name, check.expected][check.result, told].append(subject.name)
    rows = []
    for (name, expected), answers in by_check.items():
        lines = "".join(answer_line(result, told, names) for (result, told), names in sorted(answers.items(), key=rank))
        rows.append(f'<tr><th scope="row">{name}</th><td>{shown(expected[:LONG])}</td><td>{lines}</td></tr>')
    return (
        '<table class="checks"><thead><tr><th scope="col">check</th><th scope="col">expected</th><th scope="col">answers</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def rank(answers):
    (result, told), _ = answers
    return (*RESULTS[1:3], "error", "pass", "may", "unsupported").index(result), told


def answer_line(result, told, names):
    kind = {"pass": "yes", "unsupported": "zero", "may": "zero"}.get(result, result)
    what = table.TITLES.get(result, told or "no answer")
    is_word = told in ("allow", "deny")
    text = f": {told}" if is_word else f": {'missing ' if result == 'over' else ''}<code>{shown(told[:300])}</code>"
    return f'<p><span class="{kind}">{what}</span> {shown(", ".join(names))}{text if told and result != "may" else ""}</p>'


def shown(text):
    """Text as HTML: characters that nobody sees, or that turn the direction of writing, are named."""
    return "".join(named(char) for char in escape(text))


def named(char):
    is_unseen = char not in "\n\t" and unicodedata.category(char) in ("Cc", "Cf", "Co", "Cs", "Zl", "Zp")
    return f"⟨U+{ord(char):04X}⟩" if is_unseen else char
