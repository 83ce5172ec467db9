//! The trait by which conventions read an element, in its exact form or in a lenient form.

use std::borrow::Cow;

use smallvec::SmallVec;

use crate::html::{Sieve, Tag};
use heedful_base::bot::fold;
use heedful_base::lenient::Shape;

/// Names in the value of an attribute, such as the `name` of a META. Each name is in lower case and
/// trimmed, with single blanks.
pub(crate) type AttributeNames = SmallVec<[String; 1]>;

/// An element as conventions read it. It is either the exact form of the element, or a lenient
/// form, which the author may have meant. The element's name is in lower case. In the values of
/// attributes, character references are decoded.
#[doc(hidden)]
pub trait Element {
    fn name(&self) -> &str;
    /// Returns the element's name as a [`Tag`].
    fn tag(&self) -> Tag {
        Tag::from_name(self.name())
    }
    fn attribute(&self, name: &str) -> Option<Cow<'_, str>>;
    /// Returns the names of the element's attributes, as they are in the source. If two attributes
    /// have the same name, both are included, though HTML drops the second.
    fn attribute_names(&self) -> impl Iterator<Item = &str>;
    /// True if the element may have an attribute with one of `names`. False if the element
    /// certainly has no such attribute. By default, returns true.
    fn may_have(&self, names: Sieve) -> bool {
        let _ = names;
        true
    }
    /// Returns the value of the attribute `name`. The exact form of the element returns the value
    /// as it is. A lenient form returns a repaired value. `shape` is the syntax of the value, which
    /// decides how it is repaired.
    fn shaped(&self, name: &str, shape: Shape) -> Option<Cow<'_, str>> {
        let _ = shape;
        self.attribute(name)
    }
    /// Returns the names in the value of the attribute `attribute`, in lower case. In the exact
    /// form of the element, the whole value is one name. In a lenient form, the value may have
    /// several names.
    fn names(&self, attribute: &str) -> AttributeNames {
        self.attribute(attribute)
            .map(|name| fold(&name))
            .into_iter()
            .collect()
    }
    /// True if the predicate `is` accepts one of the names in the value of the attribute
    /// `attribute`.
    fn is_named(&self, attribute: &str, is: impl Fn(&str) -> bool) -> bool {
        self.attribute(attribute)
            .is_some_and(|name| is(name.trim()))
    }
}
