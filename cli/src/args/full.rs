//! The verbs of the feature `full`, with their arguments.

mod of_census;
mod of_evidence;
mod of_generate;
mod of_mask;
mod of_serve;
mod of_verify;

use clap::Subcommand;

pub(crate) use of_census::CensusArgs;
pub(crate) use of_evidence::{
    AuditArgs, CheckProofArgs, EvidenceArgs, FeedArgs, ForgetArgs, GrownArgs, HistoryArgs,
    ProveArgs, SignArgs,
};
pub(crate) use of_generate::{GenerateArgs, Shell};
pub(crate) use of_mask::{MASK_USES, MaskArgs};
pub(crate) use of_serve::ServeArgs;
pub(crate) use of_verify::VerifyArgs;

/// The verbs of the feature `full`.
#[derive(Debug, Subcommand)]
pub(crate) enum FullVerb {
    /// Write the uses that each record of an archive allows, and why
    #[command(after_help = "\
Examples:
  heedful mask crawl.warc.gz --use index,train -o crawl.mask.jsonl
  heedful mask --urls urls.txt crawl.warc.gz -b foobot -o urls.tsv
  heedful mask --feed crawl.mask.jsonl crawl.mask.jsonl > changes.jsonl")]
    Mask(MaskArgs),
    /// Prove from a log why a page may be in an index or a data set
    #[command(subcommand)]
    #[command(after_help = "\
Examples:
  heedful index site -u https://site.example/ -o new.index --evidence log
  heedful evidence audit log --index new.index
  heedful evidence prove log https://site.example/about.html > about.proof")]
    Evidence(EvidenceArgs),
    /// Count the pages that use each convention and deny each use
    #[command(after_help = "\
Examples:
  heedful census site -u https://site.example/
  heedful census crawl.warc.gz -o crawl.json --html crawl.html
  heedful census site -u https://site.example/ -o site.json
  heedful census --merge site.json crawl.json --html both.html")]
    Census(CensusArgs),
    /// Answer other programs on this machine: JSON over HTTP
    #[command(after_help = "\
Examples:
  heedful serve
  heedful serve site.index --limit requests=100")]
    Serve(ServeArgs),
    /// Compare the output with a finished tree; exit 1 at a leak
    #[command(after_help = "\
Examples:
  heedful verify site -u https://site.example/
  heedful verify crawl.warc.gz --inject 20 --browser
  heedful verify crawl.warc.gz --browser --text")]
    Verify(VerifyArgs),
    /// Write manual pages, completions for a shell, or the OpenAPI document of serve
    #[command(subcommand)]
    #[command(after_help = "\
Examples:
  heedful generate man man1
  heedful generate completions bash > heedful.bash")]
    Generate(GenerateArgs),
}
