//! heedful filters HTML the way its publishers ask. It reads robots.txt, headers, META tags,
//! comment regions and class names. It hands an indexer exactly the text and links that it may
//! have.
//!
//! ```
//! use heedful::{Bot, Use, Filter, RobotsTxt};
//!
//! let bot = Bot::new("FooBot")?;
//! let gate = RobotsTxt::parse(b"User-agent: *\nDisallow: /private/");
//! assert!(gate.ruling(&bot, "https://example.com/recipes").allowed());
//!
//! let filter = Filter::new(bot);                              // reusable, Send + Sync
//! let mut pass = filter.open("https://example.com/recipes")?; // one page, one pass
//! pass.header("X-Robots-Tag", "nosnippet");
//! pass.write(b"Dark rye <!-- robots content=\"none\" --><a href=/ad>ad</")?;
//! pass.write(b"a><!-- /robots --> bread. <a href=/rye>Rye</a>")?;
//! let page = pass.end()?;
//!
//! assert_eq!(page.phrases(), ["Dark rye", "bread. Rye"]);     // no phrase straddles the gap
//! let follow: Vec<_> = page.links().iter().filter(|link| link.may_follow()).map(|link| link.url()).collect();
//! assert_eq!(follow, ["https://example.com/rye"]);
//! assert!(!page.policy().allows(Use::Snippet));
//! # Ok::<(), heedful::Error>(())
//! ```
//!
//! There are three depths. To read a page at once, call [`Filter::page`]. To read a stream, call
//! [`Filter::open`], [`Pass::write`] and [`Pass::end`]. To get the judged tokens in a [`Sink`] of
//! your own, call [`Filter::open_with`]. The rules are in docs/semantics.md.
//!
//! # Promises
//! * Content that the publisher withheld is never in a [`Page`], not even on the sloppiest HTML. In
//!   doubt the page holds less, and a note or an exclusion reports it.
//! * The result does not depend on how the bytes were cut.
//! * HTML is never an error. An [`Error`] is about a limit that was passed, a file that cannot be
//!   read, or a setting that makes no sense.
//!
//! # Crates
//! This crate is the filter, and has no features. What is made of its pages has crates of its own,
//! each above this one except `heedful-robots` and `heedful-input`, which know no HTML. Below all
//! is `heedful-base`, which no program needs by itself. The program and the Python package stand on
//! all of them.
//!
//! | crate | is for | you need it when |
//! |---|---|---|
//! | `heedful` | the filter: robots.txt, headers and HTML in, a page out | you have pages and do the rest yourself |
//! | [`heedful-robots`](https://docs.rs/heedful-robots) | robots.txt and tdmrep.json alone | you ask before you fetch, and read no HTML |
//! | [`heedful-lint`](https://docs.rs/heedful-lint) | what would not be read as its publisher meant | you maintain a site or advise one |
//! | [`heedful-json`](https://docs.rs/heedful-json) | the stable JSON of pages, rulings and findings | another program reads what you write |
//! | [`heedful-census`](https://docs.rs/heedful-census) | counts of what publishers say, which merge | you study a crawl |
//! | [`heedful-input`](https://docs.rs/heedful-input) | folders, WARC, ARC, WACZ, JSON Lines, tables; a site's robots.txt over HTTP | your pages are in archives |
//! | [`heedful-export`](https://docs.rs/heedful-export) | files for Elasticsearch, Solr, Quickwit, Manticore, CIFF, Parquet, WARC, WET | you have an engine of your own |
//! | [`heedful-index`](https://docs.rs/heedful-index) | a search index on tantivy, over its whole life | you want one |
//! | [`heedful-evidence`](https://docs.rs/heedful-evidence) | a log of decisions that can be proved | you must show why a page was used |
//! | [`heedful-run`](https://docs.rs/heedful-run) | whole inputs, in parallel, into any of these; masks, purges | you have more than a page |
//! | [`heedful-report`](https://docs.rs/heedful-report) | HTML for people: explanations, a census, a search | you show publishers why |
//!
//! # Data flows one way
//! The modules below stand in floors, lowest first. A file uses only lower floors, and a test
//! enforces this. Between crates the compiler does. ARCHITECTURE.md is the map of all of them.
//!
//! ```text
//!  robots.txt ── readings: exact, repaired ── RobotsTxt::ruling, the strictest ──(disallowed: the page never enters)
//!                      │
//!  headers ────────────┤
//!                      ▼
//!  bytes ─► charset ─► lex ─tokens─► walk: extract ─► locate ─► judge ─(token, verdict for all bots)─► sink/text ──► phrases ─┐
//!                                           │  ▲       │  ▲      │                                     sink/links ─► links    ├─► Page ─► index
//!                                           │ convention │ tree  │ scope                               sink/audit ─► why      ┘
//!                                           ▼          ▼         ▼                                                ▲
//!                                          ledger: directives, how far they reach, verdicts, notes ───────────────┘
//! ```

