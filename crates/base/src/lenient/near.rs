//! Finds the known word that a misspelt word is near, and bounds the edit distance of two words.
//!
//! [`is_near`] is the one notion of nearness. Two words are near if they have the same letters,
//! with any punctuation between them, or if they are one edit apart. An edit is that of the optimal
//! string alignment distance: one byte added, dropped, replaced, or swapped with its neighbour.
//! Short words are near to none, since they resemble too many others. Letter case counts, so
//! callers fold it first.

/// Minimum length in bytes of a known word for [`is_near`]. No text is near to a shorter known
/// word, since short words resemble too many others.
const SHORTEST: usize = 6;
/// Maximum difference in length, in bytes, between a text and a known word for [`is_near`]. So a
/// misspelt word may have up to four extra blanks or punctuation characters.
const MOST_BETWEEN: usize = 4;

/// Returns the first word of `known` that `text` probably means, by the rules of [`is_near`].
/// Returns `None` if there is no such word.
///
/// # Examples
///
/// ```
/// use heedful_base::lenient::near::near;
///
/// assert_eq!(near("no-in dex", ["noindex", "nofollow"]), Some("noindex"));
/// assert_eq!(near("notranslate", ["noindex", "nofollow"]), None);
/// ```
pub fn near<'a>(text: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known.into_iter().find(|known| is_near(text, known))
}

/// True if `text` is the word `known`, or is probably a misspelling of this word. A misspelling is
/// one edit away (see [`is_one_edit`]), or differs only in punctuation and blanks. The lengths may
/// differ by at most four bytes.
///
/// False if `known` has fewer than six bytes. Also false if only one of the two texts begins with a
/// slash. The reason is that the comment `/noindex` closes the region that `noindex` opens.
///
/// # Examples
///
/// ```
/// use heedful_base::lenient::near::is_near;
///
/// assert!(is_near("noidex", "noindex"));
/// // A short word resembles too many others.
/// assert!(!is_near("indx", "index"));
/// assert!(!is_near("/noindex", "noindex"));
/// ```
#[inline]
pub fn is_near(text: &str, known: &str) -> bool {
    known.len() >= SHORTEST
        && text.len().abs_diff(known.len()) <= MOST_BETWEEN
        && is_alike(text, known)
}

/// True if `text` is at most one edit away from `known`, or has the same letters and digits. False
/// if only one of the two begins with a slash. The caller has checked that `known` is long enough.
fn is_alike(text: &str, known: &str) -> bool {
    text.starts_with('/') == known.starts_with('/')
        && (is_one_edit(text.as_bytes(), known.as_bytes()) || letters(text).eq(letters(known)))
}

/// Returns the letters and digits of `text`, without punctuation and blanks.
fn letters(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|sign| sign.is_alphanumeric())
}

/// True if at most one edit turns `one` into `other`. An edit adds, drops or replaces a byte, or
/// swaps two neighbouring bytes. Equal texts need no edit.
///
/// # Examples
///
/// ```
/// use heedful_base::lenient::near::is_one_edit;
///
/// assert!(is_one_edit(b"disalow", b"disallow"));
/// assert!(is_one_edit(b"dissalow", b"disaslow"));
/// assert!(!is_one_edit(b"dissalow", b"disallow"));
/// ```
pub fn is_one_edit(one: &[u8], other: &[u8]) -> bool {
    one.len().abs_diff(other.len()) <= 1 && shares_an_end(one, other) && is_within(1, one, other)
}

/// True if `one` and `other` have the same first byte or the same last byte. Also true if `one` has
/// fewer than three bytes, because one edit can change both ends of such a text. False means that
/// no single edit turns `one` into `other`.
#[inline]
fn shares_an_end(one: &[u8], other: &[u8]) -> bool {
    one.len() < 3 || one.first() == other.first() || one.last() == other.last()
}

/// True if at most `edits` edits turn `one` into `other`. The edits are those of [`is_one_edit`].
/// Each increase of `edits` by one can make the comparison four times as slow.
///
/// # Examples
///
/// ```
/// use heedful_base::lenient::near::is_within;
///
/// assert!(is_within(2, b"dissalow", b"disallow"));
/// assert!(!is_within(1, b"dissalow", b"disallow"));
/// ```
pub fn is_within(edits: usize, one: &[u8], other: &[u8]) -> bool {
    let same = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    match (&one[same..], &other[same..]) {
        ([], rest) | (rest, []) => rest.len() <= edits,
        (one, other) if edits == 0 || one.len().abs_diff(other.len()) > edits => false,
        (one @ [a, one_behind @ ..], other @ [b, other_behind @ ..]) => {
            let is_swapped = one_behind.first() == Some(b) && other_behind.first() == Some(a);
            is_within(edits - 1, one_behind, other_behind)
                || is_within(edits - 1, one_behind, other)
                || is_within(edits - 1, one, other_behind)
                || is_swapped && is_within(edits - 1, &one_behind[1..], &other_behind[1..])
        }
    }
}

/// Returns a question that suggests the name of `known` nearest to `name`, to be appended to an
/// error message. Returns an empty string if no known name is near.
///
/// # Examples
///
/// ```
/// use heedful_base::lenient::near::hint;
///
/// let known = ["noindex", "nofollow"];
/// assert_eq!(hint("no-index", known.into_iter()), " did you mean `noindex`?");
/// assert_eq!(hint("rye", known.into_iter()), "");
/// ```
pub fn hint<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let mut known: Vec<_> = known.collect();
    known.sort_unstable();
    for edits in 0..=MOST_SLIPS {
        for known in &known {
            // More than one edit in three letters makes another word.
            if edits * 3 <= known.len().max(name.len())
                && is_within(edits, name.as_bytes(), known.as_bytes())
            {
                return format!(" did you mean `{known}`?");
            }
        }
    }
    let is_beginning = |known: &&&str| name.len() >= SHORTEST_BEGINNING && known.starts_with(name);
    match known.iter().find(is_beginning) {
        Some(known) => format!(" did you mean `{known}`?"),
        None => String::new(),
    }
}

/// Minimum length of an unknown name, in bytes, for which [`hint`] tries to complete the name.
/// [`hint`] then suggests a longer known name that begins with the unknown name.
const SHORTEST_BEGINNING: usize = 4;

/// Maximum number of edits between an unknown name and the known name that [`hint`] suggests in its
/// place.
const MOST_SLIPS: usize = 4;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn edits_are_those_of_the_optimal_string_alignment(one in "[ab]{0,6}", other in "[abc]{0,6}", edits in 0..4_usize) {
            let is_within = is_within(edits, one.as_bytes(), other.as_bytes());
            prop_assert_eq!(is_within, strsim::osa_distance(&one, &other) <= edits);
            prop_assert_eq!(is_one_edit(one.as_bytes(), other.as_bytes()), strsim::osa_distance(&one, &other) <= 1);
        }
    }

    #[test]
    fn what_is_near() {
        for (text, known, expected) in [
            ("noidex", "noindex", true),
            ("no-in dex", "noindex", true),
            ("no-idex", "noindex", false),
            ("/noindex", "noindex", false),
            ("n-o-i-n-d-e-x", "noindex", false),
            ("indx", "index", false),
        ] {
            assert_eq!(near(text, [known]).is_some(), expected, "{text}");
        }
        assert_eq!(
            hint("metta", ["rel", "meta"].into_iter()),
            " did you mean `meta`?"
        );
        assert_eq!(hint("abc", ["xyz"].into_iter()), "");
    }
}
