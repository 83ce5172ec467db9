//! The head of a record in a web archive, whatever its format.

use std::time::SystemTime;

use heedful_base::content_type::ContentType;
use heedful_base::error::{Error, ErrorKind};

use super::robots::is_site_file;

/// The maximum bytes of a line that begins a record. Longer lines of an ARC file begin none.
pub(super) const LARGEST_HEAD: usize = 64 << 10;

/// The head of a record.
#[derive(Debug, Default)]
pub(super) struct RecordHead {
    pub(super) kind: ArchiveRecordKind,
    pub(super) target: Option<String>,
    pub(super) content_type: String,
    pub(super) length: Option<u64>,
    pub(super) captured: Option<SystemTime>,
    pub(super) id: Option<String>,
    /// The record that it was made from.
    pub(super) refers_to: Option<String>,
    /// True if its content is not whole, according to the head.
    pub(super) is_cut: bool,
    pub(super) block_digest: Option<String>,
    pub(super) payload_digest: Option<String>,
}

/// The kind of content in a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ArchiveRecordKind {
    /// An HTTP response.
    Response,
    /// A file without an HTTP head.
    Resource,
    /// A record that a page is unchanged.
    Revisit,
    #[default]
    Other,
    /// Content of unknown kind.
    Unknown,
}

impl RecordHead {
    fn is_web(&self) -> bool {
        self.target.as_deref().is_some_and(|uri| {
            let scheme = uri.split(':').next().unwrap_or_default();
            scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
        })
    }

    pub(super) fn is_page(&self) -> bool {
        self.is_web()
            && match self.kind {
                ArchiveRecordKind::Response => {
                    self.content_type.is_empty() || self.content_type.contains("http")
                }
                ArchiveRecordKind::Resource | ArchiveRecordKind::Revisit => true,
                ArchiveRecordKind::Other | ArchiveRecordKind::Unknown => false,
            }
    }

    pub(super) fn is_robots(&self) -> bool {
        self.kind != ArchiveRecordKind::Other && self.target.as_deref().is_some_and(is_site_file)
    }

    pub(super) fn is_wanted(&self) -> bool {
        self.is_page() && !self.is_other_file() || self.is_robots()
    }

    /// True if the record is a file that is not HTML.
    pub(super) fn is_other_file(&self) -> bool {
        self.kind == ArchiveRecordKind::Resource
            && !ContentType::from_lines([self.content_type.as_str()]).is_html()
    }
}

pub(super) fn bad(message: impl Into<String>) -> Error {
    ErrorKind::Input(message.into()).into()
}
