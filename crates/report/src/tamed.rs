//! The copy that is drawn, made harmless beyond its sandbox.
//!
//! The sandbox and the policy stop scripts and loads, but not every connection that a browser
//! opens. This errs on the side of drawing less; the unchanged source of the copy is shown beside
//! it.

use heedful::internals::html;

/// Removes from a copy what neither its sandbox nor a policy stops. Links to resources, and frames
/// that are refused, open connections all the same. So may text links when the mouse is over them.
/// Tags are replaced everywhere, even in comments, so that no reading of the markup finds them.
pub(super) fn disarm(copy: &str) -> String {
    replace(copy, false)
}

/// The same for a copy that readers follow links from: its text links stay as they are.
pub(super) fn quiet(copy: &str) -> String {
    replace(copy, true)
}

fn replace(copy: &str, keeps_links: bool) -> String {
    // Each tag, and one that an HTML parser treats alike but that opens no connection.
    const TAGS: [(&str, &str); 5] = [
        ("link", "basefont"),
        ("iframe", "noembed"),
        ("frame", "basefont"),
        ("object", "applet"),
        ("embed", "img"),
    ];
    let lower = copy.to_ascii_lowercase();
    let mut edits = Vec::new();
    for (name, other) in TAGS {
        for (start, _) in lower.match_indices(name) {
            let end = start + name.len();
            if is_tag(&lower, start, end) {
                edits.push((start, end, other));
            }
        }
    }
    if !keeps_links {
        for start in links_in_tags(&lower) {
            if leads_to_another_page(&lower, start) {
                edits.push((start, start, "data-"));
            }
        }
    }
    edits.sort_unstable();
    let mut text = String::with_capacity(copy.len());
    let mut done = 0;
    for (start, end, other) in edits {
        text.push_str(&copy[done..start]);
        text.push_str(other);
        done = end;
    }
    text + &copy[done..]
}

/// True if a tag may have its name there.
fn is_tag(lower: &str, start: usize, end: usize) -> bool {
    let before = &lower[..start];
    (before.ends_with('<') || before.ends_with("</"))
        && lower[end..].starts_with(|c| html::is_blank(c) || c == '/' || c == '>')
}

/// True if the `href` there has a value that is no place of the same page.
fn leads_to_another_page(lower: &str, start: usize) -> bool {
    let rest = lower[start + "href".len()..].trim_start_matches(html::is_blank);
    let Some(value) = rest.strip_prefix('=') else {
        return false;
    };
    !value
        .trim_start_matches(html::is_blank)
        .trim_start_matches(['"', '\''])
        .starts_with('#')
}

/// The places where `href` may be the name of an attribute. Every `<` before a letter may begin a
/// tag, and every possible reading of a tag counts.
fn links_in_tags(lower: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut states = 0;
    let mut last = 0;
    for (at, byte) in lower.bytes().enumerate() {
        if states & NAMES != 0 && byte == b'h' && lower[at..].starts_with("href") {
            found.push(at);
        }
        let mut next = 0;
        for state in [NAMES, EQUALS, BARE, DOUBLE, SINGLE] {
            if states & state != 0 {
                next |= states_after(state, byte);
            }
        }
        states = next;
        if last == b'<' && byte.is_ascii_lowercase() {
            states |= NAMES;
        }
        last = byte;
    }
    found
}

/// Inside of a tag, among its names.
const NAMES: u8 = 1;
/// After the `=` of an attribute.
const EQUALS: u8 = 2;
/// In a value without quotes.
const BARE: u8 = 4;
/// In a value in double quotes.
const DOUBLE: u8 = 8;
/// In a value in single quotes.
const SINGLE: u8 = 16;

/// The states in which a tag may be after a byte.
fn states_after(state: u8, byte: u8) -> u8 {
    match (state, byte) {
        (NAMES | EQUALS | BARE, b'>') => 0,
        (NAMES, b'=') => NAMES | EQUALS,
        (EQUALS, _) if html::is_white_space(byte) => EQUALS,
        (EQUALS, b'"') => DOUBLE,
        (EQUALS, b'\'') => SINGLE,
        (EQUALS, _) => BARE,
        (BARE, _) if html::is_white_space(byte) => NAMES,
        (DOUBLE, b'"') | (SINGLE, b'\'') => NAMES,
        (state, _) => state,
    }
}
