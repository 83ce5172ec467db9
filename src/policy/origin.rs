//! The source of a directive. Its text is for people; code that must tell a robots.txt from a
//! header uses this type.

use crate::place::Place;

/// The source of a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A rule of the site's robots.txt that keeps the page out.
    Rule {
        /// The line, from 1. `None` if the site gave no file, or if the status of its answer
        /// decides.
        line: Option<u32>,
    },
    /// A record of the site's robots.txt on the use of the page.
    Record {
        /// The line, from 1.
        line: u32,
    },
    /// A rule of the site's tdmrep.json on the use of the page.
    Reservation {
        /// The number of the rule, from 1.
        rule: u32,
    },
    /// A header of the response.
    Header,
    /// The page, at this place.
    Page(Place),
    /// The operator, who runs the program.
    Operator,
    /// The input. It knows, for example, that the last bytes of the page are missing, or what other
    /// pages of the site declare.
    Input,
}

heedful_base::display!(Origin);

impl Origin {
    /// The name, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rule { .. } => "rule",
            Self::Record { .. } => "record",
            Self::Reservation { .. } => "tdmrep",
            Self::Header => "header",
            Self::Page(_) => "page",
            Self::Operator => "operator",
            Self::Input => "input",
        }
    }

    /// The place in the page, if the directive is from there.
    pub fn place(self) -> Option<Place> {
        if let Self::Page(place) = self {
            Some(place)
        } else {
            None
        }
    }

    /// The line of the robots.txt that the directive is from.
    pub fn robots_line(self) -> Option<u32> {
        match self {
            Self::Rule { line } => line,
            Self::Record { line } => Some(line),
            _ => None,
        }
    }
}
