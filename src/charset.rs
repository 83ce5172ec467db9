//! Decodes a page's bytes to UTF-8, whatever their encoding was and however the bytes were cut.
//!
//! If the caller declares UTF-8, nothing else is consulted. Otherwise the encoding is found by the
//! HTML standard's encoding sniffing. A byte order mark decides first, then the `Content-Type`
//! header. Then a META in the first [`SNIFF`] bytes decides, by the standard's prescan, and then an
//! XML declaration at the start of the page. Without any of these the encoding is guessed
//! (chardetng) from the same bytes.
//!
//! Departure from the HTML standard: its prescan gets more than 1,024 bytes, since real heads are
//! longer. The first bytes of a page are not decoded until all of them have arrived. So the result
//! never depends on how the input was cut. Invalid bytes become U+FFFD. A byte order mark is not
//! part of the decoded page.

use std::convert::Infallible;
use std::fmt;
use std::ops::Range;

use encoding_rs::{
    CoderResult, Decoder, Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED,
};

use crate::html;
use heedful_base::content_type::{self, ContentType};

/// Number of bytes at the start of a page from which its encoding is determined.
const SNIFF: usize = 64 << 10;
/// Capacity, in bytes, of the buffer for decoded text.
const STEP: usize = 64 << 10;

/// Decoder that converts the bytes of one page to UTF-8.
pub struct Charset {
    /// Values of the response's `Content-Type` header lines.
    types: Vec<String>,
    /// True if the caller has declared that the bytes are UTF-8. Headers and META are then ignored,
    /// and a byte order mark is only skipped.
    is_utf8: bool,
    undecoded: Vec<u8>,
    decoder: Option<Decoder>,
    /// True while bytes are copied without decoding. They are copied only if the encoding is UTF-8
    /// and all bytes so far were valid.
    is_valid_utf8: bool,
    malformed: bool,
    /// True if the decoded page needs a byte order mark when it is stored as UTF-8. A mark is
    /// needed if the encoding of the page is not UTF-8, or if the page begins with a byte order
    /// mark.
    needs_mark: bool,
}

impl fmt::Debug for Charset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Charset")
            .field("types", &self.types)
            .finish_non_exhaustive()
    }
}

impl Charset {
    pub(crate) fn new() -> Self {
        Self {
            types: Vec::new(),
            is_utf8: false,
            undecoded: Vec::new(),
            decoder: None,
            is_valid_utf8: false,
            malformed: false,
            needs_mark: false,
        }
    }

    /// Declares that the bytes are UTF-8, whatever a header or the page declares.
    pub(crate) fn set_utf8(&mut self) {
        self.is_utf8 = true;
    }

    /// Creates the decoder for a page. `headers` are the headers of the page's response, as pairs
    /// of name and value. `is_utf8` is true if the caller has already decoded the page to UTF-8.
    #[doc(hidden)]
    pub fn from_headers(headers: &[(String, String)], is_utf8: bool) -> Self {
        let mut charset = Self::new();
        if is_utf8 {
            charset.set_utf8();
        }
        for (name, value) in headers {
            charset.header(name, value);
        }
        charset
    }

    /// Applies a header line of the response. Only `Content-Type` has an effect: it may name the
    /// charset. A byte order mark and [`Self::set_utf8`] have precedence over that charset. After
    /// decoding has begun, no header line has an effect.
    pub(crate) fn header(&mut self, name: &str, value: &str) {
        if name.trim().eq_ignore_ascii_case("content-type") {
            self.types.push(value.to_owned());
        }
    }

