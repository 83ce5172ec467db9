//! Inputs whose instructions are counted: generated pages and robots.txt files. The same size
//! always gives the same input.

use std::fmt::Write;
use std::hint::black_box;

use heedful_json::PageJson;

use heedful::{Bot, BotSet, ExplainedDirective, Explanation, Filter, Page, RobotsTxt, Use};

use crate::look::look;
use crate::synthetic;

const URL: &str = "https://site.example/dir/page";
const MARK: &str = "<p class=robots-noindex>withheld</p>";

/// Work whose instructions are counted. Its input is generated before the count.
pub(crate) enum Work {
    Page(Filter, String),
    Explained(Filter, String),
    /// The page's blocks and its text with line breaks are read too.
    Blocks(Filter, String),
    /// The page is written as JSON, with its blocks if the last value is true.
    Json(Filter, String, bool),
    Robots(Bot, String),
}

impl Work {
    pub(crate) fn run(&self) {
        match self {
            Self::Page(filter, page) => {
                let mut pass = filter.open(URL).unwrap();
                pass.write(page.as_bytes()).unwrap();
                black_box(pass.end_each().unwrap().iter().map(look).sum::<usize>());
            }
            Self::Explained(filter, page) => {
                let mut pass = filter.explain(URL).unwrap();
                pass.write(page.as_bytes()).unwrap();
                black_box(look_into(&pass.end().unwrap()));
            }
            Self::Blocks(filter, page) => {
                let page = filter.page(URL, &[], page.as_bytes()).unwrap();
                let phrases = page
                    .blocks()
                    .iter()
                    .map(|block| block.phrases().len())
                    .sum::<usize>();
                black_box(look(&page) + phrases + page.text().len());
            }
            Self::Json(filter, page, has_blocks) => {
                let page = filter.page(URL, &[], page.as_bytes()).unwrap();
                let mut json = PageJson::page(&page);
                if *has_blocks {
                    json = json.with_blocks(&page);
                }
                black_box(heedful_json::line(&json));
            }
            Self::Robots(bot, file) => {
                let robots = RobotsTxt::parse(file.as_bytes());
                for number in 0..100 {
                    black_box(
                        robots
                            .ruling(bot, &format!("/section{number}/a/print"))
                            .line(),
                    );
                }
            }
        }
    }
}

/// Reads all parts of an explanation that a report shows.
fn look_into(explanation: &Explanation) -> usize {
    let bots = || explanation.pages().iter().map(Page::bot_id);
    let effects: usize = bots()
        .flat_map(|bot| explanation.effects(bot))
        .map(|effects| effects.len())
        .sum();
    let reaches = explanation
        .directives()
        .iter()
        .filter_map(ExplainedDirective::reach);
    let lines: u32 = reaches.map(|reach| explanation.lines(&reach).1).sum();
    let denied = |part| {
        Use::ALL
            .into_iter()
            .filter(|usage| !explanation.denied(part, *usage).is_empty())
            .count()
    };
    let parts: usize = explanation.parts().iter().map(denied).sum();
    let words: u64 = bots().map(|bot| explanation.totals(bot).words()).sum();
    effects
        + lines as usize
        + parts
        + words as usize
        + explanation.differences().len()
        + explanation.notes().count()
}

/// Callback that returns the work of a given size.
type Shape = fn(usize) -> Work;

