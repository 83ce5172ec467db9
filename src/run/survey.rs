//! What must be known of the inputs before their first page is judged: their robots.txt files, and the Names pages of the
//! Robot Exclusion Profile among them. Inputs that can be read only once tell neither beforehand.

use crate::error::Result;
use crate::filter::Filter;
use crate::input::{Input, Item, Kind, Site};

use super::{Gate, NamesPages};

/// Reads the inputs once for both: who may enter, and a filter that knows the Names pages besides those that it has. Where
/// no dialect asks for names, only for the first.
///
/// # Errors
/// When an input cannot be read at all.
pub fn survey(inputs: &[Input], filter: Filter) -> Result<(Gate, Filter)> {
    if !filter.asks_for_names() {
        return Ok((of_mode(Gate::of(inputs)?, &filter), filter));
    }
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
    Ok((of_mode(Gate::with(found), &filter), names.known_to(filter)))
}

/// A gate that reads robots.txt files as the filter does.
fn of_mode(gate: Gate, filter: &Filter) -> Gate {
    match filter.terms.mode {
        Some(mode) => gate.mode(mode),
        None => gate,
    }
}

/// What an archive has for a run on many machines, which must bring it to where the pages are: the sites that it has pages
/// of, its robots.txt files and, where a dialect asks for names, its Names pages.
///
/// # Errors
/// When it is no archive, or cannot be read at all.
pub fn survey_archive(input: &Input, filter: &Filter) -> Result<(Vec<Site>, NamesPages)> {
    let mut names = NamesPages::default();
    let sites = match filter.asks_for_names() {
        true => input.sites(Some(&mut |document| names.add(document)))?,
        false => input.sites(None)?,
    };
    Ok((sites, names))
}
