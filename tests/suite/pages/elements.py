"""The conventions that mark elements, with their sources."""

from .table import ATTRIBUTES, CLASSES, HTML, TOKENS, TREE, Convention, Rule, Source, own, subtree

YANDEX = Source("vendor", "Yandex Webmaster help", "Using HTML elements: noindex", "https://yandex.com/support/webmaster/controlling-robot/html.html")
YAHOO = Source("vendor", "Yahoo Search help: robots-nocontent", "", "http://help.yahoo.com/l/us/yahoo/search/webcrawler/slurp-14.html")
GOOGLE = Source("vendor", "Google Search Central, Robots meta tag, data-nosnippet, and X-Robots-Tag specifications", "Using the data-nosnippet HTML attribute", "https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag")
BING = Source("vendor", "Bing Webmaster Blog, October 2025", "data-nosnippet", "https://blogs.bing.com/webmaster/")
CHUPA = Source("observed", "ChupaText's HTML decomposer, its tests", "class noindex, class robots-noindex", "https://github.com/ranguba/chupa-text-decomposer-html")
PAGEFIND = Source("vendor", "Pagefind documentation", "Configuring what content is indexed", "https://pagefind.app/docs/indexing/")
FINDKIT = Source("vendor", "Findkit documentation", "Data Attributes", "https://docs.findkit.com/crawler/data-attributes/")
ELASTIC = Source("vendor", "Elastic Open Crawler and App Search web crawler documentation", "Using data attributes to include or exclude content", "https://github.com/elastic/crawler")
SWIFTYPE = Source("vendor", "Swiftype Site Search documentation", "Content inclusion and exclusion", "https://swiftype.com/documentation/site-search/content-inclusion-exclusion")
SWIFTYPE_META = Source("vendor", "Swiftype Site Search documentation", "Robots Meta Tag Support", "https://swiftype.com/documentation/site-search/")
ADDSEARCH = Source("observed", "Sites that use AddSearch: the Swedish consumer agency's design system, ApexSQL", "data-addsearch", "https://www.addsearch.com/")
MATERIAL = Source("vendor", "Material for MkDocs, Setting up site search", "Search exclusion", "https://squidfunk.github.io/mkdocs-material/blog/2021/excluding-content-from-search/")
MATERIAL_CODE = Source("observed", "Material for MkDocs, its search plugin", "plugin.py", "https://github.com/squidfunk/mkdocs-material")
SPATIE = Source("vendor", "spatie/laravel-site-search, documentation and default configuration", "ignore_content_by_css_selector", "https://github.com/spatie/laravel-site-search")
DATOCMS = Source("vendor", "DatoCMS documentation, Site Search", "How the crawling works: excluding text from indexing", "https://www.datocms.com/docs/site-search/how-the-crawling-works")
DOCSEARCH = Source("observed", "Documentation sites after that of Tailwind CSS", "data-docsearch-ignore", "https://github.com/tailwindlabs/tailwindcss.com")
MARKBIND = Source("vendor", "MarkBind user guide", "Making the site searchable", "https://markbind.org/userGuide/makingTheSiteSearchable.html")
OSS = Source("vendor", "OpenSearchServer documentation", "How to exclude part of a web page from being crawled", "https://github.com/jaeksoft/opensearchserver")
SPHINX = Source("vendor", "Sphinx changelog", "8.2: the class no-search", "https://www.sphinx-doc.org/en/master/changes/")
EXT_SOLR = Source("observed", "EXT:solr for TYPO3, the tests of its content extractor", "excludeContentByClass", "https://github.com/TYPO3-Solr/ext-solr")
CIRRUS = Source("observed", "MediaWiki, the structure that its search indexes", "excluded elements", "https://github.com/wikimedia/mediawiki")
EXTRACTS = Source("vendor", "MediaWiki, Extension:TextExtracts", "$wgExtractsRemoveClasses", "https://www.mediawiki.org/wiki/Extension:TextExtracts")

FOLLOWED = "Links in the element are followed."
NOT_INDEXED = "The content of such an element is not indexed."


