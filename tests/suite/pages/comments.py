"""The conventions that are pairs of comments, with their sources."""

from .table import TOKENS, Convention, Rule, Source, own, region

GSA = Source("vendor", "Google Search Appliance help, in the copy of Nova Scotia's search pages", "googleon/googleoff tags", "https://www.novascotia.ca/search/faq/faq_011.asp")
GSA_INDEX, GSA_ANCHOR, GSA_SNIPPET, GSA_ALL = (GSA.at(f"Flag: {flag}") for flag in ("index", "anchor", "snippet", "all"))
YANDEX = Source("vendor", "Yandex Webmaster help", "Using HTML elements: noindex", "https://yandex.com/support/webmaster/controlling-robot/html.html")
SQUIZ = Source("vendor", "Squiz DXP search documentation", "No index tags", "https://docs.squiz.net/matrix/version/latest/developing/search/prepare-your-site-for-search/no-index-tags.html")
SWISH = Source("vendor", "Swish-e discussion list, mail of its author of June 2002", "Selective indexing of sections", "http://www.swish-e.org/archive/2002-06/4121.html")
SWISH_CODE = Source("observed", "Swish-e 2.4, its parser", "src/parser.c", "https://github.com/swish-e/swish-e")
HTDIG = Source("vendor", "ht://Dig configuration attributes", "noindex_start, noindex_end", "http://www.htdig.org/attrs.html#noindex_start")
HLDIG = Source("observed", "hldig, its HTML parser", "noindex_start", "https://github.com/solbu/hldig")
MNOGO = Source("vendor", "mnoGoSearch 3.3 reference manual", "HTML parser: comments", "http://thacademic.thaihealth.or.th/datatank/mnogosearch-3.3.14/doc/msearch-htmlparser.html")
DPS = Source("observed", "DataparkSearch, its HTML parser", "comments", "https://github.com/Maxime2/dataparksearch")
SEARCHBLOX = Source("vendor", "SearchBlox developer documentation", "Using meta robots: content exclusion", "https://developer.searchblox.com/docs/using-meta-robots")
TEMPLATES = Source("observed", "Templates of public sites that write the mark round navigation", "", "https://github.com/search?q=BeginNoIndex&type=code")
ZOOM = Source("vendor", "Wrensoft Zoom users' guide", "ZOOMSTOP and ZOOMRESTART tags", "https://www.wrensoft.com/zoom/")
FREEFIND = Source("vendor", "FreeFind, How to Exclude Pages", "Excluding Part of a Page; Preventing Links from being Followed", "https://www.freefind.com/library/howto/exclude/")
FREEFIND_TAGS = Source("vendor", "FreeFind tag reference", "No Index Page", "https://www.freefind.com/library/")
SPHIDER = Source("vendor", "Sphider documentation, as the wiki of sphider-pdo has it", "Keeping pages from being indexed: sphider_noindex comments", "https://github.com/compuphase/sphider-pdo/wiki/KeepOutOfIndex")
PICO = Source("vendor", "PicoSearch FAQ", "Skipping parts of pages", "http://www.picosearch.com/")
PHPDIG = Source("observed", "PhpDig, the comments of its configuration", "phpdigExclude, phpdigInclude", "http://www.phpdig.net/")
PERLFECT = Source("vendor", "Perlfect Search, its configuration file", "$IGNORE_TEXT_START, $IGNORE_TEXT_END", "http://www.perlfect.com/freescripts/search/")
KEYOTI = Source("vendor", "Keyoti Search documentation", "Menus and other regions not to index", "https://keyoti.com/")
CONTAO = Source("observed", "Contao, its search indexer and templates", "indexer::stop, indexer::continue", "https://github.com/contao/contao")
MHONARC = Source("observed", "mnoGoSearch, its HTML parser, of the archives that MHonArc writes", "X-BotPNI", "https://www.mhonarc.org/")
TYPO3 = Source("vendor", "TYPO3 documentation of indexed_search", "HTML content: TYPO3SEARCH markers", "https://docs.typo3.org/c/typo3/cms-indexed-search/main/en-us/")
DATAPARK_ADS = DPS.at("google_ad_section_start(weight=ignore)")

# What heedful sums up of spellings, counts and credit, and no source says.
FREE = "A comment that is not the mark is a comment like any other."


def other_words(source, only=("other words beside it",)):
    return Rule("Spelling", FREE, source, only=only, free=True)


