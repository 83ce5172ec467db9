//! The view that conventions have of a page: an element as it is written, or in a lenient form.

use std::borrow::Cow;

use smallvec::SmallVec;

use crate::html::{Sieve, Tag};
use heedful_base::bot::fold;
use heedful_base::lenient::Shape;

/// The names in an attribute, folded.
pub(crate) type AttributeNames = SmallVec<[String; 1]>;

/// An element as conventions see it: its name in lower case, and decoded attribute values.
#[doc(hidden)]
pub trait Element {
    fn name(&self) -> &str;
    /// The name, looked up.
    fn tag(&self) -> Tag {
        Tag::from_name(self.name())
    }
    fn attribute(&self, name: &str) -> Option<Cow<'_, str>>;
    /// The names of its attributes as written, including those that HTML drops because they come
    /// twice.
    fn attribute_names(&self) -> impl Iterator<Item = &str>;
    /// True if one of these names may be among its attributes, by their shapes. An element that
    /// cannot tell quickly answers true.
    fn may_have(&self, names: Sieve) -> bool {
        let _ = names;
        true
    }
    /// An attribute whose text has a shape. The shape matters to the lenient form of an element
    /// alone.
    fn shaped(&self, name: &str, shape: Shape) -> Option<Cow<'_, str>> {
        let _ = shape;
        self.attribute(name)
    }
    /// The names in an attribute. As it is written, a value is one name.
    fn names(&self, attribute: &str) -> AttributeNames {
        self.attribute(attribute)
            .map(|name| fold(&name))
            .into_iter()
            .collect()
    }
    /// True if an attribute has a name.
    fn is_named(&self, attribute: &str, is: impl Fn(&str) -> bool) -> bool {
        self.attribute(attribute)
            .is_some_and(|name| is(name.trim()))
    }
}
