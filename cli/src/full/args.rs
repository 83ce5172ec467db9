//! The arguments of these verbs.

mod of_census;
mod of_evidence;
mod of_generate;
mod of_mask;
mod of_serve;
mod of_verify;

pub(crate) use of_census::CensusArgs;
pub(crate) use of_evidence::{
    AuditArgs, CheckProofArgs, EvidenceArgs, FeedArgs, ForgetArgs, GrownArgs, HistoryArgs, ProveArgs, SignArgs,
};
pub(crate) use of_generate::{GenerateArgs, Generated, Shell};
pub(crate) use of_mask::MaskArgs;
pub(crate) use of_serve::ServeArgs;
pub(crate) use of_verify::VerifyArgs;
