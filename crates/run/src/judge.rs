//! Judges a URL by robots.txt files, without reading its page again.

use url::Url;

use heedful::{Filter, Page, Use};
use heedful_base::address::authority;
use heedful_base::error::Result;
use heedful_index::Gone;

use super::gate::GateRules;
use super::unread::unread;

/// The judgement of a URL today.
pub(super) enum Judgement {
    /// It may stay. The page has its denied uses.
    In(Box<Page>),
    /// It may stay, but without a snapshot.
    Bare(Box<Page>),
    Gone(Gone, String),
    /// Its site did not answer.
    Silent(String),
    /// No robots.txt is known for it.
    Unasked,
}

/// Judges a URL. `also` is another URL of the page, as the index remembers it.
pub(super) fn judge(
    url: &str,
    also: Option<&Url>,
    gate_rules: GateRules<'_>,
    filter: &Filter,
) -> Result<Judgement> {
    if gate_rules.silent {
        let usable = gate_rules.without_silence();
        if !usable.robots.is_empty() {
            let page = unread(url, also, usable, filter)?;
            if Use::ALL
                .into_iter()
                .any(|usage| !page.policy().allows(usage))
            {
                return Ok(judgement(page));
            }
        }
        let site = Url::parse(url).map(|url| authority(&url));
        return Ok(Judgement::Silent(site.unwrap_or_default()));
    }
    if gate_rules.robots.is_empty() {
        return Ok(Judgement::Unasked);
    }
    unread(url, also, gate_rules, filter).map(judgement)
}

fn judgement(page: Page) -> Judgement {
    match Gone::from_page(&page) {
        Some((reason, why)) => Judgement::Gone(reason, why),
        None if !page.policy().allows(Use::Archive) => Judgement::Bare(Box::new(page)),
        None => Judgement::In(Box::new(page)),
    }
}
