//! A tutorial: from one page to an indexer that obeys what publishers ask.
//!
//! It takes a quarter of an hour. Each section builds on the one before, and the examples are whole
//! programs that run as tests. [The cookbook](crate::cookbook) has short answers to single
//! questions.
//!
//! 1. [A page](#a-page)
//! 2. [Headers](#headers)
//! 3. [Who asks?](#who-asks)
//! 4. [May the page be fetched at all?](#may-the-page-be-fetched-at-all)
//! 5. [A page that arrives in pieces](#a-page-that-arrives-in-pieces)
//! 6. [Words with positions](#words-with-positions)
//! 7. [Links and anchor texts](#links-and-anchor-texts)
//! 8. [Why?](#why)
//! 9. [A cached copy](#a-cached-copy)
//! 10. [When something goes wrong](#when-something-goes-wrong)
//!
//! # A page
//!
//! A [`Filter`](crate::Filter) holds the settings, and is made once. A [`Bot`](crate::Bot) has the
//! name of your robot, as publishers write it in robots.txt and META tags: the product token,
//! without a version.
//!
//! ```
//! use heedful::{Bot, Filter};
//!
//! let filter = Filter::new(Bot::new("FooBot")?);
//! let html = b"<title>Rye</title><p>Dark bread <!--noindex-->from 2 EUR<!--/noindex--> with rye.";
//! let page = filter.page("https://example.com/rye", &[], html)?;
//!
//! assert_eq!(page.title(), ["Rye"]);
//! assert_eq!(page.phrases(), ["Dark bread", "with rye."]);
//! # Ok::<(), heedful::Error>(())
//! ```
//!
//! The price is gone, since its publisher excluded it. The text before it and the text after it
//! are two *phrases*: a search for `"bread with"` must not find this page.
//!
//! # Headers
//!
//! A publisher can also deny uses in HTTP headers. Give all header lines of the response; the
//! filter picks those that matter.
//!
//! ```
//! use heedful::{Bot, Filter, Use};
//!
//! let filter = Filter::new(Bot::new("FooBot")?);
//! let headers = [("Content-Type", "text/html"), ("X-Robots-Tag", "noindex, nofollow")];
//! let page = filter.page("https://example.com/", &headers, b"<p>Dark bread")?;
//!
//! assert!(page.phrases().is_empty());
//! assert!(!page.policy().allows(Use::Index));
//! assert!(!page.policy().allows(Use::Follow));
//! # Ok::<(), heedful::Error>(())
//! ```
//!
//! [`Use`](crate::Use) has all uses that a publisher can deny: to index the text, to follow links,
//! to show an excerpt, to keep a copy, to train a model and more.
//!
//! # Who asks?
//!
//! A statement can be addressed to one robot by its name. A robot may have several names. If a page
//! addresses several of them, the strictest statement decides.
//!
//! ```
//! use heedful::{Bot, Filter, Use};
//!
//! let html = b"<meta name=foobot-news content=nosnippet><p>Dark bread";
//! let foo = Filter::new(Bot::new("FooBot")?.alias("FooBot-News")?);
//! let bar = Filter::new(Bot::new("BarBot")?);
//!
//! assert!(!foo.page("https://example.com/", &[], html)?.policy().allows(Use::Snippet));
//! assert!(bar.page("https://example.com/", &[], html)?.policy().allows(Use::Snippet));
//! # Ok::<(), heedful::Error>(())
//! ```
//!
//! To ask for several robots at once, use [`Filter::for_bots`](crate::Filter::for_bots). The pass
//! then reads the page once for all of them.
//!
//! # May the page be fetched at all?
//!
//! robots.txt decides before a page is fetched. [`RobotsTxt`](crate::RobotsTxt) parses the file,
//! and each ruling names the line that decided.
//!
//! ```
//! use heedful::{Bot, RobotsTxt};
//!
//! let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /drafts/");
//! let bot = Bot::new("FooBot")?;
//! let ruling = robots.ruling(&bot, "https://example.com/drafts/rye");
//!
//! assert!(!ruling.allowed());
//! assert_eq!(ruling.line(), Some(2));
//! # Ok::<(), heedful::Error>(())
//! ```
//!
//! A robots.txt can also deny single uses of pages that may be fetched, such as training. Give the
//! file to the pass, and the page's policy includes these denials:
//!
//! ```
//! use heedful::{Bot, Filter, RobotsTxt, Use};
//!
//! let robots = RobotsTxt::parse(b"User-agent: *\nContent-Signal: ai-train=no\nAllow: /");
//! let filter = Filter::new(Bot::new("FooBot")?);
//! let mut pass = filter.open("https://example.com/rye")?;
//! pass.robots_txt(&robots);
//! pass.write(b"<p>Dark bread")?;
//! let page = pass.end()?;
//!
//! assert_eq!(page.phrases(), ["Dark bread"]);
//! assert!(!page.policy().allows(Use::Train));
//! # Ok::<(), heedful::Error>(())
//! ```
//!
//! # A page that arrives in pieces
//!
//! A [`Pass`](crate::Pass) reads one page. Its bytes can be cut anywhere, even inside a tag or a
//! character: the result is the same.
//!
//! ```
//! use heedful::{Bot, Filter};
//!
//! let filter = Filter::new(Bot::new("FooBot")?);
//! let mut pass = filter.open("https://example.com/rye")?;
//! for piece in [&b"<p>Dark br"[..], b"ead <di", b"v data-nos", b"nippet>from 2 EUR</div>"] {
//!     pass.write(piece)?;
//! }
//! let page = pass.end()?;
//!
//! assert_eq!(page.phrases(), ["Dark bread from 2 EUR"]);
//! assert_eq!(page.excerpt(), "Dark bread");
//! # Ok::<(), heedful::Error>(())
//! ```
//!
//! Nothing is final before [`Pass::end`](crate::Pass::end), since the last META tag of a page can
//! forbid everything. A pass is `Send`, so a task can hold it over an `.await`.
//!
//! # Words with positions
//!
//! An index that stores positions must keep phrases apart. [`Page::words`](crate::Page::words)
//! gives each word with its position, and leaves [`PHRASE_GAP`](crate::PHRASE_GAP) positions
//! between two phrases. A phrase query with a slop below 999 never matches across the gap.
//!
//! ```
//! use heedful::{Bot, Filter, PHRASE_GAP};
//!
//! let filter = Filter::new(Bot::new("FooBot")?);
//! let html = b"<p>Dark bread <!--noindex-->from 2 EUR<!--/noindex--> with rye";
//! let page = filter.page("https://example.com/rye", &[], html)?;
//! let words: Vec<_> = page.words().collect();
//!
//! assert_eq!((words[1].text(), words[1].position()), ("bread", 1));
//! assert!(words[2].position() - words[1].position() >= PHRASE_GAP);
//! # Ok::<(), heedful::Error>(())
//! ```
//!
//! The crate `heedful-index` stores these positions in tantivy, and `heedful-export` in files for
//! other engines.
//!
//! # Links and anchor texts
//!
//! A link has three properties: its target, whether it may be followed, and whether its anchor text
//! may be credited to the target. A publisher can deny each of these uses alone.
//!
//! ```
//! use heedful::{Bot, Filter};
//!
//! let filter = Filter::new(Bot::new("FooBot")?);
//! let html = b"<a href=/rye>Rye</a> <a href=/ad rel=nofollow>Ad</a>";
//! let page = filter.page("https://example.com/", &[], html)?;
//! let [rye, ad] = page.links() else { panic!("two links") };
//!
//! assert_eq!(rye.url(), "https://example.com/rye");
//! assert!(rye.may_follow() && rye.may_credit());
//! assert!(!ad.may_follow() && !ad.may_credit());
//! # Ok::<(), heedful::Error>(())
//! ```
//!
//! # Why?
//!
//! Each denial names the directive that caused it, with the directive's place in the page.
//!
//! ```
//! use heedful::{Bot, Filter, Use};
//!
//! let filter = Filter::new(Bot::new("FooBot")?);
//! let html = b"<p>\n<meta name=robots content=noindex>";
//! let page = filter.page("https://example.com/", &[], html)?;
//! let why = page.policy().why(Use::Index).expect("a denial has a reason");
//!
//! assert_eq!(why.convention(), "meta");
//! assert_eq!(why.place().expect("it is in the page").line(), 2);
//! # Ok::<(), heedful::Error>(())
//! ```
//!
//! [`Page::exclusions`](crate::Page::exclusions) lists the parts of a page that are withheld.
//! [`Page::notes`](crate::Page::notes) reports what looked wrong, such as an unclosed region or a
//! misspelt word. [`Filter::explain`](crate::Filter::explain) explains every byte.
//!
//! # A cached copy
//!
//! [`Filter::snapshots`](crate::Filter::snapshots) makes a pass keep the page's own markup.
//! [`Page::snapshot`](crate::Page::snapshot) returns it without the parts that may not be archived,
//! with a mark at each cut.
//!
//! ```
//! use heedful::{Bot, Dressing, Filter};
//!
//! let filter = Filter::new(Bot::new("FooBot")?).snapshots();
//! let html = b"<p>Dark bread <span class=robots-noarchive>from 2 EUR</span>";
//! let page = filter.page("https://example.com/rye", &[], html)?;
//! let snapshot = page.snapshot(&Dressing::default()).expect("it may be kept");
//!
//! assert!(snapshot.starts_with("<p>Dark bread "));
//! assert!(!snapshot.contains("2 EUR"));
//! # Ok::<(), heedful::Error>(())
//! ```
//!
//! # When something goes wrong
//!
//! Sloppy HTML is never an error. An [`Error`](crate::Error) means that a setting makes no sense,
//! that a limit was exceeded, or that a page was refused because two parsers would find different
//! text in it.
//!
//! ```
//! use heedful::{Bot, ErrorKind, Filter, Limits};
//!
//! let mut limits = Limits::default();
//! limits.page_bytes = 10;
//! let filter = Filter::new(Bot::new("FooBot")?).limits(limits);
//! let error = filter.page("https://example.com/", &[], b"<p>Dark bread").unwrap_err();
//!
//! assert!(matches!(error.kind(), ErrorKind::Limit { name: "page_bytes", .. }));
//! assert!(Bot::new("FooBot/1.0 (+https://example.com/bot)").is_err());
//! # Ok::<(), heedful::Error>(())
//! ```
