//! What must be known of the inputs before their first page is judged: their robots.txt files, the Names pages of the Robot
//! Exclusion Profile among them, and the sites that mark what Pagefind may find. Inputs that can be read only once tell none
//! of it beforehand.

use crate::error::Result;
use crate::filter::Filter;
use crate::input::{Input, Item, Kind, Site};

use super::pagefind::PagefindSites;
use super::{Gate, NamesPages};

/// Reads the inputs once for all: who may enter, and a filter that knows the Names pages besides those that it has, and
/// which sites mark what Pagefind may find. Where no dialect asks for these, only for the first.
///
/// # Errors
/// When an input cannot be read at all.
pub fn survey(inputs: &[Input], filter: Filter) -> Result<(Gate, Filter)> {
    let (asks_for_names, asks_for_sites) = (filter.asks_for_names(), filter.asks_for_pagefind_sites());
    if !asks_for_names && !asks_for_sites {
        return Ok((of_mode(Gate::of(inputs)?, &filter), filter));
    }
    let (mut found, mut names, mut sites) = (Vec::new(), NamesPages::default(), PagefindSites::new()?);
    for input in inputs {
        if input.kind() == Kind::Folder {
            found.extend(input.robots()?);
        }
        for (item, _) in input.survey()? {
            match item {
                Item::Robots(robots) => found.push(robots),
                Item::Document(document) => {
                    if asks_for_names {
                        names.add(&document);
                    }
                    if asks_for_sites {
                        sites.add(&document);
                    }
                }
                _ => {}
            }
        }
    }
    Ok((of_mode(Gate::with(found), &filter), sites.known_to(names.known_to(filter))))
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
