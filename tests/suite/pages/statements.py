"""What a page or its headers say of the whole page, the two conventions of the seed documents, and rel; with their sources."""

from .table import BOUNDARY, CLASSES, HTML, PHRASES, PROFILE, TOKENS, TREE, Convention, Rule, Source, own

GOOGLE_URL = "https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag"
GOOGLE = Source("vendor", "Google Search Central, Robots meta tag, data-nosnippet, and X-Robots-Tag specifications", "", GOOGLE_URL)
RULES = GOOGLE.at("Valid indexing and serving rules")
USING_META = GOOGLE.at("Using the robots meta tag")
USING_HEADER = GOOGLE.at("Using the X-Robots-Tag HTTP header")
COMBINING = GOOGLE.at("Handling combined indexing and serving rules")
CONFLICTS = GOOGLE.at("Using the X-Robots-Tag HTTP header: conflicting robots rules")
MDN = Source("vendor", "MDN, <meta name=\"robots\">", "Directives", "https://developer.mozilla.org/en-US/docs/Web/HTML/Reference/Elements/meta/name/robots")
MDN_HEADER = Source("vendor", "MDN, X-Robots-Tag", "Directives", "https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/X-Robots-Tag")
META_1996 = Source("seed", "The Robots META tag (1996)", "", "https://www.robotstxt.org/meta.html")
NOAI = Source("observed", "Pages and headers that write noai (a proposal of an art site, 2022)", "", "https://github.com/search?q=noai&type=code")
NOML = Source("observed", "Pages and headers that write noml (a proposal of a search engine, 2023)", "", "https://noml.info/")
CANEL = Source("vendor", "draft-canel-robots-ai-control (Microsoft, expired)", "", "https://datatracker.ietf.org/doc/draft-canel-robots-ai-control/")
HTDIG = Source("vendor", "ht://Dig documentation", "META tags: htdig-noindex", "http://www.htdig.org/meta.html")
FREEFIND = Source("vendor", "FreeFind tag reference", "META FreeFind", "https://www.freefind.com/library/")
DRAFT = Source("vendor", "draft-illyes-repext (an independent draft by an editor of RFC 9309)", "HTTP Response Header", "https://datatracker.ietf.org/doc/draft-illyes-repext/")
FIELDS = Source("standard", "RFC 9651, Structured Field Values", "4.2.1 Parsing a List", "https://www.rfc-editor.org/rfc/rfc9651#section-4.2.1")
NAMES = Source("standard", "RFC 9110", "5.1 Field Names", "https://www.rfc-editor.org/rfc/rfc9110#section-5.1")
BING = Source("vendor", "Bing Webmaster Blog, September 2023", "New controls for Bing Chat", "https://blogs.bing.com/webmaster/september-2023/Announcing-new-options-for-webmasters-to-control-usage-of-their-content-in-Bing-Chat")
SPIDERLINE = Source("seed", "Spiderline help", "Excluding crawler from sections of pages", "http://www.spiderline.com/help/idx/0/014/article/Excluding_crawler_from_sections_of_pages.html")
REL = Source("vendor", "Google Search Central, Qualify your outbound links to Google", "rel=nofollow, ugc, sponsored", "https://developers.google.com/search/docs/crawling-indexing/qualify-outbound-links")
REL_TOKENS = Source("standard", "HTML Standard", "4.6.7 Link types", "https://html.spec.whatwg.org/multipage/links.html#linkTypes")
TDM = Source("standard", "TDM Reservation Protocol (W3C Community Group report)", "", "https://www.w3.org/community/reports/tdmrep/CG-FINAL-tdmrep-20240510/")
VOCABULARY = Source("standard", "draft-ietf-aipref-vocab-08", "", "https://datatracker.ietf.org/doc/draft-ietf-aipref-vocab/")
ATTACH = Source("standard", "draft-ietf-aipref-attach-05", "Content-Usage", "https://datatracker.ietf.org/doc/draft-ietf-aipref-attach/")
SIGNALS = Source("vendor", "Cloudflare, Content Signals Policy", "", "https://contentsignals.org/")
SIGNAL_HEADER = Source("vendor", "Cloudflare documentation, Markdown for Agents", "Content-Signal header", "https://developers.cloudflare.com/fundamentals/reference/markdown-for-agents/")
CONTAO = Source("observed", "Contao, its default indexer", "noSearch", "https://github.com/contao/contao")
JSON_LD = Source("observed", "Contao, the test of Document::extractJsonLdScripts", "", "https://github.com/contao/contao")

