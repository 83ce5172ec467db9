//! Groups the links of an explained page by two permissions: whether a bot may follow the link, and
//! whether it may credit the link's target with the link's text.

use heedful::{Explanation, Link, Page};

use super::source::{SourceAnchor, anchor};
use super::wording;

/// Links of a page, grouped by two permissions: to follow a link, and to credit its target. A group
/// also has the bots to which its permissions apply.
pub(super) struct LinksView<'a> {
    pub(super) bots: String,
    pub(super) outcome: &'static str,
    pub(super) mark: &'static str,
    pub(super) links: Vec<LinkView<'a>>,
}

pub(super) struct LinkView<'a> {
    pub(super) line: u32,
    pub(super) anchor: SourceAnchor,
    pub(super) kind: &'a str,
    pub(super) url: &'a str,
    pub(super) text: String,
    pub(super) why: Option<(usize, String)>,
}

pub(super) fn links(explanation: &Explanation) -> Vec<LinksView<'_>> {
    let pages = explanation.pages();
    let mut views = Vec::new();
    for (set, _) in wording::group_bots(pages.iter().map(permissions)) {
        let Some(page) = explanation.page(set.first()) else {
            continue;
        };
        let bots = if pages.len() == 1 {
            String::new()
        } else {
            wording::bots(explanation, set)
        };
        for (outcome, mark, follow, credit) in [
            ("Not to be followed", "no", false, None),
            ("To be followed, not credited", "part", true, Some(false)),
            ("To be followed and credited", "yes", true, Some(true)),
        ] {
            let mut links = Vec::new();
            for link in page.links() {
                if link.may_follow() == follow
                    && credit.is_none_or(|credit| link.may_credit() == credit)
                {
                    links.push(self::link(link, explanation));
                }
            }
            if !links.is_empty() {
                views.push(LinksView {
                    bots: bots.clone(),
                    outcome,
                    mark,
                    links,
                });
            }
        }
    }
    views
}

/// Returns two bools for each link of the page. The first is true if the page's bot may follow the
/// link. The second is true if the bot may credit the link's target with the link's text.
fn permissions(page: &Page) -> Vec<(bool, bool)> {
    page.links()
        .iter()
        .map(|link| (link.may_follow(), link.may_credit()))
        .collect()
}

fn link<'a>(link: &'a Link, explanation: &Explanation) -> LinkView<'a> {
    let mut why = None;
    if let Some(id) = link.id_not_follow().or(link.id_not_credit())
        && let Some(number) = explanation.directive_index(id)
    {
        let directive = explanation.directives()[number].directive();
        why = Some((number, directive.text().to_owned()));
    }
    LinkView {
        line: link.place().line(),
        anchor: anchor(link.place()),
        kind: link.kind().name(),
        url: link.url(),
        text: link.phrases().collect::<Vec<_>>().join(" | "),
        why,
    }
}
