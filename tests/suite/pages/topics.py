"""Matters of every convention: bytes, what an element contains, phrases, and the targets of links; with their sources."""

import base64

from .table import BOUNDARY, HTML, PHRASES, TOKENS, Convention, Rule, Source, own

ENCODING = HTML.at("13.2.3 The input byte stream")
IMPLIED = HTML.at("13.2.6.4.7 The \"in body\" insertion mode")
TABLES = HTML.at("13.2.6.4.9 The \"in table\" insertion mode")
FOSTER = HTML.at("13.2.6.1 Creating and inserting nodes: foster parenting")
FORMATTING = HTML.at("13.2.4.3 The list of active formatting elements")
ADOPTION = HTML.at("13.2.6.4.7: the adoption agency algorithm")
SELECT = HTML.at("13.2.6.4.7: option, optgroup, select")
SCOPE = HTML.at("13.2.4.2 The stack of open elements")
FOREIGN = HTML.at("13.2.6.5 The rules for parsing tokens in foreign content")
QUIRKS = HTML.at("13.2.6.4.1 The \"initial\" insertion mode")
INNER_TEXT = Source("standard", "HTML Standard", "3.2.7 The innerText and outerText properties", "https://html.spec.whatwg.org/multipage/dom.html#the-innertext-idl-attribute")
BASE = Source("standard", "HTML Standard", "4.2.3 The base element", "https://html.spec.whatwg.org/multipage/semantics.html#the-base-element")
URLS = Source("standard", "URL Standard", "4.4 URL parsing", "https://url.spec.whatwg.org/#url-parsing")
SPIDERLINE = Source("seed", "Spiderline help", "Excluding crawler from sections of pages", "http://www.spiderline.com/help/idx/0/014/article/Excluding_crawler_from_sections_of_pages.html")

MARK, END = '<!-- robots content="noindex" -->', "<!-- /robots -->"
HEAD = '<head profile="http://example.org/xmdp/robots-profile#"></head>'


def bytes_of(says, source, *titles):
    return Rule("*", says, source, only=titles, raw=True, free=True)


def encoded(says, what, page, has, lacks=(), head=()):
    """A case about bytes, as the suite holds it."""
    given = {"page_b64": base64.b64encode(page).decode()}
    more = {"head": [list(pair) for pair in head]} if head else {}
    return own(says, what, ENCODING, given, words(has, lacks), **more)


def words(has, lacks, apart=()):
    index = {"has": list(has), "lacks": list(lacks), "apart": [list(pair) for pair in apart]}
    return {"text": {"index": {name: given for name, given in index.items() if given}}}


def tree(says, source, *titles, leave=()):
    return Rule("*", says, source, only=titles, declares=True, free=True, leave=leave)


def phrase(says, page, has=(), lacks=(), apart=(), source=PHRASES, what=BOUNDARY):
    """A case about phrases, as the suite holds it."""
    return own(says, what, source, page, words(has, lacks, apart))


BYTES = [
    bytes_of("A byte order mark decides, then the Content-Type header, then a META.", ENCODING, "UTF-8 by a META", "A byte order mark outranks the header", "The header outranks the META", "A META in the long form"),
    bytes_of("A META in a comment is none.", ENCODING, "A META in a comment names nothing"),
    bytes_of("A name that is no encoding is passed over.", ENCODING, "An unknown name in the header"),
    bytes_of("Without a META the encoding of an XML declaration at the start counts.", ENCODING, "An XML declaration names the encoding", "An XML declaration, and a META that names another one", "An XML declaration, and a header that names another one"),
]

