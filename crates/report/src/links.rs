//! The links of an explained page, grouped by what may be done with them.

use heedful::{Explanation, Link, Page};

use super::source::{SourceAnchor, anchor};
use super::wording;

/// The links that share a fate.
pub(super) struct LinksView<'a> {
    pub(super) bots: String,
    pub(super) fate: &'static str,
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
    let fates = |page: &Page| {
        page.links()
            .iter()
            .map(|link| (link.may_follow(), link.may_credit()))
            .collect::<Vec<_>>()
    };
    let mut views = Vec::new();
    for (set, _) in wording::alike(pages.iter().map(fates)) {
        let Some(page) = explanation.page(set.first()) else {
            continue;
        };
        let bots = if pages.len() == 1 {
            String::new()
        } else {
            wording::bots(explanation, set)
        };
        for (fate, mark, follow, credit) in [
            ("Not to be followed", "no", false, None),
            ("To be followed, not credited", "part", true, Some(false)),
            ("To be followed and credited", "yes", true, Some(true)),
        ] {
            let has_it = |link: &&Link| {
                link.may_follow() == follow
                    && credit.is_none_or(|credit| link.may_credit() == credit)
            };
            let links: Vec<_> = page
                .links()
                .iter()
                .filter(has_it)
                .map(|link| self::link(link, explanation))
                .collect();
            if !links.is_empty() {
                views.push(LinksView {
                    bots: bots.clone(),
                    fate,
                    mark,
                    links,
                });
            }
        }
    }
    views
}

fn link<'a>(link: &'a Link, explanation: &Explanation) -> LinkView<'a> {
    let number = link
        .id_not_follow()
        .or(link.id_not_credit())
        .and_then(|id| explanation.directive_index(id));
    let why = number.map(|number| {
        (
            number,
            explanation.directives()[number]
                .directive()
                .text()
                .to_owned(),
        )
    });
    LinkView {
        line: link.place().line(),
        anchor: anchor(link.place()),
        kind: link.kind().name(),
        url: link.url(),
        text: link.phrases().collect::<Vec<_>>().join(" | "),
        why,
    }
}
