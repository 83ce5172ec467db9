"""Makes the cases of the suite from those of the corpus, by the tables of conventions."""

import base64
import re
from datetime import datetime, timezone

from . import corpus, words
from .table import Source

URL = "https://site.example/dir/page"
BOT = "FooBot"
PROFILE_URI = "http://example.org/xmdp/robots-profile#"
# Settings of the corpus that speak of heedful alone.
FOREIGN = {"profile", "deny", "cut", "mode", "regions", "depth"}
# Words in place of those that a page has several times.
NAMES = (
    "amber birch cedar dahlia elder fennel ginger hazel indigo juniper kelp laurel maple nettle olive poppy quince rowan sorrel thyme "
    "umber violet willow yarrow zinnia acorn bramble clover daisy ebony fern gorse heather iris jasmine kale lilac moss nutmeg oak pine"
).split()
# What makes a use a matter of the case: words that deny it, and words that speak of it.
DENIES = {
    "index": r"noindex|none|unavailable_after|search=n|noSearch|No Index Page|not-index|use=immediate|bots=n",
    "follow": r"nofollow|none|htdig-noindex",
    "archive": r"noarchive|nocache",
    "snippet": r"nosnippet|max-snippet\s*[:=]\s*0",
    "train": r"train|noai\b|noml|tdm-reservation|noarchive|ai=n",
    "input": r"ai-input|ai-use|infer|rag-ground|noarchive",
}
SPEAKS = {
    "index": r"index|\ball\b|\bnone\b|unavailable|max-|search|noSearch|snippet|archive|train|reservation|no[a-z]+",
    "follow": r"follow|\ball\b|\bnone\b|\bnoindex",
    "archive": r"archive|nocache",
    "snippet": r"nosnippet|max-snippet\s*[:=]\s*(0|-1)",
    "train": DENIES["train"],
    "input": DENIES["input"],
}
# Sentences that tell what heedful does beside the case.
HOUSE = re.compile(r"\bnotes?\b|\btold\b|exclusion|convention|verdict|preset|heedful|credit|\bits? tag decides\b|off by default|range", re.I)


class Broken(Exception):
    """The tables and the corpus do not fit."""


def file(convention, folder):
    """The file of a convention: the object that the suite holds."""
    stem = f"page-{convention.name}"
    made = []
    for case in corpus.cases(folder / convention.page) if convention.page else ():
        rule = next((rule for rule in convention.rules if rule.takes(case)), None)
        if rule is None:
            continue
        for number, one in enumerate(derived(case, rule, convention)):
            name = slug(case.title) + (f"-{number + 1}" if number else "")
            made.append({"id": f"{stem}/{name}", **one})
    check(convention, folder)
    made += [{"id": f"{stem}/{slug(one['says'])}", **one} for one in convention.own]
    return {"suite": 1, "convention": convention.name, "about": convention.about, "license": "CC0-1.0", "cases": made}


def check(convention, folder):
    """Refuses a rule that names a case which the corpus does not have."""
    cases = corpus.cases(folder / convention.page) if convention.page else []
    known = {(case.section, case.rest) for case in cases} | {("*", case.title) for case in cases}
    for rule in convention.rules:
        named = {(rule.section, rest) for rest in rule.only or ()}
        if not rule.shared and not named <= known:
            raise Broken(f"{convention.page} has no case {sorted(named - known)}")


def derived(case, rule, convention):
    """The cases of the suite that a case of the corpus gives, one for each expectation that the rule decides."""
    made = []
    for expectation in case.expectations:
        if not is_ours(expectation.settings, convention):
            continue
        for clock, lines in clocks(expectation):
            one = suite_case(case, rule, convention, expectation, clock, lines)
            if one and not any(other["input"] == one["input"] for other in made):
                made.append(one)
    return made


def is_ours(settings, convention):
    """True if the convention is on and nothing else was set that no other program has."""
    chosen = settings.get("conventions")
    name = convention.page.removesuffix(".md").removeprefix("convention/")
    if chosen is not None and (f"+{name}" not in chosen or chosen.count("+") > 1 or "-" in chosen.replace(f"+{name}", "")):
        return False
    if chosen is None and convention.asks:
        return False
    bot = settings.get("bot", BOT)
    return not FOREIGN & set(settings) and "+" not in bot and bot != "*"


