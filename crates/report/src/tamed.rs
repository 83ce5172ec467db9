//! The copy that is drawn, made harmless beyond its sandbox.
//!
//! The sandbox and the policy stop scripts and loads, but not every connection that a browser
//! opens. This errs on the side of drawing less; the unchanged source of the copy is shown beside
//! it.

use heedful::internals::html;

/// Removes from a copy what neither its sandbox nor a policy stops. Links to resources, and frames
/// that are refused, open connections all the same. So may text links when the mouse is over them.
/// Tags are replaced wherever they stand, so that no reading of the markup finds them.
pub(super) fn tamed(copy: &str) -> String {
    replaced(copy, false)
}

/// The same for a copy that readers follow links from: its text links stay as they are.
pub(super) fn quiet(copy: &str) -> String {
    replaced(copy, true)
}

fn replaced(copy: &str, keeps_links: bool) -> String {
    // Each tag, and one that an HTML parser treats alike but that opens no connection.
    const TAGS: [(&str, &str); 5] = [
        ("link", "basefont"),
        ("iframe", "noembed"),
        ("frame", "basefont"),
        ("object", "applet"),
        ("embed", "img"),
    ];
    let lower = copy.to_ascii_lowercase();
    let tag = |(name, other): (&'static str, &'static str)| {
        lower
            .match_indices(name)
            .map(move |(at, _)| (at, at + name.len(), other))
    };
    let is_tag = |(at, end, _): &(usize, usize, &str)| {
        let begins = lower[..*at].ends_with('<') || lower[..*at].ends_with("</");
        begins && lower[*end..].starts_with(|c| html::is_blank(c) || c == '/' || c == '>')
    };
    let tags = TAGS.into_iter().flat_map(tag).filter(is_tag);
    let is_link = |at: &usize| {
        let value = lower[at + 4..]
            .trim_start_matches(html::is_blank)
            .strip_prefix('=');
        value.is_some_and(|value| {
            !value
                .trim_start_matches(html::is_blank)
                .trim_start_matches(['"', '\''])
                .starts_with('#')
        })
    };
    let found = if keeps_links {
        Vec::new()
    } else {
        links_in_tags(&lower)
    };
    let links = found
        .into_iter()
        .filter(is_link)
        .map(|at| (at, at, "data-"));
    let mut found: Vec<_> = tags.chain(links).collect();
    found.sort_unstable();
    let (mut tamed, mut done) = (String::with_capacity(copy.len()), 0);
    for (at, end, other) in found {
        tamed.push_str(&copy[done..at]);
        tamed.push_str(other);
        done = end;
    }
    tamed + &copy[done..]
}

/// The places where `href` may be the name of an attribute. Every `<` before a letter may begin a
/// tag, and every possible reading of a tag counts.
fn links_in_tags(lower: &str) -> Vec<usize> {
    const NAMES: u8 = 1;
    const EQUALS: u8 = 2;
    const BARE: u8 = 4;
    const DOUBLE: u8 = 8;
    const SINGLE: u8 = 16;
    let after = |state: u8, byte: u8| match (state, byte) {
        (NAMES | EQUALS | BARE, b'>') => 0,
        (NAMES, b'=') => NAMES | EQUALS,
        (EQUALS, _) if html::is_white_space(byte) => EQUALS,
        (EQUALS, b'"') => DOUBLE,
        (EQUALS, b'\'') => SINGLE,
        (EQUALS, _) => BARE,
        (BARE, _) if html::is_white_space(byte) => NAMES,
        (DOUBLE, b'"') | (SINGLE, b'\'') => NAMES,
        (state, _) => state,
    };
    let (mut found, mut states, mut last) = (Vec::new(), 0, 0);
    for (at, byte) in lower.bytes().enumerate() {
        if states & NAMES != 0 && byte == b'h' && lower[at..].starts_with("href") {
            found.push(at);
        }
        let each = [NAMES, EQUALS, BARE, DOUBLE, SINGLE]
            .into_iter()
            .filter(|state| states & state != 0);
        states = each.fold(0, |all, state| all | after(state, byte));
        if last == b'<' && byte.is_ascii_lowercase() {
            states |= NAMES;
        }
        last = byte;
    }
    found
}