// The floors, lowest first; the program (the package in cli/) stands on top of them.

mod html;
mod place;

// Decoding: bytes become tokens, text becomes words.
mod charset;
mod lex;
mod words;

// Corrections to html5ever's tree builder, by today's standard.
mod standard;

// The tree: which elements contain a place.
mod tree;

// The types of the judgement: uses, directives, verdicts, notes.
mod note;
mod policy;

// The record of one page.
mod ledger;

// The sources of directives: conventions in pages and headers, and robots.txt.
mod convention;

// The scope of directives: which of the elements round a place decides.
mod scope;

// Stage one: from a token to the directives in it.
mod extract;

// Stage two: from a token to what is round it.
mod locate;

// Stage three: from both to what is withheld.
mod judge;

// The walk: each token goes through the three stages.
mod walk;

// The sinks: what is made of judged tokens.
mod sink;

// The page as one bot may have it.
mod page;

// The page with an explanation of every decision.
mod explain;

// One pass over one page.
mod pass;

// One pass over one page, for its policies alone.
mod policy_pass;

// The settings of passes.
mod filter;

// Pages that are collected before they are filtered.
mod buffered_pass;

// Reading matter.
pub mod cookbook;
pub mod tutorial;

// The names that heedful's own crates know beyond the public interface.
#[doc(hidden)]
pub mod internals;

pub use buffered_pass::BufferedPass;
pub use convention::{Convention, Conventions, LIST as CONVENTIONS};
pub use explain::{
    Difference, DirectiveOutcome, Effect, ExplainSink, ExplainedDirective, Explanation, PartKind,
    SourcePart, Totals,
};
pub use filter::Filter;
pub use heedful_base::bot::{Bot, BotId, BotSet};
pub use heedful_base::error::{Error, ErrorKind, IndexTrouble, Result};
pub use heedful_base::limits::{LIMITS, Limit, LimitScope, Limits, Unit};
pub use ledger::{PageEnd, VerdictId};
pub use lex::{Token, TokenKind};
pub use locate::Field;
pub use note::{Note, NoteKind};
pub use page::{Exclusion, Link, PHRASE_GAP, Page, PagePolicies, Recorder};

pub use heedful_robots::{
    Mode, Rate, Reason, RobotsNote, RobotsNoteKind, RobotsState, RobotsTxt, Ruling, SiteFile,
    Source, SourceKind, Usage, Window,
};
pub use page::{PositionedWord, words_of};
pub use pass::Pass;
pub use place::Place;
pub use policy::{
    Directive, DirectiveId, Extent, ImagePreview, LAW, Origin, Policy, Says, Use, Uses, Verdict,
};
pub use policy_pass::PolicyPass;
pub use scope::{Licence, ProfileNames};
pub use sink::Sink;
pub use sink::links::{LinkKind, LinkTarget};
pub use sink::snapshot::{CutMark, Dressing, Snapshot};
pub use url::Url;
pub use walk::{HeldText, Judged};

pub use words::{Word, Words, words};

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Runs the example of the page on explanations as a test.
#[cfg(doctest)]
#[doc = include_str!("../docs/explain.md")]
struct Explain;

/// Runs the example of the page on crawlers as a test.
#[cfg(doctest)]
#[doc = include_str!("../docs/crawlers.md")]
struct Crawlers;

/// Runs the example of the page on snapshots as a test.
#[cfg(doctest)]
#[doc = include_str!("../docs/snapshots.md")]
struct Snapshots;

/// Runs the example of the page on exports as a test.
#[cfg(doctest)]
#[doc = include_str!("../docs/export.md")]
struct Export;
