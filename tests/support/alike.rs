//! Compares the policies of a page from two passes: a pass for policies alone, and a whole pass.
//! The policies must be the same. If one pass fails, both must have the same error.

use heedful::{BotId, Filter, Page, Policy, Result, Use};

/// Settings and headers with which a page is passed to both compared passes.
#[allow(unreachable_pub, reason = "a module of a test and of a fuzz target")]
#[derive(Clone, Copy, Default)]
pub struct Given<'a> {
    pub headers: &'a [(&'a str, &'a str)],
    pub is_utf8: bool,
    pub is_cut: bool,
    /// Maximum bytes of a piece in which the page is written. 0 means that the page is written as
    /// one piece.
    pub cut: usize,
}

/// Result of a pass. It has each bot's policy, with the uses that parts of the page deny to the
/// bot. If the pass fails, it has the error.
type Judged = std::result::Result<Vec<(Policy, Vec<Use>)>, String>;

const URL: &str = "https://site.example/dir/page";

/// Passes headers and a page to a pass of any kind.
macro_rules! feed {
    ($pass:expr, $page:expr, $given:expr) => {{
        let (mut pass, given) = ($pass?, $given);
        for (name, value) in given.headers {
            pass.header(name, value);
        }
        if given.is_utf8 {
            pass.assume_utf8();
        }
        if given.is_cut {
            pass.cut_short();
        }
        for piece in $page.chunks(if given.cut == 0 {
            $page.len().max(1)
        } else {
            given.cut
        }) {
            pass.write(piece)?;
        }
        pass
    }};
}

/// Returns the uses that a denial of `usage` also denies.
fn follow_from(usage: Use) -> &'static [Use] {
    match usage {
        Use::Index => &[Use::Snippet, Use::Anchor, Use::Input],
        Use::Follow => &[Use::Anchor],
        Use::Snippet => &[Use::Input],
        _ => &[],
    }
}

fn parts(page: &Page) -> Vec<Use> {
    let denies = |wanted: Use| {
        page.exclusions()
            .any(|part| part.usage() == wanted || follow_from(part.usage()).contains(&wanted))
    };
    Use::ALL
        .into_iter()
        .filter(|usage| page.policy().allows(*usage) && denies(*usage))
        .collect()
}

fn beside(filter: &Filter, page: &[u8], given: Given<'_>) -> Result<Vec<(Policy, Vec<Use>)>> {
    let pages = feed!(filter.open(URL), page, given).end_each()?;
    Ok(pages
        .iter()
        .map(|page| (page.policy().clone(), parts(page)))
        .collect())
}

fn alone(filter: &Filter, page: &[u8], given: Given<'_>) -> Result<Vec<(Policy, Vec<Use>)>> {
    let policies = feed!(filter.open_policies(URL), page, given).end()?;
    let parts = |bot| {
        Use::ALL
            .into_iter()
            .filter(|usage| policies.has_parts(*usage, bot))
            .collect()
    };
    let bots = (0..policies.each().count()).map(BotId::nth);
    Ok(bots
        .zip(policies.each())
        .map(|(bot, (_, policy))| (policy.clone(), parts(bot)))
        .collect())
}

/// Compares a pass for policies alone with a whole pass over the same page. Returns the difference
/// between their results, or None. `cut` is the maximum bytes of a piece for the pass for policies.
#[allow(unreachable_pub, reason = "a module of a test and of a fuzz target")]
pub fn difference(filter: &Filter, page: &[u8], given: Given<'_>, cut: usize) -> Option<String> {
    let told = |judged: Result<_>| -> Judged { judged.map_err(|error| error.to_string()) };
    let expected = told(beside(filter, page, given));
    let found = told(alone(filter, page, Given { cut, ..given }));
    (expected != found).then(|| format!("{found:?}\ninstead of\n{expected:?}"))
}
