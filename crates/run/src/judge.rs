//! Judges an indexed URL by the current robots.txt and tdmrep.json files of its site, without
//! reading its page again.
//!
//! If a site does not respond to a request, its indexed pages stay in the index unless an older
//! rule forbids them.

use url::Url;

use heedful::{Filter, Page, Use};
use heedful_base::address::authority;
use heedful_base::error::Result;
use heedful_index::Gone;

use super::gate::GateRules;
use super::unread_pages::unread;

/// Verdict on an indexed URL by the robots.txt and tdmrep.json files that are known now.
pub(super) enum Judgement {
    /// The page may stay in the index. The value has the policy that applies to the page now. It
    /// has no text, since the page was not read.
    In(Box<Page>),
    /// The page may stay in the index, but its snapshot (a stored copy) may not.
    Bare(Box<Page>),
    Gone(Gone, String),
    /// The site of the URL did not respond to a request. The value is the site.
    Silent(String),
    /// No robots.txt or tdmrep.json is known for the site of the URL, so nothing was decided.
    Unasked,
}

/// Judges an indexed URL by the robots.txt and tdmrep.json rules `gate_rules`. `also` is a second
/// URL that the index stores for the same page.
pub(super) fn judge(
    url: &str,
    also: Option<&Url>,
    gate_rules: GateRules<'_>,
    filter: &Filter,
) -> Result<Judgement> {
    if gate_rules.has_no_response {
        let usable = gate_rules.without_failed_responses();
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
