//! Writes a page of an input to a filter pass, together with the rules and headers for it.

use heedful::{Pass, Sink};
use heedful_base::error::Result;
use heedful_input::FetchedPage;

use super::gate::GateRules;

/// Writes a page, its robots.txt rules and its headers to a filter pass, and returns that pass.
pub(super) fn pass_document<S: Sink>(
    mut pass: Pass<S>,
    document: &FetchedPage,
    gate_rules: &GateRules<'_>,
) -> Result<Pass<S>> {
    if let Some(site) = document.site() {
        pass.in_folder(site);
    }
    if let Some(url) = document.file_url() {
        pass.also_at(url);
    }
    for robots in &gate_rules.robots {
        pass.robots_txt(robots);
    }
    for (name, value) in document.headers().iter().chain(gate_rules.headers) {
        pass.header(name, value);
    }
    pass.fetched(document.status(), document.captured());
    if let Some(date) = document.undated() {
        pass.note_unreadable_date(date);
    }
    if document.is_decoded() {
        pass.assume_utf8();
    }
    if document.is_cut() {
        pass.cut_short();
    }
    pass.write(document.bytes())?;
    Ok(pass)
}