    /// Returns the encoding that the response's `Content-Type` headers declare. Returns `None` if
    /// they declare no known encoding.
    fn transport(&self) -> Option<&'static Encoding> {
        let header = ContentType::from_lines(self.types.iter().map(String::as_str));
        Encoding::for_label(header.charset()?.as_bytes())
    }

    /// Decodes a whole page that is in memory, and returns its text.
    #[doc(hidden)]
    pub fn decode_page(mut self, bytes: &[u8]) -> String {
        let mut text = String::new();
        let mut append = |decoded: &str| -> Result<(), Infallible> {
            text.push_str(decoded);
            Ok(())
        };
        let Ok(()) = self.write(bytes, &mut append);
        let Ok(()) = self.end(&mut append);
        text
    }

    /// Decodes the next bytes, and passes the decoded text to `out` in pieces. A piece never ends
    /// inside a character.
    pub(crate) fn write<E>(
        &mut self,
        bytes: &[u8],
        out: &mut impl FnMut(&str) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.decoder.is_some() {
            return self.decode(bytes, false, out);
        }
        if self.undecoded.is_empty() && bytes.len() >= SNIFF {
            self.choose(&bytes[..SNIFF], false);
            return self.decode(bytes, false, out);
        }
        let room = (SNIFF - self.undecoded.len()).min(bytes.len());
        self.undecoded.extend_from_slice(&bytes[..room]);
        if self.undecoded.len() < SNIFF {
            return Ok(());
        }
        self.begin(out, false)?;
        self.decode(&bytes[room..], false, out)
    }

    /// Ends the input: decodes the remaining bytes, and passes their text to `out`.
    pub(crate) fn end<E>(&mut self, out: &mut impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
        if self.decoder.is_none() {
            return self.begin(out, true);
        }
        self.decode(&[], true, out)
    }

    /// True if some bytes that were decoded so far are invalid in the page's encoding.
    pub(crate) fn malformed(&self) -> bool {
        self.malformed
    }

    /// True if the decoded page needs a byte order mark when it is stored as UTF-8. Without the
    /// mark, a parser would trust the markup of the stored page, which may declare another
    /// encoding.
    pub(crate) fn wants_mark(&self) -> bool {
        self.needs_mark
    }

    fn begin<E>(
        &mut self,
        out: &mut impl FnMut(&str) -> Result<(), E>,
        last: bool,
    ) -> Result<(), E> {
        let held = std::mem::take(&mut self.undecoded);
        self.choose(&held, last);
        self.decode(&held, last, out)
    }

    /// Determines the page's encoding from `start`, the first bytes of the page, and creates the
    /// decoder. `whole` is true if `start` is the whole page.
    fn choose(&mut self, start: &[u8], whole: bool) {
        let encoding = if self.is_utf8 {
            UTF_8
        } else {
            sniff(start, self.transport(), whole)
        };
        self.needs_mark = encoding != UTF_8 || start.starts_with(b"\xEF\xBB\xBF");
        self.is_valid_utf8 = !self.needs_mark;
        self.decoder = Some(if self.needs_mark {
            encoding.new_decoder_with_bom_removal()
        } else {
            // The decoder may read its first bytes in the middle of the page, where a byte order
            // mark is text.
            encoding.new_decoder_without_bom_handling()
        });
    }

    fn decode<E>(
        &mut self,
        mut bytes: &[u8],
        last: bool,
        out: &mut impl FnMut(&str) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.is_valid_utf8 {
            let valid = valid_text(bytes);
            pieces(valid).try_for_each(&mut *out)?;
            bytes = &bytes[valid.len()..];
            self.is_valid_utf8 = bytes.is_empty();
        }
        let Some(decoder) = &mut self.decoder else {
            return Ok(());
        };
        if bytes.is_empty() && !last {
            return Ok(());
        }
        let mut text = String::with_capacity(STEP.min(bytes.len() * 3 + 16));
        loop {
            let (result, read, malformed) = decoder.decode_to_string(bytes, &mut text, last);
            self.malformed |= malformed;
            bytes = &bytes[read..];
            if !text.is_empty() {
                out(&text)?;
                text.clear();
            }
            if result == CoderResult::InputEmpty {
                return Ok(());
            }
        }
    }
}

/// Returns the longest start of `bytes` that is valid UTF-8. A character that is incomplete at the
/// end of `bytes` is not part of it.
fn valid_text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_else(|error| {
        let valid = &bytes[..error.valid_up_to()];
        std::str::from_utf8(valid).unwrap_or_default()
    })
}

/// Divides `text` into pieces of at most [`STEP`] bytes, never inside a character.
fn pieces(mut text: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let (piece, rest) = text.split_at(text.floor_char_boundary(STEP));
        text = rest;
        (!piece.is_empty()).then_some(piece)
    })
}

fn sniff(start: &[u8], transport: Option<&'static Encoding>, whole: bool) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(start) {
        return encoding;
    }
    transport
        .or_else(|| declared_encoding(start))
        .unwrap_or_else(|| guess(start, whole))
}

/// Returns the encoding that the page itself declares, in a META or an XML declaration. `start` has
/// the first bytes of the page. `None` if they declare no known encoding.
fn declared_encoding(start: &[u8]) -> Option<&'static Encoding> {
    // By the standard, an XML declaration in UTF-16 is recognized by its first letters.
    if start.starts_with(b"<\0?\0x\0") {
        return Some(UTF_16LE);
    }
    if start.starts_with(b"\0<\0?\0x") {
        return Some(UTF_16BE);
    }
    prescan(start).or_else(|| xml_encoding(start))
}

