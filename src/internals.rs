//! Names of the filter that only heedful's own crates use, beyond the public interface. A name here
//! may change with any release.

/// The decoder that converts a page's bytes to UTF-8.
pub mod charset {
    pub use crate::charset::Charset;
}

/// Functions that read the conventions in elements, comments and headers.
pub mod convention {
    pub use crate::convention::{
        Declaration, Element, INDEX, NoSearch, PAGE, PAGEFIND_BODY, RELS, Recipients, Statement,
        StatementCollector, content, deciding_value, denied_by, element, header, is_denying_class,
        profile_classes, rsl, split_name, tag,
    };

    /// Comments that open and close regions.
    pub mod comment {
        pub use crate::convention::comment::{RegionKind, RegionMark, marks};
    }

    /// Examples of markup that marks elements. Tests add this markup to pages.
    pub mod markers {
        pub use crate::convention::markers::{Marker, markers};
    }
}

/// Statements that are not in the page itself, but in the site's files or from the operator.
pub mod extract {
    pub use crate::extract::{site_licences, unread_page};
}

/// Facts about HTML elements and attributes.
pub mod html {
    pub use crate::html::{
        Sieve, Tag, blank_beginning, decode_value, is_blank, is_description, is_formatting,
        is_void, is_white_space, link_attribute, may_host_root, refresh, speaks_for_page,
    };
}

/// Attributes of HTML tokens.
pub mod lex {
    pub use crate::lex::Attributes;
}

/// The role of a text in its page: body text, heading or title.
pub mod locate {
    pub use crate::locate::TextRole;
}

/// The ledger: the record of what a pass found in one page.
pub mod ledger {
    #[cfg(debug_assertions)]
    pub use crate::ledger::looks;
}

/// URLs of a page, its response, the positions of its words, and a function that shortens a text.
pub mod page {
    pub use crate::page::{POSITIONS, PageOrigin, PageResponse, Parting, beginning, step};
}

/// The directives that win for a use, and the uses that are denied together with another use.
pub mod policy {
    pub use crate::policy::{Winner, derived};
}

/// The effect of directives about elements, the settings of a pass, licences, and the state of the
/// Robot Exclusion Profile.
pub mod scope {
    pub use crate::scope::{
        Denial, Follow, LicenceText, Licences, MarkStatement, Marks, PassTerms, Profile,
        ProfileTerms, Script, Trace, normal_pattern,
    };
}

/// Corrections to html5ever's tree builder.
pub mod standard {
    pub use crate::standard::{NameAnswers, Role, correct_doctype};
}

/// The sink that collects only the verdicts of a page's tokens.
pub mod sink {
    pub use crate::sink::parts::VerdictSink;
}

/// The division of text into words.
pub mod words {
    pub use crate::words::LONGEST;
}

/// Numbers by which a pass identifies the elements that have directives.
pub mod tree {
    pub use crate::tree::MarkId;
}
