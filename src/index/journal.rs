//! The evidence that is asked for, by whoever opens an index.

use std::path::PathBuf;
#[cfg(test)]
use std::sync::Arc;

#[cfg(test)]
use crate::evidence::Files;

/// The evidence that is asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct AskedEvidence {
    pub(super) place: Option<Place>,
    /// The log begins anew, whatever the last commit names.
    pub(super) is_new: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Place {
    Folder(PathBuf),
    #[cfg(test)]
    Files(Arc<dyn Files>),
}
