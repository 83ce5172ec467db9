//! The header of an archive record, in one form for WARC and ARC.

use std::time::SystemTime;

use heedful_base::content_type::ContentType;
use heedful_base::error::{Error, ErrorKind};

use super::robots::is_site_file;

/// Upper bound for the length in bytes of an ARC record's header line. A longer line is no header.
pub(super) const LARGEST_HEAD: usize = 64 << 10;

/// Parsed header of a WARC or ARC record.
#[derive(Debug, Default)]
pub(super) struct RecordHead {
    pub(super) kind: ArchiveRecordKind,
    pub(super) target: Option<String>,
    pub(super) content_type: String,
    pub(super) length: Option<u64>,
    pub(super) captured: Option<SystemTime>,
    pub(super) id: Option<String>,
    /// Identifier of the record from which this record was derived (`WARC-Refers-To`). `None` if
    /// the header has no such identifier.
    pub(super) refers_to: Option<String>,
    /// True if the header states that the content of the record is incomplete.
    pub(super) is_cut: bool,
    pub(super) block_digest: Option<String>,
    pub(super) payload_digest: Option<String>,
}

/// Type of an archive record, common to WARC and ARC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ArchiveRecordKind {
    /// An HTTP response: HTTP headers and body.
    Response,
    /// A file that was archived without HTTP headers.
    Resource,
    /// A note that a page is unchanged since an earlier record.
    Revisit,
    /// A request, metadata, or another known type that never contains a page.
    #[default]
    Other,
    /// An unknown type. A record of this type is reported as damage.
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

    /// True if the record may be from a WAT archive: JSON about the archive record of a web page.
    pub(super) fn may_be_wat(&self) -> bool {
        self.kind == ArchiveRecordKind::Other
            && self.is_web()
            && self.content_type.starts_with("application/json")
    }

    /// True if the record contains a file whose content type is not HTML.
    pub(super) fn is_other_file(&self) -> bool {
        self.kind == ArchiveRecordKind::Resource
            && !ContentType::from_lines([self.content_type.as_str()]).is_html()
    }
}

pub(super) fn bad(message: impl Into<String>) -> Error {
    ErrorKind::Input(message.into()).into()
}
