//! What heedful's own crates know of the filter beyond its public interface. A name here may change
//! with any release.

/// Character sets.
pub mod charset {
    pub use crate::charset::Charset;
}

/// The conventions of pages, as they are read.
pub mod convention {
    pub use crate::convention::{
        Declaration, Element, INDEX, NoSearch, PAGE, PAGEFIND_BODY, RELS, Recipients, Statement,
        StatementCollector, content, deciding_value, denied_by, element, header, is_denying_class,
        profile_classes, rsl, split_name, tag,
    };

    /// Marks in comments.
    pub mod comment {
        pub use crate::convention::comment::{RegionKind, RegionMark, marks};
    }

    /// Texts that open a region.
    pub mod markers {
        pub use crate::convention::markers::{Marker, markers};
    }
}

/// Statements outside of a page.
pub mod extract {
    pub use crate::extract::{site_licences, unread_page};
}

/// Facts of HTML.
pub mod html {
    pub use crate::html::{
        Sieve, Tag, blank_beginning, decode_value, is_blank, is_description, is_formatting,
        is_void, is_white_space, link_attribute, may_host_root, refresh, speaks_for_page,
    };
}

/// Bytes and tokens.
pub mod lex {
    pub use crate::lex::Attributes;
}

/// Where text stands.
pub mod locate {
    pub use crate::locate::TextRole;
}

/// The record of one page.
pub mod ledger {
    #[cfg(debug_assertions)]
    pub use crate::ledger::looks;
}

/// Pages as bots may have them.
pub mod page {
    pub use crate::page::{POSITIONS, PageOrigin, PageResponse, beginning, step};
}

/// Policies.
pub mod policy {
    pub use crate::policy::{Winner, derived};
}

/// The scope of directives.
pub mod scope {
    pub use crate::scope::{
        Denial, Follow, LicenceText, Licences, MarkStatement, Marks, PassTerms, Profile,
        ProfileTerms, Script, Trace, normal_pattern,
    };
}

/// Corrections to the tree builder.
pub mod standard {
    pub use crate::standard::{NameAnswers, Role, correct_doctype};
}

/// What sinks collect.
pub mod sink {
    pub use crate::sink::parts::VerdictSink;
}

/// Text as words.
pub mod words {
    pub use crate::words::LONGEST;
}

/// The tree.
pub mod tree {
    pub use crate::tree::MarkId;
}