/// Dimensions of cost. Each has its name, the size that is doubled twice, and the callback that
/// generates the work.
pub(crate) const DIMENSIONS: [(&str, usize, Shape); 38] = [
    ("bytes of one text", 50_000, |n| {
        page(&"word ".repeat(n / 5))
    }),
    ("bytes of text and markup", 50_000, |n| {
        page(&synthetic::page(1, n))
    }),
    ("elements", 500, |n| {
        page(&"<div class=card><p>some <b>words</b></p></div>".repeat(n))
    }),
    ("elements behind a mark", 500, |n| {
        page(&(MARK.to_owned() + &"<div><p>some <b>words</b></p></div>".repeat(n)))
    }),
    ("marked elements", 250, |n| {
        page(&"<p class=robots-noindex>no <p>yes".repeat(n))
    }),
    ("depth", 1000, |n| {
        page(&("<div>x".repeat(n) + &"y</div>".repeat(n)))
    }),
    ("depth behind a mark", 100, |n| {
        page(&(MARK.to_owned() + &"<span>x".repeat(n) + &"y</span>".repeat(n)))
    }),
    ("depth of blocks behind a mark", 100, |n| {
        page(&(MARK.to_owned() + &"<div>x".repeat(n) + &"y</div>".repeat(n)))
    }),
    ("attributes of a tag", 500, |n| {
        page(&format!("<p{}>text", numbered(" data-a", "=b", n)))
    }),
    ("attributes behind a quote", 500, |n| {
        page(&format!(
            "<p class=\u{201C}a{}>text",
            numbered(" data-a", "=b", n)
        ))
    }),
    ("regions one after another", 250, |n| {
        page(&"<p>yes <!--noindex-->no<!--/noindex--></p>".repeat(n))
    }),
    ("regions inside each other", 1000, |n| {
        page(&("<!-- robots content=nofollow -->x ".repeat(n) + &"<!-- /robots -->y ".repeat(n)))
    }),
    ("links", 250, |n| {
        page(&numbered("<li><a href=/list/", ">a link</a>", n))
    }),
    ("marked elements, explained", 1000, |n| {
        explained(&"w<b class=robots-noindex>x</b>".repeat(n))
    }),
    ("marks that allow, explained", 1000, |n| {
        explained(&"w<b class=robots-noindex><i class=robots-index>x</i></b>".repeat(n))
    }),
    ("statements about the page, explained", 1000, |n| {
        explained(&"<meta name=robots content=index>".repeat(n))
    }),
    ("bots", 16, bots),
    ("words between quotes", 500, |n| {
        page(&format!(
            "<meta name=robots content=\"{}\">",
            "\u{201C}noindex\u{201D}|x: ".repeat(n)
        ))
    }),
    ("words with signs in them", 500, |n| {
        page(&format!(
            "<meta name=robots content=\"{}\">",
            "no-index: true, no follow no.".repeat(n)
        ))
    }),
    ("marks in a comment", 250, |n| {
        page(&format!(
            "<!--googleoff: index>{}-->text",
            "<!--googleon: index> <!--noindex> ".repeat(n)
        ))
    }),
    ("odd classes", 500, |n| {
        page(&format!(
            "<p class=\"{}\">text",
            "\u{201C}a,b\u{200B}robots-noindex\u{201D} ".repeat(n)
        ))
    }),
    ("blocks", 500, |n| blocks(&"<p>word".repeat(n))),
    ("divs inside each other", 1000, |n| {
        blocks(&("<div>x".repeat(n) + &"y</div>".repeat(n)))
    }),
    ("items inside each other", 1000, |n| {
        blocks(&("<ul><li>x".repeat(n) + &"y</ul>".repeat(n)))
    }),
    ("tables inside each other", 1000, |n| {
        blocks(&("<table><tr><td>x".repeat(n) + &"y</table>".repeat(n)))
    }),
    ("landmarks inside each other", 1000, |n| {
        blocks(&("<nav>x".repeat(n) + &"y</nav>".repeat(n)))
    }),
    ("lines of preformatted text", 5000, |n| {
        blocks(&format!("<pre>{}", "word \r\n word\n".repeat(n)))
    }),
    ("stray ends of paragraphs", 1000, |n| {
        blocks(&"x</p>".repeat(n))
    }),
    ("stray ends in open elements", 2000, |n| {
        blocks(&("<div>".repeat(500) + &"x</section></li></td>".repeat(n)))
    }),
    ("stray ends in open roles", 2000, |n| {
        blocks(&("<x-a role=search>".repeat(500) + &"x</x-b></span>".repeat(n)))
    }),
    ("words of a role", 1000, |n| {
        blocks(&format!(
            "<div role=\"{}\">word",
            "none-such navigations ".repeat(n)
        ))
    }),
    ("rules", 250, |n| {
        robots(&numbered("Disallow: /section", "/*/print$\n", n))
    }),
    ("misspelt rules", 250, |n| {
        robots(&numbered("Disalow: /section", " /b\n", n))
    }),
    ("keys in a line", 250, |n| {
        robots(&"User-agent: * Disallow: /a ".repeat(n))
    }),
    ("agents in a line", 500, |n| {
        robots(&format!(
            "User-agent: {}",
            "\u{201C}FooBot\u{201D} BarBot, ".repeat(n)
        ))
    }),
    ("paths in a line", 500, |n| {
        robots(&format!("Disallow: {}", "/a, /b ".repeat(n)))
    }),
    ("colons in a line", 2000, |n| {
        robots(&format!(
            "Disallow: {}{}",
            " ".repeat(n),
            ";disallow:".repeat(n)
        ))
    }),
    ("signs that are not seen in a line", 1000, |n| {
        robots(&format!("Disallow: /a{}", "\u{200B}".repeat(n)))
    }),
];