def nosnippet_rules(source, inside):
    """A mark that keeps words out of the excerpt alone."""
    # The extension removes other classes too, by its defaults.
    whole = Rule("Spelling", "Class names are whole words of the class attribute.", CLASSES, only=("what does not count",), free=True, leave=("six", "seven", "eight"))
    extra = [whole] if source is EXTRACTS else []
    rules = subtree(source, inside, is_class=source is EXTRACTS, extra=extra, but=("a long gap", "other fields"))
    return [rule._replace(snippet=True) for rule in rules]


def inclusive(source, only_what, nested, but=()):
    """A mark that makes all else be left out."""
    rules = [
        Rule("Effect", only_what, source, but=("nothing lets in", "a drawing", "in a template", "only in a template", "another page of the site", "the META", "the META, a word each", "the META says none", "the META as sites write it", *but)),
        Rule("Nested", nested, source, but=("both on one element", "both on one element, the other order", "another value inside one let in", "two elements let in side by side", *but)),
    ]
    shared = subtree(source, only_what, is_class=False, but=("a second body tag", "a second body tag that leaves out", "a self-closing slash", *but))
    return [rule._replace(shared=True) for rule in rules] + shared


def noindex_element():
    inside = "Text in the element is not indexed; it may stand anywhere and need not be nested rightly."
    return [
        Rule("Effect", inside, YANDEX, only=("", "every field", "attributes")),
        Rule("Spelling", "Tag names have no case; blanks and attributes may follow.", TOKENS, only=("what counts",)),
        Rule("Spelling", "The slash of a start tag means nothing where an element is not void.", HTML.at("13.2.5.40 Self-closing start tag state"), only=("a self-closing slash",)),
        Rule("Spelling", "A tag of another name, and a bracket before a blank, are no noindex tag.", TOKENS, only=("other elements", "no tag at all"), free=True),
        Rule("Unclosed", "An end tag without a start tag is ignored.", TREE, only=("a stray end tag", "one end too many")),
        Rule("Across elements", inside, YANDEX, only=("from one paragraph into another", "out of a block", "formatting", "lists", "from cell to cell", "after the body")),
        Rule("Between words", inside, YANDEX),
        Rule("No markup", "The content of script, style and textarea, attribute values, titles and comments hold no element.", TOKENS, free=True),
    ]


def swiftype():
    whole = "A page with the META noindex is not indexed; with nofollow its links are not followed."
    meta = Rule("Effect", whole, SWIFTYPE_META, only=("the META", "the META, a word each", "the META as sites write it"), uses=("index", "follow"))
    leaving = Rule("Effect", "The content of an element with the value false is not indexed; its links are followed.", SWIFTYPE, only=("leaving out", "leaving out other fields", "leaving out the body"), links=True)
    only_what = "With an element of the value true only the content of such elements is indexed."
    return [meta, leaving, *inclusive(SWIFTYPE, only_what, "Rules may be nested: the nearest one counts.", ("what lets in", "what leaves out"))]


def elastic():
    leaving = "The content of an excluded element is not indexed; its links are still crawled."
    inner = "An element to be included inside an excluded one is indexed."
    return [
        Rule("Effect", leaving, ELASTIC, only=("leaving out", "leaving out other fields", "leaving out the body"), links=True),
        Rule("Nested", inner, ELASTIC, only=("an element let in inside one left out",), leave=("one", "five")),
        Rule("Nested", inner, ELASTIC, only=("let in inside two left out",), leave=("zero", "six")),
        Rule("Nested", inner, ELASTIC, only=("the nearest wins, four deep",), leave=("one", "nine")),
        Rule("Nested", inner, ELASTIC, only=("unmarked elements between",), leave=("one",)),
        Rule("Nested", "An element contains all that stands in its descendants.", TREE, only=("left out inside one left out",)),
        Rule("Spelling", "Names of attributes have no case, and quotes are free.", ATTRIBUTES, only=("what leaves out",)),
        Rule("Spelling", "An attribute of another name is another attribute.", ATTRIBUTES, only=("what does not leave out",), free=True),
        Rule("Unclosed", "The tree builder ends an item at the next one.", TREE, only=("left out inside one let in",), leave=("zero", "four")),
        Rule("Between words", leaving, ELASTIC, only=("left out of a whole page",)),
        Rule("No markup", "The content of script, style and textarea, attribute values, titles and comments hold no element.", TOKENS, free=True),
    ]


