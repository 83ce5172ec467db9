//! Generates tag soup from a sequence of choices. Tag soup is a page in which elements end
//! elsewhere than their tags state.
//!
//! A fuzzer, a property test or a counter makes the choices for a page of tag soup. Equal choices
//! give equal pages. Most pieces move elements: tables, formatting, lists, forms, select, svg,
//! templates.

/// Names of elements in tag soup. Names that often cause errors occur more than once.
const NAMES: &[&str] = &[
    "p",
    "p",
    "div",
    "div",
    "span",
    "a",
    "a",
    "b",
    "b",
    "i",
    "em",
    "font",
    "font",
    "nobr",
    "u",
    "code",
    "strong",
    "s",
    "table",
    "table",
    "tbody",
    "thead",
    "tfoot",
    "tr",
    "tr",
    "td",
    "td",
    "th",
    "caption",
    "colgroup",
    "col",
    "ul",
    "ol",
    "li",
    "li",
    "dl",
    "dd",
    "dt",
    "h1",
    "h2",
    "form",
    "input",
    "button",
    "select",
    "option",
    "optgroup",
    "textarea",
    "svg",
    "svg",
    "g",
    "foreignObject",
    "desc",
    "title",
    "math",
    "mi",
    "mtext",
    "mo",
    "mn",
    "ms",
    "mrow",
    "malignmark",
    "annotation-xml",
    "annotation-xml",
    "search",
    "isindex",
    "applet",
    "linearGradient",
    "template",
    "template",
    "frameset",
    "frame",
    "body",
    "html",
    "head",
    "br",
    "hr",
    "img",
    "image",
    "area",
    "link",
    "meta",
    "base",
    "ruby",
    "rb",
    "rt",
    "rp",
    "rtc",
    "pre",
    "listing",
    "address",
    "article",
    "blockquote",
    "center",
    "fieldset",
    "main",
    "section",
    "applet",
    "marquee",
    "object",
    "x-y",
    "unknown",
    "script",
    "style",
    "noscript",
    "xmp",
    "iframe",
    "plaintext",
    "wbr",
    "embed",
    "param",
    "source",
    "dialog",
    "summary",
    "details",
    "search",
    "menu",
    "label",
    "mglyph",
    "noindex",
    "noindex",
];

const CLASSES: &[&str] = &[
    " class=robots-noindex",
    " class=robots-noindex",
    " class=robots-noindex",
    " class=robots-index",
    " class=\"robots-index\"",
    " class='robots-nofollow'",
    " class=robots-follow",
    " class='ROBOTS-NOINDEX a'",
    " class=\"robots-noindex robots-nofollow\"",
    " class='robots-noarchive'",
    " class=robots&#45;noindex",
    " class='robots-noindex robot1-index'",
    " class='robots-index robot2-noindex'",
    " class=a",
    " class=nocontent",
    " class='robots-nocontent noindex'",
    " class=noindex",
    " class=NOEXCERPT",
    " class=opensearchserver.ignore",
    " class=\u{201C}noindex data-x noindex\u{201D}",
    " class='x,robots-noindex;y'",
    " class='x\u{FF0C}robots-noindex'",
    " class=p.robots-noindex.x",
    " class='.x,.robots-nofollow'",
    " class='x\u{B}robots-noindex.'",
    " class='y\u{A0}noindex\u{200B}z'",
    " class=\"'no-search'\"",
    " CLASS='wide Robot3-index'",
    " ignore=yes",
    " Data-Swiftype-Index=no",
    " data-nosnippet",
    " data-elastic-exclude",
    " data-elastic-include",
    " data-elastic-include class=robots-noindex",
    " data-pagefind-ignore=all",
    " data-pagefind-body",
    " data-search-exclude",
    " id=x",
    " data-swiftype-index=false",
    " data-swiftype-index='TRUE'",
    " data-addsearch=include",
    " data-addsearch=out",
];

/// User-defined conventions that pages of tag soup use, as a convention file.
#[allow(unreachable_pub, reason = "a module of a test and of a fuzz target")]
pub const OWN: &str = "
[[region]]
open = 'a comment'
close = '/noindex'
deny = ['noindex', 'nofollow']
[[region]]
open = 'googleoff: all'
close = 'googleon: all'
deny = ['noindex']
[[element]]
select = 'font, td, p.b, [id=n], .a, x-y[b]'
deny = ['noindex']
[[element]]
select = '[size], i'
deny = ['noinput', 'notrain']
";

