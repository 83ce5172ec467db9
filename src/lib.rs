//! heedful filters HTML the way its publishers ask. It parses robots.txt, response headers, META
//! tags, comments that mark regions, and class names. It hands an indexer exactly the text and
//! links that the indexer may have.
//!
//! ```
//! use heedful::{Bot, Use, Filter, RobotsTxt};
//!
//! let bot = Bot::new("FooBot")?;
//! let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /private/");
//! assert!(robots.ruling(&bot, "https://example.com/recipes").allowed());
//!
//! let filter = Filter::new(bot);                              // reusable, Send + Sync
//! let mut pass = filter.open("https://example.com/recipes")?; // one page, one pass
//! pass.robots_txt(&robots);                                  // it can also deny uses of the page
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
//! # Overview
//!
//! A [`Filter`] holds the settings: the bots, the [`Conventions`] and the [`Limits`]. It filters
//! pages at three depths:
//!
//! - A page in memory: [`Filter::page`] returns a [`Page`].
//! - A stream of bytes: [`Filter::open`], [`Pass::write`] and [`Pass::end`].
//! - Tokens with their verdicts, for a [`Sink`] of your own: [`Filter::open_with`].
//!
//! A [`Page`] holds text and [links](Link) for one bot, and the [`Policy`] of the page as a whole.
//! Each denial names the [`Directive`] that caused it. A [`RobotsTxt`] tells you whether a page may
//! be fetched at all.
//!
//! The [tutorial] builds an indexer step by step, and the [cookbook] answers single questions. The
//! rules of the filter are in docs/semantics.md.
//!
//! # Promises
//! - Content that the publisher withheld is never in a [`Page`], not even on the sloppiest HTML. In
//!   doubt the page holds less text, and a note or an exclusion reports the loss.
//! - The result does not depend on how the bytes were cut.
//! - HTML is never an error, except markup in which two parsers would find different text. An
//!   [`Error`] is about a limit that was exceeded, a page with such markup, a file that cannot be
//!   read, or a setting that makes no sense.
//!
//! The crate fetches nothing, runs no script, and reads no clock except to compare it with a page's
//! `unavailable_after`.
//!
//! # Crates
//! This crate is the filter, and has no Cargo features. Other crates index, export or report its
//! pages. Each of them depends on this crate, except `heedful-robots` and `heedful-input`, which
//! parse no HTML. The lowest crate is `heedful-base`, which no program needs by itself. The program
//! and the Python package depend on all of them.
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
//! The modules below are in layers, lowest first. A file uses only lower layers, which a test
//! enforces. Between crates the compiler enforces the same. ARCHITECTURE.md is the map of all
//! crates.
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

// The layers, lowest first. The program (the package in cli/) is above them.

mod html;
mod place;

// Decoding: from bytes to tokens, and from text to words.
mod charset;
mod lex;
mod words;

// Corrections to html5ever's tree builder, where the HTML standard has changed since.
mod standard;

// The tree: which elements contain a given byte of the page.
mod tree;

// The types of the judgement: uses, directives, verdicts, notes.
mod note;
mod policy;

// The ledger: the append-only record of one page.
mod ledger;

// The sources of directives: conventions in pages and headers, and robots.txt.
mod convention;

// The scope of directives: which of the elements around a token decides.
mod scope;

// Stage one: from a token to the directives in it.
mod extract;

// Stage two: from a token to the elements and regions around it.
mod locate;

// Stage three: from directives and position to the uses that are withheld.
mod judge;

// The walk: each token passes the three stages.
mod walk;

// The sinks: receivers of tokens and their verdicts.
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

// Documentation: short answers, and a tutorial.
pub mod cookbook;
pub mod tutorial;

// The names that heedful's own crates use beyond the public interface.
#[doc(hidden)]
pub mod internals;

pub use convention::{Convention, Conventions, LIST as CONVENTIONS};
pub use explain::{
    Difference, DirectiveOutcome, Effect, ExplainSink, ExplainedDirective, Explanation, PartKind,
    SourcePart, Totals,
};
pub use filter::Filter;
pub use heedful_base::bot::{Bot, BotId, BotSet};
pub use heedful_base::error::{Error, ErrorKind, IndexTrouble, Result};
pub use heedful_base::limits::{LIMITS, Limit, LimitScope, Limits, Unit};
pub use html::{Landmark, Landmarks};
pub use ledger::{PageEnd, VerdictId};
pub use lex::{Token, TokenKind};
pub use locate::{BlockKind, Field};
pub use note::{Note, NoteKind};
pub use page::{BLOCK_GAP, Block, Exclusion, Link, PHRASE_GAP, Page, PagePolicies, Recorder};

pub use heedful_robots::{
    Mode, Rate, Reason, RobotsNote, RobotsNoteKind, RobotsState, RobotsTxt, Ruling, SiteFile,
    Source, SourceKind, Usage, Window,
};
pub use page::{PositionedWord, words_of};
pub use pass::Pass;
pub use place::Place;
pub use policy::{
    Directive, DirectiveId, Extent, ImagePreview, LAW, Origin, Policy, StatementContent, Use, Uses,
    Verdict,
};
pub use policy_pass::PolicyPass;
pub use scope::{Licence, ProfileNames};
pub use sink::Sink;
pub use sink::links::{LinkKind, LinkTarget};
pub use sink::snapshot::{CutMark, Dressing, Snapshot};
pub use url::Url;
pub use walk::{HeldText, Judged};

pub use words::{Word, Words, words};

/// Runs the examples of README.md as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Runs the examples of docs/guides/library.md as tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/guides/library.md")]
struct Library;

/// Runs the examples of docs/explain.md as tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/explain.md")]
struct Explain;

/// Runs the examples of docs/crawlers.md as tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/crawlers.md")]
struct Crawlers;

/// Runs the examples of docs/snapshots.md as tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/snapshots.md")]
struct Snapshots;

/// Runs the examples of docs/export.md as tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/export.md")]
struct Export;
