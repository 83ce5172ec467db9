//! Renders the pages of a search in a browser: results, facts about one URL, and error messages.
//!
//! All functions of this module are pure. The caller queries the index, and these functions render
//! the results as HTML. They show everything that the caller passes, and decide nothing. So a
//! caller must pass only content that may be shown to anybody, and never the source of a page.
//!
//! Titles, excerpts, URLs and queries come from strangers, so all of them are escaped. Control
//! characters and marks of writing direction are removed. Each text is in an element with its own
//! writing direction. Only URLs of `http` and `https` become links to other sites. No page of a
//! search has a script or loads anything; the header [`policy`] enforces that.

mod address;
mod copies;
mod filters;
mod frame;
mod known;
mod message;
mod results;
mod shown;
mod site;

pub use copies::{COPY_HEADERS, quiet};
pub use filters::SearchFilters;
pub use frame::policy;
pub use known::{KnownUrl, SearchMatch, SearchState, UseState};
pub use message::no_copy;
pub use results::{QueryRefusal, ResultPage, ShownHit};
pub use site::SearchSite;