const ATTRIBUTES: &[&str] = &[
    " href=x",
    " href='y' rel=nofollow",
    " color=red",
    " size=1",
    " id=n",
    " type=hidden",
    " type=image alt='w w'",
    " alt='word here'",
    " encoding=text/html",
    " encoding=application/xhtml+xml",
    " name=description content='told in short'",
    " src=z.png",
    " action=f",
    " a=1 b=2",
    " b=2 a=1",
    " class=b",
    " selected",
    "/",
];

const PIECES: &[&str] = &[
    "<!-- robots content=\"noindex\" -->",
    "<!-- robots content=none -->",
    "<!-- robots content=all -->",
    "<!-- /robots -->",
    "<!-- /robots -->",
    "<!-- a comment -->",
    "<!--googleoff: all-->",
    "<!--googleon: index-->",
    "<!--googleon: all-->",
    "<!--noindex-->",
    "<!--/noindex-->",
    "<!--TYPO3SEARCH_begin-->",
    "<!--TYPO3SEARCH_end-->",
    "<!--ZOOMSTOPFOLLOW-->",
    "<!--ZOOMRESTARTFOLLOW-->",
    "<noindex/>",
    "</noindex>",
    "<meta name=tdm-reservation content=1>",
    "<!bogus>",
    "<?php ?>",
    "</ x>",
    "<![CDATA[in or out]]>",
    "<head profile=\"http://example.org/xmdp/robots-profile#\">",
    "<meta name=RobotExclusion.RobotName1 content=FooBot>",
    "<meta name=RobotExclusion.RobotName2 content=BarBot>",
    "<meta name=robots content=noarchive>",
    "<noscript><meta name=robots content=nosnippet></noscript>",
    "<table><tr><td>",
    "<table><colgroup><col>",
    "</td></tr></table>",
    "</b></i></a></font>",
    "<b><b><b><b>",
    "<ul><li>",
    "</li></ul>",
    "<select><option>",
    "</option></select>",
    "<svg><foreignObject>",
    "</foreignObject></svg>",
    "<math><mi>",
    "<math><mtext>",
    "</mtext></math>",
    "<math><semantics><annotation-xml encoding='TEXT/html'>",
    "<math><semantics><annotation-xml>",
    "</annotation-xml></semantics></math>",
    "<svg><desc>",
    "</desc></svg>",
    "<span class=robots-noindex><search>",
    "<template shadowrootmode=open>",
    "<x-y><template shadowrootmode=closed>",
    "<template shadowrootmode=open><col>",
    "<template><meta name=robots content=noarchive></template>",
    "<template for=t>",
    "<?marker name=\"t\">",
    "<?start name=\"t\">",
    "<?start name=\"t\">w<?end>",
    "<?end>",
    "<svg><title>",
    "<p><b class=robots-noindex>",
    "<div class=robots-noindex>",
    "<span class=robots-index>",
    "</div>",
    "</p>",
    "</span>",
    "</br>",
    "<",
    "</",
    ">",
    "&amp;",
    "&#32;",
    "&nbsp;",
    "\u{0}",
    "\n",
    "\r\n",
    " ",
    " ",
    "\u{c}",
    "é",
];

const DOCTYPES: &[&str] = &[
    "<!DOCTYPE html>",
    "",
    "<!DOCTYPE html PUBLIC \"-//W3C//DTD HTML 3.2//EN\">",
    "<!DOCTYPE html PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\" \"\">",
    "<!DOCTYPE html PUBLIC '+//Silmaril//dtd html Pro v0r11 19970101//EN' 'x'>",
    "<!DOCTYPE html><html><head profile=\"http://example.org/xmdp/robots-profile#\"><body>",
    "<head profile=\"http://example.org/xmdp/robots-profile#\">",
];

/// Returns a page of tag soup with this number of pieces. `choose(n)` chooses a number below `n`.
#[allow(unreachable_pub, reason = "a module of a test and of a fuzz target")]
pub fn page(pieces: usize, choose: &mut impl FnMut(usize) -> usize) -> String {
    let mut page = DOCTYPES[choose(DOCTYPES.len())].to_owned();
    let mut open: Vec<&str> = Vec::new();
    for number in 0..pieces {
        match choose(16) {
            0..=5 => {
                let name = NAMES[choose(NAMES.len())];
                page.push('<');
                page.push_str(name);
                if choose(3) == 0 {
                    page.push_str(CLASSES[choose(CLASSES.len())]);
                }
                for _ in 0..choose(3) {
                    page.push_str(ATTRIBUTES[choose(ATTRIBUTES.len())]);
                }
                page.push('>');
                open.push(name);
            }
            6..=8 => {
                // Mostly an open element is closed, but not always the last one opened.
                let name = match open.len() {
                    0 => NAMES[choose(NAMES.len())],
                    length => open.remove(length - 1 - choose(length.min(4))),
                };
                page.push_str(&format!("</{name}>"));
            }
            9 => page.push_str(&format!("</{}>", NAMES[choose(NAMES.len())])),
            10..=12 => page.push_str(&format!("w{number}")),
            _ => page.push_str(PIECES[choose(PIECES.len())]),
        }
    }
    page
}