def googleoff():
    index = "What stands between the tags is not indexed; the links between them are followed."
    return [
        Rule("Effect", "The text of links between the tags is not associated with their targets.", GSA_ANCHOR, only=("anchor takes the credit",), anchor=True),
        Rule("Effect", "What stands between the tags is not used for snippets.", GSA_SNIPPET, only=("snippet takes the excerpt", "snippet keeps the fields"), snippet=True),
        Rule("Effect", "What stands between the tags is neither indexed nor used for a snippet.", GSA_ALL, only=("all takes everything",), snippet=True, links=False),
        Rule("Effect", index, GSA_INDEX, only=("a line in the middle", "headings and pictures", "half a link's text", "a link that begins inside", "title and description")),
        Rule("Links inside", index, GSA_INDEX, only=("all are followed",)),
        Rule("Links inside", "The flag anchor takes the text from the target, the flag snippet does not; neither keeps a link from being followed.", GSA_ANCHOR, only=("anchor and snippet",), anchor=True),
        Rule("Unclosed", "A closing tag has only an open region to close.", GSA, only=("never opened",)),
        Rule("Across elements", "What stands between the tags is not indexed, whatever elements begin and end there.", GSA_INDEX, but=("out of a template",)),
        Rule("Overlapping", "Each flag has its own effect.", GSA, only=("two flags cross",), snippet=True),
        Rule("Between words", index, GSA_INDEX),
        Rule("No markup", "The content of script, style and textarea, attribute values and titles hold no comment.", TOKENS, free=True),
    ]


def noindex_comment():
    yandex = "Text between the comments is not indexed; its links are."
    squiz = "Text in the region is not indexed; its links are followed."
    return region(
        YANDEX, yandex, links_say=yandex, but=("the seed knows none of these comments", "the same with index"),
        unclosed="The comments need not stand in pairs: a region goes on until it is ended.",
        extra=[
            Rule("Effect", squiz, SQUIZ, only=("the same with endnoindex",)),
            Rule("Unclosed", "The comments are switches, which need not come in pairs.", SQUIZ, only=("it runs to the end of the page",)),
            other_words(SWISH_CODE),
        ],
    )


def swish():
    between = "What stands between the comments is not indexed."
    return region(
        SWISH, between, links_say="No markup between the comments is read, so no link is.",
        unclosed="Nothing is indexed until the other comment comes.",
        extra=[
            Rule("Nested", "The comments have to be balanced: what stands in an outer region is not indexed, whatever an inner one says.", SWISH),
            Rule("Unclosed", "The count never falls below zero.", SWISH_CODE, only=("never opened",)),
            other_words(SWISH_CODE),
        ],
    )


WITHIN = {"text": {"index": {"has": ["one", "three"], "lacks": ["two"]}}}
BARE = tuple(
    own(says, "The prefix SwishCommand may be left out.", SWISH_CODE, page, WITHIN)
    for says, page in (
        ("The words without the prefix.", "<p>one</p> <!-- noindex --> <p>two</p> <!-- index --> <p>three</p>"),
        ("The words without the prefix in a paragraph.", "<p>one <!-- noindex --> two <!-- index --> three</p>"),
    )
)


def htdig():
    between = "What stands between the marks is ignored altogether, as if it were not there."
    return region(
        HTDIG, between, links_say=between, is_comment=False, unclosed="Without an end mark the rest of the document is ignored.",
        extra=[
            Rule("Effect", "The successor reads the mark under its own name.", HLDIG, only=("the marks of its successor",)),
            Rule("Spelling", FREE, HTDIG, only=("the mark in a sentence",), free=True),
        ],
    )


def udm():
    between = "The marks hide the text and the markup between them from the indexer."
    return region(
        MNOGO, between,
        extra=[
            Rule("Effect", "DataparkSearch reads its own name for the same mark.", DPS, only=("the marks of DataparkSearch",)),
            Rule("Unclosed", "The mark is a switch: what follows is hidden until the other one comes.", DPS, only=("it runs to the end of the page",)),
            other_words(MNOGO),
        ],
    )


def zoom():
    between = "Text between the tags is not indexed."
    follow = "Links between the tags are not followed; their text is indexed."
    return region(
        ZOOM, between,
        extra=[
            Rule("Effect", follow, ZOOM.at("ZOOMSTOPFOLLOW and ZOOMRESTARTFOLLOW tags"), only=("ZOOMSTOPFOLLOW takes the links", "both together"), links=True),
            Rule("Across elements", follow, ZOOM.at("ZOOMSTOPFOLLOW and ZOOMRESTARTFOLLOW tags"), only=("links in two lists",), links=True),
            Rule("Between words", follow, ZOOM, only=("ZOOMSTOPFOLLOW ends no phrase",)),
        ],
    )


def freefind():
    between = "Text between the tags is not indexed; its links are followed."
    follow = "Links between the tags are not followed; their text is indexed."
    return region(
        FREEFIND, between, but=("the mark for the page",),
        extra=[
            Rule("Effect", "A page with this tag is not indexed; its links are followed.", FREEFIND_TAGS, only=("the whole page",), uses=("index",)),
            Rule("Effect", follow, FREEFIND, only=("FreeFind nofollow takes the links",), links=True),
            Rule("Across elements", follow, FREEFIND, only=("links in two lists",), links=True),
            Rule("Between words", follow, FREEFIND, only=("FreeFind nofollow ends no phrase",)),
            Rule("Effect", "A page with this tag is not indexed.", FREEFIND_TAGS, only=("no field of such a page",)),
        ],
    )


