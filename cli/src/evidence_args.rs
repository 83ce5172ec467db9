//! The option `--evidence` of verbs that change an index. It names the folder of the index's
//! evidence, which is needed if the user moved that folder.

use std::path::{Path, PathBuf};

use clap::Args;
use heedful::{Error, Result};
use heedful_evidence::IndexEvidence;
use heedful_index::Index;

use crate::ending::setting;

#[derive(Debug, Args)]
pub(crate) struct MovedEvidence {
    /// Where the evidence of the index is now, if its folder has moved
    #[arg(long, value_name = "DIR")]
    evidence: Option<PathBuf>,
}

impl MovedEvidence {
    /// Opens the index in the folder `dir`. If the index keeps evidence, later changes to the index
    /// are recorded in the evidence.
    pub(crate) fn open(&self, dir: &Path) -> Result<Index> {
        with_evidence_at(dir, self.evidence.as_deref())
    }
}

/// Opens the index in the folder `dir`. The evidence of the index is in `folder`, or else in the
/// folder that the last commit used. Fails if `folder` is given and the index keeps no evidence.
pub(crate) fn with_evidence_at(dir: &Path, folder: Option<&Path>) -> Result<Index> {
    let index = Index::open(dir)?;
    if folder.is_some() && index.kept_evidence()?.is_none() {
        return Err(without_evidence(dir));
    }
    Ok(evidence_at(index, folder))
}

/// Sets the folder of the evidence of `index`. If `folder` is `None`, it is the folder that the
/// last commit used.
pub(crate) fn evidence_at(index: Index, folder: Option<&Path>) -> Index {
    match folder {
        Some(folder) => index.evidence(folder),
        None => index.with_evidence(),
    }
}

/// Creates the error for a command that needs the evidence of an index that keeps none. `index` is
/// the folder of this index. The message says how to begin evidence.
pub(crate) fn without_evidence(index: &Path) -> Error {
    let name = index.display();
    setting(format!(
        "{name} keeps no evidence: `heedful index INPUT -o {name} --evidence DIR` begins some"
    ))
}