MARKED = f"<p>Öl {MARK} Salz {END} Brot</p>"
BOM = "A byte order mark decides."
UTF_8 = [("Content-Type", "text/html; charset=utf-8")]
BYTE_CASES = (
    encoded("A region in UTF-16, little end first.", BOM, b"\xff\xfe" + MARKED.encode("utf-16-le"), ("öl", "brot"), ("salz",)),
    encoded("A region in UTF-16, big end first.", BOM, b"\xfe\xff" + MARKED.encode("utf-16-be"), ("öl", "brot"), ("salz",)),
    encoded("A region in UTF-8 behind its mark.", BOM, b"\xef\xbb\xbf" + MARKED.encode(), ("öl", "brot"), ("salz",)),
    encoded("A region in windows-1252, as a META says.", "A META names the encoding.", b"<meta charset=windows-1252>" + MARKED.encode("cp1252"), ("öl", "brot"), ("salz",)),
    encoded("A META that says UTF-16 means UTF-8.", "A META that names UTF-16 means UTF-8.", b"<meta charset=utf-16le>" + MARKED.encode(), ("öl", "brot"), ("salz",)),
    encoded("A region behind a header that outranks the META.", "The header comes before the META.", b"<meta charset=koi8-r>" + MARKED.encode(), ("öl", "brot"), ("salz",), UTF_8),
    encoded("Bytes that are no UTF-8 hide no mark behind them.", "Such bytes become replacement characters.", b"<p>Wein \xff " + MARKED.encode(), ("wein", "öl", "brot"), ("salz",), UTF_8),
    encoded("A bracket in two bytes is no bracket.", "Overlong bytes are no UTF-8.", b"<p>Wein \xc0\xbc!-- robots content=\"noindex\" --> Brot", ("wein", "brot"), (), UTF_8),
    encoded("A NUL in text hides no mark.", "A NUL in text is a parse error, and no end.", b"<p>Wein \x00 " + MARKED.encode(), ("wein", "öl", "brot"), ("salz",), UTF_8),
    encoded("Line ends of every kind part words.", "CR LF and CR become LF.", b"<p>Wein\r\nBrot\rSalz\nMilch", ("wein", "brot", "salz", "milch"), (), UTF_8),
)

STRUCTURE = [
    tree("An item, a term, an option ends where the next one begins.", IMPLIED, "A list item ends where the next one begins", "A list item inside a block inside a list item", "A list item inside a section", "Terms and their explanations", "A list in an item"),
    tree("A block begins behind an open paragraph, not in it.", IMPLIED, "A paragraph ends where a block begins", "A quotation in a paragraph", "A quotation that is never closed", "The end tag of no paragraph"),
    tree("A part of a table ends where the next one begins, and with it all that is open there.", TABLES, "Cells and rows", "Parts of a table", "A block open at the end of a cell", "Formatting open at the end of a cell", "A table in a cell", "A table in a table and in no cell", "Stray end tags in a cell"),
    tree("An option ends where the next one begins, a group where the next group does.", SELECT, "Options and their groups", leave=("one", "two")),
    tree("The end tag of a select closes what is open in it.", SELECT, "A select with open options"),
    tree("A heading's start tag, and any heading's end tag, ends a heading.", IMPLIED, "A heading ends a heading"),
    tree("An end tag ends the nearest element of its name, if nothing special is open in between.", IMPLIED, "A block in a span", "A span round a block", "A span does not go on", "An unknown element round a table", "An unknown element in a table"),
    tree("Only void elements and those of drawings and formulas are closed by a slash.", HTML.at("13.1.2.1 Start tags"), "A self-closing slash"),
    tree("What stands in a table and in no cell is put before the table.", FOSTER, "Text that a table throws out", "An element that a table throws out", "Thrown out of the table but not of the block", "Formatting thrown out of a table", "A blank and a word in a denied table", "An allowing table, and text thrown out of it"),
    tree("Formatting that is open goes on behind the end of its block.", FORMATTING, "A paragraph's end tag ends what is in it", "Formatting over several paragraphs", "Formatting in a block that ends", "Formatting round a table", "A link that a heading's end does not close"),
    tree("No more than three equal formatting elements are opened again.", FORMATTING, "Four equal ones", "Four that differ"),
    tree("Crossed formatting is opened again behind the end of the outer one.", ADOPTION, "Crossed formatting", "Crossed formatting, seen from the inner one", "Formatting that ends inside a block", "A block in formatting", "An allow that the tree takes back", "An allow that stays"),
    tree("A link, a nobr and a button end the one before.", ADOPTION, "A link in a link", "A link across a table", "A nobr in a nobr", "A paragraph's end tag in a button"),
    tree("A button ends the one before.", IMPLIED, "A button in a button", leave=("one",)),
    tree("A later body or html tag gives the first the attributes that it has not.", IMPLIED, "A second body for a body with a class", "A body tag in a cell", "A body tag in a template", "A second root for a root with a class", "Behind the body and the root", "Behind the body, with a block open"),
    tree("A tag that the tree builder ignores is no element.", IMPLIED, "A cell outside of a table", "A form in a form", "A class on a form in a form", "A form closed before its block", "A form in a table and in no cell"),
    tree("An object bounds the scope of a paragraph.", SCOPE, "An object keeps paragraphs apart"),
    tree("With a doctype a table ends a paragraph; in quirks mode it does not.", QUIRKS, "A table in a paragraph", "A table in a paragraph of an old page", "A doctype of old pages", "The same doctype with an address"),
    tree("Names of elements and attributes have no case.", TOKENS, "Upper case tags"),
    tree("Of two attributes with one name the first counts.", TOKENS, "The second class of an element is no class"),
]

