"""What the wrappers of programs that read pages share: the protocol, files to index, and words by their places."""

import base64
import json
import os
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
# Where `install` puts what is not of the system.
DIR = Path(os.environ.get("SUITE_DIR") or Path(__file__).resolve().parents[2] / "target" / "suite")
# A program that is given files sees no response, no robots.txt and no other clock.
UNSEEN = {"head", "robots", "robots_b64", "robots_status", "tdmrep", "rsl", "now"}


def main(version, promises, answers):
    """Runs a wrapper: `version` gives its line or None, `answers` all answers to a list of cases, in order."""
    if "--version" in sys.argv:
        line = version()
        sys.exit(print(line) if line else 3)
    if "--promises" in sys.argv:
        sys.exit(print(*promises, sep="\n"))
    cases = [json.loads(line) for line in sys.stdin]
    for case, answer in zip(cases, answers(cases), strict=True):
        print(json.dumps({"id": case["id"], **(answer or {"unsupported": True})}), flush=True)


def in_python(module):
    """Goes on in the Python that has this module, that of `install`, if this one has not."""
    own = DIR / "venv" / "bin" / "python"
    try:
        return __import__(module)
    except ImportError:
        if own.exists() and Path(sys.prefix) != own.parent.parent:
            os.execv(own, [str(own), *sys.argv])
        return sys.exit(3)


def files(cases, folder, named="{}.html"):
    """Writes the pages that are asked about, by number, and gives the numbers; other questions are not for files."""
    folder.mkdir(parents=True, exist_ok=True)
    numbers = []
    for number, case in enumerate(cases):
        if is_page(case):
            (folder / named.format(number)).write_bytes(page(case))
            numbers.append(number)
    return numbers


def is_page(case):
    """True if nothing but a page is asked about, and what it says does not depend on the bot's name."""
    return bool({"page", "page_b64"} & set(case)) and not UNSEEN & set(case) and not is_named(case)


def is_named(case):
    """True if a META of the page has the bot's name. A program that listens to no name of its own cannot be asked."""
    named = re.compile(rb"<meta[^>]*\bname\s*=[\s\"']*" + re.escape(case["bot"].encode()), re.I)
    return bool(named.search(page(case)))


def page(case):
    return base64.b64decode(case["page_b64"]) if "page_b64" in case else case.get("page", "<p>page").encode()


def phrases(places):
    """The words at places that follow each other, as phrases: `places` has (field, place) and word."""
    found = []
    last = None
    for field, at in sorted(places):
        if last != (field, at - 1):
            found.append([])
        found[-1].append(places[field, at])
        last = field, at
    return [" ".join(words) for words in found]


def indexed(text, snippet=None):
    """The answer for a page of which so many phrases came out, or None."""
    texts = {"index": text or []}
    if snippet is not None:
        texts["snippet"] = snippet
    return {"uses": {"index": text is not None}, "text": texts}


def xapian_pages(folder):
    """Of each document in a Xapian database: its name's number, its phrases and what is stored with it."""
    import xapian

    database = xapian.Database(str(folder))
    for posting in database.postlist(""):
        document = database.get_document(posting.docid)
        stored = dict(line.split("=", 1) for line in document.get_data().decode(errors="replace").split("\n") if "=" in line)
        number = re.search(r"(\d+)\.html$", stored.get("url", ""))
        places = {}
        for term in document.termlist():
            word = term.term.decode(errors="replace")
            # A capital begins a prefix; S is the title's.
            field = re.match(r"S?(?=[^A-Z])", word)
            for at in term.positer if field else ():
                places[field.group(), at] = word[field.end() :]
        if number:
            yield int(number.group(1)), phrases(places), stored