def addsearch():
    return [
        Rule("Effect", "Sites mark with it what their search should not find.", ADDSEARCH, only=("leaving out", "leaving out other fields", "leaving out the body")),
        Rule("Nested", "An element contains all that stands in its descendants.", TREE, only=("left out inside one left out",)),
        Rule("Spelling", "An attribute of another name is another attribute.", ATTRIBUTES, only=("what does not leave out",), free=True),
        Rule("Between words", "Sites mark with it what their search should not find.", ADDSEARCH, only=("left out of a whole page",)),
    ]


def mkdocs():
    section = "On a heading it excludes the section, up to the next heading with an id."
    return subtree(
        MATERIAL, "Sections and blocks with the attribute are not indexed.", is_class=False, but=("every field",),
        extra=[Rule("Section", section, MATERIAL_CODE, only=("to the next heading with an id", "the last one of a page", "two in a row"))],
    )


def spatie():
    header = "A response with this header is not indexed."
    return subtree(
        SPATIE, "The content that the configured selectors match is not indexed, by default that of elements with the attribute.", is_class=False,
        extra=[
            Rule("Effect", header, SPATIE.at("do_not_index_content_headers"), only=("the header",), uses=("index",)),
            Rule("Spelling", "Names of headers have no case.", Source("standard", "RFC 9110", "5.1 Field Names", "https://www.rfc-editor.org/rfc/rfc9110#section-5.1"), only=("the header",), uses=("index",)),
            Rule("Spelling", "A header of another name is another header.", SPATIE.at("do_not_index_content_headers"), only=("other headers",), uses=("index",), free=True),
        ],
    )


def findkit():
    return subtree(FINDKIT, "Content in an element with the attribute is not indexed.", is_class=False, but=("as sites write it", "what counts"))


def opensearchserver():
    element = "What stands in the element oss with ignore=yes is not indexed."
    return subtree(
        OSS, NOT_INDEXED, extra=[Rule("Effect", element, OSS, only=("the element oss", "the element oss as sites write it"))], but=("the element oss", "the element oss as sites write it"),
    )


def class_noindex():
    return subtree(CHUPA, "The text of such an element is left out.")


def undeclared():
    only = ("", "further down", "every field", "on the body")
    rules = subtree(CHUPA, "The text of an element with the class robots-noindex is left out.")
    return [rule._replace(only=only) if rule.section == "Effect" and rule.only is None else rule for rule in rules]


SHOWN = "A span, div or section with the attribute is not used as a snippet; any value is ignored."
NOT_SHOWN = {"text": {"index": {"has": ["one", "two", "three"]}, "snippet": {"lacks": ["two"]}}}
SNIPPET_CASES = (
    own("A span that is not to be shown.", SHOWN, GOOGLE, "<p>one <span data-nosnippet>two</span> three</p>", NOT_SHOWN),
    own("A div that is not to be shown.", SHOWN, GOOGLE, "<p>one</p><div data-nosnippet>two</div><p>three</p>", NOT_SHOWN),
    own("A section that is not to be shown.", SHOWN, GOOGLE, "<p>one</p><section data-nosnippet><p>two</p></section><p>three</p>", NOT_SHOWN),
    own("A value that says true.", SHOWN, GOOGLE, '<p>one</p><div data-nosnippet="true">two</div><p>three</p>', NOT_SHOWN),
    own("A value that says false.", SHOWN, GOOGLE, '<p>one</p><div data-nosnippet="false">two</div><p>three</p>', NOT_SHOWN),
    own("A list in a div that is not to be shown.", SHOWN, GOOGLE, "<p>one</p><div data-nosnippet><ul><li>two</ul></div><p>three</p>", NOT_SHOWN),
    own("What may be no snippet is no input to an answer.", "Content so marked appears neither in search results nor in answers of Copilot; the page stays in the index.", BING, "<p>one <span data-nosnippet>two</span> three</p>", {"text": {"index": {"has": ["one", "two", "three"]}, "snippet": {"lacks": ["two"]}, "input": {"lacks": ["two"]}}}),
)