FOREIGN_CONTENT = [
    tree("What special elements of drawings and formulas contain is out of reach for tags outside.", SCOPE, "A list item does not end one outside of a drawing", "An end tag does not reach out of svg's foreignObject", "An end tag does not reach out of MathML's token elements", "An item in a formula ends none outside", "A formatting element in a formula", "A formula with an annotation in HTML", "A formula with an annotation in XHTML", "An annotation that holds no HTML"),
    tree("HTML in a drawing or formula stays in it only at an integration point.", FOREIGN, "HTML in an annotation that holds none", "A well-formed diagram", "A well-formed formula", "Drawings that close themselves inside drawings"),
    tree("search is a special element; isindex is none.", SCOPE, "A well-formed search", "A list in a search, in a list", "An isindex is an element like any other"),
    tree("A public identifier of Silmaril's means quirks mode.", QUIRKS, "Quirks by a public identifier"),
    tree("The tag image makes an img.", IMPLIED, "An image is an img"),
]

LINKS = [
    Rule("*", "URLs are resolved against that of the page.", URLS, only=("Ways to write a target", "A page at another address"), free=True, index=False),
    Rule("*", "The first base with an address holds for the whole document.", BASE, only=("A base", "A base that comes late", "The first base counts"), free=True, index=False),
    Rule("*", "Tags in raw text, comments and attributes are no elements.", TOKENS, only=("A base that does not count",), free=True, index=False),
    Rule("*", "Only an element with an address is a link.", Source("standard", "HTML Standard", "4.6.1 Links", "https://html.spec.whatwg.org/multipage/links.html"), only=("Without an address there is no link",), free=True, index=False),
    Rule("*", "nofollow holds for the links whose tags stand between the comments.", SPIDERLINE, only=("Links in a nofollow region", "The tag decides where a link stands"), index=False),
]

