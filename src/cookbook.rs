//! Recipes: short answers to single questions. Each recipe is a whole program that runs as a test.
//!
//! [The tutorial](crate::tutorial) leads from a single page to an indexer. For archives, indexes
//! and exports see the crates `heedful-input`, `heedful-index` and `heedful-export`.
//!
//! **Settings**
//! [several robots](#ask-for-several-robots-at-once) ·
//! [which conventions](#choose-the-conventions) ·
//! [marks of your own](#add-a-convention-of-your-own) ·
//! [deny by URL](#deny-pages-by-url) ·
//! [limits](#set-a-limit) ·
//! [the time](#judge-a-page-as-of-a-date)
//!
//! **Pages**
//! [headings and metadata](#read-headings-description-and-language) ·
//! [excerpts](#show-an-excerpt) ·
//! [text for a model](#give-text-to-a-model) ·
//! [training](#ask-whether-a-page-may-train-a-model) ·
//! [exclusions](#list-what-was-withheld) ·
//! [notes](#report-what-looks-wrong) ·
//! [policies alone](#read-the-policy-alone) ·
//! [redirects](#tell-a-pass-about-a-redirect)
//!
//! **Links**
//! [links to follow](#list-the-links-to-follow) ·
//! [anchor texts](#credit-anchor-texts)
//!
//! **robots.txt**
//! [a ruling](#ask-a-robotstxt) ·
//! [a missing robots.txt](#decide-without-a-robotstxt) ·
//! [crawl rates](#ask-how-fast-a-robot-may-fetch) ·
//! [sitemaps](#list-the-sitemaps)
//!
//! **Snapshots and sinks**
//! [a dressed snapshot](#dress-a-snapshot) ·
//! [a streamed snapshot](#stream-a-snapshot) ·
//! [a sink of your own](#write-a-sink) ·
//! [an explanation](#explain-a-page)
//!
//! # Ask for several robots at once
//!
//! A pass parses the page once, whatever the number of robots.
//!
//! ```
//! use heedful::{Bot, Filter};
//!
//! let filter = Filter::for_bots(vec![Bot::new("FooBot")?, Bot::new("BarBot")?])?;
//! let mut pass = filter.open("https://example.com/")?;
//! pass.write(b"<meta name=foobot content=noindex><p>Dark bread")?;
//! let pages = pass.end_each()?;
//!
//! assert!(pages[0].phrases().is_empty());
//! assert_eq!(pages[1].phrases(), ["Dark bread"]);
//! # Ok::<(), heedful::Error>(())
//! ```
//!
//! # Choose the conventions
//!
//! A preset (`seed`, `web`, `all`, `none`) is followed by names of conventions to add or remove.
//!
//! ```
//! use heedful::{Bot, Conventions, Filter};
//!
//! let html = b"<p>Dark <!--googleoff: index-->bread<!--googleon: index--> with rye";
//! let filter = Filter::new(Bot::new("FooBot")?);
//! let without = filter.clone().conventions(Conventions::parse("web,-googleoff")?);
//!
//! assert_eq!(filter.page("https://example.com/", &[], html)?.phrases(), ["Dark", "with rye"]);
//! assert_eq!(without.page("https://example.com/", &[], html)?.phrases(), ["Dark bread with rye"]);
//! # Ok::<(), heedful::Error>(())
//! ```
//!
//! # Add a convention of your own
//!
//! A rule of your own names an element by a selector, a region by two comments, or a page by a
//! pattern of its URL.
//!
//! ```
//! use heedful::{Bot, Conventions, Filter, Uses};
//!
//! let conventions = Conventions::default()
//!     .element("nav.menu", Uses::parse_names("index")?)?
//!     .region("intern", "/intern", Uses::parse_names("index")?)?;
//! let filter = Filter::new(Bot::new("FooBot")?).conventions(conventions);
//! let html = b"<nav class=menu>Home</nav><p>Dark bread<!--intern-->Oven 3<!--/intern-->";
//!
//! assert_eq!(filter.page("https://example.com/", &[], html)?.phrases(), ["Dark bread"]);
//! # Ok::<(), heedful::Error>(())
//! ```
//!
//! # Deny pages by URL
//!
//! ```
//! use heedful::{Bot, Filter, Uses};
//!
//! let filter = Filter::new(Bot::new("FooBot")?).deny(Uses::parse_names("index")?, "/drafts/*")?;
//! let page = filter.page("https://example.com/drafts/rye", &[], b"<p>Dark bread")?;
//!
//! assert!(page.phrases().is_empty());
//! # Ok::<(), heedful::Error>(())
//! ```
//!
//! # Set a limit
//!
//! [`LIMITS`](crate::LIMITS) lists all limits with their meaning, unit and default.
//!
//! ```
//! use heedful::{Bot, Filter, Limits};
//!
//! let mut limits = Limits::default();
//! limits.page_bytes = 1 << 20;
//! let filter = Filter::new(Bot::new("FooBot")?).limits(limits);
//!
//! assert!(filter.page("https://example.com/", &[], &vec![b'x'; 2 << 20]).is_err());
//! # Ok::<(), heedful::Error>(())
//! ```
//!
//! # Judge a page as of a date
//!
//! The `unavailable_after` of a page is compared with the system clock, or with a time that you
//! set.
//!
//! ```
//! use std::time::{Duration, SystemTime};
//!
//! use heedful::{Bot, Filter};
//!
//! let html = b"<meta name=robots content='unavailable_after: 2020-01-01'><p>Dark bread";
//! let filter = Filter::new(Bot::new("FooBot")?);
//! let in_2017 = SystemTime::UNIX_EPOCH + Duration::from_secs(1_500_000_000);
//! let then = filter.clone().now(in_2017);
//!
//! assert!(filter.page("https://example.com/", &[], html)?.phrases().is_empty());
//! assert_eq!(then.page("https://example.com/", &[], html)?.phrases(), ["Dark bread"]);
//! # Ok::<(), heedful::Error>(())
//! ```
//!
//! # Read headings, description and language
//!
//! ```
//! use heedful::{Bot, Filter};
//!
//! let html = b"<html lang=en><title>Rye</title><meta name=description content='How we bake'>
//!     <link rel=canonical href=/rye><h1>Rye bread</h1><img src=a.png alt='A loaf'>";
//! let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/rye?a", &[], html)?;
//!
//! assert_eq!(page.title(), ["Rye"]);
//! assert_eq!(page.headings(), ["Rye bread"]);
//! assert_eq!(page.description(), ["How we bake"]);
//! assert_eq!(page.alternative(), ["A loaf"]);
//! assert_eq!(page.language(), Some("en"));
//! assert_eq!(page.canonical_url(), Some("https://example.com/rye"));
//! # Ok::<(), heedful::Error>(())
//! ```
//!
//! # Show an excerpt
//!
//! `Page::excerpt` leaves out text that may not be shown, and is cut to `max-snippet` characters.
//!
//! ```
//! use heedful::{Bot, Filter};
//!
//! let html = b"<meta name=robots content='max-snippet:10'><p>Dark bread with rye and honey";
//! let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
//!
//! assert_eq!(page.policy().max_snippet(), Some(10));
//! assert_eq!(page.excerpt(), "Dark bread");
//! # Ok::<(), heedful::Error>(())
//! ```
//!
//! # Give text to a model
//!
//! [`Page::input`](crate::Page::input) returns the text that a model may read as material for an
//! answer. It can be less than the indexed text.
//!
//! ```
//! use heedful::{Bot, Filter};
//!
//! let html = b"<p>Dark bread <span data-nosnippet>from 2 EUR</span>";
//! let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
//!
//! assert_eq!(page.phrases(), ["Dark bread from 2 EUR"]);
//! assert_eq!(page.input(), "Dark bread");
//! # Ok::<(), heedful::Error>(())
//! ```
//!
//! # Ask whether a page may train a model
//!
//! ```
//! use heedful::{Bot, Filter, Use};
//!
//! let headers = [("Content-Usage", "train-ai=n")];
//! let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &headers, b"<p>Rye")?;
//!
//! assert!(!page.policy().allows(Use::Train));
//! assert_eq!(page.policy().why(Use::Train).map(|why| why.convention()), Some("aipref"));
//! # Ok::<(), heedful::Error>(())
//! ```
//!
//! # List what was withheld
//!
//! ```
//! use heedful::{Bot, Filter, Use};
//!
//! let html = b"<p>Dark bread <!--noindex-->from 2 EUR<!--/noindex-->";
//! let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
//! let withheld = page.exclusions().find(|exclusion| exclusion.usage() == Use::Index);
//! let withheld = withheld.expect("an exclusion");
//!
//! assert_eq!(withheld.directive().convention(), "noindex-comment");
//! let range = withheld.range();
//! assert_eq!(&html[range.start as usize..range.end as usize], b"from 2 EUR");
//! # Ok::<(), heedful::Error>(())
//! ```
//!
//! # Report what looks wrong
//!
//! ```
//! use heedful::{Bot, Filter, NoteKind};
//!
//! let html = b"<p>Dark bread\n<!--noindex-->from 2 EUR";
//! let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
//! let note = page.notes().next().expect("an unclosed region");
//!
//! assert_eq!(note.kind(), NoteKind::UnclosedRegion);
//! assert_eq!(note.place().map(|place| place.line()), Some(2));
//! # Ok::<(), heedful::Error>(())
//! ```
//!
//! # Read the policy alone
//!
//! If you only ask what a page permits, a policy pass is several times as fast as a full pass.
//!
//! ```
//! use heedful::{Bot, BotId, Filter, Use};
//!
//! let filter = Filter::new(Bot::new("FooBot")?);
//! let mut pass = filter.open_policies("https://example.com/")?;
//! pass.write(b"<meta name=robots content=noarchive><p>Dark bread")?;
//! let policies = pass.end()?;
//!
//! assert!(!policies.policy(BotId::FIRST).allows(Use::Archive));
//! # Ok::<(), heedful::Error>(())
//! ```
//!
//! # Tell a pass about a redirect
//!
//! If a redirect from another URL led to a page, a rule for either of the two URLs can deny the
//! page.
//!
//! ```
//! use heedful::{Bot, Filter, RobotsTxt, Url};
//!
//! let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /old");
//! let filter = Filter::new(Bot::new("FooBot")?);
//! let mut pass = filter.open("https://example.com/new")?;
//! pass.also_at(&Url::parse("https://example.com/old").expect("a URL"));
//! pass.robots_txt(&robots);
//! pass.write(b"<p>Dark bread")?;
//!
//! assert!(!pass.end()?.policy().may_fetch());
//! # Ok::<(), heedful::Error>(())
//! ```
//!
//! # List the links to follow
//!
//! ```
//! use heedful::{Bot, Filter};
//!
//! let html = b"<base href=/shop/><a href=rye>Rye</a> <a href=/ad rel=nofollow>Ad</a>";
//! let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
//! let follow: Vec<_> = page.links().iter().filter(|link| link.may_follow()).collect();
//!
//! assert_eq!(follow.len(), 1);
//! assert_eq!(follow[0].url(), "https://example.com/shop/rye");
//! # Ok::<(), heedful::Error>(())
//! ```
//!
//! # Credit anchor texts
//!
//! The anchor text of a link may be credited to its target only if both the link and the text allow
//! it.
//!
//! ```
//! use heedful::{Bot, Filter};
//!
//! let html = b"<a href=/rye>Rye</a> <a href=/oat>Oat <!--noindex-->2 EUR<!--/noindex--></a>";
//! let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
//! let mut names = Vec::new();
//! for link in page.links() {
//!     if link.may_credit() {
//!         names.push((link.url(), link.text()));
//!     }
//! }
//!
//! assert_eq!(names[0], ("https://example.com/rye", "Rye"));
//! assert_eq!(names[1], ("https://example.com/oat", "Oat"));
//! # Ok::<(), heedful::Error>(())
//! ```
//!
//! # Ask a robots.txt
//!
//! ```
//! use heedful::{Bot, RobotsTxt};
//!
//! let robots = RobotsTxt::parse(b"User-agent: foobot\nDisallow: /a\n\nUser-agent: *\nAllow: /");
//!
//! assert!(!robots.ruling(&Bot::new("FooBot")?, "https://example.com/a").allowed());
//! assert!(robots.ruling(&Bot::new("BarBot")?, "https://example.com/a").allowed());
//! # Ok::<(), heedful::Error>(())
//! ```
//!
//! # Decide without a robots.txt
//!
//! RFC 9309 decides what a response without a file means: 404 allows everything, 503 denies
//! everything.
//!
//! ```
//! use heedful::{Bot, RobotsTxt};
//!
//! let bot = Bot::new("FooBot")?;
//!
//! assert!(RobotsTxt::from_response(404, b"").ruling(&bot, "https://example.com/").allowed());
//! assert!(!RobotsTxt::from_response(503, b"").ruling(&bot, "https://example.com/").allowed());
//! # Ok::<(), heedful::Error>(())
//! ```
//!
//! # Ask how fast a robot may fetch
//!
//! ```
//! use std::time::Duration;
//!
//! use heedful::{Bot, RobotsTxt};
//!
//! let robots = RobotsTxt::parse(b"User-agent: *\nCrawl-delay: 5\nDisallow:");
//!
//! assert_eq!(robots.crawl_delay(&Bot::new("FooBot")?), Some(Duration::from_secs(5)));
//! # Ok::<(), heedful::Error>(())
//! ```
//!
//! # List the sitemaps
//!
//! ```
//! use heedful::RobotsTxt;
//!
//! let robots = RobotsTxt::parse(b"Sitemap: https://example.com/sitemap.xml");
//!
//! assert_eq!(robots.sitemaps().collect::<Vec<_>>(), ["https://example.com/sitemap.xml"]);
//! ```
//!
//! # Dress a snapshot
//!
//! A copy that you serve should name its source, and run no script.
//!
//! ```
//! use heedful::{Bot, Dressing, Filter};
//!
//! let filter = Filter::new(Bot::new("FooBot")?).snapshots();
//! let page = filter.page("https://example.com/rye", &[], b"<title>Rye</title><p>Dark bread")?;
//! let dressing = Dressing::default().base().no_scripts().banner("A copy of example.com");
//! let snapshot = page.snapshot(&dressing).expect("it may be kept");
//!
//! assert!(snapshot.contains("<base href=\"https://example.com/rye\">"));
//! assert!(snapshot.contains("A copy of example.com"));
//! # Ok::<(), heedful::Error>(())
//! ```
//!
//! # Stream a snapshot
//!
//! A [`Snapshot`](crate::Snapshot) writes a copy while the page arrives. Keep the written bytes
//! only if `Snapshot::into_inner` returns the writer: a late META can forbid the copy.
//!
//! ```
//! use heedful::{Bot, CutMark, Filter, Snapshot};
//!
//! let filter = Filter::new(Bot::new("FooBot")?);
//! let sink = Snapshot::new(Vec::new(), CutMark::default());
//! let mut pass = filter.open_with("https://example.com/", sink)?;
//! pass.write(b"<p>Dark bread <meta name=robots content=noarchive>")?;
//!
//! assert!(pass.into_sink()?.into_inner().is_none());
//! # Ok::<(), heedful::Error>(())
//! ```
//!
//! # Write a sink
//!
//! A [`Sink`](crate::Sink) receives each token with its verdict. `Judged::text` returns visible
//! text that is permitted so far. A later directive may still deny it, so
//! [`HeldText::read`](crate::HeldText::read) returns the text only at the end of the page, and only
//! if it is still permitted.
//!
//! ```
//! use heedful::{Bot, BotId, Filter, HeldText, Judged, PageEnd, Result, Sink, Use};
//!
//! #[derive(Default)]
//! struct Letters {
//!     held: Vec<HeldText<'static>>,
//!     count: usize,
//! }
//!
//! impl Sink for Letters {
//!     fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
//!         let text = judged.text(Use::Index, BotId::FIRST);
//!         self.held.extend(text.map(HeldText::into_owned));
//!         Ok(())
//!     }
//!
//!     fn finish(&mut self, end: &PageEnd) -> Result<()> {
//!         let texts = self.held.iter().filter_map(|text| text.read(end));
//!         self.count = texts.map(|text| text.chars().count()).sum();
//!         Ok(())
//!     }
//! }
//!
//! let filter = Filter::new(Bot::new("FooBot")?);
//! let mut pass = filter.open_with("https://example.com/", Letters::default())?;
//! pass.write(b"<script>x</script><p>Rye<!--noindex--> 2 EUR<!--/noindex-->")?;
//!
//! assert_eq!(pass.into_sink()?.count, 3);
//! # Ok::<(), heedful::Error>(())
//! ```
//!
//! # Explain a page
//!
//! ```
//! use heedful::{Bot, BotId, Filter, Use};
//!
//! let filter = Filter::new(Bot::new("FooBot")?);
//! let mut pass = filter.explain("https://example.com/")?;
//! pass.write(b"<p>Dark bread <!--noindex-->from 2 EUR<!--/noindex-->")?;
//! let explanation = pass.end()?;
//!
//! assert_eq!(explanation.totals(BotId::FIRST).words(), 5);
//! assert_eq!(explanation.totals(BotId::FIRST).withheld_words(Use::Index), 3);
//! # Ok::<(), heedful::Error>(())
//! ```