def plain(name, about, source, inside=NOT_INDEXED, links_say=None, is_class=True, asks=True, **more):
    return Convention(name, about, f"convention/{name}.md", subtree(source, inside, links_say, is_class=is_class, **more), bool(links_say), asks)


CONVENTIONS = [
    Convention("noindex-element", "The element noindex.", "convention/noindex-element.md", noindex_element()),
    plain("nocontent", "The classes robots-nocontent and nocontent.", YAHOO, "Content of such an element is not used to find the page.", FOLLOWED, asks=False),
    Convention("nosnippet", "The attribute data-nosnippet.", "convention/nosnippet.md", nosnippet_rules(BING, "Any element may have the attribute; its text is not shown with results."), own=SNIPPET_CASES),
    Convention("class-noindex", "The class noindex.", "convention/class-noindex.md", class_noindex(), False, True),
    Convention("profile-undeclared", "The class robots-noindex on a page that declares no profile.", "convention/profile-undeclared.md", undeclared()),
    plain("pagefind", "The attribute data-pagefind-ignore.", PAGEFIND, "Elements with the attribute are excluded from the index.", is_class=False, but=("every field",)),
    Convention("pagefind-body", "The attribute data-pagefind-body: only these elements are indexed.", "convention/pagefind-body.md", inclusive(PAGEFIND, "Only the content of elements with the attribute is indexed.", "An element contains all that stands in its descendants."), False, True),
    Convention("findkit", "The attribute data-fdk-skip.", "convention/findkit.md", findkit(), False, True),
    Convention("findkit-content", "The attribute data-fdk-content: only these elements are indexed.", "convention/findkit-content.md", inclusive(FINDKIT, "Only the content of elements with the attribute is indexed; if there are several, that of all.", "An element contains all that stands in its descendants.", ("what lets in",)), False, True),
    Convention("elastic", "The attributes data-elastic-exclude and data-elastic-include.", "convention/elastic.md", elastic(), False, True),
    Convention("swiftype", "The attribute data-swiftype-index, and the META st:robots.", "convention/swiftype.md", swiftype(), False, True),
    Convention("addsearch", "The attribute data-addsearch.", "convention/addsearch.md", addsearch(), False, True),
    Convention("mkdocs", "The attribute data-search-exclude.", "convention/mkdocs.md", mkdocs(), False, True),
    Convention("spatie", "The attribute data-no-index, and the header site-search-do-not-index.", "convention/spatie.md", spatie(), False, True),
    plain("datocms", "The attribute data-datocms-noindex.", DATOCMS, "Text in elements with the attribute is not indexed.", is_class=False, but=("what counts",)),
    plain("docsearch", "The attribute data-docsearch-ignore.", DOCSEARCH, "The crawlers of such sites are set up to leave out elements with the attribute.", is_class=False, but=("what counts",)),
    plain("algolia-no-index", "The class algolia-no-index.", MARKBIND, "Elements of the class are left out of the search index."),
    Convention("opensearchserver", "The class opensearchserver.ignore, and the element oss.", "convention/opensearchserver.md", opensearchserver(), False, True),
    plain("sphinx", "The class no-search.", SPHINX, "The search index leaves out nodes of the class."),
    plain("typo3-class", "The class typo3-search-exclude.", EXT_SOLR, "The extractor leaves out elements of the classes it is set up for."),
    plain("mediawiki", "The class navigation-not-searchable.", CIRRUS, "The index leaves out elements of the class."),
    Convention("textextracts", "The class noexcerpt.", "convention/textextracts.md", nosnippet_rules(EXTRACTS, "Elements of the class are excluded from extracts."), False, True),
]
