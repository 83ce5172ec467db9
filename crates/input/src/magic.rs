//! Recognizes HTML by its first bytes, and files that are certainly not HTML: documents, pictures,
//! and unsupported compression.
//!
//! A file without a declared type is skipped if it begins like a file that is not HTML, whatever
//! follows. So in doubt, this module causes a file to be skipped. A type that a header or the user
//! declares is not questioned here.

use super::zstd;

/// Returns the message for a file that certainly is no page, judged by its first bytes. The message
/// names the type of the file, and what the user can do about it. `None` for all other files.
pub(super) fn other_kind(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"BZh") && bytes.get(4..10) == Some(b"1AY&SY") {
        return Some("it is packed with bzip2, which is not undone here: pipe it through bzcat");
    }
    if bytes.get(257..262) == Some(b"ustar") {
        return Some("it is a tar archive: unpack it, and name what is in it");
    }
    if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        return Some(PICTURE);
    }
    let text = trimmed(bytes);
    let (_, kind) = MAGIC
        .iter()
        .find(|(magic, _)| bytes.starts_with(magic) || text.starts_with(magic))?;
    Some(kind)
}

const PICTURE: &str = "it is a picture, which is no page";

const MAGIC: [(&[u8], &str); 12] = [
    (b"%PDF-", "it is a PDF, which is no page"),
    (b"%!PS", "it is PostScript, which is no page"),
    (b"{\\rtf", "it is RTF, which is no page"),
    (
        b"\xFD7zXZ\0",
        "it is packed with xz, which is not undone here: pipe it through xzcat",
    ),
    (
        b"7z\xBC\xAF\x27\x1C",
        "it is a 7-Zip archive: unpack it, and name what is in it",
    ),
    (
        b"Rar!\x1A\x07",
        "it is a RAR archive: unpack it, and name what is in it",
    ),
    (
        b"PK\x03\x04",
        "it is a zip file: unpack it, and name what is in it",
    ),
    (b"\x89PNG\r\n", PICTURE),
    (b"GIF87a", PICTURE),
    (b"GIF89a", PICTURE),
    (b"\xFF\xD8\xFF", PICTURE),
    (b"\x00\x00\x01\x00", PICTURE),
];

/// True if a file that begins with `bytes` is certainly not a page. This is so if the file is
/// compressed, or if [`other_kind`] recognizes its type.
pub(super) fn is_no_page(bytes: &[u8]) -> bool {
    other_kind(bytes).is_some() || bytes.starts_with(&[0x1F, 0x8B, 8]) || zstd::is_frame(bytes)
}

/// True if the bytes contain the beginning of a possible tag. A `<` followed by a zero byte counts,
/// too, because it may begin a tag in UTF-16.
pub(super) fn has_tag(bytes: &[u8]) -> bool {
    memchr::memchr_iter(b'<', bytes).any(|at| match bytes.get(at + 1) {
        Some(next) => next.is_ascii_alphabetic() || matches!(next, b'!' | b'/' | b'?' | 0),
        None => true,
    })
}

/// True if the bytes are XML, but not XHTML. XHTML is recognized by an `html` tag or an HTML
/// doctype.
pub(super) fn is_other_xml(bytes: &[u8]) -> bool {
    let text = trimmed(bytes);
    text.starts_with(b"<?xml") && !holds(text, b"<html") && !holds(text, b"<!doctype html")
}

/// True if `text` contains `words`, in upper or lower case.
fn holds(text: &[u8], words: &[u8]) -> bool {
    text.windows(words.len())
        .any(|part| part.eq_ignore_ascii_case(words))
}

/// True if the bytes begin with a JSON array of objects, or with an empty JSON array. A byte order
/// mark and white space before the array are ignored.
pub(super) fn is_array(bytes: &[u8]) -> bool {
    match trimmed(bytes).strip_prefix(b"[") {
        Some(inside) => matches!(inside.trim_ascii_start(), [b'{' | b']', ..]),
        None => false,
    }
}

/// Returns the bytes without a UTF-8 byte order mark and white space at their beginning.
pub(super) fn trimmed(bytes: &[u8]) -> &[u8] {
    bytes
        .strip_prefix(b"\xEF\xBB\xBF")
        .unwrap_or(bytes)
        .trim_ascii_start()
}

/// Tags by which HTML is recognized: a file that begins with one of them is HTML. The tags are from
/// the standard (mimesniff.spec.whatwg.org, section 7.1). Only `meta` and `link` are added.
const TAGS: [&str; 18] = [
    "!doctype html",
    "html",
    "head",
    "script",
    "iframe",
    "h1",
    "div",
    "font",
    "table",
    "a",
    "style",
    "title",
    "b",
    "body",
    "br",
    "p",
    "meta",
    "link",
];

/// True if `body`, for which no content type is declared, begins like HTML. XML is HTML only if an
/// `html` tag or an HTML doctype is near its beginning.
pub(super) fn looks_like_html(body: &[u8]) -> bool {
    let start = String::from_utf8_lossy(&body[..body.len().min(1445)]).to_ascii_lowercase();
    let start = start.trim_start_matches('\u{FEFF}').trim_start();
    if let Some(xml) = start.strip_prefix("<?xml")
        && let Some((_, rest)) = xml.split_once("?>")
    {
        return rest.contains("<!doctype html") || rest.contains("<html");
    }
    if start.starts_with("<!--") {
        return true;
    }
    let Some(start) = start.strip_prefix('<') else {
        return false;
    };
    TAGS.iter().any(|tag| {
        let rest = start.strip_prefix(tag);
        rest.is_some_and(|rest| rest.starts_with(|c: char| c == '>' || c.is_ascii_whitespace()))
    })
}