PAGE = ("index", "follow", "archive", "snippet")


def page(section, says, source, *only, uses=PAGE, free=True):
    return Rule(section, says, source, only=only, uses=uses, free=free)


FOR_ONE = "A META with the name of a crawler is for that crawler alone."
TRAINING = "The token asks that the page is not used to train models."
ONE = '<meta name="foobot" content="noindex"><meta name="otherbot" content="nofollow">one <a href="/a">two</a>'
META_CASES = (
    own("A META with a bot's name is for that bot.", FOR_ONE, USING_META, ONE, {"uses": {"index": "deny", "follow": "allow"}}),
    own("A META with a bot's name is for another bot.", FOR_ONE, USING_META, ONE, {"uses": {"index": "allow", "follow": "deny"}}, bot="OtherBot"),
    own("A META with a bot's name is for nobody else.", FOR_ONE, USING_META, ONE, {"uses": {"index": "allow", "follow": "allow"}}, bot="ThirdBot"),
    own("A META of 1996 keeps a page from the index.", "NOINDEX: the page is not to be indexed.", META_1996, '<META NAME="ROBOTS" CONTENT="NOINDEX">one <a href="/a">two</a>', {"uses": {"index": "deny", "follow": "allow"}}),
    own("A META of 1996 keeps links from being followed.", "NOFOLLOW: its links are not to be followed.", META_1996, '<META NAME="ROBOTS" CONTENT="NOFOLLOW">one <a href="/a">two</a>', {"uses": {"index": "allow", "follow": "deny"}}),
    own("A META of 1996 keeps a page and its links out.", "NONE is NOINDEX, NOFOLLOW.", META_1996, '<META NAME="ROBOTS" CONTENT="NONE">one <a href="/a">two</a>', {"uses": {"index": "deny", "follow": "deny"}}),
    own("A META of 1996 allows all.", "ALL is INDEX, FOLLOW.", META_1996, '<META NAME="ROBOTS" CONTENT="ALL">one <a href="/a">two</a>', {"uses": {"index": "allow", "follow": "allow"}}),
    own("What may be no snippet is no input to an answer.", "nosnippet: the page is not used as direct input for AI Overviews and AI Mode either.", RULES, '<meta name="robots" content="nosnippet">one', {"uses": {"index": "allow", "snippet": "deny", "input": "deny"}}),
    own("DisallowAITraining in META speaks of training alone.", TRAINING, CANEL, '<meta name="robots" content="DisallowAITraining">one', {"uses": {"index": "allow", "train": "deny"}}),
    own("DisallowAITraining for one bot is for no other.", TRAINING, CANEL, '<meta name="otherbot" content="DisallowAITraining">one', {"uses": {"train": "allow"}}),
)


