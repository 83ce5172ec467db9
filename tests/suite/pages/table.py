"""What a table of conventions is made of: a convention, its source, and which cases of its corpus page the source decides."""

from typing import NamedTuple, Optional


class Source(NamedTuple):
    """A document, and what kind of document it is."""

    kind: str
    document: str
    section: str
    url: str

    def at(self, section):
        return self._replace(section=section)


class Rule(NamedTuple):
    """The cases of one section of a corpus page, and what the source says of them."""

    section: str
    says: str
    source: Source
    # What stands behind the colon of the title: only these, or all but those.
    only: Optional[tuple] = None
    but: tuple = ()
    # Which texts and lists are expected, beside the words of the index.
    links: Optional[bool] = None
    anchor: bool = False
    snippet: bool = False
    apart: bool = False
    uses: tuple = ()
    index: bool = True
    # A case that expects nothing withheld is a case as well.
    free: bool = False
    # Words about which the source says nothing.
    leave: tuple = ()
    # The page is given as bytes.
    raw: bool = False
    # The page is to declare the Robot Exclusion Profile, whose classes it uses.
    declares: bool = False
    # A rule of many conventions, whose corpus pages need not all have its cases.
    shared: bool = False

    def takes(self, case):
        if self.section == "*":
            return case.title in self.only
        if case.section != self.section or case.rest in self.but:
            return False
        return self.only is None or case.rest in self.only


class Convention(NamedTuple):
    """A file of the suite: its name, a sentence about it, its corpus page, and its rules, the first of which counts."""

    name: str
    about: str
    page: str
    rules: list
    # True if the source says what becomes of the links inside.
    links: bool = False
    # True if heedful hears it only when asked to.
    asks: bool = False
    # Cases that are not from the corpus, as the suite holds them.
    own: tuple = ()


URL = "https://site.example/dir/page"


def own(says, what, source, page, expect, bot="FooBot", **more):
    """A case that is not from the corpus, as the suite holds it, without its id."""
    return {
        "says": says,
        "class": source.kind,
        "source": {"document": source.document, "section": source.section, "says": what, "url": source.url},
        "input": {"url": URL, "bot": bot, **({"page": page} if isinstance(page, str) else page), **more},
        "expect": expect,
    }


HTML = Source("standard", "HTML Standard", "", "https://html.spec.whatwg.org/multipage/parsing.html")
TREE = HTML.at("13.2.6 Tree construction")
TOKENS = HTML.at("13.2.5 Tokenization")
ATTRIBUTES = HTML.at("13.2.5.33 Attribute name state")
CLASSES = Source("standard", "HTML Standard", "3.2.6 Global attributes: class", "https://html.spec.whatwg.org/multipage/dom.html#classes")
PROFILE = Source("seed", "Robot Exclusion Profile (draft of 2005)", "", "http://microformats.org/wiki/robots-exclusion")
PHRASES = PROFILE.at("Phrases")
BOUNDARY = "No phrase runs over what is kept from the index, not even over an empty part of it."

# Cases that rest on heedful's own reading of templates, drawings and controls, which no source of a convention speaks of.
INERT = (
    "out of a template", "out of a drawing", "in a template", "a mark in a template", "a mark in a drawing", "only in a template",
    "a drawing", "parts of a drawing", "options",
)


def region(source, between, links_say=None, extra=(), but=(), unclosed=None, is_comment=True):
    """The rules of a pair of comments: what stands between them is withheld.

    `extra` rules come first. `unclosed` is what the source says of a mark that is never closed. With `is_comment` the
    marks are comments to the source too, and not letters that may stand anywhere.
    """
    rules = []
    rules.append(Rule("Effect", between, source, but=INERT + but))
    if links_say:
        rules.append(Rule("Links inside", links_say, source, but=("a base speaks all the same", *but)))
    if unclosed:
        rules.append(Rule("Unclosed", unclosed, source, only=("it runs to the end of the page",)))
    rules.append(Rule("Unclosed", "A closing mark has only an open region to close.", source, only=("never opened",), but=but))
    rules.append(Rule("Across elements", f"{between} Elements are not asked for.", source, but=INERT + but))
    rules.append(Rule("Between words", between, source, but=but))
    if is_comment:
        rules.append(Rule("No markup", "The content of script, style and textarea, attribute values and titles hold no comment.", TOKENS, free=True))
    return [*extra, *(rule._replace(shared=True) for rule in rules)]


def subtree(source, inside, links_say=None, extra=(), but=(), is_class=True):
    """The rules of a mark on an element: the words in the element are withheld, and HTML says which these are."""
    spelling = CLASSES if is_class else ATTRIBUTES
    counts = "Class names stand between blanks." if is_class else "Names of attributes have no case, and quotes are free."
    whole = "Class names are whole words of the class attribute." if is_class else "An attribute of another name is another attribute."
    rules = []
    rules.append(Rule("Effect", "A void element has no content.", HTML.at("13.1.2 Elements"), only=("void elements",)))
    rules.append(Rule("Effect", inside, source, but=INERT + but))
    if links_say:
        rules.append(Rule("Links inside", links_say, source, but=but))
    if not is_class:
        rules.append(Rule("Spelling", counts, spelling, only=("what counts", "what leaves out", "what lets in"), but=but))
    rules.append(Rule("Spelling", whole, spelling, only=("what does not count", "what does not leave out", "what does not let in"), free=True, but=but))
    rules.append(Rule("Nested", "An element contains all that stands in its descendants.", TREE, only=("one in another", "left out inside one left out"), but=but))
    rules.append(Rule("Unclosed", "The tree builder ends an element without an end tag, and keeps a template's content apart.", TREE, but=but))
    # The attribute goes to the body that is open. The title stands in the head, where it says nothing.
    rules.append(Rule("Across elements", "A second body tag gives its attributes to the first.", TREE, only=("a second body tag",), but=but, leave=("one",)))
    rules.append(Rule("Across elements", "The tree builder decides which element contains a text.", TREE, but=("moved out afterwards", "moved out and beside it", "a second body tag beside an element", *but)))
    rules.append(Rule("Between words", inside, source, but=but))
    rules.append(Rule("No markup", "The content of script, style and textarea, attribute values, titles and comments hold no element.", TOKENS, free=True))
    return [*extra, *(rule._replace(shared=True) for rule in rules)]
