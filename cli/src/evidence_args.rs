//! Where the evidence of an index is: the option of verbs that change an index.

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
    /// Opens the index in a folder, which goes on with its evidence. These verbs begin none.
    pub(crate) fn open(&self, dir: &Path) -> Result<Index> {
        with_evidence_at(dir, self.evidence.as_deref())
    }
}

/// Opens the index in a folder. Where a folder of evidence is named, the index must keep evidence
/// already.
pub(crate) fn with_evidence_at(dir: &Path, folder: Option<&Path>) -> Result<Index> {
    let index = Index::open(dir)?;
    if folder.is_some() && index.kept_evidence()?.is_none() {
        return Err(without_evidence(dir));
    }
    Ok(evidence_at(index, folder))
}

/// The index with its evidence in this folder; without one it is where the last commit had it.
pub(crate) fn evidence_at(index: Index, folder: Option<&Path>) -> Index {
    match folder {
        Some(folder) => index.evidence(folder),
        None => index.with_evidence(),
    }
}

/// The error for an index that has no evidence.
pub(crate) fn without_evidence(index: &Path) -> Error {
    let name = index.display();
    setting(format!(
        "{name} keeps no evidence: `heedful index INPUT -o {name} --evidence DIR` begins some"
    ))
}
