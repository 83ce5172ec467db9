//! Sphinx and Manticore Search: `SphinxQL` statements for a real-time index, and the definition of
//! the index.
//!
//! The statements were tested with Sphinx 2.2.11 (`tests/sphinx/check`). For Manticore they follow
//! the manual ("Real-time table", "Data types", "Low-level tokenization"). Both accept `REPLACE`
//! and `DELETE` by the protocol of `MySQL`. Each line is a statement. Sphinx defines its index in a
//! configuration file, Manticore by `CREATE TABLE`.
//!
//! The phrases of a field are joined by U+2029 between blanks, a phrase boundary that counts as
//! 1000 positions. In the texts themselves, U+2029 and control characters are replaced by blanks. A
//! field has 2^23 positions. After the last one, Sphinx counts from 0 again, and words of two
//! phrases would become neighbours. So a field is cut before that. A text attribute has at most 4
//! MiB: Sphinx misreads the length of a longer text, and drops a longer JSON list.

use std::time::SystemTime;

use heedful::PHRASE_GAP;

use super::document::{Document, SEARCHED, unix_seconds};
use super::id::DocumentId;

/// Maximum number of token positions in a field of an exported page. Sphinx itself has a maximum of
/// 8,388,608.
const POSITIONS: usize = 8_000_000;
/// Maximum length of a text attribute, in bytes of its JSON. Sphinx allows 4 MiB, but stores a list
/// in more bytes than its JSON has.
const ATTRIBUTE: usize = 3_000_000;
/// Expiry time of a page that never expires, in seconds since 1970. It is the end of the year 9999.
const NEVER: u64 = 253_402_300_799;
/// Names of the text attributes that identify a page. [`LISTS`], [`SHOWN`] and [`NUMBERS`] name the
/// other attributes: lists, texts that are shown but not searched, and numbers.
const KEYS: [&str; 3] = ["url", "host", "canonical"];
const LISTS: [&str; 3] = ["sites", "denied", "links"];
const SHOWN: [&str; 3] = ["shown_title", "excerpt", "input"];
const NUMBERS: [&str; 2] = ["max_snippet", "unavailable_after"];

pub(super) fn document(
    index: &str,
    id: DocumentId,
    document: &Document<'_>,
    expires: Option<SystemTime>,
) -> Vec<u8> {
    let mut values = vec![number(id).to_string()];
    let fields = [
        document.title,
        document.headings,
        document.description,
        document.body,
        document.alt,
    ];
    values.extend(fields.map(|phrases| quoted(&field(phrases))));
    let keys = [
        document.url,
        document.host.as_deref().unwrap_or(""),
        document.canonical.as_deref().unwrap_or(""),
    ];
    values.extend(keys.map(quoted));
    let sites: Vec<&str> = document.sites.iter().map(String::as_str).collect();
    values.extend([&sites, &document.denied, &document.links].map(|list| quoted(&json(list))));
    values.extend(
        [&document.shown_title, &document.excerpt, &document.input]
            .map(|text| quoted(truncate(text))),
    );
    values.push(document.max_snippet.map_or(-1, i64::from).to_string());
    let expires = match expires {
        Some(time) => unix_seconds(time).min(NEVER),
        None => NEVER,
    };
    values.push(expires.to_string());
    let names = [&SEARCHED[..], &KEYS, &LISTS, &SHOWN, &NUMBERS]
        .concat()
        .join(", ");
    format!(
        "REPLACE INTO {index} (id, {names}) VALUES ({});\n",
        values.join(", ")
    )
    .into_bytes()
}

pub(super) fn deletion(index: &str, id: DocumentId) -> Vec<u8> {
    format!("DELETE FROM {index} WHERE id = {};\n", number(id)).into_bytes()
}

/// Converts a document identifier to a number from 1 to 2^63 - 1, because Sphinx requires a
/// positive signed 64-bit number.
fn number(id: DocumentId) -> u64 {
    (id.first_bits() >> 1).max(1)
}

/// Joins the phrases of a field with phrase boundaries. If the field would have more than
/// `POSITIONS` token positions, phrases at the end are left out. Each character counts as one
/// position, because a token has at least one character.
fn field(phrases: &[String]) -> String {
    let mut positions = 0;
    let counted = phrases.iter().take_while(|phrase| {
        positions += phrase.chars().count() + PHRASE_GAP as usize + 1;
        positions <= POSITIONS
    });
    let plain = counted.map(|phrase| phrase.replace('\u{2029}', " "));
    plain.collect::<Vec<_>>().join(" \u{2029} ")
}

/// Formats a list as JSON. Elements at the end are left out if the JSON would have more than
/// `ATTRIBUTE` bytes.
fn json(list: &[&str]) -> String {
    let mut bytes = 0;
    let fitting = list.iter().take_while(|text| {
        bytes += text.len() + 8;
        bytes <= ATTRIBUTE
    });
    serde_json::Value::from(fitting.copied().collect::<Vec<_>>()).to_string()
}

