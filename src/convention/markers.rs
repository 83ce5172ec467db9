//! The markup by which conventions mark elements. Tests add it to pages.

use super::element::{ElementRow, TABLE};
use super::set::Conventions;
use super::sign::ElementSign;
use crate::policy::StatementContent;

/// Attributes with which one convention marks elements, as HTML text for a start tag. The
/// attributes in `denies` deny the content of an element. The attributes in `allows` allow the
/// content of an element that is inside a denied element. If the convention has no allowing
/// attribute, `allows` is `None`.
#[derive(Clone, Debug)]
pub struct Marker {
    #[doc(hidden)]
    pub denies: String,
    #[doc(hidden)]
    pub allows: Option<String>,
}

/// Returns the markers of all conventions in force that mark elements by classes or other
/// attributes. The marker of the Robot Exclusion Profile is the first.
pub fn markers(conventions: &Conventions) -> Vec<Marker> {
    let mut markers = Vec::new();
    if conventions.profile_is_lenient() {
        markers.push(Marker {
            denies: " class=\"robots-noindex robots-nofollow\"".to_owned(),
            allows: Some(" class=\"robots-index robots-follow\"".to_owned()),
        });
    }
    for row in &TABLE.rows {
        if !conventions.has(row.convention) {
            continue;
        }
        match row.sign {
            ElementSign::Tag(_) | ElementSign::With { .. } => {}
            ElementSign::Switch {
                attribute,
                denying_value,
                allowing_value,
            } => markers.push(Marker {
                denies: format!(" {attribute}='{denying_value}'"),
                allows: Some(format!(" {attribute}='{allowing_value}'")),
            }),
            sign => markers.push(Marker {
                denies: written(sign),
                allows: allowing_row(row.convention).map(|row| written(row.sign)),
            }),
        }
    }
    markers
}

/// Returns the first row of this convention whose sign allows the content of elements. Returns
/// `None` if no sign allows content.
fn allowing_row(convention: &str) -> Option<&'static ElementRow> {
    TABLE
        .rows
        .iter()
        .find(|row| row.convention == convention && matches!(row.says, StatementContent::Allow(_)))
}

fn written(sign: ElementSign) -> String {
    match sign {
        ElementSign::Class(name) | ElementSign::CasedClass(name) => format!(" class='a {name}'"),
        ElementSign::Attribute(name)
        | ElementSign::Switch {
            attribute: name, ..
        } => format!(" {name}"),
        ElementSign::Tag(_) | ElementSign::With { .. } => String::new(),
    }
}