def meta():
    effect, spelling, both = "Effect", "Spelling", "Overlapping"
    stricter = "Where rules contradict each other the more restrictive one applies."
    train = ("index", "follow", "train")
    dates = "The date may be in any widely used form: RFC 822, RFC 850, ISO 8601."
    return [
        page(effect, "noindex: do not show the page in results.", RULES, "no field is left under noindex"),
        page(effect, "nofollow: do not follow the links of the page.", RULES, "nofollow takes the links and leaves the words", "every kind of link under nofollow"),
        page(effect, "none is noindex and nofollow.", RULES, "none is noindex and nofollow"),
        page(effect, "noarchive: do not keep a cached copy of the page.", MDN, "noarchive forbids the stored copy alone"),
        page(effect, "nocache is another name of noarchive.", MDN, "nocache is noarchive"),
        page(effect, "nosnippet: show no snippet of the page.", RULES, "nosnippet forbids the excerpt alone"),
        page(effect, "It asks that the page is not used to train models.", NOAI, "noai is about training", uses=train),
        page(effect, "It asks that the page is not used to train models.", NOML, "noml is about training", uses=train),
        page(effect, "notranslate speaks of translation alone.", RULES, "notranslate withholds nothing"),
        page(effect, "max-snippet:0 is nosnippet.", RULES, "max-snippet of zero is nosnippet"),
        page(effect, "A limit of previews keeps no page from the index.", RULES, "a limit alone denies nothing", "limits that are none"),
        page(effect, "all: there is no restriction; it is the default.", RULES, "index, follow and all say nothing"),
        page(effect, "Words of services that are gone are ignored.", MDN, "retired words say nothing"),
        page(effect, "unavailable_after: do not show the page in results after this moment.", RULES, "a date with a zone", "past a date, and not at it", uses=("index",)),
        page(effect, "A META with the name of a crawler is for that crawler alone.", USING_META, "dates and limits for one bot"),
        page(effect, "The META means that the page is neither indexed nor its links followed.", HTDIG, "the META of a site search", "htdig-noindex with any content", uses=("index", "follow")),
        page(effect, "nofollow in the META of FreeFind keeps its spider from the links.", FREEFIND, "another site search has a META of its own", uses=("follow",)),
        page(effect, "notranslate speaks of translation alone.", GOOGLE, "Google's notranslate", uses=("index", "follow"), free=True),
        page(spelling, "Rules are a list; each of them counts.", USING_META, "none counts beside other words", "three words with a comma and no blank", "four words with a comma and a blank", "empty places in the list"),
        page(spelling, "Neither names nor contents have case.", USING_META, "case means nothing", "previews in capitals"),
        page(spelling, "A rule that is not known is ignored; the others count.", USING_META, "words are whole", "an unknown word beside a known one"),
        page(spelling, "A META with the name of another crawler is not for us.", USING_META, "a note of another bot is not ours", "a name that only begins like ours"),
        page(spelling, "The value of max-image-preview may be none: it is no rule of that name.", RULES, "a preview of none, with a blank"),
        page(spelling, "A rule whose value is not valid is ignored; the others count.", RULES, "numbers that are none", "a value that cannot be read says nothing"),
        page(spelling, dates, RULES, "a date in the long style", "a date in figures", "the mail form of a date", "the old web form of a date", uses=("index",)),
        page(spelling, dates, RULES, "figures with a time and a zone", uses=("index",)),
        page(spelling, "A date that is none is ignored.", RULES, "a date that cannot be read is a note", "dates that are none", uses=("index", "follow")),
        page(spelling, "Attributes stand in any order, with or without quotes; of two with one name the first counts; references are decoded.", TOKENS, "attributes in any order and without quotes", "blanks round the equals sign", "no blank between two attributes", "a slash at the end", "character references in a META", "the first of two attributes with one name"),
        page(spelling, "An element that the page's end cuts off is none.", TOKENS, "a tag that never ends"),
        page(spelling, "A META without a name or without a content says nothing.", USING_META, "a META without content"),
        page(both, stricter, CONFLICTS, "nosnippet and a limit"),
        page(both, "Several rules, in one META or in several, add up.", COMBINING, "words that do not contradict", "several METAs add up", "a second META that is stricter", "a second META that is laxer"),
        page(both, "The rules for all and those for a crawler add up: the sum of the negative ones.", COMBINING, "for all and for us"),
        page(both, stricter, CONFLICTS, "the header"),
        page(both, "A preview of none is a preview.", RULES, "a preview of none is the smallest preview", "the smallest limit wins"),
        page(both, "After the first of its dates one rule says that the page is not shown.", CONFLICTS, "the earliest date wins", uses=("index",)),
        Rule("No markup", "What stands in a comment, in raw text, in an attribute or in references is no element.", TOKENS, uses=("index", "follow"), free=True, but=("in a script inside a noscript", "a META in a comment inside a noscript")),
    ]


