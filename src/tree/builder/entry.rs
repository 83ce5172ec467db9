//! The entries of the list of active formatting elements.

use html5ever::interface::QualName;
use html5ever::tendril::fmt::UTF8;
use html5ever::tendril::{Atomic, Tendril};
use html5ever::tokenizer::Tag;
use html5ever::{Attribute, LocalName};

/// An entry of the list.
pub(super) enum Entry<H> {
    Element(Formatting<H>),
    Marker,
}

/// A formatting element, and its tag, by which it may be opened again.
#[derive(Clone)]
pub(super) struct Formatting<H> {
    pub(super) node: H,
    pub(super) name: LocalName,
    /// The values count their owners with atomics, and so may go to another thread.
    attributes: Vec<(QualName, Tendril<UTF8, Atomic>)>,
}

impl Formatting<()> {
    /// The tag, before it has made an element.
    pub(super) fn of(tag: &Tag) -> Self {
        let kept = |attribute: &Attribute| (attribute.name.clone(), Tendril::from_slice(&*attribute.value));
        Self { node: (), name: tag.name.clone(), attributes: tag.attrs.iter().map(kept).collect() }
    }
}

impl<H> Formatting<H> {
    /// The tag with the element that it made.
    pub(super) fn with<N>(self, node: N) -> Formatting<N> {
        Formatting { node, name: self.name, attributes: self.attributes }
    }

    /// True for a tag that is the same, with its attributes in any order.
    pub(super) fn is_like(&self, tag: &Tag) -> bool {
        let has = |attribute: &Attribute| {
            self.attributes.iter().any(|(name, value)| *name == attribute.name && **value == *attribute.value)
        };
        self.name == tag.name && self.attributes.len() == tag.attrs.len() && tag.attrs.iter().all(has)
    }

    pub(super) fn attributes(&self) -> Vec<Attribute> {
        let attribute = |(name, value): &(QualName, Tendril<UTF8, Atomic>)| Attribute {
            name: name.clone(),
            value: value.clone().into_send().into(),
        };
        self.attributes.iter().map(attribute).collect()
    }
}
