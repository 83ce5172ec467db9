//! Sinks, which receive judged tokens. The built-in sinks use the same interface as a user's own.

pub(crate) mod audit;
pub(crate) mod layout;
pub(crate) mod links;
pub(crate) mod parts;
mod receiver;
pub(crate) mod snapshot;
pub(crate) mod text;

pub use receiver::Sink;