fn truncate(text: &str) -> &str {
    &text[..text.floor_char_boundary(ATTRIBUTE)]
}

/// Quotes a text as an SQL string. Control characters, such as line ends, become blanks, so that a
/// statement is always one line.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('\'');
    for c in text.chars() {
        match c {
            '\'' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push(' '),
            c => quoted.push(c),
        }
    }
    quoted.push('\'');
    quoted
}

/// Returns the content of Sphinx's configuration file for an index with the name `index`.
pub(super) fn configuration(index: &str) -> String {
    let mut lines = format!(
        "{HEAD}index {index}\n{{\n\ttype = rt\n\tpath = /var/lib/sphinxsearch/data/{index}\n"
    );
    for (kind, names) in [
        ("field", &SEARCHED[..]),
        ("attr_string", &KEYS),
        ("attr_json", &LISTS),
        ("attr_string", &SHOWN),
        ("attr_bigint", &NUMBERS),
    ] {
        lines.extend(names.iter().map(|name| format!("\trt_{kind} = {name}\n")));
    }
    format!(
        "{lines}\tcharset_table = {}\n\tngram_len = 1\n\tngram_chars = {}\n\tphrase_boundary = U+2029\n\
         \tphrase_boundary_step = {PHRASE_GAP}\n}}\n\n{SERVER}",
        LETTERS.join(", \\\n\t\t"),
        UNSPACED.join(", ")
    )
}

/// Returns the statement that creates a table with the name `index` in Manticore.
pub(super) fn table(index: &str) -> String {
    let columns = [
        (&SEARCHED[..], "text indexed"),
        (&KEYS, "string"),
        (&LISTS, "json"),
        (&SHOWN, "text stored"),
        (&NUMBERS, "bigint"),
    ];
    let columns: Vec<_> = columns
        .iter()
        .flat_map(|(names, kind)| names.iter().map(move |name| format!("{name} {kind}")))
        .collect();
    format!(
        "CREATE TABLE {index} ({}) charset_table='non_cont' ngram_len='1' ngram_chars='cont' \
         phrase_boundary='U+2029' phrase_boundary_step='{PHRASE_GAP}';\n",
        columns.join(", ")
    )
}

const HEAD: &str = "\
# Made by heedful: how Sphinx is to index what heedful exports. Manticore takes create.sql instead.
# Between two phrases 1000 positions are left free: offer no proximity from there on.
";
const SERVER: &str = "\
searchd
{
	listen = 127.0.0.1:9306:mysql41
	log = /var/log/sphinxsearch/searchd.log
	query_log = /var/log/sphinxsearch/query.log
	pid_file = /var/run/sphinxsearch/searchd.pid
	binlog_path = /var/lib/sphinxsearch/data
	workers = threads
	max_packet_size = 128M
}
";
/// Character table of Sphinx for scripts that have blanks between words: their letters and digits.
/// A range may map capitals to small letters. The default table of Sphinx has only English and
/// Russian.
const LETTERS: [&str; 8] = [
    "0..9, A..Z->a..z, _, a..z",
    "U+AA, U+B5, U+BA, U+C0..U+D6->U+E0..U+F6, U+D8..U+DE->U+F8..U+FE, U+DF..U+F6, U+F8..U+FF",
    "U+100..U+137/2, U+138, U+139..U+148/2, U+149, U+14A..U+177/2, U+178->U+FF, U+179..U+17E/2, U+17F, U+1E00..U+1EFF/2",
    "U+300..U+36F, U+386->U+3AC, U+388..U+38A->U+3AD..U+3AF, U+38C->U+3CC, U+38E..U+38F->U+3CD..U+3CE, U+390, U+391..U+3A1->U+3B1..U+3C1, U+3A3..U+3AB->U+3C3..U+3CB, U+3AC..U+3CE",
    "U+400..U+40F->U+450..U+45F, U+410..U+42F->U+430..U+44F, U+430..U+45F, U+460..U+481/2, U+48A..U+4BF/2, U+4D0..U+52F/2",
    "U+531..U+556->U+561..U+586, U+561..U+587, U+10A0..U+10FF, U+5D0..U+5EA, U+620..U+669, U+66E..U+6D3, U+6F0..U+6FC",
    "U+900..U+DFF, U+1200..U+139F",
    "U+1100..U+11FF, U+AC00..U+D7A3",
];
/// Character table of Sphinx for scripts that have no blanks between words. Each of these
/// characters counts as a word.
const UNSPACED: [&str; 8] = [
    "U+E01..U+E5B",
    "U+E81..U+EDF",
    "U+1780..U+17E9",
    "U+3041..U+30FF",
    "U+3400..U+4DBF",
    "U+4E00..U+9FFF",
    "U+F900..U+FAFF",
    "U+20000..U+2FA1F",
];
