//! A file of a site as the site sent it, for those who must show what was read. It decides nothing.

use std::sync::Arc;

/// The response of a site that was asked for a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sent {
    /// The status. None if there was no response, as for a file on disk.
    pub(super) status: Option<u16>,
    /// The bytes, unless the status alone decides.
    pub(super) bytes: Option<Arc<[u8]>>,
}

/// A response of which the bytes are kept elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SentDigest {
    pub(crate) status: Option<u16>,
    /// SHA-256 of the bytes. None if they are not kept.
    pub(crate) digest: Option<[u8; 32]>,
}
