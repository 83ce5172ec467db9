//! Whether a line of JSON may name a robots.txt or a tdmrep.json, seen from its bytes alone.
//!
//! A line is parsed where it may, so an error this way costs time, and the other way a leak. The path of a URL ends with the file's
//! name, and a URL's parser decodes nothing in a path; all it leaves out inside one are tabs and line ends. JSON writes these as
//! escapes, and may write any letter as one (`\u0072obots.\ttxt`). So the name stands there as it is, or with escapes in it.

use crate::robots_txt::SiteFile;

pub(super) fn may_name_site_file(line: &[u8]) -> bool {
    let is_plain = SiteFile::ALL.iter().any(|file| memchr::memmem::find(line, file.name().as_bytes()).is_some());
    is_plain || has_escaped_name(line)
}

/// Looks at each escape as the first one of a name.
fn has_escaped_name(line: &[u8]) -> bool {
    let mut from = 0;
    // A run of backslashes is made of pairs from its start on, also where the line is no JSON.
    while let Some(at) = memchr::memchr(b'\\', &line[from..]).map(|at| from + at) {
        // Nothing that only keeps the tags of a page apart needs a closer look.
        if matches!(line.get(at + 1), Some(b'n' | b'r' | b't' | b'u'))
            && SiteFile::ALL.iter().any(|file| is_name_around(&line[from..at], &line[at..], file.name().as_bytes()))
        {
            return true;
        }
        from = line.len().min(at + 2);
    }
    false
}

/// Whether a name goes on in `behind`, which begins with its first escape.
fn is_name_around(before: &[u8], behind: &[u8], name: &[u8]) -> bool {
    // A name that begins with an escape begins with a letter: else a run of tabs would be passed from each of them.
    let begins = || matches!(sign(behind), Some((Sign::Letter(letter), _)) if letter == name[0]) && ends(behind, name);
    (1..name.len()).any(|length| before.ends_with(&name[..length]) && ends(behind, &name[length..])) || begins()
}

/// Whether what is written begins with the rest of a name.
fn ends(mut written: &[u8], mut name: &[u8]) -> bool {
    while let Some((letter, rest)) = name.split_first() {
        match sign(written) {
            Some((Sign::Letter(found), _)) if found != *letter => return false,
            Some((found, behind)) => {
                name = if matches!(found, Sign::Letter(_)) { rest } else { name };
                written = behind;
            }
            None => return false,
        }
    }
    true
}

enum Sign {
    Letter(u8),
    /// A URL's parser leaves it out.
    Nothing,
}

/// What is written first, and what stands behind it.
fn sign(written: &[u8]) -> Option<(Sign, &[u8])> {
    let (letter, rest) = match written {
        [b'\\', b't' | b'n' | b'r', rest @ ..] => (b'\t', rest),
        [b'\\', b'u', b'0', b'0', high, low, rest @ ..] => {
            let digit = |digit: u8| char::from(digit).to_digit(16);
            (u8::try_from(digit(*high)? * 16 + digit(*low)?).ok()?, rest)
        }
        [b'\\', ..] | [] => return None,
        [letter, rest @ ..] => (*letter, rest),
    };
    Some((if matches!(letter, b'\t' | b'\n' | b'\r') { Sign::Nothing } else { Sign::Letter(letter) }, rest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::input::is_site_file;

    /// A letter as JSON may write it, with what a URL's parser leaves out before it.
    fn written(letter: u8) -> impl Strategy<Value = String> {
        let plain = || Just(char::from(letter).to_string());
        let letters = prop_oneof![
            6 => plain(),
            1 => Just(format!("\\u00{letter:02x}")),
            1 => Just(format!("\\u00{letter:02X}")),
        ];
        let nothing = prop_oneof![8 => Just(""), 1 => Just("\\t\\n"), 1 => Just("\\r"), 1 => Just("\\u000a\\u0009"), 1 => Just("\\u000D")];
        (nothing, letters).prop_map(|(nothing, letter)| nothing.to_owned() + &letter)
    }

    fn urls() -> impl Strategy<Value = String> {
        let urls = [
            "https://a.example/robots.txt",
            "http:\\\\\\\\a.example\\\\robots.txt",
            "https://a.example/.well-known/tdmrep.json",
        ];
        let others =
            ["http://a.example/rorobots.tx", "http://a.example/robots.txt\\\\", "http://a.example/%72obots.txt"];
        proptest::sample::select([&urls[..], &others[..]].concat()).prop_flat_map(|url| {
            let (start, name) = url.split_at(url.rfind(['/', '\\']).unwrap_or(0) + 1);
            name.bytes().map(written).collect::<Vec<_>>().prop_map(move |name| start.to_owned() + &name.concat())
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn no_name_is_passed_over(url in urls(), before in "(\\\\[tn\"]|r|ro|t|td|\\\\u0072){0,4}") {
            let line = format!("{{\"html\":\"{before}\",\"url\":\"{url}\"}}");
            let read: serde_json::Value = serde_json::from_str(&line).unwrap();
            let is_one = is_site_file(read["url"].as_str().unwrap());
            prop_assert!(may_name_site_file(line.as_bytes()) || !is_one, "{}", line);
        }
    }

    #[test]
    fn what_names_none_is_passed() {
        for line in [r#"{"html":"<p>for\nothers\tro\\bots\u003c/p>"}"#, r"robo\\ts.txt \u0072obots.tx", r"\", r"r\u00"]
        {
            assert!(!may_name_site_file(line.as_bytes()), "{line}");
        }
    }
}
