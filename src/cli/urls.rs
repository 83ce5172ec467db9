//! URLs from where people have them: a list, a sitemap, an index.

use std::io::Read;
use std::path::Path;

use flate2::read::MultiGzDecoder;
use heedful::Result;
use heedful::index::Index;

use super::run_args::contents;
use super::setting;
use super::sitemap::sitemap;

/// A sitemap has at most 50 MB (sitemaps.org); this bounds what unpacks from a small file.
const MOST: u64 = 200 << 20;

/// The URLs of a file or an index, as it is by its content.
pub(super) fn from(path: &Path) -> Result<Vec<String>> {
    if path.is_dir() {
        return Index::open(path)?.search()?.urls();
    }
    let wrong = |what: &str| setting(format!("{}: {what}", path.display()));
    let mut bytes = contents(path)?;
    if bytes.starts_with(&[0x1F, 0x8B]) {
        let mut unpacked = Vec::new();
        let read = MultiGzDecoder::new(&bytes[..]).take(MOST + 1).read_to_end(&mut unpacked);
        read.map_err(|error| wrong(&error.to_string()))?;
        if unpacked.len() as u64 > MOST {
            return Err(wrong("it unpacks to more than a sitemap may hold"));
        }
        bytes = unpacked;
    }
    let text = String::from_utf8_lossy(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes));
    if text.trim_start().starts_with('<') {
        return sitemap(&text).map_err(|what| wrong(&what));
    }
    Ok(text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect())
}