def header():
    effect, spelling, both = "Effect", "Spelling", "Overlapping"
    named = "Rules may stand behind the name of a crawler: they are for that crawler."
    same = "The header takes the rules of META robots."
    dates = "The date may be in any widely used form: RFC 822, RFC 850, ISO 8601."
    return [
        page(effect, same, USING_HEADER, "a header speaks for the page", "noindex takes the words and leaves the links", "nofollow takes the links and leaves the words", "none is the two", "allows and retired words", "limits"),
        page(effect, same, MDN_HEADER.at("Description"), "a word for each of the other uses", "nocache, and a word about images"),
        page(effect, "unavailable_after: do not show the page in results after this moment.", RULES, "past a date", uses=("index",)),
        page(effect, named, USING_HEADER, "a line for another bot", "a line for us", "a name ends with its line", "lines before and behind"),
        page(effect, "Behind a name the rules are for that crawler, up to the next name.", MDN_HEADER, "a name holds to the next name", "the same bot named twice"),
        page(effect, "The token asks that the page is not used to train models.", CANEL, "DisallowAITraining", uses=("index", "follow", "train")),
        page(spelling, "Names of headers have no case.", NAMES, "the name in any case"),
        page(spelling, "A header of another name is another header.", NAMES, "other headers say nothing", uses=("index",)),
        page(spelling, "Neither the name of a crawler nor the rules have case.", USING_HEADER, "valued words in any case"),
        page(spelling, named, USING_HEADER, "no blank behind the colon", "a name that only begins or ends like ours"),
        page(spelling, "max-snippet, max-image-preview, max-video-preview and unavailable_after take a value behind a colon; they are no crawlers.", RULES, "a value is not a bot", "a value with a blank before it", "a value inside a bot's part", "a preview of none"),
        page(spelling, "A rule whose value is not valid is ignored; the others count.", RULES, "values that cannot be read"),
        page(spelling, dates, RULES, "a date holds a comma and colons", "dates of every form", "a date for one bot", uses=("index",)),
        page(spelling, "Empty places in a list say nothing.", Source("standard", "RFC 9110", "5.6.1.2 Recipient Requirements", "https://www.rfc-editor.org/rfc/rfc9110#section-5.6.1.2"), "nothing between the commas"),
        page(spelling, "A rule that is not known is ignored; the others count.", USING_HEADER, "an unknown word"),
        page(both, "Several headers, and several rules in one, add up.", USING_HEADER, "every field line counts"),
        page(both, "Where rules contradict each other the more restrictive one applies.", CONFLICTS, "a stricter line and a laxer one"),
        page(both, "Behind a name the rules are for that crawler, up to the next name.", MDN_HEADER, "a line that denies one bot and allows another"),
        page(both, "The rules for all and those for a crawler add up: the sum of the negative ones.", COMBINING, "for all and for us", "META"),
    ]


def robots_tag():
    effect, spelling = "Effect", "Spelling"
    uses = ("index", "snippet")
    return [
        page(effect, "A member names a crawler, or all by a star; its rules are parameters.", DRAFT, "", "noindex for all", "another bot", uses=uses),
        page(effect, "The parameters of all members that apply are merged.", DRAFT, "several lines", uses=uses),
        page(spelling, "Names of headers and values of rules have no case.", DRAFT.at("Robots controls rules"), "case", uses=uses),
        page(spelling, "Blanks may stand behind a semicolon and round a comma.", FIELDS, "blanks", uses=uses),
        page(spelling, "A parser need not know every rule: the others count.", DRAFT.at("Robots controls rules"), "a rule that nobody knows", uses=uses),
        page(spelling, "A header of another name is another header.", NAMES, "other headers", uses=("index",)),
    ]


def noarchive_train():
    says = "Content with noarchive is neither used in answers nor to train models."
    uses = ("train", "input")
    return [
        page("Effect", says, BING, "", "the header", "one bot", uses=uses),
        page("Spelling", "Words are whole.", USING_META, "words that are others", uses=uses),
        page("Overlapping", says, BING, "training is denied besides", uses=uses),
    ]


def rel():
    says = "Links with nofollow, ugc or sponsored are not followed."
    tokens = "The value is a set of words between blanks, without case."
    return [
        Rule("Effect", says, REL, only=("three words that mean the same", "the exclusion is the tag")),
        Rule("Effect", "The start tag of a link ends the link before it.", TREE, only=("the next link is free",)),
        Rule("Effect", "The word may stand on a, area and form.", REL_TOKENS, only=("on area and form",)),
        Rule("Spelling", tokens, REL_TOKENS, only=("among other words, in any case",)),
        Rule("Spelling", tokens, REL_TOKENS, only=("words are whole", "other attributes"), free=True),
        Rule("Spelling", "References are decoded, quotes are free, and of two attributes with one name the first counts.", TOKENS, only=("character references in rel", "blanks, quotes and line ends")),
        Rule("No markup", "What stands in a comment, in raw text or in an attribute is no element.", TOKENS, free=True),
    ]