def clocks(expectation):
    """The moments at which to ask: the one that is set, or a minute on each side of a page's end."""
    lines = expectation.lines
    if "now" in expectation.settings:
        yield int(expectation.settings["now"]), lines
        return
    end = re.search(r"unavailable-after=(\d+)", lines.get("limits", ""))
    if not end:
        yield None, lines
        return
    denied = set(lines.get("denied", "").split())
    yield int(end[1]) - 60, lines
    yield int(end[1]) + 60, {**lines, "denied": " ".join(sorted(denied | {"index"})), "text": ""}


def suite_case(case, rule, convention, expectation, clock, lines):
    page, html, url = the_page(expectation, rule)
    asked = {"url": url, "bot": expectation.settings.get("bot", BOT).replace("_", " ")}
    expect = expected(html, lines, rule, convention, expectation, url) if html is not None else byte_expected(lines)
    if html is not None:
        html = expect.pop("html")
        page = {"page": html}
    if not expect or not (rule.free or withholds(expect)):
        return None
    asked.update(page)
    if "headers" in expectation.inputs:
        head = expectation.inputs["headers"].decode().split("\n")
        asked["head"] = [[name.strip(), value.strip()] for name, _, value in (line.partition(":") for line in head)]
    for fence in ("robots", "names"):
        if fence in expectation.inputs:
            asked[fence] = expectation.inputs[fence].decode()
    if clock is not None:
        asked["now"] = datetime.fromtimestamp(clock, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    source = {"document": rule.source.document, "section": rule.source.section, "says": rule.says, "url": rule.source.url}
    return {"says": sentence(case, rule), "class": rule.source.kind, "source": source, "input": asked, "expect": expect}


def the_page(expectation, rule):
    """The page as bytes for the suite, as text where it is text, and its URL."""
    raw = expectation.inputs.get("html", b"")
    url = expectation.inputs.get("url", URL.encode()).decode()
    try:
        html = raw.decode("utf-8")
    except UnicodeDecodeError:
        html = None
    if html is None or rule.raw:
        return {"page_b64": base64.b64encode(raw).decode()}, None, url
    return {}, declared(html) if rule.declares else html, url


def declared(html):
    """The page with a head that declares the Robot Exclusion Profile."""
    if "robots-profile#" in html or not re.search(r"robots?\d*-", html):
        return html
    if re.search(r"<head", html, re.I):
        raise Broken(f"a page that cannot declare the profile: {html}")
    start = re.match(r"(?:<!DOCTYPE[^>]*>|<html[^>]*>)*", html, re.I).end()
    return f'{html[:start]}<head profile="{PROFILE_URI}"></head>{html[start:]}'


def byte_expected(lines):
    """What is expected of a page that is given as bytes: its words, by what stands in the corpus."""
    phrases = [words.tokens(phrase) for phrase in lines.get("text", "").split(" | ")]
    every = [word for phrase in phrases for word in phrase]
    has = [word for word in every if every.count(word) == 1]
    pairs = [[one[-1], other[0]] for one, other in zip(phrases, phrases[1:])]
    index = {"has": has, "apart": pairs} if pairs else {"has": has}
    return {"text": {"index": index}} if has else {}


def expected(html, lines, rule, convention, expectation, url):
    """What the suite expects of a page of text, and the page with its words told apart."""
    expect = {}
    denied = set(lines.get("denied", "").split())
    if rule.uses:
        said = html + expectation.inputs.get("headers", b"").decode()
        known = rule.uses if "denied" in lines else [use for use in rule.uses if use == "index" and "text" in lines]
        denied |= {"index"} if lines.get("text") == "" and "denied" not in lines else set()
        expect["uses"] = {use: verdict for use in known if (verdict := verdict_of(use, said, denied))}
    if not rule.uses:
        html = told_apart(words.loosened(html), lines, url)
        page = words.read(html, url)
        texts = text_lists(page, words.shown(html), lines, rule)
        if texts:
            expect["text"] = texts
        links = link_lists(page, lines, rule, convention)
        if links:
            expect["links"] = links
    expect = {key: value for key, value in expect.items() if value}
    return {**expect, "html": html}


def verdict_of(use, said, denied):
    """Allow, deny, or nothing where the case does not speak of the use."""
    if use in denied:
        return "deny" if re.search(DENIES[use], said, re.I) else None
    return "allow" if re.search(SPEAKS[use], said, re.I) else None


def told_apart(html, lines, url):
    """Gives another name to each of the words that stand in a page several times and never come out."""
    page = words.read(html, url)
    said = words.tokens(" ".join(lines.get(key, "") for key in ("text", "excerpt", "title")))
    every = [word.text for word in page.words] + words.shown(html)
    spare = (name for name in NAMES if name not in every and name not in said)
    for word in reversed(page.words):
        if every.count(word.text) > 1 and not any(word.text in one for one in said):
            html = html[: word.start] + next(spare) + html[word.end :]
    return html


def text_lists(page, shown, lines, rule):
    texts = {}
    if "text" in lines and rule.index:
        texts["index"] = lists(page, shown, lines["text"].split(" | "), rule, lines.get("title", None))
    if rule.snippet and "excerpt" in lines:
        texts["snippet"] = lists(page, shown, lines["excerpt"].split("[...]"), rule, None)
        texts["snippet"].pop("apart", None)
    return {name: given for name, given in texts.items() if given}


def lists(page, shown, phrases, rule, title):
    """The words that must and must not come out, and the pairs that must not stand together."""
    phrases = [words.tokens(phrase) for phrase in phrases]
    said = [word for phrase in phrases for word in phrase]
    every = [word.text for word in page.words] + shown
    glued = [word for word in said if word not in every]
    has, lacks = [], []
    for word in page.words:
        if every.count(word.text) > 1 or word.text in rule.leave:
            continue
        if word.text in said:
            has += [word.text] if word.place == "body" else []
        elif (word.place == "body" or word.place == "title" and title == "") and not any(word.text in one for one in glued):
            lacks.append(word.text)
    found = {"has": has, "lacks": lacks}
    if rule.apart:
        found["apart"] = [[one[-1], other[0]] for one, other in zip(phrases, phrases[1:]) if one and other and {one[-1], other[0]} <= set(has)]
    return {name: given for name, given in found.items() if given}


def link_lists(page, lines, rule, convention):
    follows = convention.links if rule.links is None else rule.links
    links = {}
    if follows and ("links" in lines or "blocked" in lines):
        links["follow"] = {"has": among(lines.get("links"), page), "lacks": among(lines.get("blocked"), page)}
    if rule.anchor and "anchors" in lines:
        named = [part.split(" = ")[0].strip() for part in lines["anchors"].split(" | ")]
        followed = among(lines.get("links"), page) if "links" in lines else sorted(set(page.links), key=page.links.index)
        links["anchor"] = {"has": [link for link in followed if link in named], "lacks": [link for link in followed if link not in named]}
    kept = {name: {key: value for key, value in given.items() if value} for name, given in links.items()}
    return {name: given for name, given in kept.items() if given}


def among(line, page):
    """The URLs of a line that are targets of links of the page, each once."""
    named = (line or "").split()
    return [link for link in named if link in page.links and named.count(link) == 1]


def withholds(expect):
    """True if something is expected not to be there."""
    uses = expect.get("uses", {}).values()
    given = [one for kind in ("text", "links") for one in expect.get(kind, {}).values()]
    return "deny" in uses or any("lacks" in one or "apart" in one for one in given)


def sentence(case, rule):
    """One plain sentence: what the case shows."""
    first = re.split(r"(?<=[.!?])\s", re.sub(r"\s+", " ", case.says))[0]
    if rule.apart or not first or HOUSE.search(first) or first.startswith(("The same", "As in", "As with", "It ", "They ", "Both ", "There ")):
        first = rule.says
    head = case.rest or case.title
    head = head.replace("a word cut in two", "words on both sides")
    if case.section == head and not case.rest and rule.section != "*":
        return first
    is_name = first.split()[0].isupper() and len(first.split()[0]) > 1
    return f"{head[0].upper()}{head[1:]}: {first[0] if is_name else first[0].lower()}{first[1:]}"


def slug(title):
    title = title.replace("a word cut in two", "words on both sides")
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


__all__ = ["Broken", "Source", "file"]
