"""The words of an HTML page, and its links. Enough of a tokenizer for the pages of the suite; it does not change with Python."""

import re
from typing import NamedTuple
from urllib.parse import urldefrag, urljoin

# What these hold is no text of the page.
INERT = {"script", "style", "iframe", "noembed", "noframes", "noscript", "template"}
# What these hold is text, but no markup. Whether a field's text is text of the page no source says.
RAW = {"title", "textarea", "xmp", "plaintext"}
# Their end parts no words.
INLINE = set("a abbr b bdi bdo cite code data del dfn em font i ins kbd mark nobr oss q s samp small span strong sub sup time u var".split())
TAG = re.compile(r"""<(/?)([A-Za-z][^\s/>]*)((?:[^>"']|"[^"]*"|'[^']*')*)>""", re.S)
ATTRIBUTE = re.compile(r"""([^\s"'>/=]+)\s*(?:=\s*("[^"]*"|'[^']*'|[^\s"'>]+))?""", re.S)
WORD = re.compile(r"(?:[^\W_]|&#?\w+;?)+")


class Word(NamedTuple):
    """A word of the page: its letters in one case, where it stands in the source, and in what: `body`, `title` or `field`."""

    text: str
    start: int
    end: int
    place: str


class Page(NamedTuple):
    """The words of a page in order, and the targets of its links."""

    words: list
    links: list


def read(html, url):
    """Reads a page that stands at this URL."""
    words, links, base, at, inert = [], [], None, 0, 0
    while at < len(html):
        if html.startswith("<!--", at):
            end = html.find("-->", at + 4)
            at = len(html) if end < 0 else end + 3
        elif re.match(r"<(?:[!?]|/[^A-Za-z])", html[at : at + 3]):
            at = after(html, at, ">")
        elif tag := TAG.match(html, at):
            at = tag.end()
            name, is_end = tag[2].lower(), bool(tag[1])
            inert += (name == "template") * (-1 if is_end and inert else 1) if name == "template" else 0
            if is_end:
                continue
            given = attributes(tag[3])
            if name == "base" and base is None and not inert:
                base = given.get("href")
            elif name in ("a", "area") and "href" in given and not inert:
                links.append(given["href"])
            if name in INERT | RAW and name != "template":
                end = raw_end(html, at, name)
                if name in RAW and not inert:
                    words += found(html, at, end, "title" if name == "title" else "field")
                at = end
        else:
            end = next_tag(html, at)
            if not inert:
                words += found(html, at, end, "body")
            at = end
    start = urljoin(url, base) if base else url
    return Page(words, [urljoin(start, link.strip()) for link in links])


def after(html, at, mark):
    end = html.find(mark, at)
    return len(html) if end < 0 else end + len(mark)


def next_tag(html, at):
    end = html.find("<", at + 1)
    return len(html) if end < 0 else end


def raw_end(html, at, name):
    """Where the end tag of an element without markup stands."""
    end = None if name == "plaintext" else re.compile(rf"</{name}(?=[\s/>])", re.I).search(html, at)
    return end.start() if end else len(html)


def found(html, start, end, place):
    """The words between two places. A word with a character reference is none that can be compared."""
    found = WORD.finditer(html, start, end)
    return [Word(word[0].casefold(), word.start(), word.end(), place) for word in found if "&" not in word[0]]


def attributes(text):
    """The attributes of a tag; of two with one name the first."""
    given = {}
    for name, value in ATTRIBUTE.findall(text):
        given.setdefault(name.lower(), value.strip("\"'").replace("&amp;", "&"))
    return given


def shown(html):
    """The words of attributes that a reader may be shown: alternative texts, titles, labels, and the description."""
    found = []
    for tag in TAG.finditer(re.sub(r"<!--.*?-->", "", html, flags=re.S)):
        given = attributes(tag[3])
        names = ["alt", "title", "label", "placeholder"]
        names += ["content"] if given.get("name", "").strip().lower() == "description" else []
        found += [word for name in names for word in tokens(given.get(name, ""))]
    return found


def tokens(text):
    """The words of a text in one case."""
    return [word.casefold() for word in re.findall(r"[^\W_]+", text)]


def loosened(html):
    """The page with a blank where a word touches markup, so that it is a word whatever becomes of the markup."""
    html = re.sub(r"(?<=[^\W_])(?=<(?!/(?:title|textarea|xmp|script|style|iframe|noscript)\b))", " ", html)
    return re.sub(r"(?<=-->)(?=[^\W_])|(?<=[\w\"'/]>)(?=[^\W_])", " ", html)
