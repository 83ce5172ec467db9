//! A tag in the form in which conventions read it.

use std::borrow::Cow;

use heedful::internals::convention::Element;

/// A start tag, or an element of the tree, in the form in which conventions read it. The name is in
/// lower case.
pub(super) struct TagElement<'a> {
    pub(super) name: String,
    pub(super) attributes: &'a [(String, String)],
}

impl Element for TagElement<'_> {
    fn name(&self) -> &str {
        &self.name
    }

    fn attribute(&self, name: &str) -> Option<Cow<'_, str>> {
        self.attributes
            .iter()
            .find(|(own, _)| own.eq_ignore_ascii_case(name))
            .map(|(_, value)| Cow::Borrowed(value.as_str()))
    }

    fn attribute_names(&self) -> impl Iterator<Item = &str> {
        self.attributes.iter().map(|(name, _)| name.as_str())
    }
}
