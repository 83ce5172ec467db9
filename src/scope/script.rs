//! Reads a `script` with directives, piece by piece: JSON-LD, if a convention in force uses it, or
//! an RSL licence (docs/semantics.md, sections 4.5 and 6.3).

use crate::convention::{Conventions, Element, NoSearch, json_ld, rsl};

use super::licence::LicenceText;

#[derive(Debug)]
#[doc(hidden)]
pub enum Script {
    JsonLd(NoSearch),
    Licence(LicenceText),
}

impl Script {
    /// Returns the script that begins with `element`, if the script may hold directives. Otherwise
    /// returns `None`. A `script` in svg or `MathML` never holds directives.
    #[doc(hidden)]
    pub fn begin(
        element: &impl Element,
        is_foreign: bool,
        conventions: &Conventions,
    ) -> Option<Self> {
        if element.name() != "script" || is_foreign {
            return None;
        }
        if json_ld::is_script(element) && conventions.has(json_ld::CONVENTION) {
            return Some(Self::JsonLd(NoSearch::default()));
        }
        if conventions.has(rsl::CONVENTION) && rsl::is_script(element) {
            return Some(Self::Licence(LicenceText::default()));
        }
        None
    }

    /// True if `text`, the whole text of the script, may hold directives.
    pub(crate) fn may_have_statements(&self, text: &str) -> bool {
        match self {
            Self::JsonLd(_) => json_ld::may_have_key(text),
            Self::Licence(_) => true,
        }
    }

    #[doc(hidden)]
    pub fn read(&mut self, text: &str) {
        match self {
            Self::JsonLd(script) => script.read(text),
            Self::Licence(licence) => licence.read(text),
        }
    }
}
