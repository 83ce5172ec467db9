//! What must be known of the inputs before their first page is judged: their robots.txt files, and the Names pages of the
//! Robot Exclusion Profile among them. Inputs that can be read only once tell neither beforehand.

use crate::error::Result;
use crate::input::{Input, Item, Kind};

use super::{Gate, NamesPages};

/// Reads the inputs once for both.
///
/// # Errors
/// When an input cannot be read at all.
pub fn survey(inputs: &[Input]) -> Result<(Gate, NamesPages)> {
    let (mut found, mut names) = (Vec::new(), NamesPages::default());
    for input in inputs {
        if input.kind() == Kind::Folder {
            found.extend(input.robots()?);
        }
        for (item, _) in input.survey()? {
            match item {
                Item::Robots(robots) => found.push(robots),
                Item::Document(document) => names.add(&document),
                _ => {}
            }
        }
    }
    Ok((Gate::with(found), names))
}
