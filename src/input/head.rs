//! What the head of a record of a web archive says, whatever its format.

use std::time::SystemTime;

use crate::error::{Error, ErrorKind};

use super::http;
use super::item::is_site_file;

/// No line of an ARC file with more bytes begins a record.
pub(super) const LARGEST_HEAD: usize = 64 << 10;

/// What the head of a record says.
#[derive(Debug, Default)]
pub(super) struct Head {
    pub(super) kind: RecordKind,
    pub(super) target: Option<String>,
    pub(super) content_type: String,
    pub(super) length: Option<u64>,
    pub(super) captured: Option<SystemTime>,
    pub(super) id: Option<String>,
    /// It says that its content is not whole.
    pub(super) is_cut: bool,
    pub(super) block_digest: Option<String>,
    pub(super) payload_digest: Option<String>,
}

/// What a record may hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum RecordKind {
    /// An HTTP response.
    Response,
    /// A file without one.
    Resource,
    /// That a page is as it was.
    Revisit,
    #[default]
    Other,
    /// Nobody knows what.
    Unknown,
}

impl Head {
    fn is_web(&self) -> bool {
        self.target.as_deref().is_some_and(|uri| {
            let scheme = uri.split(':').next().unwrap_or_default();
            scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
        })
    }

    pub(super) fn is_page(&self) -> bool {
        self.is_web()
            && match self.kind {
                RecordKind::Response => self.content_type.is_empty() || self.content_type.contains("http"),
                RecordKind::Resource | RecordKind::Revisit => true,
                RecordKind::Other | RecordKind::Unknown => false,
            }
    }

    pub(super) fn is_robots(&self) -> bool {
        self.kind != RecordKind::Other && self.target.as_deref().is_some_and(is_site_file)
    }

    pub(super) fn is_wanted(&self) -> bool {
        self.is_page() && !self.is_other_file() || self.is_robots()
    }

    /// Whether it is a file that is no HTML.
    pub(super) fn is_other_file(&self) -> bool {
        self.kind == RecordKind::Resource && !http::is_html(&self.content_type)
    }
}

pub(super) fn bad(message: impl Into<String>) -> Error {
    ErrorKind::Input(message.into()).into()
}
