//! heedful filters HTML the way its publishers ask: it reads robots.txt, headers, META tags, comment regions and class
//! names, and hands an indexer exactly the text and links it may have.
//!
//! ```
//! use heedful::{Bot, Facet, Filter, RobotsTxt};
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
//! assert!(!page.policy().allows(Facet::Snippet));
//! # Ok::<(), heedful::Error>(())
//! ```
//!
//! Three depths: one shot ([`Filter::page`]), streaming ([`Filter::open`], [`Pass::write`], [`Pass::end`]), and your
//! own [`Sink`] for the judged tiles ([`Filter::open_with`]). What is honoured is written down in docs/semantics.md.
//!
//! # Promises
//! * What the publisher withheld is never in a [`Page`], on the sloppiest HTML; in doubt there is less in it, and a
//!   note or an exclusion says so.
//! * The result does not depend on how the bytes were cut.
//! * HTML is never an error. [`Error`] tells of limits passed, files that cannot be read, settings that make no sense.
//!
//! # Data flows one way
//! Modules stand below in floors; a file uses only what is on lower floors. A test holds this.
//!
//! ```text
//!  robots.txt ── RobotsTxt::ruling ──(disallowed: the page never enters)
//!                      │
//!  headers ─ dialect/header ─┐
//!                            ▼ ceiling
//!  bytes ─► charset ─► lex ──tiles──► walk ──(tile, verdict for all bots)─► sink/text ──► phrases ─┐
//!                                    ▲  ▲                                   sink/links ─► links    ├─► Page ─► index
//!                                 tree  │ directives                        sink/audit ─► why      ┘
//!                      (who contains    dialect/*
//!                              whom)
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]

// The floors, lowest first; the program (the package in cli/) stands on top of them.

// What can go wrong.
mod error;

// What has a name.
mod named;

// Words and facts.
mod bot;
mod edit;
mod html;
mod limits;
#[cfg(any(feature = "index", feature = "input"))]
mod memory;
mod place;
mod quotes;

// Bytes become tiles, text becomes words.
mod charset;
mod lex;
#[cfg(feature = "words")]
mod words;

// The tree builder, by today's standard.
mod standard;

// Who contains whom.
mod tree;

// The judgement.
mod note;
mod policy;

// What is written down of a page.
mod ledger;

// Those who speak.
mod dialect;
mod robots_txt;

// Which of the elements round a place decides.
mod scope;

// From a tile to what is said,
mod hear;

// to where that stands,
mod locate;

// to what is withheld.
mod judge;

// Tile by tile through these three.
mod walk;

// What is made of judged tiles.
mod sink;

// The page as one bot may have it.
mod page;

// The page, and why it is so.
mod explain;

// One page, one pass.
mod filter;

// What publishers would want to know, and how others would read it.
pub mod lint;
pub mod vendor;

// The same page, read from the finished tree.
#[cfg(feature = "oracle")]
mod oracle;

// Both beside each other.
#[cfg(feature = "oracle")]
pub mod verify;

// What other programs read.
#[cfg(feature = "json")]
pub mod json;

// What people read.
#[cfg(feature = "report")]
pub mod report;

// What does not fit in memory.
#[cfg(any(feature = "index", feature = "input"))]
mod scratch;

#[cfg(any(feature = "index", feature = "input"))]
pub mod export;

// Many pages, and the world outside.
#[cfg(feature = "index")]
pub mod index;
#[cfg(feature = "input")]
pub mod input;

// What a site says to robots: above robots_txt, which reads it, and below the runs that ask for it.
#[cfg(feature = "fetch")]
pub mod fetch;

// Whole runs.
#[cfg(feature = "run")]
pub mod run;

pub use bot::{Bot, BotId, BotSet};
pub use dialect::{Dialect, Dialects, Heeded, LIST as DIALECTS, TECHNIQUES, Technique};
pub use error::{Error, ErrorKind, IndexTrouble, Result};
pub use explain::{Difference, Effect, Explanation, Fate, Heard, Part, PartKind, Totals, Witness};
pub use filter::{Filter, Pass};
pub use ledger::{Outcome, VerdictId};
pub use lex::{Tile, TileKind};
pub use limits::{LIMITS, Limit, Limits, Of, Unit};
#[cfg(any(feature = "index", feature = "input"))]
pub use memory::Memory;
pub use note::{Note, NoteKind};
pub use page::{Exclusion, Link, Page, Recorder};
pub use place::Place;
pub use policy::{Directive, DirectiveId, Extent, Facet, Facets, ImagePreview, Origin, Policy, Says, Verdict};
pub use robots_txt::{
    Mode, Rate, Reason, RobotsNote, RobotsNoteKind, RobotsTxt, Ruling, SiteFile, Source, SourceKind, Usage, Window,
};
pub use scope::{Licence, Names};
pub use sink::Sink;
pub use sink::links::LinkKind;
pub use sink::snapshot::{CutMark, Dressing, Snapshot};
pub use url::Url;
pub use walk::Judged;
#[cfg(feature = "words")]
pub use words::{Word, Words, words};

/// The example of the README runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// And that of the page on explanations.
#[cfg(doctest)]
#[doc = include_str!("../docs/explain.md")]
struct Explain;

/// And that of the page on exports.
#[cfg(all(doctest, feature = "words"))]
#[doc = include_str!("../docs/export.md")]
struct Export;
