//! Reads the inputs of a run once, before the first of their pages is judged.
//!
//! The survey collects the robots.txt files, the Names pages of the Robot Exclusion Profile, and
//! the sites that mark their content for Pagefind. Pipes are not surveyed, since they can be read
//! only once. Folders and single pages are read only for Pagefind and for evidence: their Names
//! pages are collected when a page refers to one. The first items of archives stay in memory for
//! the run, within the limit `bytes_under_way`.

use std::collections::BTreeMap;

use url::Url;

use heedful::Filter;
use heedful_base::address::authority;
use heedful_base::error::Result;
use heedful_input::{ArchivedSite, Input, Item};

use super::gate::Gate;
use super::names::NamesPages;
use super::pagefind::{self, PagefindSites};
use super::run_memory::bytes_under_way;
use super::{named_documents, names};

/// Reads the inputs once before a run. Returns a gate with the robots.txt files that the inputs
/// contain. Also returns `filter` with the Names pages and Pagefind sites of the inputs. A Names
/// page maps the names of bots to numbers.
///
/// If no convention of `filter` needs Names pages and Pagefind sites, only robots.txt files are
/// read. If an input is a folder, its Names pages are not read here. They are read when the filter
/// first needs one of them.
///
/// # Errors
/// Fails if an input cannot be read at all.
pub fn survey(inputs: &[Input], filter: Filter) -> Result<(Gate, Filter)> {
    let gate = of_filter(&filter);
    survey_with(inputs, filter, gate)
}

/// Reads the inputs once before a run that keeps evidence. Differs from [`survey`] in one point:
/// the returned gate also stores the original bytes of the sites' robots.txt and tdmrep.json files.
///
/// # Errors
/// Fails if an input cannot be read at all.
pub fn survey_for_evidence(inputs: &[Input], filter: Filter) -> Result<(Gate, Filter)> {
    let gate = of_filter(&filter).keeping_originals(&filter.terms.limits);
    let (gate, filter) = survey_with(inputs, filter, gate)?;
    let filter = match gate.originals() {
        Some(originals) => named_documents::watched(filter, originals),
        None => filter,
    };
    Ok((gate, filter))
}

fn survey_with(inputs: &[Input], filter: Filter, mut gate: Gate) -> Result<(Gate, Filter)> {
    let asks_for_names = filter.asks_for_names();
    let asks_for_sites = filter.asks_for_pagefind_sites();
    let words = [
        asks_for_names.then_some(names::WORD),
        asks_for_sites.then_some(pagefind::WORD),
    ];
    let words: Vec<_> = words.into_iter().flatten().collect();
    let mut names = NamesPages::default();
    let mut sites = PagefindSites::new()?;
    // These pages are in memory before those that the run reads itself, never beside them.
    let limits = &filter.terms.limits;
    let mut room = bytes_under_way(inputs).min(limits.bytes_under_way);
    let reads_pages = asks_for_sites || gate.originals().is_some();
    let mut later = Vec::new();
    for input in inputs {
        let page_input = input.page_input().filter(|_| !reads_pages);
        let words = if page_input.is_some() {
            &[]
        } else {
            &words[..]
        };
        later.extend(page_input.filter(|_| asks_for_names));
        input.survey_for(words, &mut room, &mut |item| {
            match item {
                Item::Robots(robots) => {
                    gate.add_robots(robots);
                    return None;
                }
                Item::Document(ref document) => {
                    if asks_for_names {
                        names.add(document, gate.originals());
                    }
                    if asks_for_sites {
                        sites.add(document);
                    }
                }
                _ => {}
            }
            Some(item)
        })?;
    }
    let filter = names.known_with(later, filter);
    Ok((gate, sites.known_to(filter)))
}

/// Returns one URL of each site from which the run may have to request files. No request is needed
/// for a page whose record contains a robots.txt. The URL is that of the first page of the site
/// without a robots.txt in its record. Pages whose URLs `is_wanted` rejects are ignored.
pub(super) fn sites(inputs: &[Input], is_wanted: impl Fn(&Url) -> bool) -> Result<Vec<Url>> {
    let mut sites = BTreeMap::new();
    for input in inputs {
        for (item, _) in input.survey()? {
            let (Item::Document(document) | Item::Unchanged(document)) = item else {
                continue;
            };
            if let Ok(url) = Url::parse(document.url())
                && document.robots().is_none()
                && is_wanted(&url)
            {
                sites.entry(authority(&url)).or_insert(url);
            }
        }
    }
    Ok(sites.into_values().collect())
}

/// Returns a gate without files, with the robots.txt mode and the limits of a filter.
fn of_filter(filter: &Filter) -> Gate {
    let gate = Gate::with_limits(&filter.terms.limits);
    match filter.terms.mode {
        Some(mode) => gate.mode(mode),
        None => gate,
    }
}

/// Returns the sites that have pages in an archive, with the robots.txt files of the archive. Also
/// returns the Names pages of the archive (pages that map the names of bots to numbers). If no
/// convention of `filter` needs Names pages, none are returned. A run on many machines sends these
/// results to all machines that read pages.
///
/// # Errors
/// Fails if the input is not an archive, or cannot be read at all.
pub fn survey_archive(input: &Input, filter: &Filter) -> Result<(Vec<ArchivedSite>, NamesPages)> {
    let mut names = NamesPages::default();
    let sites = if filter.asks_for_names() {
        input.sites(Some(&mut |document| names.add(document, None)))?
    } else {
        input.sites(None)?
    };
    Ok((sites, names))
}
