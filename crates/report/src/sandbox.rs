//! Removes from a copy of a page the markup that would open connections even in a sandbox.
//!
//! A sandbox and a content security policy stop scripts and loads, but not every connection that a
//! browser opens. Markup that may open one is removed even in doubtful cases. The report also shows
//! the unchanged source of the copy.

use heedful::internals::html;

/// Disables the parts of a copy's markup that would open connections despite the sandbox and the
/// content security policy.
///
/// Frames, plugins and `<link>` elements open connections when the copy is displayed. Their tags
/// get other names everywhere, even in comments, so that no parser finds the original tags. Text
/// links open connections when the mouse is over them. Their `href` attributes are renamed.
pub(super) fn disarm(copy: &str) -> String {
    replace(copy, false)
}

/// Replaces the same tags as [`disarm`], but does not change text links. The result is for copies
/// in which people may follow links.
pub(super) fn quiet(copy: &str) -> String {
    replace(copy, true)
}

fn replace(copy: &str, keeps_links: bool) -> String {
    // Each tag with a replacement that an HTML parser treats alike and that opens no connection.
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

/// True if `lower[start..end]` may be the name of a tag: `<` or `</` precedes it, and a blank, `/`
/// or `>` follows it. `lower` is the HTML of a copy in lower case.
fn is_tag(lower: &str, start: usize, end: usize) -> bool {
    let before = &lower[..start];
    (before.ends_with('<') || before.ends_with("</"))
        && lower[end..].starts_with(|c| html::is_blank(c) || c == '/' || c == '>')
}

/// True if the attribute `href` at the offset `start` leads to another page. False if the attribute
/// has no value, or if its value begins with `#`. Such a value leads to a fragment of the same
/// page.
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

/// Returns the offsets at which `href` may be the name of an attribute. Every `<` before a letter
/// may begin a tag. Parsers may disagree about such a tag. An offset is returned if any parser may
/// find an attribute there.
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

/// Parser state in which the next byte is inside a tag, between its attributes.
const NAMES: u8 = 1;
/// Parser state in which the next byte follows the `=` of an attribute.
const EQUALS: u8 = 2;
/// Parser state in which the next byte is in an attribute value without quotes.
const BARE: u8 = 4;
/// Parser state in which the next byte is in an attribute value in double quotes.
const DOUBLE: u8 = 8;
/// Parser state in which the next byte is in an attribute value in single quotes.
const SINGLE: u8 = 16;

/// Returns a bitmask of the parser states that may follow `state` after `byte`.
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