def spiderline():
    between = "Between the comments META's words hold for a part of the page: noindex for its text, nofollow for its links, none for both."
    return [
        Rule("Effect", between, SPIDERLINE, but=("title and description",)),
        Rule("Effect", between, SPIDERLINE, only=("title and description",)),
        Rule("Effect", "index, follow and all are the default.", SPIDERLINE, only=("index, follow and all deny nothing",), free=True),
        Rule("Links inside", between, SPIDERLINE),
        Rule("Spelling", "Only a comment with content= is one of these.", SPIDERLINE, only=("the word robots as a caption",), free=True),
        Rule("Nested", "Regions stand one behind the other.", SPIDERLINE, only=("side by side is not nested",)),
        Rule("Unclosed", "A closing comment has only an open region to close.", SPIDERLINE, only=("a closing comment with nothing open",)),
        Rule("Across elements", f"{between} Elements are not asked for.", SPIDERLINE, only=("lists and tables",)),
        Rule("Between words", between, SPIDERLINE, only=("a word cut in two", "nothing inside")),
        Rule("No markup", "The content of script, style and textarea, attribute values and titles hold no comment.", TOKENS, free=True),
    ]


def profile():
    words = PROFILE.at("Class names")
    names = PROFILE.at("Naming robots")
    precedence = PROFILE.at("Precedence")
    archive = PROFILE.at("Archives and summaries")
    each = "Each of the words denies one use of the element: indexing its text, following its links, crediting their text, archiving."
    return [
        Rule("Effect", each, words, only=("noindex takes the words of an element", "the exclusion where the URI is declared"), apart=False),
        Rule("For one bot alone", "robotN- is for the robot that the page's META names for N.", names, snippet=True, anchor=True),
        Rule("Three bots", "A word for a robot by name is more specific than one for all.", precedence),
        Rule("The allowing words for one bot", "A word for a robot by name is more specific than one for all.", precedence, anchor=True),
        Rule("Each allowing word lifts its own denial", "A word on an inner element is more specific than one on an outer one.", precedence, anchor=True),
        Rule("archive inside noarchive", "A word on an inner element is more specific than one on an outer one.", archive, snippet=True),
        Rule("Nested", "A word on an inner element is more specific than one on an outer one.", precedence, anchor=False, but=("allowed parts side by side", "a nearer word for all beats a farther word for one")),
        Rule("The other use", each, words),
        Rule("The URI in a link", "A page may declare the profile by a link, as the example of several robots does.", names),
        Rule("One of several URIs", "The attribute profile is a list of URIs.", words),
        Rule("A line that is not for the index", each, words),
        Rule("Links inside", "The profile takes precedence over rel=nofollow, which has no URI.", precedence, only=("a paragraph of worthless links",)),
        Rule("robots-follow from an element further out", "The profile takes precedence over rel=nofollow, which has no URI.", precedence),
        Rule("robots-follow for another bot", "A word for another robot is not for us.", names),
        Rule("On the body", "A word on an inner element is more specific than one on an outer one.", precedence),
        Rule("On the head", each, words),
        Rule("On title and description", each, words),
        Rule("On the root", "A word on an inner element is more specific than one on an outer one.", precedence),
        Rule("A page of names", "A page may name its robots on another page, by a link.", names),
        Rule("A word for another bot changes nothing", "A word for another robot is not for us.", names, free=True, anchor=True),
        Rule("Spelling", "Class names are words between blanks.", CLASSES, only=("an unknown word beside a known one",)),
        Rule("Spelling", "Class names are words between blanks.", CLASSES, only=("other ways to write a class",), declares=True),
        Rule("Spelling", "References in attributes are decoded.", TOKENS, only=("character references in a class",), declares=True),
        Rule("Spelling", "An unknown word says nothing.", words, only=("unknown words",), free=True),
        Rule("Between words", BOUNDARY, PHRASES, apart=True),
        Rule("Unclosed", "The tree builder ends an element without an end tag.", TREE),
        Rule("Across elements", "The tree builder decides which element contains a text.", TREE),
        Rule("In a template", "The content of a template is no part of the elements round it.", HTML.at("4.12.3 The template element"), free=True),
        Rule("No markup", "The content of script, style and textarea, attribute values, titles and comments hold no element.", TOKENS, free=True),
    ]