/// Returns the encoding in the XML declaration at the start of the page. Returns `None` if the page
/// has no XML declaration. Also returns `None` if the declaration has no known encoding.
fn xml_encoding(start: &[u8]) -> Option<&'static Encoding> {
    if !start.starts_with(b"<?xml") {
        return None;
    }
    let declaration = &start[..memchr::memchr(b'>', start)?];
    let name = memchr::memmem::find(declaration, b"encoding")?;
    let value = skip_controls(skip_controls(&declaration[name + 8..]).strip_prefix(b"=")?);
    let [quote @ (b'"' | b'\''), value @ ..] = value else {
        return None;
    };
    let label = &value[..memchr::memchr(*quote, value)?];
    if label.iter().any(|byte| *byte <= b' ') {
        return None;
    }
    let encoding = Encoding::for_label(label)?;
    Some(if encoding == UTF_16BE || encoding == UTF_16LE {
        UTF_8
    } else {
        encoding
    })
}

/// Returns `bytes` without the bytes of at most 0x20 at the start. The HTML standard skips these
/// bytes in an XML declaration.
fn skip_controls(bytes: &[u8]) -> &[u8] {
    &bytes[bytes
        .iter()
        .position(|byte| *byte > b' ')
        .unwrap_or(bytes.len())..]
}

fn guess(start: &[u8], whole: bool) -> &'static Encoding {
    // Text that may be UTF-8 is UTF-8, so the slower detector need not weigh all other encodings.
    match std::str::from_utf8(start) {
        Ok(_) => UTF_8,
        Err(error) if !whole && error.error_len().is_none() => UTF_8,
        Err(_) => detect(start, whole),
    }
}

fn detect(start: &[u8], whole: bool) -> &'static Encoding {
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
    detector.feed(start, whole);
    detector.guess(None, chardetng::Utf8Detection::Allow)
}

/// Returns the encoding of the first META that declares a known encoding. Finds this META as the
/// prescan of the HTML standard does. Returns `None` if there is no such META.
fn prescan(bytes: &[u8]) -> Option<&'static Encoding> {
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'<', bytes.get(at..)?) {
        at += found;
        let rest = &bytes[at..];
        if rest.starts_with(b"<!--") {
            at += 2 + memchr::memmem::find(&rest[2..], b"-->")? + 3;
        } else if is_meta(rest) {
            let mut attributes = Vec::new();
            let end = html::attributes(bytes, at + 5, |name, value| attributes.push((name, value)));
            if let Some(encoding) = meta_encoding(bytes, &attributes) {
                return Some(encoding);
            }
            at = end;
        } else if matches!(rest, [b'<', b'a'..=b'z' | b'A'..=b'Z', ..] | [b'<', b'/', b'a'..=b'z' | b'A'..=b'Z', ..])
        {
            let name = rest.iter().position(|b| is_blank(*b) || *b == b'>')?;
            at = html::attributes(bytes, at + name, |_, _| ());
        } else if matches!(rest.get(1), Some(b'!' | b'/' | b'?')) {
            at += memchr::memchr(b'>', rest)?;
        } else {
            at += 1;
        }
    }
    None
}

fn is_meta(tag: &[u8]) -> bool {
    tag.len() > 5 && tag[..5].eq_ignore_ascii_case(b"<meta") && (is_blank(tag[5]) || tag[5] == b'/')
}

fn is_blank(byte: u8) -> bool {
    html::is_white_space(byte)
}

type CharsetAttribute = (Range<usize>, Range<usize>);

/// Returns the value of the first attribute whose name is `name`, ignoring case. `attributes` has
/// the byte ranges of names and values in `bytes`.
fn attribute_value<'b>(
    bytes: &'b [u8],
    attributes: &[CharsetAttribute],
    name: &[u8],
) -> Option<&'b [u8]> {
    let (_, value) = attributes
        .iter()
        .find(|(own, _)| bytes[own.clone()].eq_ignore_ascii_case(name))?;
    Some(&bytes[value.clone()])
}