/// Beginnings of short pages of tag soup.
const CONTEXTS: &[&str] = &[
    "",
    "<!DOCTYPE html>",
    "<table>",
    "<table><tr><td>",
    "<table><caption>",
    "<ul><li>",
    "<dl><dt>",
    "<p>",
    "<b>",
    "<a href=x>",
    "<select>",
    "<select><option>",
    "<button>",
    "<form>",
    "<svg>",
    "<svg><g>",
    "<svg><foreignObject>",
    "<svg><desc>",
    "<svg><title>",
    "<math>",
    "<math><mi>",
    "<math><annotation-xml>",
    "<math><annotation-xml encoding=text/html>",
    "<template>",
    "<template><table>",
    "<div><template shadowrootmode=open>",
    "<ruby><rt>",
    "<object>",
    "<head>",
    "<body>",
    "<search>",
    "<h1>",
];

/// Returns a short page of tag soup. It has a beginning, a marked element, one to five tags, and
/// words between them. Every second page has a second marked element.
#[allow(unreachable_pub, reason = "a module of a test")]
#[allow(dead_code, reason = "each user takes a part")]
pub fn short(choose: &mut impl FnMut(usize) -> usize) -> String {
    let mut page = CONTEXTS[choose(CONTEXTS.len())].to_owned();
    let marked = NAMES[choose(NAMES.len())];
    page.push_str(&format!("<{marked}{}>w0", CLASSES[choose(CLASSES.len())]));
    for number in 1..=1 + choose(5) {
        let name = match choose(3) {
            0 => marked,
            _ => NAMES[choose(NAMES.len())],
        };
        match choose(5) {
            0 => page.push_str(&format!("</{name}>")),
            1 => page.push_str(CONTEXTS[choose(CONTEXTS.len())]),
            2 => page.push_str(&format!("</{}>", NAMES[choose(NAMES.len())])),
            3 => page.push_str(&format!("<{name}{}>", CLASSES[choose(CLASSES.len())])),
            _ => page.push_str(&format!("<{name}>")),
        }
        page.push_str(&format!("w{number}"));
    }
    page
}

/// Pieces that one parser may take as text and another as markup.
const TANGLES: &[&str] = &[
    "<svg>",
    "<svg><g>",
    "</svg>",
    "</g>",
    "<math>",
    "</math>",
    "<mi>",
    "</mi>",
    "<foreignObject>",
    "</foreignObject>",
    "<desc>",
    "</desc>",
    "<title>",
    "</title>",
    "<annotation-xml encoding=text/html>",
    "<annotation-xml>",
    "</annotation-xml>",
    "<style>",
    "</style>",
    "<script>",
    "</script>",
    "<textarea>",
    "</textarea>",
    "<xmp>",
    "</xmp>",
    "<noscript>",
    "</noscript>",
    "<iframe>",
    "</iframe>",
    "<![CDATA[",
    "]]>",
    "<table>",
    "<tr>",
    "<td>",
    "</td>",
    "</table>",
    "<caption>",
    "<col>",
    "<select>",
    "</select>",
    "<template>",
    "</template>",
    "<frameset>",
    "<p>",
    "</p>",
    "<div>",
    "</div>",
    "<ul><li>",
    "<li>",
    "</ul>",
    "<b>",
    "</b>",
    "<span>",
    "</span>",
    "<a>",
    "</a>",
    "<form>",
    "</form>",
    "<h1>",
    "</h2>",
    "<mglyph>",
    "<font color=red>",
    "<font>",
    "</br>",
    "<image>",
    "<input>",
    "<svg/>",
    "<g/>",
    "</body>",
    "<plaintext>",
    "<search>",
    "<object>",
    "</object>",
    "<button>",
    "</button>",
];

/// Returns a page of raw text, drawings, tables and marks of regions, in any order. Each piece may
/// hide the next piece. `choose(n)` chooses a number below `n`.
#[allow(unreachable_pub, reason = "a module of a test")]
#[allow(dead_code, reason = "each user takes a part")]
pub fn tangled(pieces: usize, choose: &mut impl FnMut(usize) -> usize) -> String {
    let mut page = String::new();
    for number in 0..pieces {
        match choose(8) {
            0 => page.push_str("<!--noindex-->"),
            1 => page.push_str("<!--/noindex-->"),
            2 => page.push_str(&format!("w{number}")),
            _ => page.push_str(TANGLES[choose(TANGLES.len())]),
        }
    }
    page
}