RESTRICTIVE = "With a META robots and comments the most restrictive reading counts."
SPIDERLINE_CASES = (
    own("A META that allows lifts no region.", RESTRICTIVE, SPIDERLINE, '<meta name="robots" content="index, follow"><p>one <!-- robots content="noindex" --> two <!-- /robots --> three', {"text": {"index": {"has": ["one", "three"], "lacks": ["two"]}}}),
    own("A region that allows lifts no META.", RESTRICTIVE, SPIDERLINE, '<meta name="robots" content="nofollow"><p><!-- robots content="follow" --><a href="/a">one</a><!-- /robots -->', {"links": {"follow": {"lacks": ["https://site.example/a"]}}}),
    own("A META and a region add up.", RESTRICTIVE, SPIDERLINE, '<meta name="robots" content="nofollow"><p>one <!-- robots content="noindex" --><a href="/a">two</a><!-- /robots --> three', {"text": {"index": {"has": ["one", "three"], "lacks": ["two"]}}, "links": {"follow": {"lacks": ["https://site.example/a"]}}}),
    own("The three words of the help page.", "none: neither; noindex: not the text; nofollow: not the links.", SPIDERLINE, '<body>apples <a href="foo.html">pears</a> <!-- robots content="none" -->figs <a href="bar.html">dates</a><!-- /robots --> <!-- robots content="noindex" -->plums <a href="bar1.html">grapes</a><!-- /robots --> <!-- robots content="nofollow" -->limes <a href="bar2.html">kiwis</a><!-- /robots --> melons</body>', {"text": {"index": {"has": ["apples", "pears", "limes", "kiwis", "melons"], "lacks": ["figs", "dates", "plums", "grapes"]}}, "links": {"follow": {"has": ["https://site.example/dir/foo.html", "https://site.example/dir/bar1.html"], "lacks": ["https://site.example/dir/bar.html", "https://site.example/dir/bar2.html"]}}}),
)
DECLARED = '<head profile="http://example.org/xmdp/robots-profile#"><meta name="RobotExclusion.RobotName1" content="Foo Bot"></head>'
ARCHIVE = PROFILE.at("Archives and summaries")
KEPT = "What may not be archived stands neither in a cached copy nor in a summary; it is indexed."
PROFILE_CASES = (
    own("A part that may not be archived.", KEPT, ARCHIVE, f'{DECLARED}<p>one</p><p class="robots-noarchive">two</p><p>three</p>', {"text": {"index": {"has": ["one", "two", "three"]}, "snippet": {"lacks": ["two"]}, "archive": {"has": ["one", "three"], "lacks": ["two"]}}}),
    own("A part that may be archived inside one that may not.", KEPT, ARCHIVE, f'{DECLARED}<div class="robots-noarchive">one <p class="robots-archive">two</p> three</div>', {"text": {"snippet": {"lacks": ["one", "three"]}, "archive": {"has": ["two"], "lacks": ["one", "three"]}}}),
    own("A part that one bot may not archive.", KEPT, ARCHIVE, f'{DECLARED}<p>one</p><p class="robot1-noarchive">two</p>', {"text": {"archive": {"has": ["one"], "lacks": ["two"]}}}, bot="Foo Bot"),
    own("A part that another bot may not archive.", KEPT, ARCHIVE, f'{DECLARED}<p>one</p><p class="robot1-noarchive">two</p>', {"text": {"archive": {"has": ["one", "two"]}}}, bot="Other Bot"),
    own("A part that may not be indexed is in no copy that is shown of the index.", "Text that is not indexed is in no summary.", ARCHIVE, f'{DECLARED}<p>one</p><p class="robots-noindex">two</p>', {"text": {"index": {"has": ["one"], "lacks": ["two"]}, "snippet": {"lacks": ["two"]}}}),
)


