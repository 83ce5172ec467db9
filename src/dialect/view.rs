//! The view that dialects have of a page.

use std::borrow::Cow;

use crate::html::{Sieve, Tag};

/// An element as dialects see it: its name in lower case, and decoded attribute values.
pub(crate) trait Element {
    fn name(&self) -> &str;
    /// The name, looked up.
    fn tag(&self) -> Tag {
        Tag::of(self.name())
    }
    fn attribute(&self, name: &str) -> Option<Cow<'_, str>>;
    /// The names of its attributes as written, including those that HTML drops because they come twice.
    fn attribute_names(&self) -> impl Iterator<Item = &str>;
    /// True if one of these names may be among its attributes, by their shapes. An element that cannot tell quickly
    /// answers true.
    fn may_have(&self, names: Sieve) -> bool {
        let _ = names;
        true
    }
}
