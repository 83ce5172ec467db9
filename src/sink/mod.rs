//! Receivers of judged tokens. The built-in ones have no privilege over a user's own.

pub(crate) mod audit;
pub(crate) mod links;
pub(crate) mod parts;
mod receiver;
pub(crate) mod snapshot;
pub(crate) mod text;

pub use receiver::Sink;