def tdm():
    uses = ("index", "train")
    reserved = "tdm-reservation 1: the rights of text and data mining are reserved."
    return [
        page("Effect", reserved, TDM.at("HTML metadata"), "", uses=uses),
        page("Effect", reserved, TDM.at("HTTP response headers"), "the header", "a policy", uses=uses),
        page("Effect", "0: they are not.", TDM.at("Values"), "zero", uses=uses),
        page("Spelling", "Names of headers have no case.", NAMES, "the header", uses=uses),
        page("Spelling", "References in attributes are decoded.", TOKENS, "references", uses=uses),
        page("Spelling", "A policy alone reserves nothing.", TDM.at("tdm-policy"), "other names", uses=uses),
    ]


def aipref():
    uses = ("index", "train", "input")
    known = "train-ai speaks of training; n disallows."
    last = Source("standard", "RFC 9651, Structured Field Values", "4.2.2 Parsing a Dictionary", "https://www.rfc-editor.org/rfc/rfc9651#section-4.2.2")
    return [
        page("Effect", known, VOCABULARY.at("Categories of use"), "", "train-ai", "search", "y", uses=uses),
        page("Effect", "ai-use speaks of the use as input to a generative model.", VOCABULARY.at("4.2"), "ai-use", "ai-use, allowed", uses=uses),
        page("Spelling", "Names of headers have no case.", NAMES, "the name of the header", uses=uses),
        page("Spelling", "Blanks may stand round commas; of a key given twice the last counts.", last, "blanks", "a key given twice", "a key given twice, the other order", uses=uses),
        page("Spelling", "Parameters are ignored.", VOCABULARY.at("Exchange format"), "parameters", uses=uses),
        page("Spelling", "Any value but the tokens y and n says nothing.", VOCABULARY.at("Exchange format"), "other values", "a key without a value", "a list for a value", uses=uses),
        page("Spelling", "A key that is not known says nothing.", VOCABULARY.at("Exchange format"), "other keys", uses=("train",)),
        page("Spelling", "An empty field says nothing.", last, "an empty line", uses=uses),
        page("Spelling", "A header of another name is another header.", NAMES, "other headers", uses=uses),
        page("Spelling", "There is no form of it in HTML.", ATTACH, "not in META", uses=("index", "train")),
    ]


def content_signal():
    uses = ("index", "train", "input")
    return [
        page("Effect", "The signals in a response speak for that response: no disallows.", SIGNAL_HEADER, "the header", "the header, search", uses=uses),
        page("Spelling", "Names of headers have no case.", NAMES, "the header's name", uses=("train",)),
        page("Spelling", "A signal that is not known says nothing.", SIGNALS, "a use that nobody knows", uses=("train",)),
    ]


def contao_nosearch():
    uses = ("index", "follow")
    return [
        page("Effect", "A page whose JSON-LD says noSearch true is not indexed.", CONTAO, "", "as sites write it", uses=("index",)),
        page("Effect", "A page whose JSON-LD says noSearch false is indexed.", CONTAO, "false says nothing", uses=uses),
        page("Effect", "The prefix of the schema may be another one, or be missing.", JSON_LD, "in a graph, under another name", "in a graph", uses=("index",)),
        page("Spelling", "Only scripts of the type application/ld+json are read.", CONTAO, "other scripts, other keys", uses=("index",)),
    ]


def of(name, about, rules, links=False, asks=False, more=()):
    return Convention(name, about, f"convention/{name}.md", rules, links, asks, more)


CONVENTIONS = [
    of("meta", "META robots, and META with a bot's name.", meta(), more=META_CASES),
    of("header", "The X-Robots-Tag header.", header()),
    of("robots-tag", "The Robots-Tag header.", robots_tag()),
    of("noarchive-train", "noarchive, as Bing reads it: no answers, no training.", noarchive_train()),
    of("spiderline", "Regions between robots comments.", spiderline(), True, more=SPIDERLINE_CASES),
    of("rel", "The words nofollow, ugc and sponsored in rel.", rel(), True),
    of("profile", "The Robot Exclusion Profile, on pages that declare it.", profile(), True, more=PROFILE_CASES),
    of("tdm", "The reservation of text and data mining, in META and in a header.", tdm()),
    of("aipref", "The Content-Usage header.", aipref()),
    of("content-signal", "The Content-Signal header.", content_signal()),
    of("contao-nosearch", "The key noSearch in Contao's JSON-LD.", contao_nosearch(), asks=True),
]
