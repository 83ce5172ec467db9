//! A script with directives: JSON-LD, if a convention in force uses it, or an RSL licence
//! (docs/semantics.md, sections 4.5 and 6.3). It is read as it goes by, in pieces.

use crate::convention::{Conventions, Element, NoSearch, json_ld, rsl};

use super::licence::LicenceText;

#[derive(Debug)]
#[doc(hidden)]
pub enum Script {
    JsonLd(NoSearch),
    Licence(LicenceText),
}

impl Script {
    /// The script that begins with this element, if it may hold directives. A script of svg never
    /// does.
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

    /// True if the whole text of the script may say something.
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
