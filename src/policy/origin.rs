//! Where a directive was said. Its text is for people; whoever must tell a robots.txt from a header asks here.

use crate::place::Place;

/// Where a directive was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// A rule of the site's robots.txt keeps the page out.
    Rule {
        /// Its line, from 1; none where the site gave no file, or where the status of its answer decides.
        line: Option<u32>,
    },
    /// A record of the site's robots.txt speaks of the use of the page.
    Record {
        /// Its line, from 1.
        line: u32,
    },
    /// A rule of the site's tdmrep.json speaks of the use of the page.
    Reservation {
        /// Its number, from 1.
        rule: u32,
    },
    /// A header of the response.
    Header,
    /// The page, at this place.
    Page(Place),
    /// The one who runs the program.
    Operator,
    /// The input: what it says of the page's bytes, as that the last of them are missing, or what other pages of the site say.
    Input,
}

crate::named::display!(Origin);

impl Origin {
    /// Its name, in lower case.
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

    /// The place in the page, if it was said there.
    pub fn place(self) -> Option<Place> {
        if let Self::Page(place) = self { Some(place) } else { None }
    }

    /// The line of the robots.txt that says it.
    pub fn robots_line(self) -> Option<u32> {
        match self {
            Self::Rule { line } => line,
            Self::Record { line } => Some(line),
            _ => None,
        }
    }
}
