//! Arguments of the verbs that read or change an index.

use std::path::PathBuf;
use std::time::SystemTime;

use clap::Args;
use heedful::Uses;

use crate::evidence_args::MovedEvidence;
use crate::fetch_args::FetchArgs;
use crate::output::Format;
use crate::robots_args::RobotsFile;
use crate::run_args::{jobs_count, limit, memory};
use crate::terms_args::time;

#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// The index
    pub(crate) dir: PathBuf,
    /// Words (all of them), "a phrase", "words near"~3, "a prefix phra"*, one OR other, title:word,
    /// site:host; quoted for the shell: 'rye -without'
    #[arg(required = true)]
    pub(crate) query: Vec<String>,
    /// The maximum number of hits on a page of results
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    pub(crate) most: usize,
    /// The page of results, counted from 1
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) page: u32,
    /// Stop counting at this many matching pages, which is faster; the hits are the same
    #[arg(long, value_name = "N")]
    pub(crate) at_least: Option<u64>,
    /// Only pages that may also be used for this, such as `input` or `train`; with `input`, title
    /// and excerpt are what may be given to a model
    #[arg(long = "use", value_name = "USES", value_parser = Uses::parse_names)]
    pub(crate) need: Option<Uses>,
    /// Only pages that declare this language, such as `de`, which also stands for `de-AT`
    #[arg(long, value_name = "TAG")]
    pub(crate) language: Option<String>,
    /// Only pages whose text was fetched at this time or later, such as 2026-12-31
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) since: Option<SystemTime>,
    /// Only pages whose text was fetched before this time
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) until: Option<SystemTime>,
    /// Set a limit of the query: NAME=N, also with K, M or G; `heedful limits` lists them. May be
    /// repeated
    #[arg(long, value_name = "NAME=N", value_parser = limit)]
    pub(crate) limit: Vec<(String, u64)>,
    /// Show what each word adds to the score, and in which field; `anchor` is what others call the
    /// page
    #[arg(long)]
    pub(crate) explain: bool,
    /// The time of the search, such as 2026-12-31: pages that expired earlier are not found
    /// [default: now]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) at: Option<SystemTime>,
    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("urls").args(["of", "list"]))]
pub(crate) struct StatsArgs {
    /// The index
    pub(crate) dir: PathBuf,
    /// Read the whole index and verify checksums; exit 1 if something is damaged
    #[arg(long)]
    pub(crate) check: bool,
    /// Show what is known of this URL, and what others call it
    #[arg(long, value_name = "URL", conflicts_with = "check")]
    pub(crate) of: Option<String>,
    /// List every URL that the index knows, with its state: pages, then those that are not indexed
    #[arg(long, conflicts_with_all = ["check", "of"])]
    pub(crate) list: bool,
    /// The time at which --list and --of check pages for expiry, such as 2026-12-31 [default: now]
    #[arg(long, value_name = "TIME", value_parser = time, requires = "urls")]
    pub(crate) at: Option<SystemTime>,
    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("what").required(true).multiple(true).args(["expired", "robots", "fetch", "noarchive", "url", "urls", "from", "unseen_since"]))]
pub(crate) struct PurgeArgs {
    /// The index
    pub(crate) dir: PathBuf,
    /// Remove the pages that have expired
    #[arg(long)]
    pub(crate) expired: bool,
    /// The time at which --expired checks pages for expiry, such as 2026-12-31 [default: now]
    #[arg(long, value_name = "TIME", value_parser = time, requires = "expired")]
    pub(crate) at: Option<SystemTime>,
    /// Remove the pages that this robots.txt disallows, or the robots.txt files in a WARC or JSON
    /// Lines. If the index has several sites, write SITE=FILE, as `https://site.example/=FILE`. May
    /// be repeated
    #[arg(short, long, value_name = "FILE", value_parser = RobotsFile::parse)]
    pub(crate) robots: Vec<RobotsFile>,
    /// Fetch the robots.txt of each site, and remove the pages that it disallows
    #[arg(long = "fetch-robots")]
    pub(crate) fetch: bool,
    #[command(flatten)]
    pub(crate) fetching: FetchArgs,
    /// Remove the page with this URL. A URL with * is a pattern that must match to the end. If all
    /// pages are of one site, a path such as /a* is enough. May be repeated
    #[arg(short, long, value_name = "URL", group = "named")]
    pub(crate) url: Vec<String>,
    /// Remove the pages that this file lists: one URL or pattern per line, or a sitemap. May be
    /// repeated
    #[arg(long, value_name = "FILE", group = "named")]
    pub(crate) urls: Vec<PathBuf>,
    /// Apply a feed of changes, as `mask --feed` writes it: remove pages that may not be indexed
    /// any more, and the snapshots of those that may not be kept; deny other uses. May be repeated
    #[arg(long, value_name = "FEED")]
    pub(crate) from: Vec<PathBuf>,
    /// The reason for the removal of the URLs that are given; `stats --of` shows it
    #[arg(long, value_name = "TEXT", requires = "named")]
    pub(crate) why: Option<String>,
    /// Remove the pages that were last fetched before this time, such as 2026-12-31
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) unseen_since: Option<SystemTime>,
    /// Remove the snapshots; the pages stay
    #[arg(long)]
    pub(crate) noarchive: bool,
    /// Only the pages of this host and its subdomains. May be repeated
    #[arg(long, value_name = "HOST")]
    pub(crate) site: Vec<String>,
    /// Apply a --robots FILE without SITE, or a path in --url, to the pages of all sites
    #[arg(long, conflicts_with = "site")]
    pub(crate) all_hosts: bool,
    /// Remove nothing, but show what would be removed
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) evidence: MovedEvidence,
    /// Number of pages judged at the same time [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = jobs_count)]
    pub(crate) jobs: Option<usize>,
    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct CompactArgs {
    /// The index. An index from a single run may get larger
    pub(crate) dir: PathBuf,
    #[command(flatten)]
    pub(crate) evidence: MovedEvidence,
    /// Memory to use, without files that are mapped: bytes, also with K, M or G; at least 64M
    #[arg(long, value_name = "N", value_parser = memory)]
    pub(crate) memory: Option<u64>,
    /// Forget the URLs that are gone, and that no record has named for this many days. An earlier
    /// capture of them can then be indexed again. By default none is forgotten
    #[arg(long, value_name = "DAYS")]
    pub(crate) keep_gone: Option<u32>,
    /// Print no messages
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// Indexes of the same bot and conventions, or @FILE with one index per line. If two captures
    /// of a URL have the same time, the index that is named later counts
    #[arg(required = true, value_name = "SHARD")]
    pub(crate) shards: Vec<PathBuf>,
    /// The new index; it must not exist yet
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    /// Memory to use, without files that are mapped: bytes, also with K, M or G; at least 64M
    #[arg(long, value_name = "N", value_parser = memory)]
    pub(crate) memory: Option<u64>,
    /// Print no messages
    #[arg(short, long)]
    pub(crate) quiet: bool,
}