/// Returns the encoding that a META with these attributes declares. It is declared by `charset`, or
/// by `http-equiv` and `content`. Returns `None` if the META declares no known encoding.
fn meta_encoding(bytes: &[u8], attributes: &[CharsetAttribute]) -> Option<&'static Encoding> {
    let label = match attribute_value(bytes, attributes, b"charset") {
        Some(label) => label,
        None => {
            let http_equiv = attribute_value(bytes, attributes, b"http-equiv")?;
            if !http_equiv.eq_ignore_ascii_case(b"content-type") {
                return None;
            }
            content_type::charset(attribute_value(bytes, attributes, b"content")?)?
        }
    };
    let encoding = Encoding::for_label(label)?;
    // By the standard, a META that was found byte by byte in ASCII cannot be in UTF-16.
    Some(if encoding == UTF_16BE || encoding == UTF_16LE {
        UTF_8
    } else if encoding == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], step: usize, label: &str) -> String {
        let mut charset = Charset::new();
        charset.header("Content-Type", &format!("text/html;charset={label}"));
        let mut text = String::new();
        let mut out = |piece: &str| {
            text.push_str(piece);
            Ok::<(), ()>(())
        };
        for piece in bytes.chunks(step) {
            charset.write(piece, &mut out).unwrap();
        }
        charset.end(&mut out).unwrap();
        text
    }

    #[test]
    fn every_source_of_the_encoding_in_its_rank() {
        for step in [1, 2, 3, 1000] {
            assert_eq!(
                read(b"\xEF\xBB\xBFgr\xC3\xBCn", step, "windows-1252"),
                "grün"
            );
            assert_eq!(read(b"\xFF\xFEg\0\xFC\0", step, ""), "gü");
            assert_eq!(read(b"gr\xFCn", step, "iso-8859-1"), "grün");
            assert_eq!(
                read(b"<meta charset=koi8-r>\xC1", step, ""),
                "<meta charset=koi8-r>а"
            );
            assert_eq!(read(b"gr\xC3\xBCn", step, ""), "grün");
            assert_eq!(read(b"\xE2\x82", step, "utf-8"), "\u{FFFD}");
            assert_eq!(read(b"\xEF\xBB\xBF\xEF\xBB\xBFa", step, ""), "\u{FEFF}a");
        }
    }

    /// A page begins with a long text in valid UTF-8, which is copied without decoding. The decoder
    /// begins behind this text, in the middle of the page.
    #[test]
    fn utf8_behind_the_first_bytes() {
        let begin = "grün ".repeat(SNIFF / 5);
        for step in [SNIFF - 1, SNIFF + 1, 2 * SNIFF] {
            for (end, expected) in [
                (&b"a\xEF\xBB\xBFb"[..], "a\u{FEFF}b"),
                (b"\xEF\xBB\xBF", "\u{FEFF}"),
                (b"a\xE2\x82b\xC3\xBC", "a\u{FFFD}bü"),
                (b"a\xE2\x82", "a\u{FFFD}"),
            ] {
                let bytes = [begin.as_bytes(), end].concat();
                assert_eq!(read(&bytes, step, ""), [&begin, expected].concat());
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn what_may_be_utf8_is_guessed_so_by_all(text in "(\\PC|[a-z\u{1B}\u{0} <>]){0,40}", cut in 0..160_usize, whole: bool) {
            let start = &text.as_bytes()[..cut.min(text.len())];
            proptest::prop_assert_eq!(guess(start, whole), detect(start, whole));
        }
    }

    #[test]
    fn prescan_reads_as_the_standard_says() {
        for (html, name) in [
            ("<meta charset=utf-16>", "UTF-8"),
            (
                "<!-- <meta charset=koi8-r> --><meta charset='big5'>",
                "Big5",
            ),
            (
                "<a title='<meta charset=big5>'><meta charset=koi8-r>",
                "KOI8-R",
            ),
            (
                "<meta http-equiv=content-type content='text/html; charset = \"gbk\"'>",
                "GBK",
            ),
            (
                "<META CONTENT='text/html;charset=shift_jis' HTTP-EQUIV=Content-Type>",
                "Shift_JIS",
            ),
            ("<meta/charset=euc-jp>", "EUC-JP"),
        ] {
            assert_eq!(
                prescan(html.as_bytes()).map(|e| e.name()),
                Some(name),
                "{html}"
            );
        }
        assert_eq!(
            prescan(b"<meta content='charset=big5'> <p charset=gbk>"),
            None
        );
    }

    #[test]
    fn an_xml_declaration_is_read_as_the_standard_says() {
        for (html, name) in [
            ("<?xml version='1.0' encoding='koi8-r'?>", Some("KOI8-R")),
            ("<?xml encoding\n = \"big5\" ?><p>", Some("Big5")),
            (
                "<?xml encoding='gbk'?><meta charset=euc-jp>",
                Some("EUC-JP"),
            ),
            ("<?xml encoding='gbk'?><!-- never closed", Some("GBK")),
            ("<?xml encoding='utf-16'?>", Some("UTF-8")),
            ("<\0?\0x\0m\0l\0", Some("UTF-16LE")),
            ("\0<\0?\0x\0m\0l", Some("UTF-16BE")),
            (" <?xml encoding='gbk'?>", None),
            ("<?XML encoding='gbk'?>", None),
            ("<?xml version='1.0'?><p encoding='gbk'>", None),
            ("<?xml encoding=gbk?>", None),
            ("<?xml encoding=' gbk'?>", None),
            ("<?xml encoding='nobodys'?>", None),
            ("<?xml encoding='gbk'", None),
        ] {
            assert_eq!(
                declared_encoding(html.as_bytes()).map(|e| e.name()),
                name,
                "{html}"
            );
        }
    }
}