def picosearch():
    everything = "Between the tags neither text nor links are read."
    text = "Text between the tags is not indexed; links are followed."
    link = "Links between the tags are not followed; text is indexed."
    return region(
        PICO, everything, links_say=everything,
        extra=[
            Rule("Effect", text, PICO, only=("SKIPTEXT takes the words",)),
            Rule("Effect", link, PICO, only=("SKIPLINK takes the links",)),
            Rule("Effect", "The tags of older releases still work.", PICO, only=("the older pair", "the older pair as sites write it")),
            Rule("Links inside", link, PICO, only=("where the tag stands",)),
            Rule("Across elements", link, PICO, only=("links in two lists",)),
            Rule("Between words", link, PICO, only=("SKIPLINK ends no phrase",)),
        ],
    )


def typo3():
    between = "With markers only what stands between begin and end is indexed."
    return [
        Rule("Effect", between, TYPO3, only=("what stands between the marks is the page", "two parts of a page", "headings and pictures", "title and description stay", "a link that runs out")),
        Rule("Effect", "What stands before the first marker is indexed if that is an end, and not if it is a begin.", TYPO3, only=("where the first mark is an end", "where the first mark is a begin")),
        Rule("Nested", "The markers switch indexing on and off.", TYPO3, only=("two begins and one end", "two ends and one begin")),
        Rule("Unclosed", "What follows a begin is indexed up to the next end, or to the end of the document.", TYPO3, only=("a begin without an end", "an end without a begin"), free=True),
        Rule("Across elements", between, TYPO3, but=("a mark in a template", "a mark in a drawing")),
        Rule("Spelling", FREE, TYPO3, only=("other words beside it",), free=True),
        Rule("Between words", between, TYPO3, only=("an end and a begin",)),
        Rule("No markup", "The content of script, style and textarea, attribute values and titles hold no comment.", TOKENS, free=True),
    ]


def one(name, about, source, between, links_say=None, **more):
    asks = more.pop("asks", False)
    return Convention(name, about, f"convention/{name}.md", region(source, between, links_say, **more), bool(links_say), asks)


CONVENTIONS = [
    Convention("googleoff", "Regions by flag, of the Google Search Appliance.", "convention/googleoff.md", googleoff(), True),
    Convention("noindex-comment", "Comments noindex, with the three ways to end them.", "convention/noindex-comment.md", noindex_comment(), True),
    Convention("swish", "Comments of Swish-e.", "convention/swish.md", swish(), True, False, BARE),
    Convention("htdig", "Comments of ht://Dig and hldig.", "convention/htdig.md", htdig(), True),
    Convention("udm", "Comments of mnoGoSearch and DataparkSearch.", "convention/udm.md", udm()),
    one("stopindex", "Comments of Ultraseek, as SearchBlox documents them.", SEARCHBLOX, "What stands between the tags is excluded from the index."),
    one("beginnoindex", "Comments BeginNoIndex and EndNoIndex.", TEMPLATES, "Sites write the marks round what a search should not find: menus, headers and footers."),
    Convention("zoom", "Comments of the Zoom search engine: for text, and for links.", "convention/zoom.md", zoom()),
    Convention("freefind", "Comments of FreeFind: for text, for links, and for a page.", "convention/freefind.md", freefind()),
    one("sphider", "Comments of Sphider.", SPHIDER, "What stands between the tags is not indexed; links in it are followed.", "Links between the tags are followed."),
    Convention("picosearch", "Comments of PicoSearch: for all, for text, and for links.", "convention/picosearch.md", picosearch(), True),
    one("phpdig", "Comments of PhpDig.", PHPDIG, "What stands between the marks is excluded from the index."),
    one("perlfect", "Comments of Perlfect Search.", PERLFECT, "Text between the marks is ignored."),
    one("keyoti", "Comments of Keyoti.", KEYOTI, "Regions between the comments are not indexed; there may be any number of them.", "The crawler follows links in ignored regions."),
    one("contao", "Comments of Contao.", CONTAO, "What stands between the marks is left out of the search index."),
    one("botpni", "Comments that MHonArc writes round the navigation of its pages.", MHONARC, "What stands between the marks is not indexed."),
    Convention("typo3", "Markers of TYPO3: only what stands between them is indexed.", "convention/typo3.md", typo3(), False, True),
    one("adsense", "Sections that AdSense is to ignore, as an indexer reads them.", DATAPARK_ADS, "DataparkSearch indexes nothing of a section with weight=ignore.", asks=True),
]
