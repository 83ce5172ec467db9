//! Parses a doctype as far as it decides on quirks mode. In this mode a table does not end a
//! paragraph.

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::Doctype;

use crate::html::is_blank;

/// Parses the doctype `raw` by the standard's tokenizer states.
pub(super) fn parse(raw: &str) -> Doctype {
    let rest = raw.get("<!doctype".len()..).unwrap_or_default();
    let is_closed = rest.ends_with('>');
    let rest = trim(rest.strip_suffix('>').unwrap_or(rest));
    let name = rest.split(is_blank).next().unwrap_or_default();
    let mut doctype = Doctype {
        name: (!name.is_empty()).then(|| StrTendril::from(name.to_ascii_lowercase())),
        public_id: None,
        system_id: None,
        force_quirks: name.is_empty() || !is_closed,
    };
    let rest = trim(&rest[name.len()..]);
    let keyword = rest
        .get(..6)
        .map(str::to_ascii_lowercase)
        .unwrap_or_default();
    match keyword.as_str() {
        "public" => match quoted(&rest[6..]) {
            Some((public, rest)) => {
                doctype.public_id = Some(StrTendril::from(public));
                doctype.force_quirks |= !trim(rest).is_empty() && !system(rest, &mut doctype);
            }
            None => doctype.force_quirks = true,
        },
        "system" => doctype.force_quirks |= !system(&rest[6..], &mut doctype),
        _ => doctype.force_quirks |= !rest.is_empty(),
    }
    doctype
}

/// Parses the system identifier at the start of `rest`, and stores it in `doctype`. Returns false
/// if there is none.
fn system(rest: &str, doctype: &mut Doctype) -> bool {
    let Some((system, _)) = quoted(rest) else {
        return false;
    };
    doctype.system_id = Some(StrTendril::from(system));
    true
}

fn quoted(rest: &str) -> Option<(&str, &str)> {
    let rest = trim(rest);
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    rest[1..].split_once(quote)
}

fn trim(text: &str) -> &str {
    text.trim_start_matches(is_blank)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doctypes() {
        for (raw, name, public, system, quirks) in [
            ("<!DOCTYPE html>", "html", None, None, false),
            ("<!doctypehtml>", "html", None, None, false),
            ("<!DOCTYPE>", "", None, None, true),
            ("<!DOCTYPE html", "html", None, None, true),
            (
                "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\" 'x'>",
                "html",
                Some("-//W3C//DTD HTML 4.01//EN"),
                Some("x"),
                false,
            ),
            (
                "<!DOCTYPE html PUBLIC \"-//W3C\">",
                "html",
                Some("-//W3C"),
                None,
                false,
            ),
            ("<!DOCTYPE html PUBLIC x>", "html", None, None, true),
            (
                "<!DOCTYPE html SYSTEM 'about:legacy-compat'>",
                "html",
                None,
                Some("about:legacy-compat"),
                false,
            ),
            ("<!DOCTYPE html SYSTEM \"x>", "html", None, None, true),
            ("<!DOCTYPE html junk>", "html", None, None, true),
        ] {
            let doctype = parse(raw);
            assert_eq!(doctype.name.as_deref().unwrap_or_default(), name, "{raw}");
            assert_eq!(doctype.public_id.as_deref(), public, "{raw}");
            assert_eq!(doctype.system_id.as_deref(), system, "{raw}");
            assert_eq!(doctype.force_quirks, quirks, "{raw}");
        }
    }
}