PHRASE_CASES = (
    phrase("A region ends a phrase.", f"<p>apples {MARK}pears{END} plums</p>", ("apples", "plums"), ("pears",), [("apples", "plums")]),
    phrase("A region without words ends a phrase.", f"<p>apples {MARK}{END} plums</p>", ("apples", "plums"), (), [("apples", "plums")]),
    phrase("A region of blanks ends a phrase.", f"<p>apples {MARK}  {END} plums</p>", ("apples", "plums"), (), [("apples", "plums")]),
    phrase("A region of paragraphs ends a phrase.", f"<p>apples</p>{MARK}<p>pears</p><p>figs</p>{END}<p>plums</p>", ("apples", "plums"), ("pears", "figs"), [("apples", "plums")]),
    phrase("Two regions end two phrases.", f"<p>apples {MARK}pears{END} plums {MARK}figs{END} dates</p>", ("apples", "plums", "dates"), ("pears", "figs"), [("apples", "plums"), ("plums", "dates")]),
    phrase("A region in a heading ends a phrase.", f"<h1>apples {MARK}pears{END} plums</h1>", ("apples", "plums"), ("pears",), [("apples", "plums")]),
    phrase("A region in a link's text ends a phrase.", f'<a href="/a">apples {MARK}pears{END} plums</a>', ("apples", "plums"), ("pears",), [("apples", "plums")]),
    phrase("A region in a cell ends a phrase.", f"<table><tr><td>apples {MARK}pears{END} plums</table>", ("apples", "plums"), ("pears",), [("apples", "plums")]),
    phrase("A denied element ends a phrase.", f'{HEAD}<p>apples <b class="robots-noindex">pears</b> plums</p>', ("apples", "plums"), ("pears",), [("apples", "plums")]),
    phrase("An empty denied element ends a phrase.", f'{HEAD}<p>apples <b class="robots-noindex"></b> plums</p>', ("apples", "plums"), (), [("apples", "plums")]),
    phrase("A denied block ends a phrase.", f'{HEAD}<p>apples</p><div class="robots-noindex"><p>pears</p></div><p>plums</p>', ("apples", "plums"), ("pears",), [("apples", "plums")]),
    phrase("Two denied elements in a row are one gap.", f'{HEAD}<p>apples <b class="robots-noindex">pears</b> <i class="robots-noindex">figs</i> plums</p>', ("apples", "plums"), ("pears", "figs"), [("apples", "plums")]),
    phrase("What is allowed again inside is a phrase of its own.", f'{HEAD}<div>apples <p class="robots-noindex">pears <b class="robots-index">plums</b> figs</p> dates</div>', ("apples", "plums", "dates"), ("pears", "figs"), [("apples", "plums"), ("plums", "dates")]),
    phrase("A comment that says nothing cuts no word.", "<p>apple<!-- a remark -->sauce</p>", ("applesauce",), (), (), INNER_TEXT, "Comments are not rendered."),
    phrase("Formatting cuts no word.", "<p>apple<b>sauce</b> <i>plum</i>cake</p>", ("applesauce", "plumcake"), (), (), INNER_TEXT, "Nothing is put round inline elements."),
    phrase("Paragraphs cut words.", "<p>apple<p>sauce", ("apple", "sauce"), (), (), INNER_TEXT, "A paragraph stands on lines of its own."),
    phrase("Blocks cut words.", "<div>apple</div>sauce<div>cake</div>", ("apple", "sauce", "cake"), (), (), INNER_TEXT, "A block stands on lines of its own."),
    phrase("A line break cuts words.", "<p>apple<br>sauce", ("apple", "sauce"), (), (), INNER_TEXT, "A br is the end of a line."),
    phrase("Items of a list cut words.", "<ul><li>apple<li>sauce</ul>", ("apple", "sauce"), (), (), INNER_TEXT, "An item stands on a line of its own."),
    phrase("Cells and rows cut words.", "<table><tr><td>apple<td>sauce<tr><td>cake</table>", ("apple", "sauce", "cake"), (), (), INNER_TEXT, "A tab stands between cells, a line end between rows."),
    phrase("A mark that is spelt with references is text.", "<p>apples &lt;!-- robots content=\"noindex\" --&gt; pears &lt;!-- /robots --&gt; plums</p>", ("apples", "pears", "plums"), (), (), TOKENS, "References in text make no markup."),
)

TOPICS = [
    Convention("bytes", "The encoding of a page: where it is said, and what marks are in it.", "charset.md", BYTES, False, False, BYTE_CASES),
    Convention("structure", "What an element contains where tags are missing, crossed or ignored; with classes of the Robot Exclusion Profile.", "tree.md", STRUCTURE),
    Convention("foreign-content", "What an element contains in and round drawings and formulas; with classes of the Robot Exclusion Profile.", "standard.md", FOREIGN_CONTENT),
    Convention("links", "Which links there are, and where they lead.", "links.md", LINKS, True),
    Convention("phrases", "Where phrases and words end.", "", [], False, False, PHRASE_CASES),
]