/// Inputs of fixed size: the name, and the callback that generates the work.
pub(crate) const FIXED: [(&str, Shape); 7] = [
    ("page of text", |_| page(&synthetic::page(7, 100_000))),
    ("page of links", |_| {
        page(&numbered(
            "<li class=item><a href=\"../list/",
            "?from=1\" rel=nofollow>Item</a>",
            1000,
        ))
    }),
    ("page with marks", |_| {
        page(&synthetic::page(8, 100_000).replace("class=\"box\"", "class=robots-noindex"))
    }),
    ("page for 16 bots", |_| bots(16)),
    ("page as JSON", |_| json(false)),
    ("page as JSON with blocks", |_| json(true)),
    ("robots.txt", |_| {
        robots(&numbered(
            "Disallow: /section",
            "/*/print$\nAllow: /open/\n",
            500,
        ))
    }),
];

pub(crate) fn named(name: &str, size: usize) -> Work {
    let grown = DIMENSIONS.into_iter().map(|(name, _, shape)| (name, shape));
    let shape = grown.chain(FIXED).find(|(own, _)| *own == name);
    shape.unwrap().1(size)
}

fn page(html: &str) -> Work {
    Work::Page(Filter::new(Bot::new("FooBot").unwrap()), html.to_owned())
}

fn blocks(html: &str) -> Work {
    Work::Blocks(Filter::new(Bot::new("FooBot").unwrap()), html.to_owned())
}

fn json(has_blocks: bool) -> Work {
    Work::Json(
        Filter::new(Bot::new("FooBot").unwrap()),
        synthetic::page(7, 100_000),
        has_blocks,
    )
}

/// Returns the work of explaining a page for two bots.
fn explained(html: &str) -> Work {
    let bots = ["FooBot", "BarBot"].map(|name| Bot::new(name).unwrap());
    Work::Explained(Filter::for_bots(bots.to_vec()).unwrap(), html.to_owned())
}

fn robots(rules: &str) -> Work {
    Work::Robots(
        Bot::new("FooBot").unwrap(),
        format!("User-agent: *\n{rules}"),
    )
}

/// Returns the work of reading a page with a directive for each of 64 bots. `count` bots read it,
/// but at least one.
fn bots(count: usize) -> Work {
    let metas = numbered("<meta name=bot", " content=nofollow>", BotSet::MAX);
    let page = metas
        + &numbered(
            "<p>some <b>words</b> and <a href=/list/",
            ">a link</a>",
            200,
        );
    let bots = (0..count.max(1))
        .map(|number| Bot::new(&format!("bot{number}")).unwrap())
        .collect();
    Work::Page(Filter::for_bots(bots).unwrap(), page)
}

fn numbered(before: &str, after: &str, count: usize) -> String {
    (0..count).fold(String::new(), |mut text, number| {
        let _ = write!(text, "{before}{number}{after}");
        text
    })
}
