//! Arguments of `heedful evidence`, which proves decisions about pages from a log.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::output::Format;

/// The verbs of `heedful evidence`.
#[derive(Debug, Subcommand)]
#[command(subcommand_help_heading = "Verbs", subcommand_value_name = "VERB")]
pub(crate) enum EvidenceArgs {
    /// Write a proof of the last decision about a page, which `check` verifies without the log
    #[command(after_help = "\
Examples:
  heedful evidence prove site.evidence https://site.example/about.html > about.tlog-proof")]
    Prove(ProveArgs),
    /// Verify a proof; with the page's bytes, judge the page again
    #[command(after_help = "\
Examples:
  heedful evidence prove site.evidence https://site.example/about.html > about.tlog-proof
  heedful evidence check about.tlog-proof --key operator.pub --page site/about.html --file site/robots.txt")]
    Check(CheckProofArgs),
    /// Verify the whole log; exit 1 if something is not as it was written
    #[command(after_help = "\
Examples:
  heedful evidence audit site.evidence --index site.index")]
    Audit(AuditArgs),
    /// Show each decision about a page, oldest first
    #[command(after_help = "\
Examples:
  heedful evidence history site.evidence https://site.example/about.html")]
    History(HistoryArgs),
    /// Write what became forbidden or allowed since an entry, as a feed for `purge --from`; exit 1
    /// if nothing did
    #[command(after_help = "\
Examples:
  heedful evidence feed site.evidence --since 3 --urls site.index")]
    Feed(FeedArgs),
    /// Prove that the log only grew since it had N entries. The proof is also a request for the
    /// signature of a witness
    #[command(after_help = "\
Examples:
  cp site.evidence/checkpoint then.checkpoint
  heedful evidence grown site.evidence --since 3 > grown.proof
  heedful evidence check grown.proof --old then.checkpoint --key operator.pub")]
    Grown(GrownArgs),
    /// Cosign the last checkpoint with a key of your own, or add what a witness signed
    #[command(after_help = "\
Examples:
  openssl genpkey -algorithm ed25519 -out operator.key
  heedful evidence sign site.evidence --key operator.key --name operator.example")]
    Sign(SignArgs),
    /// Erase the records of pages: nobody can tell any more which entries are about them
    #[command(after_help = "\
Examples:
  heedful evidence forget site.evidence https://site.example/about.html --index site.index")]
    Forget(ForgetArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ProveArgs {
    /// The log
    pub(crate) dir: PathBuf,
    /// The page
    pub(crate) url: String,
    /// Prove each decision about the page, oldest first
    #[arg(long)]
    pub(crate) all: bool,
    /// Also write the site files that influenced the decision, such as robots.txt, into this
    /// folder. The name of each file is its digest
    #[arg(long, value_name = "DIR")]
    pub(crate) files: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct CheckProofArgs {
    /// The proof: what `prove` or `grown` wrote; `-` is standard input
    pub(crate) proof: PathBuf,
    /// A file with the bytes of the page as they were read, to judge the page again
    #[arg(long, value_name = "FILE")]
    pub(crate) page: Option<PathBuf>,
    /// A site file that influenced the decision: robots.txt, tdmrep.json or a licence. May be
    /// repeated
    #[arg(long, value_name = "FILE", requires = "page")]
    pub(crate) file: Vec<PathBuf>,
    /// The public key that you trust, of the log, its operator or a witness: PEM, 64 hexadecimal
    /// digits, or a verifier key by C2SP. Without it or --root nothing is proved
    #[arg(long, value_name = "FILE", required_unless_present = "root")]
    pub(crate) key: Option<PathBuf>,
    /// The root of the log that you trust, in hexadecimal digits, in place of a key
    #[arg(long, value_name = "HEX", conflicts_with = "key")]
    pub(crate) root: Option<String>,
    /// The older checkpoint. Required to verify a proof that `grown` wrote
    #[arg(long, value_name = "FILE", conflicts_with = "page")]
    pub(crate) old: Option<PathBuf>,
    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct AuditArgs {
    /// The log
    pub(crate) dir: PathBuf,
    /// The index to which the log belongs. An error if log and index do not match
    #[arg(long, value_name = "DIR")]
    pub(crate) index: Option<PathBuf>,
    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    /// The log
    pub(crate) dir: PathBuf,
    /// The page
    pub(crate) url: String,
    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct FeedArgs {
    /// The log
    pub(crate) dir: PathBuf,
    /// The number of entries that the log had at an earlier time. The changes since that time are
    /// written
    #[arg(long, value_name = "N")]
    pub(crate) since: u64,
    /// The pages to look up in the log: an index, or a list with one URL per line. May be repeated
    #[arg(long, value_name = "INDEX|LIST", required = true)]
    pub(crate) urls: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct GrownArgs {
    /// The log
    pub(crate) dir: PathBuf,
    /// The number of entries that the log had at an earlier time
    #[arg(long, value_name = "N")]
    pub(crate) since: u64,
}

#[derive(Debug, Args)]
pub(crate) struct SignArgs {
    /// The log
    pub(crate) dir: PathBuf,
    /// The private key: PEM as openssl writes it, 64 hexadecimal digits, or C2SP's form. With
    /// --cosignatures, the public key of the witness
    #[arg(long, value_name = "FILE")]
    pub(crate) key: PathBuf,
    /// The name of the key in the signature, as `operator.example`
    #[arg(long, value_name = "NAME", conflicts_with = "cosignatures")]
    pub(crate) name: Option<String>,
    /// Add these lines, which a witness returned for the last checkpoint
    #[arg(long, value_name = "FILE")]
    pub(crate) cosignatures: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ForgetArgs {
    /// The log
    pub(crate) dir: PathBuf,
    /// The pages
    #[arg(value_name = "URL", required_unless_present = "list")]
    pub(crate) urls: Vec<String>,
    /// More pages: a list with one URL a line. May be repeated
    #[arg(long, value_name = "LIST")]
    pub(crate) list: Vec<PathBuf>,
    /// The index to which the log belongs. Required if the last run on this index crashed
    #[arg(long, value_name = "DIR")]
    pub(crate) index: Option<PathBuf>,
}
