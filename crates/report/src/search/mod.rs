//! The pages of a search in a browser: results, the knowledge of one URL, and messages.
//!
//! Pure functions: the caller asks the index, and these make HTML of the answers. They show only
//! what they are given, and judge nothing. So a caller gives them what may be shown to anybody, and
//! never a page's source.
//!
//! Titles, excerpts, URLs and queries come from strangers. All of it is escaped. Control characters
//! and marks that turn the direction of writing are removed, and each text is in an element
//! of its own direction. Only URLs of `http` and `https` become links to elsewhere. There is no
//! script, and nothing is loaded. [`policy`] is the header that enforces that.

mod copies;
mod frame;
mod known;
mod message;
mod results;
mod shown;
mod site;

pub use copies::{COPY_HEADERS, quiet};
pub use frame::policy;
pub use known::{KnownUrl, SearchMatch, SearchState, UseState};
pub use message::no_copy;
pub use results::{QueryRefusal, ResultPage, ShownHit};
pub use site::SearchSite;
